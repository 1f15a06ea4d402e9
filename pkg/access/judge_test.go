package access_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// pair is a client and a server with proxies, a Service before the server, and a
// policy that lets the client in.
const pair = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: client, namespace: app}
spec: {template: {metadata: {labels: {app: client, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: client, containers: [{name: main}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: app}
spec: {template: {metadata: {labels: {app: server, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: server, containers: [{name: main, ports: [{name: web, containerPort: 8080}]}]}}}
---
apiVersion: v1
kind: Service
metadata: {name: server, namespace: app}
spec: {selector: {app: server}, ports: [{name: http, port: 80, targetPort: web}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: server, namespace: app}
spec: {selector: {matchLabels: {app: server}}, rules: [{from: [{source: {principals: [cluster.local/ns/app/sa/client]}}], to: [{operation: {ports: ["8080"]}}]}]}
`

func TestJudge(t *testing.T) {
	cases := map[string]struct {
		more  string
		from  string
		http  *authz.HTTP
		want  truth.Value
		stage access.Stage // of the step that decides
		text  string       // of that step
	}{
		"let-in":  {from: "app/client", want: truth.Yes, stage: access.Authorize, text: "a rule of the ALLOW policy app/server matches"},
		"outside": {want: truth.No, stage: access.Authorize, text: "no rule of an ALLOW policy matches"},
		"network-first": {
			more: `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: none, namespace: app}, spec: {podSelector: {matchLabels: {app: server}}}}`,
			from: "app/client", want: truth.No, stage: access.Network, text: "no rule for ingress lets it through",
		},
		"nothing-out": {
			more: `{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: none, namespace: app}, spec: {podSelector: {matchLabels: {app: client}}, policyTypes: [Egress]}}`,
			from: "app/client", want: truth.No, stage: access.Network, text: "no rule for egress lets it through",
		},
		"strict": {
			more: `{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: all, namespace: app}, spec: {mtls: {mode: STRICT}}}`,
			want: truth.No, stage: access.Transport, text: "STRICT refuses plaintext: a client outside of the cluster has no certificate of the mesh",
		},
		"modes-contradict": {
			more: `{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: a, namespace: app}, spec: {mtls: {mode: STRICT}}}` + "\n---\n" +
				`{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: b, namespace: app}, spec: {mtls: {mode: DISABLE}}}`,
			from: "app/client", want: truth.Unknown, // with an identity it is let in, and without one it isn't
		},
		"disable-takes-no-identity": {
			more: `{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: all, namespace: app}, spec: {mtls: {mode: DISABLE}}}`,
			from: "app/client", want: truth.No, stage: access.Authorize, text: "no rule of an ALLOW policy matches",
		},
		"client-speaks-plaintext": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: app}, spec: {host: server, trafficPolicy: {tls: {mode: DISABLE}}}}`,
			from: "app/client", want: truth.No, stage: access.Authorize, text: "no rule of an ALLOW policy matches",
		},
		"rule-for-another-host": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: app}, spec: {host: other, trafficPolicy: {tls: {mode: DISABLE}}}}`,
			from: "app/client", want: truth.Yes, stage: access.Authorize, text: "a rule of the ALLOW policy app/server matches",
		},
		"rule-of-the-client-alone": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: app}, spec: {host: server, workloadSelector: {matchLabels: {app: client}}, trafficPolicy: {tls: {mode: DISABLE}}}}`,
			from: "app/client", want: truth.No, stage: access.Authorize, text: "no rule of an ALLOW policy matches",
		},
		"rule-of-other-clients": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: app}, spec: {host: server, workloadSelector: {matchLabels: {app: other}}, trafficPolicy: {tls: {mode: DISABLE}}}}`,
			from: "app/client", want: truth.Yes,
		},
		"rule-not-exported": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: istio-system}, spec: {host: "*.local", exportTo: ["."], trafficPolicy: {tls: {mode: DISABLE}}}}`,
			from: "app/client", want: truth.Yes,
		},
		"rule-of-the-mesh": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: istio-system}, spec: {host: "*.local", trafficPolicy: {tls: {mode: DISABLE}}}}`,
			from: "app/client", want: truth.No,
		},
		"rule-of-the-mesh-yields": { // a nearer rule counts alone, though it says nothing of TLS
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: istio-system}, spec: {host: "*.local", trafficPolicy: {tls: {mode: DISABLE}}}}` + "\n---\n" +
				`{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: near, namespace: app}, spec: {host: server, trafficPolicy: {loadBalancer: {simple: RANDOM}}}}`,
			from: "app/client", want: truth.Yes,
		},
		"rule-more-specific": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: app}, spec: {host: "*.local", trafficPolicy: {tls: {mode: DISABLE}}}}` + "\n---\n" +
				`{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: near, namespace: app}, spec: {host: server, trafficPolicy: {tls: {mode: ISTIO_MUTUAL}}}}`,
			from: "app/client", want: truth.Yes,
		},
		"rules-of-one-host": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: app}, spec: {host: server, trafficPolicy: {tls: {mode: DISABLE}}}}` + "\n---\n" +
				`{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: mutual, namespace: app}, spec: {host: server, trafficPolicy: {tls: {mode: ISTIO_MUTUAL}}}}`,
			from: "app/client", want: truth.Unknown,
		},
		"rule-of-a-port-inherits-nothing": {
			more: `{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: app}, spec: {host: server, trafficPolicy: {tls: {mode: DISABLE}, portLevelSettings: [{port: {number: 8080}}]}}}`,
			from: "app/client", want: truth.Yes,
		},
		"sidecar-that-knows-the-service": {
			more: `{apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: {name: default, namespace: app}, spec: {egress: [{hosts: [./*]}]}}`,
			from: "app/client", want: truth.Yes,
		},
		"sidecar-that-does-not": {
			more: `{apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: {name: default, namespace: app}, spec: {egress: [{hosts: [istio-system/*]}]}}`,
			from: "app/client", want: truth.Unknown,
		},
		"sidecar-of-others": {
			more: `{apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: {name: other, namespace: app}, spec: {workloadSelector: {labels: {app: other}}, egress: [{hosts: [istio-system/*]}]}}`,
			from: "app/client", want: truth.Yes,
		},
		"sidecar-of-the-mesh": {
			more: `{apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: {name: default, namespace: istio-system}, spec: {egress: [{hosts: [./*]}]}}`,
			from: "app/client", want: truth.Yes, // "." is the client's namespace
		},
		"sidecar-that-excludes": {
			more: `{apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: {name: default, namespace: app}, spec: {egress: [{hosts: ["./*", "~./server.app.svc.cluster.local"]}]}}`,
			from: "app/client", want: truth.Unknown,
		},
		"sidecar-that-knows-nobody": {
			more: `{apiVersion: networking.istio.io/v1, kind: Sidecar, metadata: {name: default, namespace: app}, spec: {egress: [{hosts: ["~/*"]}]}}`,
			from: "app/client", want: truth.Unknown,
		},
		"envoy-filter": {
			more: `{apiVersion: networking.istio.io/v1alpha3, kind: EnvoyFilter, metadata: {name: lua, namespace: istio-system}, spec: {configPatches: [{applyTo: HTTP_FILTER}]}}`,
			from: "app/client", want: truth.Unknown,
		},
		"envoy-filter-elsewhere": {
			more: `{apiVersion: networking.istio.io/v1alpha3, kind: EnvoyFilter, metadata: {name: lua, namespace: app}, spec: {workloadSelector: {labels: {app: client}}, configPatches: [{applyTo: HTTP_FILTER, match: {context: SIDECAR_INBOUND}}]}}`,
			from: "app/client", want: truth.Yes, stage: access.Authorize, text: "a rule of the ALLOW policy app/server matches",
		},
		"misspelt-policy": {
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: typo, namespace: app}, spec: {action: DENY, ruels: [{}]}}`,
			from: "app/client", want: truth.Unknown,
		},
		"policy-twice": { // a cluster has one of the two
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: server, namespace: app}, spec: {selector: {matchLabels: {app: server}}}}`,
			from: "app/client", want: truth.Unknown,
		},
		"policy-twice-the-same": {
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: all, namespace: app}, spec: {rules: [{}]}}` + "\n---\n" +
				`{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: all, namespace: app}, spec: {rules: [{}]}}`,
			from: "app/client", want: truth.Yes,
		},
		"mesh-wide-deny": {
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: none, namespace: istio-system}, spec: {action: DENY, rules: [{from: [{source: {namespaces: [app]}}]}]}}`,
			from: "app/client", want: truth.No, stage: access.Authorize, text: "a rule of the DENY policy istio-system/none matches",
		},
		"waypoint-policy": {
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: way, namespace: app}, spec: {targetRefs: [{kind: Service, group: "", name: server}], action: DENY, rules: [{}]}}`,
			from: "app/client", want: truth.Yes, stage: access.Authorize, text: "a rule of the ALLOW policy app/server matches",
		},
		"http-unknown": {
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: admin, namespace: app}, spec: {action: DENY, rules: [{to: [{operation: {paths: [/admin]}}]}]}}`,
			from: "app/client", want: truth.Unknown, stage: access.Authorize, text: "whether the DENY policy app/admin matches isn't known",
		},
		"token-that-nobody-accepts": {
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: token, namespace: app}, spec: {action: DENY, rules: [{from: [{source: {notRequestPrincipals: ["*"]}}]}]}}`,
			from: "app/client", http: &authz.HTTP{Token: authz.Claims(map[string]any{"iss": "a", "sub": "b"})},
			want: truth.No, stage: access.Authorize, text: "a rule of the DENY policy app/token matches",
		},
		"token-that-is-accepted": {
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: token, namespace: app}, spec: {action: DENY, rules: [{from: [{source: {notRequestPrincipals: ["*"]}}]}]}}` + "\n---\n" +
				`{apiVersion: security.istio.io/v1, kind: RequestAuthentication, metadata: {name: issuer, namespace: app}, spec: {jwtRules: [{issuer: a}]}}`,
			from: "app/client", http: &authz.HTTP{Token: authz.Claims(map[string]any{"iss": "a", "sub": "b"})},
			want: truth.Yes, stage: access.Authorize, text: "a rule of the ALLOW policy app/server matches",
		},
		"http-known": {
			more: `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: admin, namespace: app}, spec: {action: DENY, rules: [{to: [{operation: {paths: [/admin]}}]}]}}`,
			from: "app/client", http: get("server", "/"), want: truth.Yes, stage: access.Authorize, text: "a rule of the ALLOW policy app/server matches",
		},
		"pod-without-a-proxy": {
			more: `{apiVersion: v1, kind: Pod, metadata: {name: plain, namespace: app}, spec: {serviceAccountName: client, containers: [{name: main}]}}`,
			from: "app/plain", want: truth.No, stage: access.Authorize, text: "no rule of an ALLOW policy matches",
		},
		"proxy-passed-by-both": {
			more: `{apiVersion: v1, kind: Pod, metadata: {name: past, namespace: app, labels: {sidecar.istio.io/inject: "true"}, annotations: {traffic.sidecar.istio.io/excludeOutboundPorts: "8080"}}, spec: {serviceAccountName: client, containers: [{name: main}]}}`,
			from: "app/past", want: truth.No, stage: access.Authorize, text: "no rule of an ALLOW policy matches",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := meshOf(t, access.Settings{}, pair, c.more)
			r := access.Request{To: workload(t, m, "app/server"), Port: 8080, HTTP: c.http}
			if c.from != "" {
				r.From.Workload = workload(t, m, c.from)
			}
			v := m.Judge(r)
			assert.Equal(t, c.want, v.Allowed, "%v", v.Steps)
			if c.stage != "" {
				last := v.Steps[len(v.Steps)-1]
				assert.Equal(t, c.stage, last.Stage)
				assert.Equal(t, c.text, last.Text)
			}
		})
	}
}

