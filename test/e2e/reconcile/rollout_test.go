package reconcile_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// accounts notes, whenever a policy is about to be stored, under which accounts the
// gateway's pods run, those that end included.
type accounts struct {
	mu   sync.Mutex
	seen [][]string
}

func (a *accounts) watch(t *testing.T, p *platform, proxy *cluster.Proxy) {
	t.Helper()
	pods := p.resources(t, cluster.Pod, p.namespace)
	proxy.On(http.MethodPost, "/authorizationpolicies$", -1, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		list, err := pods.List(r.Context(), metav1.ListOptions{LabelSelector: "app=web-gateway"})
		if !assert.NoError(t, err) {
			return
		}
		var names []string
		for _, pod := range list.Items {
			name, _, err := unstructured.NestedString(pod.Object, "spec", "serviceAccountName")
			assert.NoError(t, err)
			names = append(names, name)
		}
		a.mu.Lock()
		a.seen = append(a.seen, names)
		a.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// TestGatewayInOrder holds the order of DD-0025, phase 2: when the policy comes, no
// pod of the gateway runs under another identity.
func TestGatewayInOrder(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, first())
	proxy := p.proxy(t)
	var a accounts
	a.watch(t, p, proxy)
	run := p.controller.Succeed(t, p.play(t, proxy.Access(), oneGateway, nil))
	assert.Equal(t, gatewayChanges, changes(t, run.Task(t, "Gateway")))
	assert.Equal(t, [][]string{{"web-gateway"}}, a.seen)
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
	}, writes, "each write once, and no other")
}

// TestStuckRollout leaves the gateway open rather than locked out.
func TestStuckRollout(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		pace   cluster.Pace
		failed string
	}{
		"new-pods-never-ready":  {cluster.Stuck, "it isn't done after 4s: 1 old pods are still there"},
		"deadline-has-passed":   {cluster.Overdue, "its deadline has passed: "},
		"no-controller-at-work": {cluster.Idle, "it isn't done after 4s: its controller hasn't seen the change yet"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, first())
			p.server.Controllers.SetPace(p.namespace, "web-gateway", c.pace)
			short := strings.Replace(oneGateway, "wait_sleep: 1", "wait_sleep: 1, wait_timeout: 4", 1)
			_, failed := p.controller.Fail(t, p.play(t, p.server.Admin(), short, nil))
			assert.Contains(t, failed.Message(), "Failed to roll out Deployment "+p.namespace+"/web-gateway: "+c.failed)
			assert.Contains(t, failed.Message(), "Done before that: create ServiceAccount "+p.namespace+"/web-gateway, update Deployment "+p.namespace+"/web-gateway.")
			assert.Empty(t, p.policies(t))

			// The next run finds the template as it is to be, and waits all the same.
			_, failed = p.controller.Fail(t, p.play(t, p.server.Admin(), short, nil))
			assert.Contains(t, failed.Message(), c.failed)
			assert.Empty(t, p.policies(t))

			p.server.Controllers.SetPace(p.namespace, "web-gateway", cluster.Prompt)
			p.controller.Succeed(t, p.play(t, p.server.Admin(), oneGateway, nil))
			assert.Equal(t, []string{"AuthorizationPolicy web-gateway"}, p.policies(t))
		})
	}
}
