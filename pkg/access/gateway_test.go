package access_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// edge is a gateway with a policy for its host, the Gateway and VirtualService of
// an application, and the application, which lets the gateway in and nobody else.
const edge = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ingress, namespace: istio-system}
spec: {template: {metadata: {labels: {app: ingress}, annotations: {inject.istio.io/templates: gateway}}, spec: {serviceAccountName: ingress, containers: [{name: istio-proxy, args: [proxy, router], ports: [{containerPort: 8080}]}]}}}
---
apiVersion: v1
kind: Service
metadata: {name: ingress, namespace: istio-system}
spec: {selector: {app: ingress}, ports: [{name: http2, port: 80, targetPort: 8080}, {name: https, port: 443, targetPort: 8443}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: ingress, namespace: istio-system}
spec: {selector: {matchLabels: {app: ingress}}, rules: [{to: [{operation: {hosts: [shop.example.org, "shop.example.org:*"]}}]}]}
---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: istio-system}
spec: {mtls: {mode: STRICT}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: app}
spec: {template: {metadata: {labels: {app: shop, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: shop, containers: [{name: main, ports: [{name: web, containerPort: 3000}]}]}}}
---
apiVersion: v1
kind: Service
metadata: {name: shop, namespace: app}
spec: {selector: {app: shop}, ports: [{name: http, port: 80, targetPort: web}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: shop, namespace: app}
spec: {selector: {matchLabels: {app: shop}}, rules: [{from: [{source: {principals: [cluster.local/ns/istio-system/sa/ingress]}}], to: [{operation: {ports: ["3000"]}}]}]}
`

// plain is a Gateway without TLS and the VirtualService that goes with it.
const plain = `
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {name: shop, namespace: app}
spec: {selector: {app: ingress}, servers: [{port: {number: 80, name: http, protocol: HTTP}, hosts: [shop.example.org]}]}
---
apiVersion: networking.istio.io/v1
kind: VirtualService
metadata: {name: shop, namespace: app}
spec: {hosts: [shop.example.org], gateways: [shop], http: [{route: [{destination: {host: shop, port: {number: 80}}}]}]}
`

// with returns plain with one text for another.
func with(t *testing.T, pairs ...string) string {
	t.Helper()
	out := plain
	for i := 0; i < len(pairs); i += 2 {
		require.Contains(t, out, pairs[i])
		out = strings.ReplaceAll(out, pairs[i], pairs[i+1])
	}
	return out
}

func TestThrough(t *testing.T) {
	const routes = "http: [{route: [{destination: {host: shop, port: {number: 80}}}]}]"
	cases := map[string]struct {
		objects string
		more    string
		port    int32
		host    string
		path    string
		sni     string
		want    truth.Value
		text    string // of the last step
		hop     string // of the last step of the last hop
	}{
		"routed":              {objects: plain, want: truth.Yes, text: "the gateway sends it to Service app/shop", hop: "a rule of the ALLOW policy app/shop matches"},
		"port-in-host":        {objects: plain, host: "shop.example.org:30443", want: truth.Yes},
		"upper-case":          {objects: plain, host: "SHOP.example.org", want: truth.Yes},
		"trailing-dot":        {objects: plain, host: "shop.example.org.", want: truth.No, text: "no rule of an ALLOW policy matches"},
		"another-host":        {objects: plain, host: "other.example.org", want: truth.No, text: "no rule of an ALLOW policy matches"},
		"strict-matters-not":  {objects: plain, want: truth.Yes}, // PeerAuthentications say nothing about a gateway's servers
		"no-server-on-port":   {objects: plain, port: 8443, want: truth.No, text: "no Gateway has a server on port 8443 of Deployment istio-system/ingress; there are 8080"},
		"no-gateway":          {want: truth.Unknown, text: "no Gateway among the objects selects the pods of Deployment istio-system/ingress"},
		"selects-other-pods":  {objects: with(t, "selector: {app: ingress}", "selector: {app: other}"), want: truth.Unknown},
		"container-port":      {objects: with(t, "number: 80, name: http, protocol: HTTP", "number: 8080, name: http, protocol: HTTP"), want: truth.Yes},
		"nobody-routes":       {objects: with(t, "hosts: [shop.example.org], gateways", "hosts: [other.example.org], gateways"), want: truth.No, text: `no VirtualService routes host "shop.example.org": the gateway answers 404`},
		"bound-elsewhere":     {objects: with(t, "gateways: [shop]", "gateways: [istio-system/shop]"), want: truth.No},
		"bound-by-full-name":  {objects: with(t, "gateways: [shop]", "gateways: [app/shop]"), want: truth.Yes},
		"bound-to-the-mesh":   {objects: with(t, "gateways: [shop]", "gateways: [mesh]"), want: truth.No},
		"not-exported":        {objects: with(t, "gateways: [shop]", `gateways: [shop], exportTo: ["."]`), want: truth.No},
		"namespace-in-host":   {objects: with(t, "hosts: [shop.example.org]}]", "hosts: [app/shop.example.org]}]"), want: truth.Yes},
		"another-namespace":   {objects: with(t, "hosts: [shop.example.org]}]", "hosts: [other/shop.example.org]}]"), want: truth.No},
		"own-namespace":       {objects: with(t, "hosts: [shop.example.org]}]", "hosts: [./shop.example.org]}]"), want: truth.Yes},
		"any-namespace":       {objects: with(t, "hosts: [shop.example.org]}]", "hosts: ['*/*.example.org']}]"), want: truth.Yes},
		"wildcard-and-host":   {objects: with(t, "hosts: [shop.example.org], gateways", "hosts: ['*.example.org'], gateways"), want: truth.Yes},
		"service-is-absent":   {objects: with(t, "host: shop,", "host: other,"), want: truth.Unknown, text: `Service "other" isn't among the objects`},
		"service-port-absent": {objects: with(t, "port: {number: 80}}}", "port: {number: 81}}}"), want: truth.No, text: "Service app/shop has no port 81: the gateway answers 503"},
		"only-port":           {objects: with(t, "host: shop, port: {number: 80}", "host: shop.app.svc.cluster.local"), want: truth.Yes},
		"redirect":            {objects: with(t, routes, "http: [{redirect: {uri: /x}}]"), want: truth.Yes, text: "the gateway answers with a redirect"},
		"https-redirect":      {objects: with(t, "hosts: [shop.example.org]}]", "hosts: [shop.example.org], tls: {httpsRedirect: true}}]"), want: truth.Yes, text: "the gateway redirects to HTTPS"},
		"delegate":            {objects: with(t, routes, "http: [{delegate: {name: x}}]"), want: truth.Unknown},
		"path-that-matches":   {objects: with(t, "http: [{", "http: [{match: [{uri: {prefix: /api}}], "), path: "/api/x", want: truth.Yes},
		"path-that-does-not":  {objects: with(t, "http: [{", "http: [{match: [{uri: {prefix: /api}}], "), path: "/x", want: truth.No, text: "no route matches: the gateway answers 404"},
		"path-unknown":        {objects: with(t, "http: [{", "http: [{match: [{uri: {prefix: /api}}], "), want: truth.Unknown},
		"match-other-port":    {objects: with(t, "http: [{", "http: [{match: [{port: 443}], "), want: truth.No},
		"match-source-labels": {objects: with(t, "http: [{", "http: [{match: [{sourceLabels: {app: ingress}}], "), want: truth.Yes},
		"match-header-absent": {objects: with(t, "http: [{", "http: [{match: [{withoutHeaders: {x: {}}}], "), path: "/", want: truth.Yes},
		"two-sources-may-answer-404": { // each route may match or not, and then nobody answers
			objects: with(t, "http: [{", "http: [{match: [{uri: {prefix: /api}}], "),
			more:    `{apiVersion: networking.istio.io/v1, kind: VirtualService, metadata: {name: more, namespace: app}, spec: {hosts: [shop.example.org], gateways: [shop], http: [{match: [{uri: {prefix: /v1}}], route: [{destination: {host: shop}}]}]}}`,
			want:    truth.Unknown,
		},
		"two-services-two-ports": { // the oldest Service says on which one the server is
			objects: plain, port: 9090,
			more: `{apiVersion: v1, kind: Service, metadata: {name: other, namespace: istio-system}, spec: {selector: {app: ingress}, ports: [{name: http2, port: 80, targetPort: 9090}]}}`,
			want: truth.Yes,
		},
		"unreadable-gateway": {
			objects: plain, port: 8443,
			more: `{apiVersion: networking.istio.io/v1, kind: Gateway, metadata: {name: typo, namespace: shop}, spec: {severs: []}}`,
			want: truth.Unknown,
		},
		"rewritten-authority": {
			objects: with(t, routes, "http: [{rewrite: {authority: inner}, route: [{destination: {host: shop}}]}]"),
			more:    `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: inner, namespace: app}, spec: {action: DENY, selector: {matchLabels: {app: shop}}, rules: [{to: [{operation: {hosts: [inner]}}]}]}}`,
			want:    truth.No, hop: "a rule of the DENY policy app/inner matches",
		},
		"rewritten-path": {
			objects: with(t, routes, "http: [{match: [{uri: {prefix: /api}}], rewrite: {uri: /v1}, route: [{destination: {host: shop}}]}]"),
			more:    `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: inner, namespace: app}, spec: {action: DENY, selector: {matchLabels: {app: shop}}, rules: [{to: [{operation: {paths: [/v1/x]}}]}]}}`,
			path:    "/api/x", want: truth.No, hop: "a rule of the DENY policy app/inner matches",
		},
		"two-destinations-differ": {
			objects: with(t, routes, "http: [{route: [{destination: {host: shop}, weight: 50}, {destination: {host: closed}, weight: 50}]}]"),
			more: `{apiVersion: v1, kind: Pod, metadata: {name: closed, namespace: app, labels: {app: closed, sidecar.istio.io/inject: "true"}}, spec: {containers: [{name: main}]}}` + "\n---\n" +
				`{apiVersion: v1, kind: Service, metadata: {name: closed, namespace: app}, spec: {selector: {app: closed}, ports: [{name: http, port: 80}]}}` + "\n---\n" +
				`{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: closed, namespace: app}, spec: {selector: {matchLabels: {app: closed}}}}`,
			want: truth.Unknown,
		},
		"application-closed": {
			objects: plain,
			more:    `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: none, namespace: app}, spec: {action: DENY, rules: [{}]}}`,
			want:    truth.No, hop: "a rule of the DENY policy app/none matches",
		},
		"tls-simple": {
			objects: with(t, "number: 80, name: http, protocol: HTTP}", "number: 443, name: https, protocol: HTTPS}, tls: {mode: SIMPLE, credentialName: x}"),
			port:    8443, want: truth.Yes,
		},
		"tls-other-name": {
			objects: with(t, "number: 80, name: http, protocol: HTTP}", "number: 443, name: https, protocol: HTTPS}, tls: {mode: SIMPLE, credentialName: x}"),
			port:    8443, sni: "other.example.org", want: truth.No, text: `no server on port 8443 is for TLS with the name "other.example.org"`,
		},
		"tls-asks-for-certificates": {
			objects: with(t, "number: 80, name: http, protocol: HTTP}", "number: 443, name: https, protocol: HTTPS}, tls: {mode: MUTUAL, credentialName: x}"),
			port:    8443, want: truth.Unknown,
		},
		"tls-of-the-mesh": {
			objects: with(t, "number: 80, name: http, protocol: HTTP}", "number: 443, name: https, protocol: HTTPS}, tls: {mode: ISTIO_MUTUAL}"),
			port:    8443, want: truth.No, text: "the gateway asks for a certificate of the mesh, and a client outside of the cluster has none",
		},
		"hosts-on-passthrough": { // istio#26626: no policy by hosts lets it through
			objects: with(t, "number: 80, name: http, protocol: HTTP}", "number: 443, name: tls, protocol: TLS}, tls: {mode: PASSTHROUGH}", routes, "tls: [{match: [{sniHosts: [shop.example.org]}], route: [{destination: {host: shop}}]}]"),
			port:    8443, want: truth.No, text: "no rule of an ALLOW policy matches",
		},
		"unreadable-route": {
			objects: plain, more: `{apiVersion: networking.istio.io/v1, kind: VirtualService, metadata: {name: typo, namespace: shop}, spec: {hots: [x]}}`,
			want: truth.Unknown, text: `it can't be read: spec: unknown field "hots"`,
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := meshOf(t, access.Settings{}, edge, c.objects, c.more)
			r := access.Request{To: workload(t, m, "istio-system/ingress"), Port: 8080, HTTP: &authz.HTTP{Host: authz.Is("shop.example.org"), Token: authz.NoToken()}}
			if c.port != 0 {
				r.Port = c.port
			}
			if c.host != "" {
				r.HTTP.Host = authz.Is(c.host)
			}
			if c.path != "" {
				r.HTTP.Path, r.HTTP.Headers = authz.Is(c.path), map[string]authz.Text{}
			}
			if c.sni != "" {
				r.SNI = authz.Is(c.sni)
			}
			v := m.Through(r)
			assert.Equal(t, c.want, v.Allowed, "%+v", v)
			if c.text != "" {
				assert.Equal(t, c.text, v.Steps[len(v.Steps)-1].Text)
			}
			if c.hop != "" {
				steps := v.Hops[len(v.Hops)-1].Verdict.Steps
				assert.Equal(t, c.hop, steps[len(steps)-1].Text)
			}
		})
	}
}

