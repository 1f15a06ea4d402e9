package verify_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
	"github.com/ringfence-dev/ringfence/pkg/verify"
)

// What is only told, and asks nothing of anybody, no case of testdata/ shows;
// neither does the union of several builds. All else is there.

type source map[string]any

func (s source) Ref() resource.Ref {
	return resource.Ref{
		APIVersion: resource.String(s, "apiVersion"), Kind: resource.String(s, "kind"),
		Namespace: resource.String(s, "metadata", "namespace"), Name: resource.String(s, "metadata", "name"),
	}
}

func (s source) Decode() (map[string]any, error) { return s, nil }

func (s source) Mentions(text string) bool {
	data, err := json.Marshal(s)
	return err != nil || strings.Contains(string(data), text)
}

const (
	platform = `
apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata: {name: platform}
spec:
  owners: [{name: app, tool: GitOps}, {name: web, tool: GitOps}, {name: mesh, tool: Ansible}]
  gateways:
  - {name: web-gateway, owner: mesh, serviceAccountName: web-gateway, hostRefs: [web]}
  workloads:
  - {name: web, namespace: web, owner: web, serviceAccountName: web, enroll: true}
  - name: api
    namespace: app
    owner: app
    serviceAccountName: api
    enroll: true
    ports: [{port: 8080}]
    callers: [{workload: web}, {gateway: web-gateway}]
  - {name: report, namespace: app, owner: app, serviceAccountName: report, enroll: true, ports: [{port: 8080}], callers: []}
---
apiVersion: ringfence.dev/v1alpha1
kind: Environment
metadata: {name: staging}
spec:
  tier: staging
  securityProfile: enforced
  overrides: [{workload: report, securityProfile: permissive}]
  dns: {web: [web.example.org]}
`
	policyOfAPI = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata:
  name: api-allow-callers
  namespace: app
  labels: {app.kubernetes.io/managed-by: ringfence, ringfence.dev/owner: app, ringfence.dev/model: platform}
  annotations: {ringfence.dev/source: workloads/api}
spec:
  rules:
  - from:
    - source:
        principals: [cluster.local/ns/web/sa/web, cluster.local/ns/istio-system/sa/web-gateway]
`
)

// input returns the build of owner app with some objects.
func input(t *testing.T, objects ...string) policy.Input {
	t.Helper()
	return inputOf(t, "app", objects...)
}

func inputOf(t *testing.T, owner string, objects ...string) policy.Input {
	t.Helper()
	docs, findings := model.ParseDocuments("input.yaml", []byte(platform))
	require.Empty(t, findings)
	request, findings := model.Parse(model.Documents{Models: docs[:1], Environments: docs[1:]}, v1alpha1.RingfenceSpec{Owner: owner})
	require.Empty(t, findings.AtLeast(finding.Warning))
	set := resource.NewSet()
	for _, text := range objects {
		object := source{}
		require.NoError(t, yaml.Unmarshal([]byte(text), &object))
		set.Add(object)
	}
	return policy.Input{Scope: derive.Scope{Platform: request.Platform, Owner: request.Owner}, Resources: set}
}

func of(findings finding.List, rule finding.ID) []string {
	var out []string
	for _, f := range findings {
		if f.Rule == rule {
			out = append(out, f.Severity.String()+": "+f.Message)
		}
	}
	return out
}

func TestOverrideIsReported(t *testing.T) {
	findings := verify.Plan(input(t)).Findings
	assert.Equal(t, []string{"info: workloads/report is held at permissive"}, of(findings, finding.OverrideActive))
}

func TestPrincipalElsewhereIsReported(t *testing.T) {
	findings := verify.Plan(input(t, policyOfAPI)).Findings
	assert.Equal(t, []string{
		`info: "cluster.local/ns/web/sa/web" is workload web of owner "web"`,
		`info: "cluster.local/ns/istio-system/sa/web-gateway" is gateway web-gateway of owner "mesh"`,
	}, of(findings, finding.PrincipalElsewhere))
	assert.Empty(t, of(findings, finding.PrincipalNowhere))
}

// Over all builds of an environment, what a build owns is in one of them; what Ansible owns is not.
func TestUnionWantsPrincipalsOfBuildsHere(t *testing.T) {
	in := input(t, policyOfAPI)
	assert.Equal(t, []string{`error: "cluster.local/ns/web/sa/web" is workload web of owner "web", and no build holds ServiceAccount web/web`},
		of(verify.Union(in), finding.PrincipalNowhere))

	in = input(t, policyOfAPI, "{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: web}}")
	assert.Empty(t, of(verify.Union(in), finding.PrincipalNowhere))
}

// In the union an object of another owner is where it belongs.
func TestUnionMisplacesNothing(t *testing.T) {
	in := input(t, strings.ReplaceAll(policyOfAPI, "owner: app", "owner: web"))
	assert.NotEmpty(t, of(verify.Plan(in).Findings, finding.ObjectMisplaced))
	assert.Empty(t, of(verify.Union(in), finding.ObjectMisplaced))
}
