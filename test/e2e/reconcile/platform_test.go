package reconcile_test

import (
	"context"
	"fmt"
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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// platform is one owner's part of the cluster, in namespaces of its own. OWNER, NS
// and TENANT stand for what is the test's own.
type platform struct {
	server                   *cluster.Server
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
	"helm": deployment("others", "others", ""),
	"kubectl": policy("hand-written", "", "others") + `
---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: others}
spec: {selector: {matchLabels: {app: others}}, mtls: {mode: PERMISSIVE}}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: others}
spec: {hosts: [others.example.org], gateways: [others], http: [{route: [{destination: {host: others}}]}]}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: others}
`,
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
	return newPlatformOn(t, server, target)
}

func newPlatformOn(t *testing.T, on *cluster.Server, target ansible.Target) *platform {
	t.Helper()
	p := &platform{server: on, owner: owner(t), controller: ansible.New(t, target)}
	var err error
	p.namespace, err = on.Namespace(t.Context(), "platform", nil)
	require.NoError(t, err)
	p.tenant, err = on.Namespace(t.Context(), "tenant", map[string]string{"tenant-of": p.owner, "istio-injection": "enabled"})
	require.NoError(t, err)
	t.Cleanup(func() { // the controllers look at all that there is, whenever something changes
		ctx := context.WithoutCancel(t.Context())
		for _, namespace := range []string{p.namespace, p.tenant} {
			assert.NoError(t, p.server.Client.Clear(ctx, namespace, cluster.Deployment))
		}
	})
	names := []string{"web-gateway", "api-gateway", "web", "api", "others"}
	apps := objects + deployment("web-gateway", "istio-proxy", "") + deployment("api-gateway", "istio-proxy", "") + deployment("web", "web", "") + deployment("api", "api", "")
	p.apply(t, "helm", p.namespace, apps)
	for manager, text := range foreign {
		p.apply(t, manager, p.namespace, text)
	}
	p.apply(t, "kubectl", p.tenant, deployment("runner", "runner", ", component: runner")+"---\n"+policy("hand-written", "", "others"))
	for _, name := range names {
		p.rolledOut(t, p.namespace, name)
	}
	p.rolledOut(t, p.tenant, "runner")
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
	require.NoError(t, p.server.Client.Apply(t.Context(), manager, namespace, []byte(p.text(text))))
}

func (p *platform) rolledOut(t *testing.T, namespace, name string) {
	t.Helper()
	require.Eventually(t, func() bool {
		n, _, err := unstructured.NestedInt64(p.get(t, cluster.Deployment, namespace, name).Object, "status", "availableReplicas")
		require.NoError(t, err)
		return n == 1
	}, time.Minute, 100*time.Millisecond, "%s isn't rolled out", name)
}

func (p *platform) get(t *testing.T, kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	o, err := p.server.Client.Get(t.Context(), kind, namespace, name)
	require.NoError(t, err)
	return o
}

func (p *platform) resources(t *testing.T, kind schema.GroupVersionKind, namespace string) dynamic.ResourceInterface {
	t.Helper()
	out, err := p.server.Client.Kind(t.Context(), kind, namespace)
	require.NoError(t, err)
	return out
}

// edit changes an object as somebody would by hand.
func (p *platform) edit(t *testing.T, kind schema.GroupVersionKind, name string, change func(o *unstructured.Unstructured) error) {
	t.Helper()
	o := p.get(t, kind, p.namespace, name)
	require.NoError(t, change(o))
	_, err := p.resources(t, kind, p.namespace).Update(t.Context(), o, metav1.UpdateOptions{FieldManager: "kubectl-edit"})
	require.NoError(t, err)
}

func writeKubeconfig(t *testing.T, access cluster.Access) string {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, access.WriteKubeconfig(kubeconfig))
	require.NoError(t, os.Chmod(filepath.Dir(kubeconfig), 0o755)) //nolint:gosec // the other side of ssh reads it
	return kubeconfig
}

