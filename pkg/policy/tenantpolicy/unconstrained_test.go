package tenantpolicy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// kubeflow holds the two policies that Kubeflow writes into a profile namespace,
// in its shape (DD-0025, section 9, retains them unchanged).
const kubeflow = `
apiVersion: security.istio.io/v1beta1
kind: AuthorizationPolicy
metadata:
  name: ns-owner-access-istio
  namespace: alice
  annotations: {role: admin, user: alice@example.org}
spec:
  rules:
  - from:
    - source:
        principals:
        - cluster.local/ns/istio-system/sa/istio-ingressgateway-service-account
        - cluster.local/ns/kubeflow/sa/ml-pipeline-ui
    when:
    - key: request.headers[kubeflow-userid]
      values: [alice@example.org]
  - when:
    - key: source.namespace
      values: [alice]
  - to:
    - operation:
        paths: [/healthz, /metrics, /wait-for-drain]
  - from:
    - source:
        principals: [cluster.local/ns/kubeflow/sa/notebook-controller-service-account]
    to:
    - operation:
        methods: [GET]
        paths: ['*/api/kernels']
---
apiVersion: security.istio.io/v1beta1
kind: AuthorizationPolicy
metadata:
  name: user-bob-example-org-clusterrole-edit
  namespace: alice
  annotations: {role: edit, user: bob@example.org}
spec:
  rules:
  - from:
    - source:
        principals:
        - cluster.local/ns/istio-system/sa/istio-ingressgateway-service-account
        - cluster.local/ns/kubeflow/sa/ml-pipeline-ui
    when:
    - key: request.headers[kubeflow-userid]
      values: [bob@example.org]
---
`

func TestKubeflowsOwnPoliciesPassUnchanged(t *testing.T) {
	t.Parallel()
	plan, after := build{}.plan(t, namespaceAlice+kubeflow+runnerWeb)
	assert.Empty(t, plan.Findings)
	require.Len(t, plan.Create, 1)
	assert.Empty(t, plan.Edits)
	assert.Empty(t, plan.Remove)
	before := objects(t, kubeflow)
	assert.Equal(t, before[0].content, after[1].content)
	assert.Equal(t, before[1].content, after[2].content)
}

