package model_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

const inventoryModel = `apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata: {name: platform}
spec:
  owners: [{name: web, tool: Ansible}]
  gateways:
  - {name: web, owner: web, serviceAccountName: web-service-account, hostRefs: [web_public]}
`

const inventoryEnvironment = `apiVersion: ringfence.dev/v1alpha1
kind: Environment
metadata: {name: staging}
spec:
  tier: staging
  securityProfile: enforced
  istio: {trustDomain: mesh.example.org}
  dns: {web_public: [web.example.org]}
`

func TestInventory(t *testing.T) {
	cases := map[string]struct {
		environment string
		inventory   model.Inventory
		findings    []string
		profile     model.Profile
		host        string
		principal   string
	}{
		"stands-in-for-an-environment": {
			inventory: model.Inventory{SecurityProfile: "enforced", DNS: map[string][]string{"web_public": {"web.example.org"}}},
			profile:   model.Enforced, host: "web.example.org", principal: "cluster.local/ns/istio-system/sa/web-service-account",
		},
		"agrees-with-the-environment": {
			environment: inventoryEnvironment,
			inventory:   model.Inventory{SecurityProfile: "enforced", DNS: map[string][]string{"web_public": {"web.example.org"}}, TrustDomain: "mesh.example.org"},
			profile:     model.Enforced, host: "web.example.org", principal: "mesh.example.org/ns/istio-system/sa/web-service-account",
		},
		"counts-beside-an-environment": {
			environment: inventoryEnvironment,
			inventory:   model.Inventory{SecurityProfile: "permissive", DNS: map[string][]string{"web_public": {"other.example.org"}}, TrustDomain: "new.example.org"},
			findings: []string{
				`dns.web_public: it is "other.example.org", and spec.dns.web_public of Environment staging in env.yaml says "web.example.org" [input-overridden]; the inventory counts here; make both say the same, for GitOps reads the Environment alone`,
				`security_profile: it is "permissive", and spec.securityProfile of Environment staging in env.yaml says "enforced" [input-overridden]; the inventory counts here; make both say the same, for GitOps reads the Environment alone`,
				`trust_domain: it is "new.example.org", and spec.istio.trustDomain of Environment staging in env.yaml says "mesh.example.org" [input-overridden]; the inventory counts here; make both say the same, for GitOps reads the Environment alone`,
			},
			profile: model.Permissive, host: "other.example.org", principal: "new.example.org/ns/istio-system/sa/web-service-account",
		},
		"leaves-the-environment-what-it-does-not-say": {
			environment: inventoryEnvironment, inventory: model.Inventory{},
			profile: model.Enforced, host: "web.example.org", principal: "mesh.example.org/ns/istio-system/sa/web-service-account",
		},
		"names-that-nobody-uses-may-hold-anything": {
			inventory: model.Inventory{SecurityProfile: "open", DNS: map[string][]string{"web_public": {"web.example.org"}, "name servers": {"10.0.0.1"}}},
			profile:   model.Open, host: "web.example.org", principal: "cluster.local/ns/istio-system/sa/web-service-account",
		},
		"its-problems-name-its-variables": {
			inventory: model.Inventory{SecurityProfile: "strict", DNS: map[string][]string{"web_public": {"https://web.example.org"}}, TrustDomain: "Not A Domain"},
			findings: []string{
				`dns.web_public[0]: the host "https://web.example.org" can't be used`,
				`security_profile: "strict" is no security profile`,
				`trust_domain: "Not A Domain" is no trust domain`,
			},
		},
		"what-it-lacks-is-missing-in-it": {
			inventory: model.Inventory{},
			findings:  []string{`dns.web_public: gateway "web" needs this name`, `security_profile: `},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			docs := model.Documents{Models: parsed(t, "model.yaml", inventoryModel), Inventory: &c.inventory}
			if c.environment != "" {
				docs.Environments = parsed(t, "env.yaml", c.environment)
			}
			platform, findings := model.ParseUnion(docs)
			findings = findings.AtLeast(finding.Warning).Sorted()
			var got []string
			for i, f := range findings {
				text := f.String()
				if i < len(c.findings) && len(text) > len(c.findings[i]) {
					text = text[:len(c.findings[i])] // the rest is the text of another test
				}
				got = append(got, text)
			}
			require.Equal(t, c.findings, got)
			if findings.Failed() {
				return
			}
			gateway := platform.Gateways[0]
			assert.Equal(t, c.profile, gateway.Profile)
			assert.Equal(t, c.host, gateway.Hosts[0].String())
			assert.Equal(t, c.principal, gateway.Identity.Principal.String())
		})
	}
}

func parsed(tb testing.TB, file, text string) []model.Document {
	tb.Helper()
	docs, findings := model.ParseDocuments(file, []byte(text))
	require.Empty(tb, findings)
	return docs
}
