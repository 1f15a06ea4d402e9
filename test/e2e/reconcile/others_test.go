package reconcile_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// TestEditedByHand restores what somebody changed between two runs.
func TestEditedByHand(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, first())
	p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
	others := p.others(t)
	p.edit(t, cluster.AuthorizationPolicy, "web-gateway", func(o *unstructured.Unstructured) error {
		if err := open(o); err != nil {
			return err
		}
		return unstructured.SetNestedField(o.Object, "x", "spec", "selector", "matchLabels", "foreign")
	})
	p.edit(t, cluster.PeerAuthentication, "api-strict-mtls", func(o *unstructured.Unstructured) error {
		return unstructured.SetNestedField(o.Object, "DISABLE", "spec", "mtls", "mode")
	})
	p.edit(t, cluster.Gateway, "web", func(o *unstructured.Unstructured) error {
		servers, _, err := unstructured.NestedSlice(o.Object, "spec", "servers")
		if err != nil {
			return err
		}
		servers[0].(map[string]any)["hosts"] = []any{"*"}
		return unstructured.SetNestedSlice(o.Object, servers, "spec", "servers")
	})
	require.NoError(t, p.resources(t, cluster.AuthorizationPolicy, p.namespace).Delete(t.Context(), "api-allow-callers", metav1.DeleteOptions{}))
	// A release of the chart takes the identity back.
	p.apply(t, "helm", p.namespace, strings.Replace(deployment("web-gateway", "istio-proxy", ""), "      containers:", "      serviceAccountName: default\n      containers:", 1))

	run := p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
	assert.Equal(t, []string{
		"update Deployment web-gateway", "update Gateway web",
		"create AuthorizationPolicy api-allow-callers", "update AuthorizationPolicy web-gateway", "update PeerAuthentication api-strict-mtls",
	}, changes(t, run.Task(t, "Everything")))
	p.assertEnforced(t)
	mode, _, err := unstructured.NestedString(p.get(t, cluster.PeerAuthentication, p.namespace, "api-strict-mtls").Object, "spec", "mtls", "mode")
	require.NoError(t, err)
	assert.Equal(t, "STRICT", mode)
	assert.Equal(t, others, p.others(t))
}

// TestTwoAtOnce runs two playbooks over one owner side by side.
func TestTwoAtOnce(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, first())
	others := p.others(t)
	one := p.controller.Start(t, p.play(t, server.Admin(), everything, nil))
	two := p.controller.Start(t, p.play(t, server.Admin(), everything, nil))
	for _, run := range []ansible.Run{one.Wait(t), two.Wait(t)} {
		assert.Zero(t, run.Status, "%s", run.Output())
	}
	p.assertEnforced(t)
	assert.Equal(t, others, p.others(t))

	// One up and one down: whoever is last, the next run is right.
	up := p.controller.Start(t, p.play(t, server.Admin(), everything, nil))
	down := p.controller.Start(t, p.play(t, server.Admin(), "\n  - ringfence.mesh.access_policies: {state: absent}\n", nil))
	for _, run := range []ansible.Run{up.Wait(t), down.Wait(t)} {
		assert.Contains(t, []int{0, 2}, run.Status, "%s", run.Output())
	}
	p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
	p.assertEnforced(t)
	assert.Equal(t, others, p.others(t))
}

// TestKilled ends a run by SIGKILL, between two writes or when the API server has
// carried one out and the answer is on its way. The next run goes on from there.
func TestKilled(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		connection ansible.Connection
		write      int
		stored     bool
	}{
		"before-a-template":     {ansible.Local, 5, false},
		"after-a-template":      {ansible.Local, 5, true},
		"before-a-policy":       {ansible.Local, 13, false},
		"after-a-policy":        {ansible.Local, 13, true},
		"before-a-write-by-ssh": {ansible.SSH, 3, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, ansible.Target{Version: first().Version, Connection: c.connection})
			others := p.others(t)
			proxy := p.proxy(t)
			reached := stopAt(proxy, c.write, c.stored)
			process := p.controller.Start(t, p.play(t, proxy.Access(), everything, nil))
			select {
			case what := <-reached:
				t.Log("killed at", what)
			case <-time.After(2 * time.Minute):
				assert.Fail(t, "the run doesn't get so far")
			}
			require.NoError(t, process.Kill())
			assert.NotZero(t, process.Wait(t).Status)
			proxy.Stop()
			assert.Equal(t, others, p.others(t))

			run := p.controller.Succeed(t, p.play(t, server.Admin(), everything+strings.Replace(everything, "Everything", "Again", 1), nil))
			p.assertEnforced(t)
			assert.Empty(t, changes(t, run.Task(t, "Again")))
			assert.Equal(t, others, p.others(t))
		})
	}
}

// stopAt leaves a write without an answer, stored or not, and says when it has come.
func stopAt(proxy *cluster.Proxy, write int, stored bool) <-chan string {
	var (
		mu      sync.Mutex
		seen    int
		reached = make(chan string, 1)
	)
	proxy.On("", ".", forEver, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		mu.Lock()
		if r.Method != http.MethodGet {
			seen++
		}
		now, over := r.Method != http.MethodGet && seen == write, seen > write
		mu.Unlock()
		switch {
		case now && stored:
			next.ServeHTTP(httptest.NewRecorder(), r)
			fallthrough
		case now:
			reached <- r.Method + " " + r.URL.Path
			cluster.Hang(w, r, next)
		case over:
			cluster.Reset(w, r, next)
		default:
			next.ServeHTTP(w, r)
		}
	})
	return reached
}
