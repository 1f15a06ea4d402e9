package reconcile_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// rights are those that oneGateway needs.
var rights = []cluster.Rule{
	{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, Verbs: []string{"get", "list", "create", "update"}},
	{APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Verbs: []string{"get", "list", "update"}},
	{APIGroups: []string{"networking.istio.io"}, Resources: []string{"gateways"}, Verbs: []string{"get", "list", "update"}},
	{APIGroups: []string{"networking.istio.io"}, Resources: []string{"virtualservices"}, Verbs: []string{"get", "list", "update"}},
	{APIGroups: []string{"security.istio.io"}, Resources: []string{"authorizationpolicies"}, Verbs: []string{"get", "list", "create", "update", "delete"}},
	{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list"}},
	{APIGroups: []string{"", "apps", "batch", "security.istio.io", "rbac.authorization.k8s.io", "serving.kserve.io"}, Resources: []string{
		"services", "statefulsets", "daemonsets", "replicasets", "jobs", "cronjobs", "peerauthentications", "rolebindings", "clusterrolebindings", "namespaces", "inferenceservices",
	}, Verbs: []string{"get", "list"}},
}

// without returns the rights but for one verb on one resource.
func without(verb, resource string) []cluster.Rule {
	out := slices.Clone(rights)
	for i, rule := range out {
		if slices.Contains(rule.Resources, resource) {
			out[i].Verbs = slices.DeleteFunc(slices.Clone(rule.Verbs), func(v string) bool { return v == verb })
		}
	}
	return out
}

// TestRights takes one right after the other from who runs the task.
func TestRights(t *testing.T) {
	t.Parallel()
	const (
		derived = "\n  - name: Gateway\n    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1}\n    ignore_errors: true\n"
		absent  = "\n  - name: Gateway\n    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, state: absent}\n    ignore_errors: true\n"
	)
	cases := map[string]struct {
		verb, resource, group string
		task                  string
		enforced              bool // a policy is there before, and somebody has opened it
		done                  []string
	}{
		"list-policies":   {verb: "list", resource: "authorizationpolicies", group: "security.istio.io", task: derived},
		"create-account":  {verb: "create", resource: "serviceaccounts", task: derived},
		"update-gateway":  {verb: "update", resource: "gateways", group: "networking.istio.io", task: derived, done: gatewayChanges[:2]},
		"create-policy":   {verb: "create", resource: "authorizationpolicies", group: "security.istio.io", task: derived, done: gatewayChanges[:4]},
		"update-policy":   {verb: "update", resource: "authorizationpolicies", group: "security.istio.io", task: derived, enforced: true},
		"delete-policy":   {verb: "delete", resource: "authorizationpolicies", group: "security.istio.io", task: absent, enforced: true},
		"update-template": {verb: "update", resource: "deployments", group: "apps", task: derived, done: gatewayChanges[:1]},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, first())
			others := p.others(t)
			if c.enforced {
				p.controller.Succeed(t, p.play(t, server.Admin(), oneGateway, nil))
				p.edit(t, cluster.AuthorizationPolicy, "web-gateway", open)
			}
			require.NoError(t, server.Grant(t.Context(), p.owner, "", without(c.verb, c.resource)...))
			user, err := server.User(cluster.Valid(), p.owner)
			require.NoError(t, err)
			run := p.controller.Succeed(t, p.play(t, user, c.task+finished, nil))
			assertFailed(t, run.Task(t, "Gateway"), "forbidden\nlet the task's user "+c.verb+" "+c.resource+` of group "`+c.group+`" in namespace "`, c.done)
			assert.Empty(t, changes(t, run.Task(t, "Again")))
			assert.Equal(t, []string{"AuthorizationPolicy web-gateway"}, p.policies(t))
			assert.Equal(t, others, p.others(t))
		})
	}
}

// open is what somebody in a hurry does to a policy.
func open(o *unstructured.Unstructured) error {
	return unstructured.SetNestedSlice(o.Object, []any{map[string]any{}}, "spec", "rules")
}

// TestDocumentedRights derives everything with the role that the guide shows, and
// no other right.
func TestDocumentedRights(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile(ansible.Path("docs", "ansible.md"))
	require.NoError(t, err)
	_, block, _ := strings.Cut(string(guide), "```yaml\n# role.yaml\n")
	block, _, found := strings.Cut(block, "```")
	require.True(t, found, "the guide shows a role")
	var role struct {
		Rules []cluster.Rule `json:"rules"`
	}
	require.NoError(t, yaml.Unmarshal([]byte(block), &role))
	p := newPlatform(t, first())
	require.NoError(t, server.Grant(t.Context(), p.owner, "", role.Rules...))
	user, err := server.User(cluster.Valid(), p.owner)
	require.NoError(t, err)
	p.controller.Succeed(t, p.play(t, user, everything, nil))
	p.assertEnforced(t)
	p.controller.Succeed(t, p.play(t, user, "\n  - ringfence.mesh.access_policies: {state: absent}\n", nil))
	assert.Empty(t, p.policies(t))
}

// TestRefusals are those of who isn't who he says, and of who may not be asked.
func TestRefusals(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, first())
	before := p.snapshot(t)

	nobody, err := server.User(cluster.Valid(), p.owner)
	require.NoError(t, err)
	_, failed := p.controller.Fail(t, p.play(t, nobody, oneGateway, nil))
	assert.Contains(t, failed.Message(), "forbidden")
	assert.Contains(t, failed.Message(), `let the task's user list `)

	expired, err := server.User(cluster.Expired(), "admin", "system:masters")
	require.NoError(t, err)
	stale := server.Admin()
	stale.Certificate, stale.Key, stale.Token = nil, nil, "of-yesterday"
	for name, access := range map[string]cluster.Access{"an expired certificate": expired, "a token that nobody issued": stale} {
		_, failed = p.controller.Fail(t, p.play(t, access, oneGateway, nil))
		assert.Contains(t, failed.Message(), "the API server doesn't accept the credentials", name)
		assert.EqualValues(t, 401, failed.Result["status"], name)
	}

	proxy, err := server.Proxy(server.Admin(), cluster.Expired())
	require.NoError(t, err)
	defer proxy.Stop()
	_, failed = p.controller.Fail(t, p.play(t, proxy.Access(), oneGateway, nil))
	assert.Contains(t, failed.Message(), "certificate has expired")
	assert.Contains(t, failed.Message(), "isn't to be trusted")
	assert.Empty(t, proxy.Requests(), "nothing is sent to who isn't trusted")

	assert.Equal(t, before, p.snapshot(t), "nothing was written")
}