// TestPastTheProxy is a server of which one port passes its proxy by.
func TestPastTheProxy(t *testing.T) {
	m := meshOf(t, access.Settings{}, pair, `{apiVersion: v1, kind: Pod, metadata: {name: open, namespace: app, labels: {app: server, sidecar.istio.io/inject: "true"}, annotations: {traffic.sidecar.istio.io/excludeInboundPorts: "9090"}}, spec: {containers: [{name: main}]}}`)
	to := workload(t, m, "app/open")
	assert.Equal(t, truth.Yes, m.Judge(access.Request{To: to, Port: 9090}).Allowed, "plaintext reaches the application, whatever the policies say")
	assert.Equal(t, truth.Unknown, m.Judge(access.Request{From: access.Subject{Workload: workload(t, m, "app/client")}, To: to, Port: 9090}).Allowed,
		"the client's proxy speaks mutual TLS to an application that may not")
	assert.Equal(t, truth.No, m.Judge(access.Request{To: to, Port: 8080}).Allowed)
}

// TestSteps asks for a port whose proxy finds out what it speaks: as HTTP and as
// something else the policies say the same, and it's said once.
func TestSteps(t *testing.T) {
	m := meshOf(t, access.Settings{}, strings.Replace(pair, "name: http, ", "", 1))
	v := m.Judge(access.Request{From: access.Subject{Workload: workload(t, m, "app/client")}, To: workload(t, m, "app/server"), Port: 8080})
	var stages []access.Stage
	for _, s := range v.Steps {
		stages = append(stages, s.Stage)
	}
	assert.Equal(t, []access.Stage{access.Network, access.Capture, access.Transport, access.Authorize}, stages)
}

