package reconcile_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// platform is one owner's part of the cluster, in namespaces of its own. OWNER, NS
// and TENANT stand for what is the test's own.
type platform struct {
	owner, namespace, tenant string
	controller               *ansible.Controller
}

const model = `
apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata: {name: OWNER}
spec:
  owners: [{name: OWNER, tool: Ansible}, {name: other, tool: GitOps}]
  gatewayDefaults: {namespace: NS}
  gateways:
  - name: web-gateway
    owner: OWNER
    serviceAccountName: web-gateway
    hostRefs: [web_public]
    routes:
    - {apiVersion: networking.istio.io/v1, kind: Gateway, namespace: NS, name: web}
    - {apiVersion: networking.istio.io/v1, kind: VirtualService, namespace: NS, name: web}
  - {name: api-gateway, owner: OWNER, serviceAccountName: api-gateway, hostRefs: [api]}
  workloads:
  - name: web
    namespace: NS
    owner: OWNER
    serviceAccountName: web
    enroll: true
  - name: api
    namespace: NS
    owner: OWNER
    serviceAccountName: api
    enroll: true
    ports: [{port: 8080}]
    callers: [{workload: web}, {gateway: api-gateway}]
  tenants:
  - name: profiles
    owner: OWNER
    namespaceSelector: {matchLabels: {tenant-of: OWNER}}
    callers: [{gateway: web-gateway}]
    workloads: [{kind: Deployment, selector: {matchLabels: {component: runner}}, selectorKeys: [app, component], defaultPort: 8000}]
`

const objects = `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: web}
spec:
  selector: {app: web-gateway}
  servers:
  - {hosts: ["NS/old.example.org"], port: {name: http, number: 8080, protocol: HTTP}}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: web}
spec:
  hosts: [old.example.org]
  gateways: [web]
  http: [{route: [{destination: {host: web}}]}]
---
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: others}
spec:
  selector: {app: others}
  servers:
  - {hosts: [others.example.org], port: {name: http, number: 8080, protocol: HTTP}}
`

// foreign are objects that nobody but their writers may touch.
var foreign = map[string]string{
	"kubectl": policy("hand-written", "", "others"),
	"argocd-controller": policy("of-gitops", "other", "others") + "\n---\n" +
		// Our own labels, and somebody else's writing.
		policy("looks-like-ours", "OWNER", "others"),
}

func policy(name, owner, app string) string {
	labels := ""
	if owner != "" {
		labels = `, labels: {app.kubernetes.io/managed-by: ringfence, ringfence.dev/model: OWNER, ringfence.dev/owner: ` + owner + `}, annotations: {ringfence.dev/source: workloads/` + name + `}`
	}
	return `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: ` + name + labels + `}
spec:
  selector: {matchLabels: {app: ` + app + `}}
  rules: [{to: [{operation: {ports: ["9090"]}}]}]`
}

func deployment(name, container, labels string) string {
	return `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ` + name + `}
spec:
  selector: {matchLabels: {app: ` + name + `}}
  template:
    metadata: {labels: {app: ` + name + labels + `}}
    spec:
      containers: [{name: ` + container + `, image: example.org/` + name + `, ports: [{containerPort: 8080}]}]
`
}

// newPlatform makes an owner's part of the cluster, as it is before anything of ours ran.
func newPlatform(t *testing.T, target ansible.Target) *platform {
	t.Helper()
	p := &platform{owner: owner(t), controller: ansible.New(t, target)}
	var err error
	p.namespace, err = server.Namespace(t.Context(), "platform", nil)
	require.NoError(t, err)
	p.tenant, err = server.Namespace(t.Context(), "tenant", map[string]string{"tenant-of": p.owner, "istio-injection": "enabled"})
	require.NoError(t, err)
	apps := objects + deployment("web-gateway", "istio-proxy", "") + deployment("api-gateway", "istio-proxy", "") + deployment("web", "web", "") + deployment("api", "api", "")
	p.apply(t, "helm", p.namespace, apps)
	for manager, text := range foreign {
		p.apply(t, manager, p.namespace, text)
	}
	p.apply(t, "kubectl", p.tenant, deployment("runner", "runner", ", component: runner"))
	for _, name := range []string{"web-gateway", "api-gateway", "web", "api"} {
		p.rolledOut(t, name)
	}
	return p
}

// owner returns a name of the test's own that an owner may have.
func owner(tb testing.TB) string {
	tb.Helper()
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(strings.TrimPrefix(tb.Name(), "Test")))
	return strings.Trim(name[:min(len(name), 50)], "-")
}

func (p *platform) text(s string) string {
	return strings.NewReplacer("OWNER", p.owner, "NS", p.namespace, "TENANT", p.tenant).Replace(s)
}

