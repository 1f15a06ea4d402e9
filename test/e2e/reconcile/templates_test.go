package reconcile_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
)

// The templates of a role as it was, with what it used to copy taken from access_info.
const (
	gatewayTemplate = `
{% set gateway = access.gateways['web-gateway'] %}
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: web, namespace: {{ gateway.namespace }}}
spec:
  selector: {{ gateway.selector | to_json }}
  servers:
    - port: {name: http, number: 8080, protocol: HTTP}
      hosts: {{ gateway.hosts | to_json }}
`
	routeTemplate = `
{% set gateway = access.gateways['web-gateway'] %}
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: web, namespace: {{ gateway.namespace }}}
spec:
  hosts: {{ gateway.hosts | to_json }}
  gateways: [web]
  http:
    - route:
        - destination: {host: web}
`
	policyTemplate = `
{% set gateway = access.gateways['web-gateway'] %}
{% if gateway.policy %}
{{ gateway.policy | to_nice_yaml }}
{% endif %}
`
)

// TestTemplates renders what access_info answers in the templates of a role. What
// comes out is what the modules would write: they find nothing left to change.
func TestTemplates(t *testing.T) {
	for _, version := range ansible.Versions() {
		t.Run(version, func(t *testing.T) {
			p := newPlatform(t, ansible.Target{Version: version, Connection: ansible.Local})
			play := p.play(t, server.Admin(), `
  - name: Derive
    ringfence.mesh.access_info: {}
    register: access
  - name: Render
    ansible.builtin.template: {src: "{{ item }}.j2", dest: "{{ playbook_dir }}/{{ item }}", mode: "0600"}
    loop: [gateway.yaml, route.yaml, policy.yaml]
`, nil)
			play.Files["templates/gateway.yaml.j2"] = gatewayTemplate
			play.Files["templates/route.yaml.j2"] = routeTemplate
			play.Files["templates/policy.yaml.j2"] = policyTemplate
			run := p.controller.Succeed(t, play)
			for _, name := range []string{"gateway.yaml", "route.yaml", "policy.yaml"} {
				text, err := os.ReadFile(filepath.Join(run.Folder, name))
				require.NoError(t, err)
				var object map[string]any
				require.NoError(t, yaml.UnmarshalStrict(text, &object), "%s", text)
				p.apply(t, "ringfence", p.namespace, string(text))
			}
			const task = "\n  - name: Gateway\n    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, wait_sleep: 1}\n"
			changed := map[string]bool{}
			for _, change := range p.controller.Succeed(t, p.play(t, server.Admin(), task, nil)).Task(t, "Gateway").Result["changes"].([]any) {
				changed[change.(map[string]any)["kind"].(string)] = true
			}
			assert.Equal(t, map[string]bool{"ServiceAccount": true, "Deployment": true}, changed, "Gateway, VirtualService and policy are right as rendered")
		})
	}
}
