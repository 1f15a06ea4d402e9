package modules_test

import (
	"errors"
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ringfence-dev/ringfence/internal/clustertest"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const faultModel = `{
  "apiVersion": "ringfence.dev/v1alpha1", "kind": "AccessModel", "metadata": {"name": "platform"},
  "spec": {
    "owners": [{"name": "app", "tool": "Ansible"}],
    "gateways": [{"name": "web-gateway", "owner": "app", "serviceAccountName": "web-gateway", "hostRefs": ["web"],
      "routes": [{"apiVersion": "networking.istio.io/v1", "kind": "Gateway", "namespace": "app", "name": "web"}]}]
  }
}`

const faultObjects = `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: web, namespace: app}
spec:
  selector: {app: web-gateway}
  servers:
  - {hosts: [old.example.org], port: {name: http, number: 8080, protocol: HTTP}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web-gateway, namespace: istio-system}
spec:
  selector: {matchLabels: {app: web-gateway}}
  template:
    metadata: {labels: {app: web-gateway}}
    spec:
      serviceAccountName: web-gateway
      containers: [{name: istio-proxy, image: auto}]
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: other, namespace: istio-system}
spec:
  selector: {matchLabels: {app: other}}
  rules: [{to: [{operation: {hosts: [other.example.org]}}]}]