// TestUndecodable is a policy whose text is no object: it is no policy without
// rules, which would let nobody in.
func TestUndecodable(t *testing.T) {
	set := resource.NewSet(undecodable{})
	m := access.New(set, access.Settings{})
	to := m.Imagine(access.Pods{Namespace: "app", Injected: true})
	assert.Equal(t, truth.Unknown, m.Judge(access.Request{To: to, Port: 80}).Allowed)
	require.NotEmpty(t, m.Unjudged)
	assert.Equal(t, "it can't be read: its text is no object", m.Unjudged[0].Reason)
}

type undecodable struct{}

func (undecodable) Ref() resource.Ref {
	return resource.Ref{APIVersion: "security.istio.io/v1", Kind: "AuthorizationPolicy", Namespace: "app", Name: "broken"}
}

func (undecodable) Decode() (map[string]any, error) { return nil, errors.New("no YAML") }

func (undecodable) Mentions(string) bool { return true }

func TestUnjudged(t *testing.T) {
	m := meshOf(t, access.Settings{}, pair, `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: typo, namespace: app}, spec: {ruels: [{}]}}`,
		`{apiVersion: extensions.istio.io/v1alpha1, kind: WasmPlugin, metadata: {name: code, namespace: app}, spec: {}}`)
	require.Len(t, m.Unjudged, 2)
	assert.Equal(t, `it can't be read: spec: unknown field "ruels"`, m.Unjudged[0].Reason)
	assert.Equal(t, "it runs code in proxies", m.Unjudged[1].Reason)
}

func TestWorkload(t *testing.T) {
	m := meshOf(t, access.Settings{}, pair, `{apiVersion: v1, kind: Pod, metadata: {name: server, namespace: app}, spec: {}}`)
	_, err := m.Workload("app/nobody")
	require.EqualError(t, err, `no object "app/nobody" makes pods; there are app/client, app/server`)
	twice := meshOf(t, access.Settings{}, pair, pair)
	_, err = twice.Workload("app/server")
	require.EqualError(t, err, "the objects hold Deployment app/server twice: leave one of them out")
	_, err = m.Workload("app/server")
	require.EqualError(t, err, `several objects are called "app/server": put the kind before it, as in Deployment/app/server`)
	w, err := m.Workload("pod/app/server")
	require.NoError(t, err)
	assert.Equal(t, "Pod app/server", w.String())
}