func TestEntries(t *testing.T) {
	m := meshOf(t, access.Settings{}, edge, plain)
	var got []string
	for _, e := range m.Entries() {
		v := m.Through(e.Request())
		got = append(got, e.Host+" "+v.Allowed.String())
		assert.Equal(t, int32(8080), e.Port)
	}
	assert.Equal(t, []string{"shop.example.org yes", access.OtherHost + " no"}, got)
}

// TestGateways asks for every host of the example platform's gateways: each leads to
// its application, and no other host is let in where policies are enforced.
func TestGateways(t *testing.T) {
	for name, other := range map[string]truth.Value{"staging": truth.No, "staging-permissive": truth.No, "dev": truth.No} {
		m := meshOf(t, access.Settings{}, environment(t, name))
		entries := m.Entries()
		require.NotEmpty(t, entries)
		for _, e := range entries {
			v := m.Through(e.Request())
			if e.Host == access.OtherHost {
				assert.Equal(t, other, v.Allowed, "%s: %v: %+v", name, e, v)
				continue
			}
			assert.Equal(t, truth.Yes, v.Allowed, "%s: %v: %+v", name, e, v)
			assert.NotEmpty(t, v.Hops)
		}
	}
}

// TestImagine asks as pods that no object makes.
func TestImagine(t *testing.T) {
	m := meshOf(t, access.Settings{}, pair)
	cases := map[string]struct {
		pods access.Pods
		want truth.Value
	}{
		"the-caller":            {access.Pods{Namespace: "app", ServiceAccount: "client", Injected: true}, truth.Yes},
		"without-a-proxy":       {access.Pods{Namespace: "app", ServiceAccount: "client"}, truth.No},
		"another-account":       {access.Pods{Namespace: "app", Injected: true}, truth.No},
		"another-trust-domain":  {access.Pods{Namespace: "app", ServiceAccount: "client", Injected: true, TrustDomain: "else.where"}, truth.No},
		"another-namespace":     {access.Pods{Namespace: "shop", ServiceAccount: "client", Injected: true}, truth.No},
		"labels-matter-nothing": {access.Pods{Namespace: "app", ServiceAccount: "client", Injected: true, Labels: map[string]string{"app": "server"}}, truth.Yes},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := access.Request{From: access.Subject{Workload: m.Imagine(c.pods)}, To: workload(t, m, "app/server"), Port: 8080}
			assert.Equal(t, c.want, m.Judge(r).Allowed)
		})
	}
	assert.Len(t, m.Workloads, 2)
}