`

// TestFaults lets an API server answer as it shouldn't, and looks at what the
// module says and at what is left. Afterwards a run without the fault always
// brings about the whole.
func TestFaults(t *testing.T) {
	t.Parallel()
	policies := schema.GroupResource{Group: "security.istio.io", Resource: "authorizationpolicies"}
	gateways := schema.GroupResource{Group: "networking.istio.io", Resource: "gateways"}
	cases := map[string]struct {
		fault  func(*clustertest.Server)
		failed string // "" where the module gets over it
		// changes are those that a failing task had made.
		changes []string
	}{
		"conflict-once": {fault: func(s *clustertest.Server) {
			s.On(http.MethodPut, "/gateways/web", clustertest.Times(1, clustertest.Fail(apierrors.NewConflict(gateways, "web", errors.New("the object has been modified")))))
		}},
		"conflict-for-ever": {
			fault: func(s *clustertest.Server) {
				s.On(http.MethodPut, "/gateways/web", clustertest.Fail(apierrors.NewConflict(gateways, "web", errors.New("the object has been modified"))))
			},
			failed:  "Failed to update Gateway app/web: ",
			changes: []string{"create ServiceAccount istio-system/web-gateway"},
		},
		"overloaded-once": {fault: func(s *clustertest.Server) {
			s.On("", "/apis/", clustertest.Times(1, clustertest.Fail(apierrors.NewTooManyRequests("slow down", 0))))
		}},
		"fault-of-the-server-once": {fault: func(s *clustertest.Server) {
			s.On(http.MethodPost, "/authorizationpolicies", clustertest.Times(1, clustertest.Fail(apierrors.NewInternalError(errors.New("etcd has no leader")))))
		}},
		"fault-of-the-server-for-ever": {
			fault: func(s *clustertest.Server) {
				s.On(http.MethodPost, "/authorizationpolicies", clustertest.Fail(apierrors.NewInternalError(errors.New("etcd has no leader"))))
			},
			failed:  "Failed to create AuthorizationPolicy istio-system/web-gateway: Internal error occurred: etcd has no leader; run the task again, and it goes on from what is there",
			changes: []string{"create ServiceAccount istio-system/web-gateway", "update Gateway app/web"},
		},
		"connection-reset-once": {fault: func(s *clustertest.Server) {
			s.On(http.MethodPost, "/authorizationpolicies", clustertest.Times(1, clustertest.Reset))
		}},
		"answer-lost-once": {fault: func(s *clustertest.Server) {
			s.On(http.MethodPost, "/authorizationpolicies", clustertest.Times(1, clustertest.Lose))
		}},
		"may-not-write": {
			fault:   func(s *clustertest.Server) { s.Forbid("create", "authorizationpolicies", "istio-system") },
			failed:  `let the task's user create authorizationpolicies of group "security.istio.io" in namespace "istio-system"`,
			changes: []string{"create ServiceAccount istio-system/web-gateway", "update Gateway app/web"},
		},
		"may-not-read": {
			fault:  func(s *clustertest.Server) { s.Forbid("list", "authorizationpolicies", "istio-system") },
			failed: `let the task's user list authorizationpolicies of group "security.istio.io" in namespace "istio-system"`,
		},
		"no-policies-known": {
			fault: func(s *clustertest.Server) {
				s.On("", "/apis/security.istio.io", func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { http.NotFound(w, nil) })
			},
			failed: "doesn't serve authorizationpolicies of security.istio.io/v1: install its CRDs (Istio's are in the chart istio-base)",
		},
		"webhook-changes-the-policy": {
			fault: func(s *clustertest.Server) {
				s.Admit(func(_ string, o *unstructured.Unstructured) error {
					if o.GetKind() == "AuthorizationPolicy" {
						return unstructured.SetNestedSlice(o.Object, []any{map[string]any{}}, "spec", "rules")
					}
					return nil
				})
			},
			failed:  "Failed to store AuthorizationPolicy istio-system/web-gateway: spec was written as",
			changes: []string{"create ServiceAccount istio-system/web-gateway", "update Gateway app/web", "create AuthorizationPolicy istio-system/web-gateway"},
		},
		"webhook-refuses": {
			fault: func(s *clustertest.Server) {
				s.Admit(func(_ string, o *unstructured.Unstructured) error {
					if o.GetKind() != "AuthorizationPolicy" {
						return nil
					}
					return apierrors.NewForbidden(policies, o.GetName(), errors.New("policies are frozen"))
				})
			},
			failed:  "policies are frozen",
			changes: []string{"create ServiceAccount istio-system/web-gateway", "update Gateway app/web"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := clustertest.New(t, clustertest.Options{})
			server.Load(t, "gitops", faultObjects)
			other := server.Object("AuthorizationPolicy", "istio-system", "other")
			params := map[string]any{
				"model": faultJSON(t), "security_profile": "enforced", "dns": map[string]any{"web": "web.example.org"},
				"owner": "app", "gateway": "web-gateway", "kubeconfig": server.Kubeconfig(t), "wait": false,
			}
			c.fault(server)
			got := runModule(t, "gateway_host_policy", params)
			if c.failed != "" {
				require.True(t, got.failed)
				assert.Contains(t, got.msg, c.failed)
				assert.Equal(t, c.changes, got.changes, "it says what it had written")
			} else {
				require.False(t, got.failed, got.msg)
				assert.Equal(t, []string{
					"create ServiceAccount istio-system/web-gateway", "update Gateway app/web", "create AuthorizationPolicy istio-system/web-gateway",
				}, got.changes)
			}
			assert.Equal(t, other, server.Object("AuthorizationPolicy", "istio-system", "other"), "others' objects stay as they are")

			// The same store without the fault: what was left half done is finished.
			calm := clustertest.New(t, clustertest.Options{})
			for _, o := range server.Objects() {
				text, err := o.MarshalJSON()
				require.NoError(t, err)
				calm.Load(t, "ringfence", string(text))
			}
			params["kubeconfig"] = calm.Kubeconfig(t)
			rerun := runModule(t, "gateway_host_policy", params)
			require.False(t, rerun.failed, rerun.msg)
			policy := calm.Object("AuthorizationPolicy", "istio-system", "web-gateway")
			require.NotNil(t, policy)
			assert.Equal(t, map[string]any{
				"action": "ALLOW", "selector": map[string]any{"matchLabels": map[string]any{"app": "web-gateway"}},
				"rules": []any{map[string]any{"to": []any{map[string]any{"operation": map[string]any{"hosts": []any{"web.example.org", "web.example.org:*"}}}}}},
			}, policy.Object["spec"])
			assert.Empty(t, runModule(t, "gateway_host_policy", params).changes)
		})
	}
}

