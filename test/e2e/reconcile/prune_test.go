package reconcile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

const prune = `
  - name: Everything
    ringfence.mesh.access_policies: {wait_sleep: 1, on_unready: warn}
`

// TestPruneWhatWasAdopted takes over a policy that admitted everybody as one that
// admits nobody. That only takes fields away, and so the API server gives us no
// claim to the spec; it must go all the same when the model drops the destination.
func TestPruneWhatWasAdopted(t *testing.T) {
	p := newPlatform(t, first())
	p.apply(t, "kubectl", p.namespace, `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: api-allow-callers}, spec: {action: ALLOW, selector: {matchLabels: {app: api}}, rules: [{}]}}`)
	time.Sleep(1100 * time.Millisecond) // the API server's books have seconds
	nobody := p.play(t, server.Admin(), prune, nil)
	nobody.Files["files/model.yaml"] = strings.Replace(nobody.Files["files/model.yaml"], "callers: [{workload: web}, {gateway: api-gateway}]", "callers: []", 1)
	p.controller.Succeed(t, nobody)
	o, err := server.Client.Get(t.Context(), cluster.AuthorizationPolicy, p.namespace, "api-allow-callers")
	require.NoError(t, err)
	rules, found, err := unstructured.NestedSlice(o.Object, "spec", "rules")
	require.NoError(t, err)
	require.False(t, found, "it admits nobody now: %v", rules)

	dropped := p.play(t, server.Admin(), prune, nil)
	dropped.Files["files/model.yaml"] = strings.Replace(dropped.Files["files/model.yaml"], "    callers: [{workload: web}, {gateway: api-gateway}]\n", "", 1)
	p.controller.Succeed(t, dropped)
	_, err = server.Client.Get(t.Context(), cluster.AuthorizationPolicy, p.namespace, "api-allow-callers")
	assert.True(t, apierrors.IsNotFound(err), "%v", err)
}

// TestKeepWhatWasReplaced leaves a policy alone that somebody else has written
// anew: nothing but the labels is ours any more.
func TestKeepWhatWasReplaced(t *testing.T) {
	p := newPlatform(t, first())
	p.controller.Succeed(t, p.play(t, server.Admin(), prune, nil))
	policies, err := server.Client.Kind(t.Context(), cluster.AuthorizationPolicy, p.namespace)
	require.NoError(t, err)
	o, err := policies.Get(t.Context(), "api-allow-callers", metav1.GetOptions{})
	require.NoError(t, err)
	o.Object["spec"] = map[string]any{
		"action": "DENY", "selector": map[string]any{"matchLabels": map[string]any{"tier": "backend"}},
		"rules": []any{map[string]any{"to": []any{map[string]any{"operation": map[string]any{"ports": []any{"9999"}}}}}},
	}
	replaced, err := policies.Update(t.Context(), o, metav1.UpdateOptions{FieldManager: "kubectl-replace"})
	require.NoError(t, err)

	dropped := p.play(t, server.Admin(), prune, nil)
	dropped.Files["files/model.yaml"] = strings.Replace(dropped.Files["files/model.yaml"], "    callers: [{workload: web}, {gateway: api-gateway}]\n", "", 1)
	run := p.controller.Succeed(t, dropped)
	assert.Contains(t, run.Output(), "[object-not-ours]")
	after, err := policies.Get(t.Context(), "api-allow-callers", metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, replaced.Object, after.Object, "it is left alone, to the last field")
}
