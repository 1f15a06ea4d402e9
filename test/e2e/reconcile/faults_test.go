package reconcile_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

const forEver = -1

var (
	conflict = cluster.Status(http.StatusConflict, metav1.StatusReasonConflict, "the object has been modified")
	broken   = cluster.Status(http.StatusInternalServerError, metav1.StatusReasonInternalError, "etcd has no leader")
)

// page answers with a document that no API server writes: what stands before it does.
func page(code int) cluster.Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "<html>the other side is away</html>") // the other side may be gone
	}
}

// dies ends the way to the API server for good, after some writes.
func dies(p *cluster.Proxy, writes int32) {
	var done atomic.Int32
	p.On("", ".", forEver, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != http.MethodGet && done.Add(1) > writes {
			p.Stop()
			return
		}
		next.ServeHTTP(w, r)
	})
}

// meanwhile has somebody else do something just before a write arrives, once.
func meanwhile(t *testing.T, proxy *cluster.Proxy, method, path string, do func()) {
	t.Helper()
	proxy.On(method, path, 1, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		do()
		next.ServeHTTP(w, r)
	})
}

const (
	policies = "/authorizationpolicies$"
	rerun    = "run the task again, and it goes on from what is there"
)

// TestFaults lets an API server fail under a task. Whatever happens, nothing half
// done is called a success, a task that fails says what it has done, nothing of
// others' is lost, and a run without the fault brings about the whole.
func TestFaults(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		fault  func(*testing.T, *platform, *cluster.Proxy)
		failed []string // what it says; empty where the task gets over it
		done   int      // how many of its changes it has made by then
	}{
		"conflict-once": {fault: func(_ *testing.T, _ *platform, p *cluster.Proxy) { p.On(http.MethodPut, "/gateways/web", 1, conflict) }},
		"conflict-for-ever": {
			func(_ *testing.T, _ *platform, p *cluster.Proxy) {
				p.On(http.MethodPut, "/gateways/web", forEver, conflict)
			},
			[]string{"Failed to update Gateway NS/web: the object has been modified"}, 2,
		},
		"overloaded-once": {fault: func(_ *testing.T, _ *platform, p *cluster.Proxy) {
			p.On("", "/apis/", 1, cluster.Status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down", "Retry-After: 1"))
		}},
		"overloaded-at-a-write": {fault: func(_ *testing.T, _ *platform, p *cluster.Proxy) {
			p.On(http.MethodPost, policies, 1, cluster.Status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down", "Retry-After: 1"))
		}},
		"overloaded-for-ever": {
			func(_ *testing.T, _ *platform, p *cluster.Proxy) {
				p.On("", ".", forEver, cluster.Status(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "slow down"))
			},
			[]string{"slow down", "the API server is overloaded: run the task again later"}, 0,
		},
		"server-fault-once": {fault: func(_ *testing.T, _ *platform, p *cluster.Proxy) { p.On(http.MethodPost, policies, 1, broken) }},
		"server-fault-for-ever": {
			func(_ *testing.T, _ *platform, p *cluster.Proxy) { p.On(http.MethodPost, policies, forEver, broken) },
			[]string{"Failed to create AuthorizationPolicy NS/web-gateway: ", "etcd has no leader; " + rerun}, 4,
		},
		"gateway-error-for-ever": {
			func(_ *testing.T, _ *platform, p *cluster.Proxy) {
				p.On(http.MethodPut, "/deployments/", forEver, page(http.StatusBadGateway))
			},
			[]string{"Failed to update Deployment NS/web-gateway: ", rerun}, 1,
		},
		"a-page-instead-of-a-list": {
			func(_ *testing.T, _ *platform, p *cluster.Proxy) {
				p.On(http.MethodGet, policies, forEver, page(http.StatusOK))
			},
			[]string{"Failed to list AuthorizationPolicy "}, 0,
		},
		"a-page-instead-of-an-answer": {
			func(_ *testing.T, _ *platform, p *cluster.Proxy) {
				p.On(http.MethodPost, policies, forEver, page(http.StatusOK))
			},
			[]string{"Failed to create AuthorizationPolicy NS/web-gateway: "}, 4,
		},
		// After 30 s the request is given up.
		"hangs-once": {fault: func(_ *testing.T, _ *platform, p *cluster.Proxy) { p.On(http.MethodGet, policies, 1, cluster.Hang) }},
		"reset-once": {fault: func(_ *testing.T, _ *platform, p *cluster.Proxy) {
			p.On(http.MethodPut, "/gateways/web", 1, cluster.Reset)
		}},
		"answer-lost-for-the-account": {fault: func(_ *testing.T, _ *platform, p *cluster.Proxy) {
			p.On(http.MethodPost, "/serviceaccounts$", 1, cluster.Lose)
		}},
		"answer-lost-for-the-deployment": {fault: func(t *testing.T, p *platform, proxy *cluster.Proxy) {
			t.Helper()
			proxy.On(http.MethodPut, "/deployments/", 1, cluster.Lose)
			var a accounts
			a.watch(t, p, proxy)
			t.Cleanup(func() { assert.Equal(t, [][]string{{"web-gateway"}}, a.seen, "its rollout is waited for") })
		}},
		"answer-lost-for-the-policy": {fault: func(_ *testing.T, _ *platform, p *cluster.Proxy) { p.On(http.MethodPost, policies, 1, cluster.Lose) }},
		"made-by-somebody-else-meanwhile": {fault: func(t *testing.T, p *platform, proxy *cluster.Proxy) {
			t.Helper()
			meanwhile(t, proxy, http.MethodPost, policies, func() {
				p.apply(t, "ringfence", p.namespace, policy("web-gateway", "OWNER", "web-gateway"))
			})
		}},
		"changed-by-somebody-else-meanwhile": {fault: func(t *testing.T, p *platform, proxy *cluster.Proxy) {
			t.Helper()
			meanwhile(t, proxy, http.MethodPut, "/gateways/web", func() {
				p.edit(t, cluster.Gateway, "web", func(o *unstructured.Unstructured) error {
					o.SetAnnotations(map[string]string{"example.org/note": "kept"})
					return nil
				})
			})
			t.Cleanup(func() {
				o, err := p.server.Client.Get(context.WithoutCancel(t.Context()), cluster.Gateway, p.namespace, "web")
				if assert.NoError(t, err) {
					assert.Equal(t, "kept", o.GetAnnotations()["example.org/note"])
				}
			})
		}},
		"no-such-kind": {
			func(_ *testing.T, _ *platform, p *cluster.Proxy) {
				p.On("", "/apis/security.istio.io", forEver, cluster.Missing)
			},
			[]string{"doesn't serve authorizationpolicies of security.istio.io/v1: install its CRDs"}, 0,
		},
		"dies-at-once":           {func(_ *testing.T, _ *platform, p *cluster.Proxy) { dies(p, 0) }, []string{"connection refused", rerun}, 0},
		"dies-after-one-write":   {func(_ *testing.T, _ *platform, p *cluster.Proxy) { dies(p, 1) }, []string{"connection refused", rerun}, 1},
		"dies-after-two-writes":  {func(_ *testing.T, _ *platform, p *cluster.Proxy) { dies(p, 2) }, []string{"connection refused", rerun}, 2},
		"dies-before-the-policy": {func(_ *testing.T, _ *platform, p *cluster.Proxy) { dies(p, 4) }, []string{"connection refused", rerun}, 4},
		"dies-during-the-rollout": {func(t *testing.T, p *platform, proxy *cluster.Proxy) {
			t.Helper()
			p.server.Controllers.SetPace(p.namespace, "web-gateway", cluster.Stuck)
			proxy.On(http.MethodGet, "/deployments/web-gateway$", forEver, func(http.ResponseWriter, *http.Request, http.Handler) {
				proxy.Stop()
				p.server.Controllers.SetPace(p.namespace, "web-gateway", cluster.Prompt)
			})
		}, []string{"connection refused", rerun}, 2},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, first())
			others := p.others(t)
			proxy := p.proxy(t)
			c.fault(t, p, proxy)
			run := p.controller.Succeed(t, p.play(t, proxy.Access(), tried, nil))
			task := run.Task(t, "Gateway")
			if len(c.failed) == 0 {
				assert.Equal(t, "ok", task.Status, "%s", task.Message())
				assert.ElementsMatch(t, gatewayChanges, changes(t, task))
				assert.Empty(t, changes(t, run.Task(t, "Rerun")))
			} else {
				assertFailed(t, task, p.text(strings.Join(c.failed, "\n")), gatewayChanges[:c.done])
				assert.Equal(t, gatewayChanges[c.done:], changes(t, run.Task(t, "Rerun")), "a run without the fault does the rest")
			}
			assert.Empty(t, changes(t, run.Task(t, "Again")))
			assert.Equal(t, []string{"AuthorizationPolicy web-gateway"}, p.policies(t))
			assert.Equal(t, others, p.others(t))
		})
	}
}

// assertFailed requires that a task failed, says why in all these lines, and what it has done.
func assertFailed(t *testing.T, task ansible.Task, lines string, done []string) {
	t.Helper()
	assert.Contains(t, []string{"failed", "ignored"}, task.Status)
	for text := range strings.SplitSeq(lines, "\n") {
		assert.Contains(t, task.Message(), text)
	}
	assert.ElementsMatch(t, done, changes(t, task))
	if len(done) > 0 && len(done) < len(gatewayChanges) {
		assert.Contains(t, task.Message(), "Done before that: ")
	}
}

// assertConverges requires that a run without a fault brings about the gateway, and
// that nothing is left to do then.
func (p *platform) assertConverges(t *testing.T, others cluster.Snapshot) {
	t.Helper()
	run := p.controller.Succeed(t, p.play(t, p.server.Admin(), finished, nil))
	assert.Equal(t, []string{"AuthorizationPolicy web-gateway"}, p.policies(t))
	assert.Empty(t, changes(t, run.Task(t, "Again")))
	assert.Equal(t, others, p.others(t))
}