// TestCheckModeWritesNothing asks the API server what would come of it.
func TestCheckModeWritesNothing(t *testing.T) {
	server := clustertest.New(t, clustertest.Options{})
	server.Load(t, "gitops", faultObjects)
	before := server.Objects()
	params := map[string]any{
		"model": faultJSON(t), "security_profile": "enforced", "dns": map[string]any{"web": "web.example.org"},
		"owner": "app", "gateway": "web-gateway", "kubeconfig": server.Kubeconfig(t), "wait": false, "_ansible_check_mode": true, "_ansible_diff": true,
	}
	got := runModule(t, "gateway_host_policy", params)
	require.False(t, got.failed, got.msg)
	assert.Equal(t, true, got.raw["changed"])
	assert.Equal(t, []string{
		"create ServiceAccount istio-system/web-gateway", "update Gateway app/web", "create AuthorizationPolicy istio-system/web-gateway",
	}, got.changes)
	assert.Len(t, got.raw["diff"], 3)
	assert.Equal(t, before, server.Objects(), "nothing is stored")
	dry := 0
	for _, request := range server.Requests() {
		assert.False(t, request.Writes(), "%s %s", request.Method, request.Path)
		if request.DryRun() {
			dry++
		}
	}
	assert.Equal(t, 3, dry, "each write was tried out by the server")

	delete(params, "_ansible_check_mode")
	assert.Equal(t, got.raw["diff"], runModule(t, "gateway_host_policy", params).raw["diff"], "what check mode shows is what happens")
}

// TestTenantPolicyGoesWithItsWorkload holds what no archive shows: an object of a
// build has no uid that an owner reference could name.
func TestTenantPolicyGoesWithItsWorkload(t *testing.T) {
	t.Parallel()
	c := archived(t, "module-tenants-of-a-namespace")
	server, loaded := c.server(t)
	require.True(t, loaded)
	params := c.params(t, server)
	delete(params, "wait")
	params["namespace"] = "alice"
	require.False(t, runModule(t, "tenant_policy", params).failed)
	for kind, name := range map[string]string{"Deployment": "runner", "InferenceService": "llm"} {
		owner := server.Object(kind, "alice", name)
		policy := server.Object("AuthorizationPolicy", "alice", name+"-service-gateway")
		require.NotNil(t, policy)
		assert.Equal(t, []any{map[string]any{
			"apiVersion": owner.GetAPIVersion(), "kind": kind, "name": name, "uid": string(owner.GetUID()),
		}}, resource.List(policy.Object, "metadata", "ownerReferences"))
	}
}

// TestSkipped says why a task had nothing to derive.
func TestSkipped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		archive string
		params  map[string]any
		reason  string
	}{
		"disabled": {"module-gateway-disabled-without-a-host", map[string]any{"gateway": "web-gateway", "enabled": false}, "gateway web-gateway is disabled"},
		"absent":   {"module-gateway-absent-here", map[string]any{"gateway": "web-gateway"}, "environment staging doesn't have gateway web-gateway"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive := archived(t, c.archive)
			server, loaded := archive.server(t)
			require.True(t, loaded)
			params := archive.params(t, server)
			maps.Copy(params, c.params)
			got := runModule(t, "gateway_host_policy", params)
			require.False(t, got.failed, got.msg)
			assert.Equal(t, c.reason, got.raw["skipped_reason"])
		})
	}
}

func archived(tb testing.TB, name string) *testCase {
	tb.Helper()
	archive, err := txtar.ParseFile("../testdata/" + name + ".txtar")
	require.NoError(tb, err)
	return &testCase{archive: archive}
}
