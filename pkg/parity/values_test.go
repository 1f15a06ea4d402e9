package parity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/parity"
)

func dns(name string, hosts ...string) func(*model.Inventory) {
	return func(i *model.Inventory) { i.DNS[name] = hosts }
}

const (
	policyHosts = "spec.rules[0].to[0].operation.hosts"
	serverHosts = "spec.servers[0].hosts"
)

func TestHosts(t *testing.T) {
	everywhere := []string{
		"parity-host Gateway app/web " + serverHosts, "parity-host VirtualService app/web spec.hosts", "parity-host AuthorizationPolicy istio-system/gw " + policyHosts,
	}
	check(t, map[string]testCase{
		"inventory-says-another": {
			inventory: dns("web", "www.example.org"), want: everywhere,
			says: []string{`it serves app/web.example.org, and the inventory gives gateway "gw" www.example.org`},
		},
		"inventory-says-one-more": {inventory: dns("web", "web.example.org", "www.example.org"), want: everywhere},
		"spelling": {
			reason: "DNS has neither capitals nor a last dot", inventory: dns("web", "Web.Example.ORG."),
		},
		"order-and-prefix": {
			inventory: dns("web", "a.example.org", "b.example.org"),
			rendered: []edit{
				{"hosts: [app/web.example.org]", "hosts: [./b.example.org, '*/a.example.org']"}, {"spec:\n  hosts: [web.example.org]", "spec:\n  hosts: [B.example.org, a.example.org]"},
				{`hosts: [web.example.org, "web.example.org:*"]`, `hosts: ["b.example.org:*", a.example.org, b.example.org, "a.example.org:*"]`},
			},
		},
		"gateway": {
			rendered: []edit{{"hosts: [app/web.example.org]", "hosts: [app/web.staging.example.org]"}}, want: everywhere[:1],
		},
		"gateway-serves-everything": {rendered: []edit{{"hosts: [app/web.example.org]", "hosts: ['*']"}}, want: everywhere[:1]},
		"gateway-without-servers": {
			rendered: []edit{{"  servers:\n  - port: {name: http, number: 8080, protocol: HTTP}\n    hosts: [app/web.example.org]", "  servers: []"}},
			want:     []string{"parity-host Gateway app/web spec.servers"}, says: []string{"it has no servers"},
		},
		"second-server": {
			rendered: []edit{{"    hosts: [app/web.example.org]", "    hosts: [app/web.example.org]\n  - {port: {name: https, number: 8443}, hosts: [old.example.org]}"}},
			want:     []string{"parity-host Gateway app/web spec.servers[1].hosts"},
		},
		"narrowed-to-a-server": {
			model:    []edit{{"kind: Gateway, namespace: app, name: web}", "kind: Gateway, namespace: app, name: web, servers: [http]}"}},
			rendered: []edit{{"    hosts: [app/web.example.org]", "    hosts: [app/web.example.org]\n  - {port: {name: https, number: 8443}, hosts: [old.example.org]}"}},
		},
		"narrowed-to-a-server-that-isn't-there": {
			model: []edit{{"kind: Gateway, namespace: app, name: web}", "kind: Gateway, namespace: app, name: web, servers: [https]}"}},
			want:  []string{"parity-host Gateway app/web spec.servers"}, says: []string{`no server of the port name "https"`},
		},
		"virtual-service":          {rendered: []edit{{"spec:\n  hosts: [web.example.org]", "spec:\n  hosts: [web.example.org, more.example.org]"}}, want: everywhere[1:2]},
		"virtual-service-no-hosts": {rendered: []edit{{"spec:\n  hosts: [web.example.org]", "spec: {}"}}, want: everywhere[1:2], says: []string{"it serves no host"}},
		"policy":                   {rendered: []edit{{`hosts: [web.example.org, "web.example.org:*"]`, `hosts: [old.example.org, "old.example.org:*"]`}}, want: everywhere[2:]},
		"policy-admits-one-more":   {rendered: []edit{{`hosts: [web.example.org, "web.example.org:*"]`, `hosts: [web.example.org, "old.example.org:*"]`}}, want: everywhere[2:]},
		"policy-of-two-rules": {
			rendered: []edit{{"  - to:\n    - operation:\n        hosts: [web", "  - to:\n    - operation: {hosts: [old.example.org]}\n  - to:\n    - operation:\n        hosts: [web"}},
			want:     []string{"parity-host AuthorizationPolicy istio-system/gw spec.rules"},
		},
		"policy-with-a-rule-for-any-host": {
			rendered: []edit{{"  - to:\n    - operation:\n        hosts: [web", "  - from: [{source: {ipBlocks: [10.0.0.0/8]}}]\n  - to:\n    - operation:\n        hosts: [web"}},
			want:     []string{"parity-host AuthorizationPolicy istio-system/gw spec.rules[0]"}, says: []string{"it admits requests for any host"},
		},
		"wildcard": {
			inventory: dns("web", "*.example.org"),
			rendered: []edit{
				{"hosts: [app/web.example.org]", "hosts: ['app/*.example.org']"}, {"spec:\n  hosts: [web.example.org]", "spec:\n  hosts: ['*.example.org']"},
				{`hosts: [web.example.org, "web.example.org:*"]`, `hosts: ["*.example.org", "*.example.org:8443"]`},
			},
		},
		"external-authorization-of-another-environment": {
			reason: "it would authorize nothing here",
			add: `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: ext-authz, namespace: istio-system}
spec:
  selector: {matchLabels: {app: gw}}
  action: CUSTOM
  provider: {name: oauth2}
  rules: [{to: [{operation: {hosts: ["web.example.org:*", web.staging.example.org, gw.istio-system.svc.cluster.local, "*"]}}]}]
`,
			want: []string{"parity-host AuthorizationPolicy istio-system/ext-authz spec.rules[0].to[0].operation.hosts[1]"},
			says: []string{`it names "web.staging.example.org", and the inventory gives that host to no gateway`},
		},
		"other-policies-of-no-gateway-here": {
			reason: "what applies to no gateway, denies, or does nothing is free to name hosts",
			add: `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: elsewhere, namespace: istio-system}
spec: {selector: {matchLabels: {app: other}}, action: CUSTOM, provider: {name: x}, rules: [{to: [{operation: {hosts: [a.example.com]}}]}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: denies, namespace: istio-system}
spec: {selector: {matchLabels: {app: gw}}, action: DENY, rules: [{to: [{operation: {hosts: [a.example.com]}}]}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: dry, namespace: istio-system, annotations: {istio.io/dry-run: "true"}}
spec: {selector: {matchLabels: {app: gw}}, rules: [{to: [{operation: {hosts: [a.example.com]}}]}]}
`,
		},
		"two-environments-at-once": {
			reason: "each object counts, and says where it is",
			add: `
apiVersion: networking.istio.io/v1beta1
kind: VirtualService
metadata: {name: web, namespace: app}
spec: {hosts: [web.staging.example.org]}
`,
			want: everywhere[1:2], says: []string{"add.yaml:2: VirtualService app/web"},
		},
	})
}

