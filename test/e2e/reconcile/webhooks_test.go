package reconcile_test

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// TestWebhooks puts somebody between a task and the store, who may change a policy
// or refuse it.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	patch := func(text string) admissionv1.AdmissionResponse {
		kind := admissionv1.PatchTypeJSONPatch
		return admissionv1.AdmissionResponse{Allowed: true, Patch: []byte(text), PatchType: &kind}
	}
	cases := map[string]struct {
		answer *admissionv1.AdmissionResponse // nil where there is nobody to ask
		failed []string
		stored bool // the policy is there after the failure, as the webhook wants it
	}{
		"opens-the-policy": {
			new(patch(`[{"op":"replace","path":"/spec/rules","value":[{}]}]`)),
			[]string{"Failed to store AuthorizationPolicy NS/web-gateway: spec was written as ", "what is enforced now is not what the model says"}, true,
		},
		"takes-the-owner-away": {
			new(patch(`[{"op":"replace","path":"/metadata/labels/ringfence.dev~1owner","value":"other"}]`)),
			[]string{"Failed to store AuthorizationPolicy NS/web-gateway: ", "look for a mutating webhook that changes it"}, true,
		},
		"adds-a-label": {answer: new(patch(`[{"op":"add","path":"/metadata/labels/example.org~1seen","value":"yes"}]`))},
		"refuses": {
			&admissionv1.AdmissionResponse{Result: &metav1.Status{Message: "policies are frozen", Code: http.StatusForbidden}},
			[]string{"Failed to create AuthorizationPolicy NS/web-gateway: ", "policies are frozen"}, false,
		},
		"is-away": {nil, []string{"Failed to create AuthorizationPolicy NS/web-gateway: ", "failed calling webhook"}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, first())
			others, before := p.others(t), p.snapshot(t)
			remove := p.webhook(t, c.answer)
			checked := p.play(t, server.Admin(), oneGateway, nil)
			checked.Args = []string{"--check"}
			if len(c.failed) == 0 {
				p.controller.Succeed(t, checked)
				again := p.controller.Succeed(t, p.play(t, server.Admin(), finished, nil))
				assert.Empty(t, changes(t, again.Task(t, "Again")), "what others add is no difference")
			} else {
				_, failed := p.controller.Fail(t, checked)
				for _, text := range c.failed {
					assert.Contains(t, failed.Message(), p.text(text), "check mode asks the webhook, too")
				}
				assert.Equal(t, before, p.snapshot(t), "check mode stores nothing")
				_, failed = p.controller.Fail(t, p.play(t, server.Admin(), oneGateway, nil))
				done := gatewayChanges
				if !c.stored {
					done = gatewayChanges[:4]
				}
				assertFailed(t, failed, p.text(strings.Join(c.failed, "\n")), done)
			}
			remove()
			assert.Equal(t, others, p.others(t))
			if name == "takes-the-owner-away" { // it is another owner's now
				_, failed := p.controller.Fail(t, p.play(t, server.Admin(), oneGateway, nil))
				assert.Contains(t, failed.Message(), "web-gateway")
				require.NoError(t, p.resources(t, cluster.AuthorizationPolicy, p.namespace).Delete(t.Context(), "web-gateway", metav1.DeleteOptions{}))
			}
			p.assertConverges(t, others)
			assert.NotEqual(t, []any{map[string]any{}}, p.get(t, cluster.AuthorizationPolicy, p.namespace, "web-gateway").Object["spec"].(map[string]any)["rules"])
		})
	}
}

// webhook has the API server ask about policies in the platform's namespace, and
// returns what ends that.
func (p *platform) webhook(t *testing.T, answer *admissionv1.AdmissionResponse) (remove func()) {
	t.Helper()
	var asked atomic.Int64
	hook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&review)) {
			return
		}
		review.Response = answer.DeepCopy()
		review.Response.UID, review.Request = review.Request.UID, nil
		asked.Add(1)
		assert.NoError(t, json.NewEncoder(w).Encode(review))
	}))
	t.Cleanup(hook.Close)
	if answer == nil {
		hook.Close()
	}
	configuration := map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
		"metadata": map[string]any{"name": p.owner},
		"webhooks": []any{map[string]any{
			"name": "policies.example.org", "sideEffects": "None", "admissionReviewVersions": []any{"v1"}, "timeoutSeconds": 5,
			"namespaceSelector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": p.namespace}},
			"rules": []any{map[string]any{
				"apiGroups": []any{"security.istio.io"}, "apiVersions": []any{"*"}, "resources": []any{"authorizationpolicies"}, "operations": []any{"CREATE", "UPDATE"},
			}},
			"clientConfig": map[string]any{
				"url": hook.URL, "caBundle": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw}),
			},
		}},
	}
	text, err := yaml.Marshal(configuration)
	require.NoError(t, err)
	require.NoError(t, p.server.Client.Apply(t.Context(), "test", "", text))

	// The API server hears of it a moment later, and of its end as well.
	probe := func() error {
		o := &unstructured.Unstructured{}
		require.NoError(t, yaml.Unmarshal([]byte(policy("probe", "OWNER", "probe")), &o.Object))
		o.SetLabels(map[string]string{"ringfence.dev/owner": "probe"})
		_, err := p.resources(t, cluster.AuthorizationPolicy, p.namespace).Create(t.Context(), o, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	require.Eventually(t, func() bool { return probe() != nil || asked.Load() > 0 }, time.Minute, 50*time.Millisecond)
	kind := schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "MutatingWebhookConfiguration"}
	return func() {
		require.NoError(t, p.resources(t, kind, "").Delete(t.Context(), p.owner, metav1.DeleteOptions{}))
		require.Eventually(t, func() bool {
			before := asked.Load()
			return probe() == nil && asked.Load() == before
		}, time.Minute, 50*time.Millisecond)
	}
}
