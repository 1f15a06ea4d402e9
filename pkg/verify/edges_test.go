package verify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/verify"
)

// The build of owner app as its units render it: api with its two callers.
const (
	pods = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: app}
spec: {template: {metadata: {labels: {app: api, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: api, containers: [{name: main, ports: [{containerPort: 8080}, {containerPort: 9090}]}]}}}
`
	strict = `
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: api-strict-mtls, namespace: app}
spec: {selector: {matchLabels: {app: api}}, mtls: {mode: STRICT}}
`
	allow = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: api-allow-callers, namespace: app}
spec:
  selector: {matchLabels: {app: api}}
  rules: [{from: [{source: {principals: [cluster.local/ns/web/sa/web, cluster.local/ns/istio-system/sa/web-gateway]}}], to: [{operation: {ports: ["8080"]}}]}]
`
)

// TestEdges takes the proof's word on objects that say more or less than the model.
func TestEdges(t *testing.T) {
	changed := func(text, old, replacement string) string {
		require.Contains(t, text, old)
		return strings.Replace(text, old, replacement, 1)
	}
	cases := map[string]struct {
		objects []string
		want    []string
	}{
		"exactly": {objects: []string{pods, strict, allow}},
		"a-caller-lacks": {
			objects: []string{pods, strict, changed(allow, "cluster.local/ns/web/sa/web, ", "")},
			want:    []string{`edge-denied: workload web (a pod of ServiceAccount web/web) is a caller of workload "api" and doesn't reach its port 8080: no rule of an ALLOW policy matches`},
		},
		"somebody-else-as-well": {
			objects: []string{pods, strict, changed(allow, "cluster.local/ns/web/sa/web", "cluster.local/ns/web/sa/web, cluster.local/ns/app/sa/report")},
			want:    []string{`edge-open: a pod of ServiceAccount app/report reaches port 8080 of workload "api" and is no caller of it in the model: a rule of the ALLOW policy app/api-allow-callers matches (AuthorizationPolicy app/api-allow-callers, spec.rules[0])`},
		},
		"another-port": {
			objects: []string{pods, strict, changed(allow, `"8080"`, `"8081"`)},
			want: []string{
				`edge-denied: workload web (a pod of ServiceAccount web/web) is a caller of workload "api" and doesn't reach its port 8080: no rule of an ALLOW policy matches`,
				`edge-denied: gateway web-gateway (a pod of ServiceAccount istio-system/web-gateway) is a caller of workload "api" and doesn't reach its port 8080: no rule of an ALLOW policy matches`,
			},
		},
		"no-policy": {
			objects: []string{pods, strict},
			want: []string{
				`edge-open: a pod of ServiceAccount app/api (and 3 more kinds of callers) reaches port 8080 of workload "api" and is no caller of it in the model: no ALLOW policy applies`,
				`edge-port: pods that the model doesn't name reach port 9090, of which its workload "api" says nothing`,
			},
		},
		"policy-of-others": {
			objects: []string{pods, strict, allow, `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: all, namespace: app}, spec: {rules: [{}]}}`},
			want: []string{
				`edge-open: a pod of ServiceAccount app/api (and 3 more kinds of callers) reaches port 8080 of workload "api" and is no caller of it in the model: a rule of the ALLOW policy app/all matches (AuthorizationPolicy app/all, spec.rules[0])`,
				`edge-port: pods that the model doesn't name reach port 9090, of which its workload "api" says nothing`,
			},
		},
		"policy-of-others-and-plaintext": {
			objects: []string{pods, allow, `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: all, namespace: app}, spec: {rules: [{}]}}`},
			want: []string{
				`edge-open: a pod of ServiceAccount app/api (and 5 more kinds of callers) reaches port 8080 of workload "api" and is no caller of it in the model: a rule of the ALLOW policy app/all matches (AuthorizationPolicy app/all, spec.rules[0])`,
				`edge-port: pods that the model doesn't name reach port 9090, of which its workload "api" says nothing`,
			},
		},
		"client-speaks-plaintext": {
			objects: []string{pods, strict, allow, `{apiVersion: v1, kind: Service, metadata: {name: api, namespace: app}, spec: {selector: {app: api}, ports: [{port: 8080}]}}`,
				`{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: web}, spec: {host: api.app.svc.cluster.local, trafficPolicy: {tls: {mode: DISABLE}}}}`},
			want: []string{`edge-denied: workload web (a pod of ServiceAccount web/web) is a caller of workload "api" and doesn't reach its port 8080: STRICT refuses plaintext: DestinationRule web/plain says DISABLE (PeerAuthentication app/api-strict-mtls)`},
		},
		"past-the-proxy": {
			objects: []string{changed(pods, "labels:", `annotations: {traffic.sidecar.istio.io/excludeInboundPorts: "9090"}, labels:`), strict, allow},
			want:    []string{`edge-port: pods that the model doesn't name reach port 9090, of which its workload "api" says nothing`},
		},
		"envoy-filter": {
			objects: []string{pods, strict, allow, `{apiVersion: networking.istio.io/v1alpha3, kind: EnvoyFilter, metadata: {name: lua, namespace: app}, spec: {configPatches: [{applyTo: HTTP_FILTER}]}}`},
			want: []string{
				`edge-unknown: whether a pod of ServiceAccount web/web (and 7 more kinds of callers) reaches port 8080 of workload "api" isn't known: it changes what proxies do (EnvoyFilter app/lua)`,
			},
		},
		"caller-here-without-a-proxy": {
			objects: []string{pods, strict, allow, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: web}, spec: {template: {metadata: {labels: {app: web}}, spec: {serviceAccountName: web, containers: [{name: main}]}}}}`},
			want:    []string{`edge-denied: workload web (Deployment web/web) is a caller of workload "api" and doesn't reach its port 8080: STRICT refuses plaintext: Deployment web/web: neither it nor its namespace asks for a proxy (PeerAuthentication app/api-strict-mtls)`},
		},
		"network-policy-of-the-pods": {
			objects: []string{pods, strict, allow, `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: none, namespace: app}, spec: {podSelector: {}}}`,
				`{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: web}, spec: {template: {metadata: {labels: {app: web, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: web, containers: [{name: main}]}}}}`},
			want: []string{`edge-denied: workload web (Deployment web/web) is a caller of workload "api" and doesn't reach its port 8080: no rule for ingress lets it through (NetworkPolicy app/none)`},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range verify.Edges(input(t, c.objects...)) {
				got = append(got, string(f.Rule)+": "+f.Message)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

const (
	gatewayPods = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web-gateway, namespace: istio-system}
spec: {template: {metadata: {labels: {app: web-gateway}, annotations: {inject.istio.io/templates: gateway}}, spec: {serviceAccountName: web-gateway, containers: [{name: istio-proxy, args: [proxy, router]}]}}}
`
	gatewayAllow = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: web-gateway, namespace: istio-system}
spec: {selector: {matchLabels: {app: web-gateway}}, rules: [{to: [{operation: {hosts: [web.example.org, "web.example.org:*"]}}]}]}
`
	serverPlain = `{port: {number: 8080, name: http, protocol: HTTP}, hosts: [web.example.org]}`
	serverTLS   = `{port: {number: 8443, name: https, protocol: HTTPS}, tls: {mode: SIMPLE, credentialName: x}, hosts: [web.example.org]}`
)

// TestEdgesOfGateways asks for hosts, in plaintext and behind TLS.
func TestEdgesOfGateways(t *testing.T) {
	servers := func(list string) string {
		return `{apiVersion: networking.istio.io/v1, kind: Gateway, metadata: {name: web, namespace: web}, spec: {selector: {app: web-gateway}, servers: [` + list + `]}}`
	}
	cases := map[string]struct {
		objects []string
		want    []string
	}{
		"plaintext": {objects: []string{gatewayPods, gatewayAllow, servers(serverPlain)}},
		"tls":       {objects: []string{gatewayPods, gatewayAllow, servers(serverTLS)}},
		"tls-for-another-host": {
			objects: []string{gatewayPods, servers(serverTLS)},
			want:    []string{`edge-open: gateway "web-gateway" lets in host "other.invalid" on port 8443, which is none of the model's: no ALLOW policy applies`},
		},
		"host-lacks": {
			objects: []string{gatewayPods, strings.ReplaceAll(gatewayAllow, "web.example.org, ", ""), servers(serverPlain)},
			want:    []string{`edge-denied: gateway "web-gateway" serves host "web.example.org" and doesn't let it in on port 8080: no rule of an ALLOW policy matches`},
		},
		"envoy-filter": {
			objects: []string{gatewayPods, gatewayAllow, servers(serverPlain),
				`{apiVersion: networking.istio.io/v1alpha3, kind: EnvoyFilter, metadata: {name: lua, namespace: istio-system}, spec: {configPatches: [{applyTo: HTTP_FILTER, match: {context: GATEWAY}}]}}`},
			want: []string{`edge-unknown: whether gateway "web-gateway" lets in host "other.invalid" on port 8080, which is none of the model's, isn't known: it changes what proxies do (EnvoyFilter istio-system/lua)`},
		},
		"unreadable-gateway": {
			objects: []string{gatewayPods, gatewayAllow, `{apiVersion: networking.istio.io/v1, kind: Gateway, metadata: {name: web, namespace: web}, spec: {selector: {app: web-gateway}, severs: []}}`},
			want:    []string{`edge-unknown: what gateways serve for it isn't known: it can't be read: spec: unknown field "severs"`},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range verify.Edges(inputOf(t, "mesh", c.objects...)) {
				got = append(got, string(f.Rule)+": "+f.Message)
			}
			assert.Equal(t, c.want, got)
		})
	}
}

// TestEdgesAreAskedLast: the proof is asked where nothing else is wrong.
func TestEdgesAreAskedLast(t *testing.T) {
	in := input(t, pods, strict) // the policy lacks, which the derivation says
	findings := verify.Plan(in).Findings
	assert.NotEmpty(t, of(findings, finding.ObjectStale))
	assert.Empty(t, of(findings, finding.EdgeOpen))
}
