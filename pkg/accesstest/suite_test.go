package accesstest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/accesstest"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// TestExample is DD-0025's table of end-to-end cases, on every rung of the ladder.
func TestExample(t *testing.T) {
	for _, name := range []string{"local", "dev", "staging-permissive", "staging", "production"} {
		t.Run(name, func(t *testing.T) {
			e := readExample(t, name)
			results := e.run(t, nil)
			assert.Len(t, results, 26)
			for _, r := range results {
				assert.Equal(t, accesstest.Passed, r.Status, "%s: %s", r.Case.Name, r.Text)
			}
		})
	}
}

const objects = `
{apiVersion: v1, kind: Namespace, metadata: {name: shop}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {metadata: {labels: {app: web, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: web, containers: [{name: web, ports: [{containerPort: 80}]}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec: {template: {metadata: {labels: {app: api, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: api, containers: [{name: api, ports: [{containerPort: 8080}, {containerPort: 9090}]}]}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: api, namespace: shop}, spec: {template: {spec: {containers: [{name: api}]}}}}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: api, namespace: shop}
spec: {selector: {matchLabels: {app: api}}, rules: [{from: [{source: {principals: [cluster.local/ns/shop/sa/web, cluster.local/ns/edge/sa/gate, cluster.local/ns/shop/sa/batch]}}]}, {to: [{operation: {paths: [/health]}}]}]}
`

const modelText = `
apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata: {name: platform}
spec:
  owners: [{name: shop, tool: GitOps}, {name: other, tool: GitOps}, {name: roles, tool: Ansible}]
  gateways:
  - {name: gate, namespace: edge, owner: roles, serviceAccountName: gate, hostRefs: [web]}
  - {name: old, namespace: edge, owner: roles, serviceAccountName: old, hostRefs: [web]}
  workloads:
  - {name: web, namespace: shop, owner: shop, serviceAccountName: web, enroll: true}
  - {name: api, namespace: shop, owner: shop, serviceAccountName: api, enroll: true, ports: [{port: 8080}], callers: [{workload: web}, {gateway: gate}, {workload: batch}]}
  - {name: batch, namespace: shop, owner: other, serviceAccountName: batch, enroll: true}
---
apiVersion: ringfence.dev/v1alpha1
kind: Environment
metadata: {name: staging}
spec:
  tier: staging
  securityProfile: enforced
  overrides: [{workload: web, securityProfile: permissive}]
  absent: {gateways: [old]}
  dns: {web: [web.example.org]}
`

