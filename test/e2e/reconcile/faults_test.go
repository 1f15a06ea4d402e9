package reconcile_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

const oneGateway = "\n  - name: Gateway\n    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1}\n"

// TestFaults lets an API server fail under a task. Whatever happens, nothing half
// done is called a success, nothing of others' is lost, and a run without the
// fault brings about the whole.
func TestFaults(t *testing.T) {
	policies := "/authorizationpolicies"
	cases := map[string]struct {
		fault  func(*cluster.Proxy)
		failed string // empty where the task gets over it
	}{
		"conflict-once": {func(p *cluster.Proxy) {
			p.On(http.MethodPut, "/gateways/web", 1, cluster.Status(http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified"))
		}, ""},
		"conflict-for-ever": {func(p *cluster.Proxy) {
			p.On(http.MethodPut, "/gateways/web", -1, cluster.Status(http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified"))
		}, "the object has been modified"},
		"overloaded-once": {func(p *cluster.Proxy) {
			p.On("", "/apis/", 1, cluster.Status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down", "Retry-After: 1"))
		}, ""},
		"server-fault-once": {func(p *cluster.Proxy) {
			p.On(http.MethodPost, policies, 1, cluster.Status(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd has no leader"))
		}, ""},
		"server-fault-for-ever": {func(p *cluster.Proxy) {
			p.On(http.MethodPost, policies, -1, cluster.Status(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd has no leader"))
		}, "etcd has no leader; run the task again, and it goes on from what is there"},
		"hangs-once":  {func(p *cluster.Proxy) { p.On(http.MethodGet, policies, 1, cluster.Hang) }, ""},
		"reset-once":  {func(p *cluster.Proxy) { p.On(http.MethodPut, "/gateways/web", 1, cluster.Reset) }, ""},
		"answer-lost": {func(p *cluster.Proxy) { p.On(http.MethodPost, policies, 1, cluster.Lose) }, ""},
		"no-such-kind": {
			func(p *cluster.Proxy) { p.On("", "/apis/security.istio.io", -1, cluster.Missing) },
			"doesn't serve authorizationpolicies of security.istio.io/v1: install its CRDs",
		},
		"gone-after-two-writes": {func(p *cluster.Proxy) {
			p.On(http.MethodPut, "/gateways/", -1, cluster.Reset)
			p.On("", "/apis/networking.istio.io", -1, cluster.Reset)
		}, "Failed to "},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, first())
			others := p.others(t)
			proxy, err := server.Proxy(server.Admin(), cluster.Valid())
			require.NoError(t, err)
			defer proxy.Stop()
			c.fault(proxy)
			if c.failed == "" {
				run := p.controller.Succeed(t, p.play(t, proxy.Access(), oneGateway, nil))
				assert.True(t, run.Task(t, "Gateway").Changed())
			} else {
				_, failed := p.controller.Fail(t, p.play(t, proxy.Access(), oneGateway, nil))
				assert.Contains(t, failed.Message(), c.failed)
				assert.Empty(t, p.policies(t), "what failed on the way enforces nothing")
			}
			assert.Equal(t, others, p.others(t))

			proxy.Calm()
			p.controller.Succeed(t, p.play(t, proxy.Access(), oneGateway, nil))
			assert.Equal(t, []string{"AuthorizationPolicy web-gateway"}, p.policies(t))
			again := p.controller.Succeed(t, p.play(t, proxy.Access(), oneGateway, nil))
			assert.False(t, again.Task(t, "Gateway").Changed())
			assert.Equal(t, others, p.others(t))
		})
	}
}

// TestRefusals are those of who may not, or isn't who he says.
func TestRefusals(t *testing.T) {
	p := newPlatform(t, first())
	before := p.snapshot(t)

	nobody, err := server.User(cluster.Valid(), p.owner)
	require.NoError(t, err)
	_, failed := p.controller.Fail(t, p.play(t, nobody, oneGateway, nil))
	assert.Contains(t, failed.Message(), "forbidden")
	assert.Contains(t, failed.Message(), `let the task's user list `)

	read := []cluster.Rule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"get", "list"}}}
	require.NoError(t, server.Grant(t.Context(), p.owner, "", read...))
	_, failed = p.controller.Fail(t, p.play(t, nobody, oneGateway, nil))
	assert.Contains(t, failed.Message(), `let the task's user create serviceaccounts of group "" in namespace "`+p.namespace+`"`)

	expired, err := server.User(cluster.Expired(), "admin", "system:masters")
	require.NoError(t, err)
	_, failed = p.controller.Fail(t, p.play(t, expired, oneGateway, nil))
	assert.Contains(t, failed.Message(), "the API server doesn't accept the credentials")

	proxy, err := server.Proxy(server.Admin(), cluster.Expired())
	require.NoError(t, err)
	defer proxy.Stop()
	_, failed = p.controller.Fail(t, p.play(t, proxy.Access(), oneGateway, nil))
	assert.Contains(t, failed.Message(), "certificate has expired")
	assert.Contains(t, failed.Message(), "isn't to be trusted")

	assert.Equal(t, before, p.snapshot(t), "nothing was written")
}
