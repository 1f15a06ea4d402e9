package reconcile_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// TestLadder goes the whole way, as an operator would: try it out, do it, do it
// again, and back down.
func TestLadder(t *testing.T) {
	t.Parallel()
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, target)
			p.edit(t, cluster.Gateway, "web", func(o *unstructured.Unstructured) error {
				o.SetAnnotations(map[string]string{"example.org/note": "kept"})
				return nil
			})
			others, before := p.others(t), p.snapshot(t)

			play := p.play(t, server.Admin(), everything, nil)
			play.Args = []string{"--check", "--diff"}
			checked := p.controller.Succeed(t, play)
			assert.True(t, checked.Task(t, "Everything").Changed())
			assert.Equal(t, before, p.snapshot(t), "check mode stores nothing")
			assert.Contains(t, checked.Stdout, p.namespace+"/web.example.org", "the new host of the Gateway")
			assert.Contains(t, checked.Stdout, "AuthorizationPolicy "+p.namespace+"/web-gateway (absent)", "a policy that would be made")

			first := p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
			assert.Equal(t, changes(t, checked.Task(t, "Everything")), changes(t, first.Task(t, "Everything")), "what check mode shows is what happens")
			p.assertEnforced(t)
			assert.Equal(t, []string{"api", "web"}, p.enrolled(t))
			assert.Equal(t, others, p.others(t), "others' objects are as they were, to the last field")
			p.assertRoutes(t)
			runner := p.get(t, cluster.AuthorizationPolicy, p.tenant, "runner-service-gateway")
			require.Len(t, runner.GetOwnerReferences(), 1)
			assert.Equal(t, "Deployment", runner.GetOwnerReferences()[0].Kind)

			after := p.snapshot(t)
			again := p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
			for _, task := range again.Tasks {
				assert.False(t, task.Changed(), "%s changes something the second time: %v", task.Name, task.Result["changes"])
			}
			assert.Equal(t, after, p.snapshot(t), "what changes nothing writes nothing")

			for _, rung := range []struct {
				profile  string
				enrolled []string
			}{{"permissive", []string{"api", "web"}}, {"open", nil}} {
				p.controller.Succeed(t, p.play(t, server.Admin(), everything, map[string]any{"profile": rung.profile}))
				assert.Equal(t, []string{"AuthorizationPolicy runner-service-gateway"}, p.policies(t), "tenants' policies are the same in every profile")
				assert.Equal(t, rung.enrolled, p.enrolled(t), rung.profile)
			}
			p.controller.Succeed(t, p.play(t, server.Admin(), "\n  - ringfence.mesh.access_policies: {state: absent}\n", nil))
			assert.Empty(t, p.policies(t), "nothing of the owner's is left")
			assert.Equal(t, others, p.others(t), "others' objects are as they were, to the last field")
			p.assertRoutes(t)
		})
	}
}

// enrolled returns the applications of which every live pod has a proxy.
func (p *platform) enrolled(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, name := range []string{"api", "web"} {
		pods, err := p.resources(t, cluster.Pod, p.namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + name})
		require.NoError(t, err)
		require.NotEmpty(t, pods.Items)
		proxies := 0
		for _, pod := range pods.Items {
			containers, _, err := unstructured.NestedSlice(pod.Object, "spec", "initContainers")
			require.NoError(t, err)
			proxies += len(containers)
		}
		if proxies == len(pods.Items) {
			out = append(out, name)
		}
	}
	return out
}

// assertRoutes requires that the hosts are the model's, and everything else that of
// whoever wrote it.
func (p *platform) assertRoutes(t *testing.T) {
	t.Helper()
	gateway := p.get(t, cluster.Gateway, p.namespace, "web")
	assert.Equal(t, map[string]any{
		"selector": map[string]any{"app": "web-gateway"},
		"servers": []any{map[string]any{
			"hosts": []any{p.namespace + "/web.example.org"},
			"port":  map[string]any{"name": "http", "number": int64(8080), "protocol": "HTTP"},
		}},
	}, gateway.Object["spec"])
	assert.Equal(t, map[string]string{"example.org/note": "kept"}, gateway.GetAnnotations())
	managers := map[string]bool{}
	for _, entry := range gateway.GetManagedFields() {
		managers[entry.Manager] = true
	}
	assert.Equal(t, map[string]bool{"helm": true, "kubectl-edit": true, "ringfence": true}, managers)
}
