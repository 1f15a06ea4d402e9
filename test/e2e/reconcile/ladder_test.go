package reconcile_test

import (
	"net/http"
	"testing"
	"time"

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
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			p := newPlatform(t, target)
			others, before := p.others(t), p.snapshot(t)

			play := p.play(t, server.Admin(), everything, nil)
			play.Args = []string{"--check", "--diff"}
			checked := p.controller.Succeed(t, play)
			assert.True(t, checked.Task(t, "Everything").Changed())
			assert.Equal(t, before, p.snapshot(t), "check mode stores nothing")
			assert.Contains(t, checked.Stdout, p.namespace+"/web.example.org", "the new host of the Gateway")
			assert.Contains(t, checked.Stdout, "AuthorizationPolicy "+p.namespace+"/web-gateway (absent)", "a policy that would be made")

			p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
			p.assertEnforced(t)
			assert.Equal(t, others, p.others(t), "others' objects are as they were, to the last field")
			gateway, err := server.Client.Get(t.Context(), cluster.Gateway, p.namespace, "web")
			require.NoError(t, err)
			servers, _, err := unstructured.NestedSlice(gateway.Object, "spec", "servers")
			require.NoError(t, err)
			assert.Equal(t, []any{p.namespace + "/web.example.org"}, servers[0].(map[string]any)["hosts"])
			runner, err := server.Client.Get(t.Context(), cluster.AuthorizationPolicy, p.tenant, "runner-service-gateway")
			require.NoError(t, err)
			require.Len(t, runner.GetOwnerReferences(), 1)
			assert.Equal(t, "Deployment", runner.GetOwnerReferences()[0].Kind)

			again := p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
			for _, task := range again.Tasks {
				assert.False(t, task.Changed(), "%s changes something the second time: %v", task.Name, task.Result["changes"])
			}

			for _, profile := range []string{"permissive", "open"} {
				p.controller.Succeed(t, p.play(t, server.Admin(), everything, map[string]any{"profile": profile}))
				assert.Equal(t, []string{"AuthorizationPolicy runner-service-gateway"}, p.policies(t), "tenants' policies are the same in every profile")
			}
			p.controller.Succeed(t, p.play(t, server.Admin(), "\n  - ringfence.mesh.access_policies: {state: absent}\n", nil))
			assert.Empty(t, p.policies(t), "nothing of the owner's is left")
			assert.Equal(t, others, p.others(t), "others' objects are as they were, to the last field")
		})
	}
}

// TestGatewayInOrder holds the order of DD-0025, phase 2: when the policy comes,
// no pod of the gateway runs under another identity.
func TestGatewayInOrder(t *testing.T) {
	p := newPlatform(t, first())
	proxy, err := server.Proxy(server.Admin(), cluster.Valid())
	require.NoError(t, err)
	defer proxy.Stop()
	var accounts []string
	proxy.On(http.MethodPost, "/authorizationpolicies$", -1, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		pods, err := server.Client.Kind(r.Context(), cluster.Pod, p.namespace)
		if !assert.NoError(t, err) {
			return
		}
		list, err := pods.List(r.Context(), metav1.ListOptions{LabelSelector: "app=web-gateway"})
		if !assert.NoError(t, err) {
			return
		}
		for _, pod := range list.Items {
			if pod.GetDeletionTimestamp() == nil {
				account, _, _ := unstructured.NestedString(pod.Object, "spec", "serviceAccountName")
				accounts = append(accounts, account)
			}
		}
		next.ServeHTTP(w, r)
	})
	const task = "\n  - name: Gateway\n    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1}\n"
	p.controller.Succeed(t, p.play(t, proxy.Access(), task, nil))
	assert.Equal(t, []string{"web-gateway"}, accounts)
	var writes []string
	for _, request := range proxy.Requests() {
		if request.Writes() {
			writes = append(writes, request.Method+" "+request.Path)
		}
	}
	assert.Equal(t, []string{
		"POST /api/v1/namespaces/" + p.namespace + "/serviceaccounts",
		"PUT /apis/apps/v1/namespaces/" + p.namespace + "/deployments/web-gateway",
		"PUT /apis/networking.istio.io/v1/namespaces/" + p.namespace + "/gateways/web",
		"PUT /apis/networking.istio.io/v1/namespaces/" + p.namespace + "/virtualservices/web",
		"POST /apis/security.istio.io/v1/namespaces/" + p.namespace + "/authorizationpolicies",
	}, writes)
}

// TestStuckRollout leaves the gateway open rather than locked out.
func TestStuckRollout(t *testing.T) {
	p := newPlatform(t, first())
	server.Controllers.SetPace(p.namespace, "web-gateway", cluster.Stuck)
	const task = "\n  - name: Gateway\n    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1, wait_timeout: 4}\n"
	_, failed := p.controller.Fail(t, p.play(t, server.Admin(), task, nil))
	assert.Contains(t, failed.Message(), "Failed to roll out Deployment "+p.namespace+"/web-gateway: it isn't done after 4s: ")
	assert.Contains(t, failed.Message(), "Done before that: create ServiceAccount "+p.namespace+"/web-gateway, update Deployment "+p.namespace+"/web-gateway.")
	assert.Empty(t, p.policies(t))

	server.Controllers.SetPace(p.namespace, "web-gateway", cluster.Prompt)
	p.controller.Succeed(t, p.play(t, server.Admin(), task, nil))
	assert.Equal(t, []string{"AuthorizationPolicy web-gateway"}, p.policies(t))
}

// TestTenantGoes takes a tenant's Deployment away, and leaves an orphan behind.
func TestTenantGoes(t *testing.T) {
	p := newPlatform(t, first())
	const task = "\n  - name: Tenants\n    ringfence.mesh.tenant_policy: {namespace: TENANT}\n"
	play := p.play(t, server.Admin(), task, nil)
	p.controller.Succeed(t, play)
	assert.Equal(t, []string{"AuthorizationPolicy runner-service-gateway"}, p.policies(t))
	deployments, err := server.Client.Kind(t.Context(), cluster.Deployment, p.tenant)
	require.NoError(t, err)
	require.NoError(t, deployments.Delete(t.Context(), "runner", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool { return len(p.policies(t)) == 0 }, 20*time.Second, 100*time.Millisecond, "the policy goes with its workload")

	p.apply(t, "ringfence", p.tenant, policy("gone-service-gateway", "OWNER", "gone"))
	policies, err := server.Client.Kind(t.Context(), cluster.AuthorizationPolicy, p.tenant)
	require.NoError(t, err)
	orphan, err := policies.Get(t.Context(), "gone-service-gateway", metav1.GetOptions{})
	require.NoError(t, err)
	orphan.SetAnnotations(map[string]string{"ringfence.dev/source": "tenants/profiles"})
	_, err = policies.Update(t.Context(), orphan, metav1.UpdateOptions{FieldManager: "ringfence"})
	require.NoError(t, err)
	assert.True(t, p.controller.Succeed(t, p.play(t, server.Admin(), task, nil)).Task(t, "Tenants").Changed())
	assert.Empty(t, p.policies(t), "an orphan of ours is removed")
}
