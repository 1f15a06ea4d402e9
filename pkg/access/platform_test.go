package access_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// strangers are pods that nobody's model names, and the gateway that Ansible owns.
const strangers = `
{apiVersion: v1, kind: Pod, metadata: {name: stranger, namespace: themelio, labels: {sidecar.istio.io/inject: "true"}}, spec: {containers: [{name: main}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: outsider, namespace: themelio}, spec: {serviceAccountName: web, containers: [{name: main}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: foreign, namespace: shop, labels: {sidecar.istio.io/inject: "true"}}, spec: {containers: [{name: main}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: neighbour, namespace: profile-bob}, spec: {containers: [{name: main}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: istio-ingressgateway-service, namespace: istio-system}
spec:
  template:
    metadata: {labels: {app: istio-ingressgateway-service}}
    spec: {serviceAccountName: istio-ingressgateway-themelio-service-account, containers: [{name: istio-proxy, args: [proxy, router]}]}
`

// get is an ordinary request, without a token of the mesh.
func get(host, path string) *authz.HTTP {
	return &authz.HTTP{Host: authz.Is(host), Method: authz.Is("GET"), Path: authz.Is(path), Headers: map[string]authz.Text{}, Token: authz.NoToken()}
}

// TestEndToEnd is DD-0025's table of end-to-end cases, each row that manifests
// decide, with what the open and the permissive example answer beside it.
func TestEndToEnd(t *testing.T) {
	const yes, no = truth.Yes, truth.No
	cases := []struct {
		from, to                   string
		port                       int32
		enforced, permissive, open truth.Value
	}{
		{"themelio/web", "themelio/k8s-root-actor", 3000, yes, yes, yes},
		{"themelio/stranger", "themelio/k8s-root-actor", 3000, no, yes, yes},
		{"themelio/outsider", "themelio/k8s-root-actor", 3000, no, yes, yes}, // the right ServiceAccount, and no proxy to prove it
		{"istio-system/istio-ingressgateway-web", "themelio/web", 3000, yes, yes, yes},
		{"themelio/stranger", "themelio/web", 3000, no, yes, yes},
		{"themelio/outsider", "themelio/web", 3000, no, yes, yes},
		{"themelio/web", "themelio/gitlab-root-actor", 3000, yes, yes, yes},
		{"waldur-site-agent-cloud/waldur-site-agent-cloud-order", "themelio/gitlab-root-actor", 3000, yes, yes, yes},
		{"waldur-site-agent-cloud/waldur-site-agent-cloud-membership-sync", "themelio/gitlab-root-actor", 3000, yes, yes, yes},
		{"waldur-site-agent-cloud/waldur-site-agent-cloud-report", "themelio/gitlab-root-actor", 3000, no, yes, yes},
		{"waldur-site-agent-cloud/waldur-site-agent-cloud-load-components", "themelio/gitlab-root-actor", 3000, no, yes, yes},
		{"themelio/themelio-seeder", "themelio/gitlab-root-actor", 3000, yes, yes, yes},
		{"themelio/stranger", "themelio/gitlab-root-actor", 3000, no, yes, yes},
		{"istio-system/istio-ingressgateway-service", "profile-bob/labeller", 8000, yes, yes, yes},
		{"profile-bob/neighbour", "profile-bob/labeller", 8000, yes, yes, yes},
		{"shop/foreign", "profile-bob/labeller", 8000, no, no, no}, // tenants' policies are the same in every profile
		{"istio-system/istio-ingressgateway-service", "profile-bob/detector", 8000, yes, yes, yes},
		{"profile-bob/neighbour", "profile-bob/detector", 8000, yes, yes, yes},
		{"shop/foreign", "profile-bob/detector", 8000, no, no, no},
		{"", "themelio/web", 3000, no, yes, yes}, // from outside, past the gateway
	}
	meshes := map[string]*access.Mesh{}
	for _, name := range []string{"staging", "staging-permissive", "dev"} {
		meshes[name] = meshOf(t, access.Settings{}, environment(t, name), strangers)
		assert.Empty(t, meshes[name].Unjudged)
	}
	for _, c := range cases {
		for name, want := range map[string]truth.Value{"staging": c.enforced, "staging-permissive": c.permissive, "dev": c.open} {
			m := meshes[name]
			r := access.Request{To: workload(t, m, c.to), Port: c.port, HTTP: get("web", "/")}
			if c.from != "" {
				r.From.Workload = workload(t, m, c.from)
			}
			v := m.Judge(r)
			assert.Equal(t, want, v.Allowed, "%s: %s -> %s: %v", name, c.from, c.to, v.Steps)
		}
	}
}