func TestRulesThatAdmitEverybody(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ reason, rule string }{
		"empty":             {"kubeflow/kubeflow#5965: the allow-all that users add", `{}`},
		"empty-lists":       {"they say nothing", `{from: [], to: [], when: []}`},
		"empty-source":      {"it is anyone", `{from: [{source: {}}]}`},
		"principals":        {"every identity of the mesh", `{from: [{source: {principals: ["*"]}}]}`},
		"one-of-principals": {"values are alternatives", `{from: [{source: {principals: [cluster.local/ns/a/sa/b, "*"]}}]}`},
		"one-of-sources":    {"sources are alternatives", `{from: [{source: {namespaces: [a]}}, {source: {namespaces: ["*"]}}]}`},
		"trust-domain":      {"every identity of the mesh", `{from: [{source: {principals: ["cluster.local/*"]}}]}`},
		"trust-domain-ns":   {"every identity of the mesh", `{from: [{source: {principals: ["cluster.local/ns/*"]}}]}`},
		"trustDomains":      {"every identity of the mesh", `{from: [{source: {trustDomains: [cluster.local]}}]}`},
		"namespaces":        {"every namespace", `{from: [{source: {namespaces: ["*"]}}]}`},
		"addresses-v4":      {"every address", `{from: [{source: {ipBlocks: ["0.0.0.0/0"]}}]}`},
		"addresses-v6":      {"every address", `{from: [{source: {ipBlocks: ["10.0.0.0/8", "::/0"]}}]}`},
		"addresses-host":    {"a length of 0 leaves the address out", `{from: [{source: {remoteIpBlocks: ["10.1.2.3/0"]}}]}`},
		"only-excluded":     {"everybody but one is everybody", `{from: [{source: {notPrincipals: [cluster.local/ns/a/sa/b]}}]}`},
		"plaintext":         {"everybody without mTLS", `{from: [{source: {notPrincipals: ["*"]}}]}`},
		"operations":        {"every request", `{to: [{operation: {hosts: ["*"], methods: ["*"], paths: ["/*"]}}]}`},
		"one-of-operations": {"operations are alternatives", `{to: [{operation: {paths: [/healthz]}}, {operation: {paths: ["*"]}}]}`},
		"path-template":     {"every path", `{to: [{operation: {paths: ["/{**}"]}}]}`},
		"notPaths":          {"every path but one", `{to: [{operation: {notPaths: [/admin]}}]}`},
		"when-namespace":    {"every namespace", `{when: [{key: source.namespace, values: ["*"]}]}`},
		"when-principal":    {"every identity", `{when: [{key: source.principal, values: ["cluster.local/*"]}]}`},
		"when-address":      {"every address", `{when: [{key: source.ip, values: ["0.0.0.0/0"]}]}`},
		"when-header":       {"everybody can write a header", `{when: [{key: "request.headers[kubeflow-userid]", values: ["*"]}]}`},
		"when-trust-domain": {"every identity of the mesh", `{when: [{key: source.trustDomain, values: ["cluster*"]}]}`},
		"when-notValues":    {"everybody but some", `{when: [{key: source.namespace, notValues: [kube-system]}]}`},
		"all-together":      {"each part matches everything", `{from: [{source: {namespaces: ["*"]}}], to: [{operation: {paths: ["*"]}}], when: [{key: source.namespace, values: ["*"]}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, namespaceAlice+allow("alice", `{rules: [{to: [{operation: {ports: ["1"]}}]}, `+test.rule+`]}`))
			one(t, plan.Findings, finding.Error, "tenant-unconstrained AuthorizationPolicy alice/p spec.rules[1]:", "rule 1 admits everybody", "namespace alice")
			assert.Contains(t, plan.Findings[0].Remedy, "from.source.principals", test.reason)
		})
	}
}

// allow is a policy of someone's.
func allow(namespace, spec string) string {
	return "\napiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: p, namespace: " + namespace + "}\nspec: " + spec + "\n---\n"
}

func TestPoliciesThatAreNoneOfOurBusiness(t *testing.T) {
	t.Parallel()
	tenant := namespaceAlice + runnerWeb
	for name, test := range map[string]struct{ reason, objects string }{
		"no-rules":               {"an ALLOW policy without rules admits nobody", tenant + allow("alice", `{action: ALLOW}`)},
		"no-spec":                {"it admits nobody", tenant + allow("alice", `{}`)},
		"a-principal":            {"it names one", tenant + allow("alice", `{rules: [{from: [{source: {principals: [cluster.local/ns/a/sa/b]}}]}]}`)},
		"a-namespace-prefix":     {"it names some", tenant + allow("alice", `{rules: [{from: [{source: {principals: ["cluster.local/ns/team-*"]}}]}]}`)},
		"another-trust-domain":   {"it names strangers, not everybody", tenant + allow("alice", `{rules: [{from: [{source: {principals: ["other.example/*"]}}]}]}`)},
		"both-must-hold":         {"one of them constrains", tenant + allow("alice", `{rules: [{from: [{source: {principals: ["*"], namespaces: [a]}}]}]}`)},
		"request-principals":     {"a token was verified", tenant + allow("alice", `{rules: [{from: [{source: {requestPrincipals: ["*"]}}]}]}`)},
		"when-claims":            {"a token was verified", tenant + allow("alice", `{rules: [{when: [{key: "request.auth.claims[groups]", values: ["*"]}]}]}`)},
		"service-accounts":       {"they have no wildcards", tenant + allow("alice", `{rules: [{from: [{source: {serviceAccounts: [a/b]}}]}]}`)},
		"a-port":                 {"a port is one", tenant + allow("alice", `{rules: [{to: [{operation: {ports: ["9090"]}}]}]}`)},
		"addresses":              {"they name some", tenant + allow("alice", `{rules: [{from: [{source: {ipBlocks: ["10.0.0.0/8"]}}]}]}`)},
		"deny":                   {"it takes away", tenant + allow("alice", `{action: DENY, rules: [{}]}`)},
		"custom":                 {"it asks someone else (DD-0025: CUSTOM policies are unchanged)", tenant + allow("alice", `{action: CUSTOM, provider: {name: x}, rules: [{}]}`)},
		"audit":                  {"it only logs", tenant + allow("alice", `{action: AUDIT, rules: [{}]}`)},
		"dry-run":                {"it only logs", tenant + strings.Replace(allow("alice", `{rules: [{}]}`), "{name: p,", "{name: p, annotations: {istio.io/dry-run: \"true\"},", 1)},
		"elsewhere":              {"no tenant namespace", tenant + allow("kubeflow", `{rules: [{}]}`)},
		"root-with-selector":     {"Kubeflow's istio-ingressgateway policy is its gateway's", tenant + allow("istio-system", `{selector: {matchLabels: {app: istio-ingressgateway}}, rules: [{}]}`)},
		"root-target":            {"it is a Gateway API gateway's", tenant + allow("istio-system", `{targetRefs: [{group: gateway.networking.k8s.io, kind: Gateway, name: g}], rules: [{}]}`)},
		"unreadable-but-foreign": {"other units and the verifier read it", tenant + allow("kubeflow", `{ruels: [{}]}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, test.objects)
			assert.Empty(t, plan.Findings, test.reason)
		})
	}
}

func TestRootNamespace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ reason, spec, want string }{
		"mesh-wide":      {"without selector it holds in the whole mesh", `{rules: [{}]}`, "every pod of the mesh"},
		"tenants-labels": {"with one it holds for such pods everywhere", `{selector: {matchLabels: {app: web}}, rules: [{}]}`, "the pods of Deployment alice/web"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, namespaceAlice+runnerWeb+allow("istio-system", test.spec))
			one(t, plan.Findings, finding.Error, "tenant-unconstrained AuthorizationPolicy istio-system/p spec.rules[0]:", test.want)
		})
	}
}

func TestTrustDomainsOfTheMesh(t *testing.T) {
	t.Parallel()
	b := build{environment: []edit{{"nativeSidecars: true", "nativeSidecars: true, trustDomain: prod.example, trustDomainAliases: [old.example]"}}}
	for _, pattern := range []string{"prod.example/*", "old.example/ns/*", "cluster.local/*", "*"} {
		plan, _ := b.plan(t, namespaceAlice+allow("alice", `{rules: [{from: [{source: {principals: ["`+pattern+`"]}}]}]}`))
		one(t, plan.Findings, finding.Error, "tenant-unconstrained AuthorizationPolicy alice/p")
	}
}

func TestUnreadablePolicyOfATenant(t *testing.T) {
	t.Parallel()
	plan, _ := build{}.plan(t, namespaceAlice+allow("alice", `{ruels: [{}]}`))
	one(t, plan.Findings, finding.Error, "object-unreadable AuthorizationPolicy alice/p spec:", "ruels")
}