// play returns a playbook of tasks over the platform.
func (p *platform) play(t *testing.T, access cluster.Access, tasks string, vars map[string]any) ansible.Play {
	t.Helper()
	all := map[string]any{"kubeconfig": writeKubeconfig(t, access), "direct": writeKubeconfig(t, p.server.Admin()), "profile": "enforced"}
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

const oneGateway = `
  - name: Gateway
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1}
`

// tried is oneGateway, which may fail, and then as it is done by who meets no fault, twice.
const tried = `
  - name: Gateway
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1}
    ignore_errors: true
` + finished

const finished = `
  - name: Rerun
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1, kubeconfig: "{{ direct }}"}
  - name: Again
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1, kubeconfig: "{{ direct }}"}
`

// gatewayChanges are what oneGateway does, in the order of DD-0025, phase 2.
var gatewayChanges = []string{
	"create ServiceAccount web-gateway", "update Deployment web-gateway",
	"update Gateway web", "update VirtualService web", "create AuthorizationPolicy web-gateway",
}

// changes returns what a task says that it changed.
func changes(tb testing.TB, task ansible.Task) []string {
	tb.Helper()
	list, ok := task.Result["changes"].([]any)
	require.True(tb, ok, "%v", task.Result)
	var out []string
	for _, entry := range list {
		change, ok := entry.(map[string]any)
		require.True(tb, ok, "%v", entry)
		out = append(out, fmt.Sprintf("%v %v %v", change["method"], change["kind"], change["name"]))
	}
	return out
}

// policies returns what the owner has of policies, by their names.
func (p *platform) policies(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, in := range []struct {
		kind      schema.GroupVersionKind
		namespace string
	}{{cluster.AuthorizationPolicy, p.namespace}, {cluster.PeerAuthentication, p.namespace}, {cluster.AuthorizationPolicy, p.tenant}} {
		list, err := p.resources(t, in.kind, in.namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "ringfence.dev/owner=" + p.owner})
		require.NoError(t, err)
		for _, o := range list.Items {
			if o.GetName() != "looks-like-ours" {
				out = append(out, o.GetKind()+" "+o.GetName())
			}
		}
	}
	return out
}

// mine are the objects that a model gives to its owner. Whatever else there is, is others'.
var mine = []string{
	"Deployment NS/web-gateway", "Deployment NS/api-gateway", "Deployment NS/web", "Deployment NS/api",
	"ServiceAccount NS/web-gateway", "ServiceAccount NS/api-gateway", "ServiceAccount NS/web", "ServiceAccount NS/api",
	"Gateway NS/web", "VirtualService NS/web",
	"AuthorizationPolicy NS/web-gateway", "AuthorizationPolicy NS/api-gateway", "AuthorizationPolicy NS/api-allow-callers",
	"PeerAuthentication NS/api-strict-mtls", "AuthorizationPolicy TENANT/runner-service-gateway",
}

// others returns everything in the platform's namespaces that isn't the owner's to write.
func (p *platform) others(t *testing.T) cluster.Snapshot {
	t.Helper()
	all := p.snapshot(t)
	for _, name := range mine {
		delete(all, p.text(name))
	}
	require.GreaterOrEqual(t, len(all), 6, "a server that lost a CRD still has the rest")
	return all
}

func (p *platform) snapshot(t *testing.T) cluster.Snapshot {
	t.Helper()
	all := cluster.Snapshot{}
	for _, namespace := range []string{p.namespace, p.tenant} {
		part, err := p.server.Client.Snapshot(t.Context(), namespace, cluster.AuthorizationPolicy, cluster.PeerAuthentication,
			cluster.Gateway, cluster.VirtualService, cluster.ServiceAccount, cluster.Deployment)
		require.NoError(t, err)
		maps.Copy(all, part)
	}
	return all
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
	assert.Equal(t, map[string]any{
		"action":   "ALLOW",
		"rules":    []any{map[string]any{"to": []any{map[string]any{"operation": map[string]any{"hosts": []any{"web.example.org", "web.example.org:*"}}}}}},
		"selector": map[string]any{"matchLabels": map[string]any{"app": "web-gateway"}},
	}, p.get(t, cluster.AuthorizationPolicy, p.namespace, "web-gateway").Object["spec"], "exactly what the model derives")
}

// proxy returns a way to the platform's server that can be made to fail.
func (p *platform) proxy(t *testing.T) *cluster.Proxy {
	t.Helper()
	proxy, err := p.server.Proxy(p.server.Admin(), cluster.Valid())
	require.NoError(t, err)
	t.Cleanup(proxy.Stop)
	return proxy
}