// TestStatuses asks one case each, of all objects and of one owner's.
func TestStatuses(t *testing.T) {
	cases := []struct {
		reason, text   string
		whole, partial accesstest.Status
		says           string
	}{
		{"an edge", `{from: {workload: shop/web}, to: {workload: Deployment/shop/api, port: 8080}, expect: {enforced: Allowed}}`, "passed", "passed", ""},
		{"no edge", `{from: {pods: {namespace: shop, injected: true}}, to: {workload: deployment/shop/api, port: 8080}, request: {path: /}, expect: {enforced: Denied}}`, "passed", "passed", ""},
		{"another answer", `{from: {workload: shop/web}, to: {workload: Deployment/shop/api, port: 8080}, expect: {enforced: Denied}}`, "failed", "failed", "it must be Denied and is Allowed: a rule of the ALLOW policy shop/api matches (AuthorizationPolicy shop/api, spec.rules[0])"},
		{"it hangs on the path", `{from: {node: {}}, to: {workload: Deployment/shop/api, port: 8080}, expect: {enforced: Allowed}}`, "failed", "failed", "it must be Allowed and is Unknown"},
		{"and that may be expected", `{from: {node: {}}, to: {workload: Deployment/shop/api, port: 8080}, expect: {enforced: Unknown}}`, "passed", "passed", ""},
		{"the path is known", `{from: {external: {}}, to: {workload: Deployment/shop/api, port: 8080}, request: {path: /health}, expect: {enforced: Allowed}}`, "passed", "passed", ""},
		{"the rung of the destination counts", `{from: {external: {}}, to: {workload: shop/web}, expect: {enforced: Denied, permissive: Allowed}}`, "passed", "passed", ""},
		{"and where it has no answer nothing is asked", `{from: {external: {}}, to: {workload: shop/web}, expect: {enforced: Denied}}`, "skipped", "skipped", "it expects nothing where the destination is permissive"},
		{"a caller that Ansible deploys", `{from: {workload: edge/gate}, to: {workload: Deployment/shop/api, port: 8080}, expect: {enforced: Allowed}}`, "passed", "passed", ""},
		{"a caller that isn't deployed here", `{from: {workload: edge/old}, to: {workload: Deployment/shop/api, port: 8080}, expect: {enforced: Denied}}`, "skipped", "skipped", `Environment "staging" has no gateway "old"`},
		{"a caller of another build", `{from: {workload: shop/batch}, to: {workload: Deployment/shop/api, port: 8080}, expect: {enforced: Allowed}}`, "wrong", "passed", "no object shop/batch makes pods"},
		{"a destination that Ansible deploys", `{from: {external: {}}, to: {workload: edge/gate}, request: {hostRef: web}, expect: {enforced: Allowed}}`, "skipped", "skipped", ""},
		{"nobody's name", `{from: {workload: shop/nobody}, to: {workload: Deployment/shop/api, port: 8080}, expect: {enforced: Denied}}`, "wrong", "skipped", ""},
		{"a name of two", `{from: {workload: shop/api}, to: {workload: shop/web}, expect: {permissive: Allowed}}`, "wrong", "wrong", "several objects are called shop/api, of the kinds Deployment, Job: put the kind before it"},
		{"a port of two", `{from: {workload: shop/web}, to: {workload: Deployment/shop/api}, expect: {enforced: Allowed}}`, "wrong", "wrong", "Deployment shop/api has the ports 8080, 9090: say which one"},
		{"the Service's port", `{from: {node: {}}, to: {workload: shop/web, port: 8080}, expect: {permissive: Denied}}`, "wrong", "wrong", "nothing declares port 8080 of Deployment shop/web; there are 80, which are the pods' own and not a Service's"},
		{"no port at all", `{from: {node: {}}, to: {workload: Job/shop/api}, expect: {enforced: Allowed}}`, "wrong", "wrong", "no container and no Service declares a port of Job shop/api: say which one"},
		{"a name that no dns has", `{from: {node: {}}, to: {workload: Deployment/shop/api, port: 8080}, request: {hostRef: wen}, expect: {enforced: Allowed}}`, "wrong", "wrong", `no Environment's dns has the name "wen" of hostRef`},
		{"no gateway leads anywhere", `{from: {node: {}}, to: {workload: shop/web, leadsTo: shop/api}, expect: {permissive: Allowed}}`, "wrong", "wrong", "leadsTo is about what a gateway does, and Deployment shop/web is none"},
	}
	var docs model.Documents
	for _, doc := range documents(t, "input.yaml", []byte(modelText)) {
		docs.Add(doc)
	}
	platform, findings := model.ParseUnion(docs)
	requireFine(t, findings)
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			text := "apiVersion: ringfence.dev/v1alpha1\nkind: AccessTest\nmetadata: {name: one}\nspec: {cases: [{name: case, " + c.text[1:] + "]}"
			tests, findings := model.ParseAccessTests(documents(t, "tests.yaml", []byte(text)), platform.Hosts)
			requireFine(t, findings)
			for partial, want := range map[bool]accesstest.Status{false: c.whole, true: c.partial} {
				suite := accesstest.Suite{Mesh: access.New(setOf(decode(t, objects), nil), access.Settings{}), Platform: platform, Partial: partial}
				got := suite.Run(tests)
				require.Len(t, got, 1)
				assert.Equal(t, want, got[0].Status, "%s", got[0].Text)
				if want == c.whole {
					assert.Contains(t, got[0].Text, c.says)
				}
			}
		})
	}
}
