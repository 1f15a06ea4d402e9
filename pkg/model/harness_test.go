package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// modelText is a valid AccessModel, for the cases to break.
const modelText = `apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata: {name: platform}
spec:
  owners:
  - {name: shop, tool: GitOps}
  - {name: roles, tool: Ansible}
  - {name: vendor, tool: External}
  gateways:
  - name: edge
    owner: shop
    serviceAccountName: edge-service-account
    hostRefs: [web]
    routes:
    - {apiVersion: networking.istio.io/v1, kind: Gateway, namespace: shop, name: web}
  - name: inner
    owner: roles
    serviceAccountName: inner-service-account
    hostRefs: [inner]
  workloads:
  - name: web
    namespace: shop
    owner: shop
    serviceAccountName: web
    enroll: true
    ports: [{port: 3000}]
    callers: [{gateway: edge}]
  - name: api
    namespace: shop
    owner: shop
    serviceAccountName: api
    enroll: true
    ports: [{port: http}]
    callers: [{workload: web}, {workload: batch}]
  - name: batch
    namespace: shop
    owner: shop
    targetRefs: [{kind: Job, name: batch}]
    serviceAccountName: batch
    enroll: true
  consumers:
  - owner: shop
    targetRef: {kind: Deployment, namespace: shop, name: api}
    env: PUBLIC_HOST
    valueFrom: {hostRef: inner}
  retired:
  - {apiVersion: v1, kind: ConfigMap, namespace: shop, name: old}
  tenants:
  - name: labs
    owner: vendor
    namespaceSelector: {matchLabels: {lab: "true"}}
    callers: [{gateway: inner}]
    workloads:
    - {kind: Deployment, selectorKeys: [app], defaultPort: 8000}
    exclude: [{name: agent}]
`

// environmentText is a valid Environment for it.
const environmentText = `apiVersion: ringfence.dev/v1alpha1
kind: Environment
metadata: {name: staging}
spec:
  tier: staging
  securityProfile: enforced
  absent: {}
  istio: {version: 1.31.4, trustDomain: cluster.local}
  dns:
    web: [web.example.org]
    inner: [inner.example.org]
`

// edit puts one text in the place of another.
type edit struct{ old, new string }

// parseCase is an input and what is said about it.
type parseCase struct {
	reason      string
	model       []edit
	environment []edit
	findings    []string
}

func edited(t *testing.T, text string, edits []edit) []byte {
	t.Helper()
	for _, e := range edits {
		require.Contains(t, text, e.old, "nothing to edit")
		text = strings.Replace(text, e.old, e.new, 1)
	}
	return []byte(text)
}

// parse reads two files as a command does.
func parse(t *testing.T, modelText, environmentText []byte) (model.Request, finding.List) {
	t.Helper()
	models, list := model.ParseDocuments("model.yaml", modelText)
	environments, more := model.ParseDocuments("environment.yaml", environmentText)
	list.Add(more...)
	if list.Failed() {
		return model.Request{}, list
	}
	return model.Parse(model.Documents{Models: models, Environments: environments}, v1alpha1.RingfenceSpec{Owner: "shop"})
}

// said lists findings as a person reads them.
func said(findings finding.List) []string {
	var out []string
	for _, f := range findings.Sorted() {
		text := f.String()
		if f.Severity != finding.Error {
			text = f.Severity.String() + ": " + text
		}
		out = append(out, text)
	}
	return out
}

func run(t *testing.T, cases map[string]parseCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			model, environment := edited(t, modelText, c.model), edited(t, environmentText, c.environment)
			_, findings := parse(t, model, environment)
			check(t, c.reason, c.findings, findings)
			requireAgreement(t, "AccessModel", model, findings)
			requireAgreement(t, "Environment", environment, findings)
		})
	}
}

// check compares what is said with what should be.
func check(t *testing.T, reason string, want []string, got finding.List) {
	t.Helper()
	require.NotEmpty(t, reason)
	require.Equal(t, strings.Join(want, "\n"), strings.Join(said(got), "\n"), reason)
}

func TestValid(t *testing.T) {
	run(t, map[string]parseCase{"as-it-is": {reason: "the cases break it"}})
}