func TestConsumers(t *testing.T) {
	const env = "spec.template.spec.containers[0].env"
	host := "parity-consumer Deployment app/api " + env + "[1].value"
	check(t, map[string]testCase{
		"inventory-says-another-host": {
			inventory: dns("service", "svc.example.org"), want: []string{host},
			says: []string{`PUBLIC_HOST is "service.example.org", and the inventory gives "svc.example.org" (host service)`},
		},
		"host":      {rendered: []edit{{"value: service.example.org", "value: service.staging.example.org"}}, want: []string{host}},
		"principal": {rendered: []edit{{"value: cluster.local/ns/istio-system/sa/service", "value: cluster.local/ns/istio-system/sa/other"}}, want: []string{"parity-consumer Deployment app/api " + env + "[2].value"}},
		"value-from": {
			reason:   "the ConfigMap of before, which only somebody else compares",
			rendered: []edit{{"value: service.example.org", "valueFrom: {configMapKeyRef: {name: routing, key: host}}"}},
			want:     []string{"parity-consumer Deployment app/api " + env + "[1].valueFrom"}, says: []string{"write the value itself"},
		},
		"value-from-beside-a-value": {
			rendered: []edit{{"value: service.example.org", "value: service.example.org, valueFrom: {configMapKeyRef: {name: routing, key: host}}"}},
			want:     []string{"parity-consumer Deployment app/api " + env + "[1].valueFrom"},
		},
		"empty-value-from": {rendered: []edit{{"value: service.example.org", "value: service.example.org, valueFrom: null"}}},
		"no-variable": {
			rendered: []edit{{"{name: PUBLIC_HOST, ", "{name: OTHER, "}}, want: []string{"parity-consumer Deployment app/api " + env},
			says: []string{`container "api" doesn't have PUBLIC_HOST`},
		},
		"twice": {
			reason: "the last one counts", rendered: []edit{{"        - {name: PRINCIPAL", "        - {name: PUBLIC_HOST, value: old.example.org}\n        - {name: PRINCIPAL"}},
			want: []string{"parity-consumer Deployment app/api " + env + "[2].value"},
		},
		"in-another-container-too": {
			rendered: []edit{{"{name: helper, image: example.org/helper:1}", "{name: helper, image: example.org/helper:1, env: [{name: PUBLIC_HOST, value: old.example.org}]}"}},
			want:     []string{"parity-consumer Deployment app/api spec.template.spec.containers[1].env[0].value"},
		},
		"in-an-init-container-too": {
			rendered: []edit{{"{name: wait, image: example.org/wait:1}", "{name: wait, image: example.org/wait:1, env: [{name: PUBLIC_HOST, value: old.example.org}]}"}},
			want:     []string{"parity-consumer Deployment app/api spec.template.spec.initContainers[0].env[0].value"},
		},
		"named-container": {
			model: []edit{{"    env: PUBLIC_HOST", "    container: helper\n    env: PUBLIC_HOST"}},
			want:  []string{"parity-consumer Deployment app/api spec.template.spec.containers[1].env"},
		},
		"named-container-isn't-there": {
			model: []edit{{"    env: PUBLIC_HOST", "    container: gone\n    env: PUBLIC_HOST"}},
			want:  []string{"parity-consumer Deployment app/api spec.template.spec.containers"}, says: []string{`it has no container "gone" to hold PUBLIC_HOST`},
		},
		"source-absent": {
			reason: "without the gateway there is no value", environment: "  absent: {gateways: [service]}\n  securityProfile: enforced\n", rendered: []edit{{"value: cluster.local/ns/istio-system/sa/service", "value: none"}},
		},
	})
}