func (p *platform) apply(t *testing.T, manager, namespace, text string) {
	t.Helper()
	require.NoError(t, server.Client.Apply(t.Context(), manager, namespace, []byte(p.text(text))))
}

func (p *platform) rolledOut(t *testing.T, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		o, err := server.Client.Get(t.Context(), cluster.Deployment, p.namespace, name)
		require.NoError(t, err)
		n, _, err := unstructured.NestedInt64(o.Object, "status", "availableReplicas")
		require.NoError(t, err)
		return n == 1
	}, 30*time.Second, 100*time.Millisecond, "%s isn't rolled out", name)
}

// play returns a playbook of tasks over the platform.
func (p *platform) play(t *testing.T, access cluster.Access, tasks string, vars map[string]any) ansible.Play {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, access.WriteKubeconfig(kubeconfig))
	require.NoError(t, os.Chmod(filepath.Dir(kubeconfig), 0o755)) //nolint:gosec // the other side of ssh reads it
	all := map[string]any{"kubeconfig": kubeconfig, "profile": "enforced"}
	maps.Copy(all, vars)
	return ansible.Play{
		Playbook: p.text(`
- hosts: target
  gather_facts: false
  module_defaults:
    group/ringfence.mesh.model:
      model: model.yaml
      owner: OWNER
      security_profile: "{{ profile }}"
      dns: {web_public: web.example.org, api: [api.example.org], unused: 10.0.0.1}
    group/ringfence.mesh.k8s:
      kubeconfig: "{{ kubeconfig }}"
  tasks:
` + tasks),
		Files: map[string]string{"files/model.yaml": p.text(model)},
		Vars:  all,
	}
}

const everything = `
  - name: Everything
    ringfence.mesh.access_policies: {wait_sleep: 1, propagation_delay: 1}
  - name: One gateway
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1}
  - name: Tenants
    ringfence.mesh.tenant_policy: {namespace: TENANT}
`

// policies returns what the owner has of policies, by their names.
func (p *platform) policies(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, kind := range []struct {
		name string
		in   string
	}{{"AuthorizationPolicy", p.namespace}, {"PeerAuthentication", p.namespace}, {"AuthorizationPolicy", p.tenant}} {
		gvk := cluster.AuthorizationPolicy
		if kind.name == "PeerAuthentication" {
			gvk = cluster.PeerAuthentication
		}
		resources, err := server.Client.Kind(t.Context(), gvk, kind.in)
		require.NoError(t, err)
		list, err := resources.List(t.Context(), metav1.ListOptions{LabelSelector: "ringfence.dev/owner=" + p.owner})
		require.NoError(t, err)
		for _, o := range list.Items {
			if o.GetName() != "looks-like-ours" {
				out = append(out, o.GetKind()+" "+o.GetName())
			}
		}
	}
	return out
}

// others returns everything in the platform's namespace that isn't the owner's to write.
func (p *platform) others(t *testing.T) cluster.Snapshot {
	t.Helper()
	all := p.snapshot(t)
	for name := range all {
		kept := false
		for _, other := range []string{"/hand-written", "/of-gitops", "/looks-like-ours", "Gateway " + p.namespace + "/others"} {
			kept = kept || strings.HasSuffix(name, other)
		}
		if !kept {
			delete(all, name)
		}
	}
	require.Len(t, all, 4)
	return all
}

func (p *platform) snapshot(t *testing.T) cluster.Snapshot {
	t.Helper()
	out, err := server.Client.Snapshot(t.Context(), p.namespace,
		cluster.AuthorizationPolicy, cluster.PeerAuthentication, cluster.Gateway, cluster.VirtualService, cluster.ServiceAccount)
	require.NoError(t, err)
	return out
}

// enforced are the policies that the model derives.
var enforced = []string{
	"AuthorizationPolicy api-allow-callers", "AuthorizationPolicy api-gateway", "AuthorizationPolicy web-gateway",
	"PeerAuthentication api-strict-mtls", "AuthorizationPolicy runner-service-gateway",
}

// first is the target of tests that one is enough for.
func first() ansible.Target {
	targets := ansible.Targets()
	return targets[len(targets)-2] // the newest version, local
}

func (p *platform) assertEnforced(t *testing.T) {
	t.Helper()
	assert.Equal(t, enforced, p.policies(t))
	o, err := server.Client.Get(t.Context(), cluster.AuthorizationPolicy, p.namespace, "web-gateway")
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"action":   "ALLOW",
		"rules":    []any{map[string]any{"to": []any{map[string]any{"operation": map[string]any{"hosts": []any{"web.example.org", "web.example.org:*"}}}}}},
		"selector": map[string]any{"matchLabels": map[string]any{"app": "web-gateway"}},
	}, o.Object["spec"], "exactly what the model derives")
}