func TestTrustDomain(t *testing.T) {
	const principal = "spec.rules[0].from[0].source.principals[0]"
	check(t, map[string]testCase{
		"inventory-says-another": {
			reason: "every principal changes with it", inventory: func(i *model.Inventory) { i.TrustDomain = "mesh.example" },
			want: []string{
				"parity-trust-domain AuthorizationPolicy app/web-allow-callers " + principal, "parity-trust-domain AuthorizationPolicy app/api-allow-callers " + principal,
				"parity-consumer Deployment app/api spec.template.spec.containers[0].env[2].value",
			},
			says: []string{`it names trust domain "cluster.local", and the inventory's is "mesh.example"`},
		},
		"one-policy": {
			rendered: []edit{{"[cluster.local/ns/app/sa/web]", "[old.example/ns/app/sa/web]"}}, want: []string{"parity-trust-domain AuthorizationPolicy app/api-allow-callers " + principal},
		},
		"alias-in-a-policy-of-the-model": {
			reason: "it names the trust domain itself", environment: "  securityProfile: enforced\n  istio: {trustDomainAliases: [old.example]}\n",
			rendered: []edit{{"[cluster.local/ns/app/sa/web]", "[old.example/ns/app/sa/web]"}}, want: []string{"parity-trust-domain AuthorizationPolicy app/api-allow-callers " + principal},
		},
		"others'-policies": {
			reason:      "cluster.local stands for the mesh's own trust domain, and the mesh accepts its aliases; Kubeflow's policies name no other",
			inventory:   func(i *model.Inventory) { i.TrustDomain = "mesh.example" },
			environment: "  securityProfile: enforced\n  istio: {trustDomainAliases: [old.example]}\n",
			rendered: []edit{
				{"[cluster.local/ns/app/sa/web]", "[mesh.example/ns/app/sa/web]"}, {"[cluster.local/ns/istio-system/sa/gw]", "[mesh.example/ns/istio-system/sa/gw]"},
				{"value: cluster.local/ns", "value: mesh.example/ns"},
			},
			add: `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: ns-owner-access-istio, namespace: profile}
spec:
  rules:
  - from: [{source: {principals: [cluster.local/ns/a/sa/a, old.example/ns/a/sa/a, "*/ns/a/sa/a", other.example/ns/a/sa/a], notPrincipals: [cluster.local/ns/a/sa/b, other.example/ns/a/sa/b]}}]
    when: [{key: source.principal, values: [mesh.example/ns/a/sa/c], notValues: [other.example/ns/a/sa/c]}, {key: source.namespace, values: [other.example/ns/a/sa/c]}]
`,
			want: []string{
				"parity-trust-domain AuthorizationPolicy profile/ns-owner-access-istio spec.rules[0].from[0].source.principals[3]",
				"parity-trust-domain AuthorizationPolicy profile/ns-owner-access-istio spec.rules[0].from[0].source.notPrincipals[1]",
				"parity-trust-domain AuthorizationPolicy profile/ns-owner-access-istio spec.rules[0].when[0].notValues[0]",
			},
		},
	})
}

// TestValues checks what a finding gives beside its words: what is rendered, and what would be.
func TestValues(t *testing.T) {
	for name, c := range map[string]struct {
		change            edit
		current, proposed any
	}{
		"host":         {edit{"hosts: [app/web.example.org]", "hosts: [app/old.example.org]"}, []string{"app/old.example.org"}, []string{"web.example.org"}},
		"consumer":     {edit{"value: service.example.org", "value: old.example.org"}, "old.example.org", "service.example.org"},
		"trust-domain": {edit{"[cluster.local/ns/app/sa/web]", "[old.example/ns/app/sa/web]"}, "old.example/ns/app/sa/web", "cluster.local/ns/app/sa/web"},
		"label":        {edit{`{app: web, sidecar.istio.io/inject: "true"}`, "{app: web}"}, nil, "true"},
		"policy":       {without("api-strict-mtls"), "absent", "present"},
	} {
		t.Run(name, func(t *testing.T) {
			changed := testCase{rendered: []edit{c.change}}
			report := parity.Check(changed.platform(t), changed.set(t), parity.Options{})
			require.Len(t, report.Findings, 1)
			assert.Equal(t, c.current, report.Findings[0].Current)
			assert.Equal(t, c.proposed, report.Findings[0].Proposed)
		})
	}
}
