package authz_test

import (
	"encoding/json"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	securityv1beta1 "istio.io/api/security/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

func policies(tb testing.TB, specs ...string) []authz.Policy {
	tb.Helper()
	var out []authz.Policy
	for _, text := range specs {
		var spec map[string]any
		require.NoError(tb, yaml.Unmarshal([]byte(text), &spec))
		_, dryRun := spec["dryRun"]
		delete(spec, "dryRun")
		data, err := json.Marshal(spec)
		require.NoError(tb, err)
		p := authz.Policy{Namespace: "app", Name: "policy", DryRun: dryRun, Spec: &securityv1beta1.AuthorizationPolicy{}}
		require.NoError(tb, protojson.Unmarshal(data, p.Spec))
		out = append(out, p)
	}
	return out
}

var local = authz.Trust{Domains: []string{"cluster.local"}}

// web is a request of app/web for GET http://shop.example.org:8443/cart on port 3000.
func web() *authz.Request {
	return &authz.Request{
		Principal:       authz.Is("spiffe://cluster.local/ns/app/sa/web"),
		SourceIP:        netip.MustParseAddr("10.1.2.3"),
		RemoteIP:        netip.MustParseAddr("192.0.2.7"),
		DestinationIP:   netip.MustParseAddr("10.9.9.9"),
		DestinationPort: 3000,
		SNI:             authz.None(),
		HTTP: &authz.HTTP{
			Host: authz.Is("Shop.example.org:8443"), Method: authz.Is("GET"), Path: authz.Is("/cart"),
			Headers: map[string]authz.Text{"x-kind": authz.Is("blue")},
			Token:   authz.Claims(map[string]any{"iss": "https://issuer.example.org/a", "sub": "me", "aud": []any{"one", "two"}, "azp": "app", "realm": map[string]any{"roles": []any{"admin"}}}),
		},
	}
}

func plaintext() *authz.Request {
	r := web()
	r.Principal = authz.None()
	return r
}

func tcp() *authz.Request {
	r := web()
	r.HTTP = nil
	return r
}

// The expected values are those of Istio's reference of AuthorizationPolicy, and of the
// threads named in a case.
func TestDecide(t *testing.T) {
	type list = []string
	cases := map[string]struct {
		policies list
		request  *authz.Request
		trust    authz.Trust
		want     truth.Value
		reason   string
	}{
		"no-policy":        {want: truth.Yes, reason: "no ALLOW policy applies"},
		"allow-no-rules":   {policies: list{`{action: ALLOW}`}, want: truth.No, reason: "no rule of an ALLOW policy matches"},
		"action-absent":    {policies: list{`{}`}, want: truth.No, reason: "no rule of an ALLOW policy matches"},
		"allow-empty-rule": {policies: list{`{rules: [{}]}`}, want: truth.Yes},
		"allow-is-a-union": { // istio#37364
			policies: list{`{rules: [{from: [{source: {principals: [other]}}]}]}`, `{rules: [{}]}`}, want: truth.Yes,
		},
		"deny-before-allow":     {policies: list{`{rules: [{}]}`, `{action: DENY, rules: [{to: [{operation: {methods: [GET]}}]}]}`}, want: truth.No, reason: "a rule of the DENY policy app/policy matches"},
		"deny-that-does-not":    {policies: list{`{action: DENY, rules: [{to: [{operation: {methods: [POST]}}]}]}`}, want: truth.Yes},
		"audit-decides-nothing": {policies: list{`{action: AUDIT, rules: [{}]}`}, want: truth.Yes},
		"dry-run-decides-nothing": {
			policies: list{`{dryRun: true}`, `{dryRun: true, action: DENY, rules: [{}]}`}, want: truth.Yes, reason: "no ALLOW policy applies",
		},
		"custom-is-unknown":       {policies: list{`{action: CUSTOM, provider: {name: x}, rules: [{}]}`}, want: truth.Unknown, reason: "the provider of the CUSTOM policy app/policy is asked"},
		"custom-not-asked":        {policies: list{`{action: CUSTOM, provider: {name: x}, rules: [{to: [{operation: {paths: [/admin]}}]}]}`}, want: truth.Yes},
		"custom-and-denied":       {policies: list{`{action: CUSTOM, provider: {name: x}, rules: [{}]}`, `{}`}, want: truth.No},
		"custom-dry-run-is-asked": {policies: list{`{dryRun: true, action: CUSTOM, provider: {name: x}, rules: [{}]}`}, want: truth.Unknown},

		"principal":              {policies: list{`{rules: [{from: [{source: {principals: [cluster.local/ns/app/sa/web]}}]}]}`}, want: truth.Yes},
		"principal-of-plaintext": {policies: list{`{rules: [{from: [{source: {principals: ["*"]}}]}]}`}, request: plaintext(), want: truth.No},
		"principal-suffix":       {policies: list{`{rules: [{from: [{source: {principals: ["*/sa/web"]}}]}]}`}, want: truth.Yes},
		"principal-prefix":       {policies: list{`{rules: [{from: [{source: {principals: ["cluster.local/ns/app/*"]}}]}]}`}, want: truth.Yes},
		"principal-with-scheme":  {policies: list{`{rules: [{from: [{source: {principals: ["spiffe://cluster.local/ns/app/sa/web"]}}]}]}`}, want: truth.No},
		"principal-short":        {policies: list{`{rules: [{from: [{source: {principals: [web]}}]}]}`}, want: truth.No}, // istio#53048
		"not-principal-of-plaintext": {
			policies: list{`{rules: [{from: [{source: {notPrincipals: [cluster.local/ns/app/sa/web]}}]}]}`}, request: plaintext(), want: truth.Yes,
		},
		"cluster-local-is-the-mesh": {
			policies: list{`{rules: [{from: [{source: {principals: [cluster.local/ns/app/sa/web]}}]}]}`},
			trust:    authz.Trust{Domains: []string{"example.org", "old.example.org"}},
			request:  &authz.Request{Principal: authz.Is("spiffe://old.example.org/ns/app/sa/web")}, want: truth.Yes,
		},
		"cluster-local-elsewhere": {
			policies: list{`{rules: [{from: [{source: {principals: [cluster.local/ns/app/sa/web]}}]}]}`},
			trust:    authz.Trust{Domains: []string{"example.org"}}, want: truth.No,
		},
		"alias": {
			policies: list{`{rules: [{from: [{source: {principals: [cluster.local/ns/app/sa/web]}}]}]}`},
			trust:    authz.Trust{Domains: []string{"cluster.local", "other"}},
			request:  &authz.Request{Principal: authz.Is("spiffe://other/ns/app/sa/web")}, want: truth.Yes,
		},
		"alias-not-of-four-parts": { // istio#47322
			policies: list{`{rules: [{from: [{source: {principals: ["cluster.local/ns/app/*"]}}]}]}`},
			trust:    authz.Trust{Domains: []string{"cluster.local", "other"}},
			request:  &authz.Request{Principal: authz.Is("spiffe://other/ns/app/sa/web")}, want: truth.No,
		},
		"namespace":              {policies: list{`{rules: [{from: [{source: {namespaces: [app]}}]}]}`}, want: truth.Yes},
		"namespace-star-inside":  {policies: list{`{rules: [{from: [{source: {namespaces: ["a*p"]}}]}]}`}, want: truth.Yes},
		"namespace-of-plaintext": {policies: list{`{rules: [{from: [{source: {namespaces: [app]}}]}]}`}, request: plaintext(), want: truth.No},
		"not-namespace-of-plaintext": {
			policies: list{`{action: DENY, rules: [{from: [{source: {notNamespaces: [app]}}]}]}`}, request: plaintext(), want: truth.No,
		},
		"service-account-own":   {policies: list{`{rules: [{from: [{source: {serviceAccounts: [web]}}]}]}`}, want: truth.Yes},
		"service-account-other": {policies: list{`{rules: [{from: [{source: {serviceAccounts: [shop/web]}}]}]}`}, want: truth.No},
		"trust-domain":          {policies: list{`{rules: [{from: [{source: {trustDomains: ["cluster.*"]}}]}]}`}, want: truth.Yes},
		"ip-block":              {policies: list{`{rules: [{from: [{source: {ipBlocks: [10.1.0.0/16]}}]}]}`}, want: truth.Yes},
		"ip-of-another-family":  {policies: list{`{rules: [{from: [{source: {ipBlocks: ["::/0"]}}]}]}`}, want: truth.No},
		"remote-ip":             {policies: list{`{rules: [{from: [{source: {remoteIpBlocks: [192.0.2.7]}}]}]}`}, want: truth.Yes},
		"fields-are-and":        {policies: list{`{rules: [{from: [{source: {namespaces: [app], principals: [other]}}]}]}`}, want: truth.No},
		"entries-are-or":        {policies: list{`{rules: [{from: [{source: {principals: [other]}}, {source: {namespaces: [app]}}]}]}`}, want: truth.Yes},
		"from-and-to":           {policies: list{`{rules: [{from: [{source: {namespaces: [app]}}], to: [{operation: {ports: ["80"]}}]}]}`}, want: truth.No},

		"host-exact-has-a-port":   {policies: list{`{rules: [{to: [{operation: {hosts: [shop.example.org]}}]}]}`}, want: truth.No}, // istio#44080
		"host-with-any-port":      {policies: list{`{rules: [{to: [{operation: {hosts: ["shop.example.org:*"]}}]}]}`}, want: truth.Yes},
		"host-wildcard-port":      {policies: list{`{rules: [{to: [{operation: {hosts: ["*.example.org:*"]}}]}]}`}, want: truth.No}, // istio#39810
		"host-wildcard-with-port": {policies: list{`{rules: [{to: [{operation: {hosts: ["*.EXAMPLE.org:8443"]}}]}]}`}, want: truth.Yes},
		"host-on-tcp":             {policies: list{`{rules: [{to: [{operation: {hosts: ["*"]}}]}]}`}, request: tcp(), want: truth.No}, // istio#26626
		"host-denied-on-tcp":      {policies: list{`{action: DENY, rules: [{to: [{operation: {hosts: [nobody], ports: ["3000"]}}]}]}`}, request: tcp(), want: truth.No},
		"one-http-field-of-many":  {policies: list{`{rules: [{to: [{operation: {ports: ["3000"]}}, {operation: {methods: [GET]}}]}]}`}, request: tcp(), want: truth.No},
		"other-rules-on-tcp":      {policies: list{`{rules: [{to: [{operation: {methods: [GET]}}]}, {to: [{operation: {ports: ["3000"]}}]}]}`}, request: tcp(), want: truth.Yes},
		"method-minds-case":       {policies: list{`{rules: [{to: [{operation: {methods: [get]}}]}]}`}, want: truth.No},
		"path-prefix":             {policies: list{`{rules: [{to: [{operation: {paths: ["/c*"]}}]}]}`}, want: truth.Yes},
		"path-template-one":       {policies: list{`{rules: [{to: [{operation: {paths: ["/{*}"]}}]}]}`}, want: truth.Yes},
		"path-template-longer":    {policies: list{`{rules: [{to: [{operation: {paths: ["/{*}/x"]}}]}]}`}, want: truth.No},
		"path-template-any":       {policies: list{`{rules: [{to: [{operation: {paths: ["/{**}"]}}]}]}`}, want: truth.Yes},
		"not-path":                {policies: list{`{rules: [{to: [{operation: {paths: ["/*"], notPaths: [/cart]}}]}]}`}, want: truth.No},
		"port":                    {policies: list{`{rules: [{to: [{operation: {ports: ["3000"]}}]}]}`}, want: truth.Yes},
		"service-port":            {policies: list{`{rules: [{to: [{operation: {ports: ["80"]}}]}]}`}, want: truth.No}, // istio#49098

		"when-header":          {policies: list{`{rules: [{when: [{key: "request.headers[X-Kind]", values: ["b*"]}]}]}`}, want: truth.Yes},
		"when-header-absent":   {policies: list{`{rules: [{when: [{key: "request.headers[x-other]", values: ["*"]}]}]}`}, want: truth.No},
		"when-not-header":      {policies: list{`{rules: [{when: [{key: "request.headers[x-other]", notValues: ["*"]}]}]}`}, want: truth.Yes},
		"when-audience":        {policies: list{`{rules: [{when: [{key: request.auth.audiences, values: [two]}]}]}`}, want: truth.Yes},
		"when-presenter":       {policies: list{`{rules: [{when: [{key: request.auth.presenter, values: [app]}]}]}`}, want: truth.Yes},
		"when-claim":           {policies: list{`{rules: [{when: [{key: "request.auth.claims[realm][roles]", values: [admin]}]}]}`}, want: truth.Yes},
		"when-claim-absent":    {policies: list{`{rules: [{when: [{key: "request.auth.claims[nobody]", notValues: [x]}]}]}`}, want: truth.Yes},
		"when-namespace":       {policies: list{`{rules: [{when: [{key: source.namespace, values: [app]}]}]}`}, want: truth.Yes},
		"when-sni-none":        {policies: list{`{rules: [{when: [{key: connection.sni, values: ["*"]}]}]}`}, want: truth.No},
		"when-destination":     {policies: list{`{rules: [{when: [{key: destination.ip, values: [10.9.9.0/24]}, {key: destination.port, values: ["3000"]}]}]}`}, want: truth.Yes},
		"when-unknown-key":     {policies: list{`{rules: [{when: [{key: source.colour, values: [x]}]}]}`}, want: truth.No},
		"when-unknown-in-deny": {policies: list{`{action: DENY, rules: [{when: [{key: source.colour, values: [x]}]}]}`}, want: truth.Yes},
		"when-filter-metadata": {policies: list{`{rules: [{when: [{key: "experimental.envoy.filters.a.b[c]", values: [x]}]}]}`}, want: truth.Unknown},

		"request-principal":         {policies: list{`{rules: [{from: [{source: {requestPrincipals: ["https://issuer.example.org/a/me"]}}]}]}`}, want: truth.Yes},
		"request-principal-any":     {policies: list{`{rules: [{from: [{source: {requestPrincipals: ["*"]}}]}]}`}, want: truth.Yes},
		"request-principal-issuer":  {policies: list{`{rules: [{from: [{source: {requestPrincipals: ["https://issuer.example.org/a/*"]}}]}]}`}, want: truth.Yes},
		"request-principal-subject": {policies: list{`{rules: [{from: [{source: {requestPrincipals: ["*/me"]}}]}]}`}, want: truth.Yes},
		"request-principal-other":   {policies: list{`{rules: [{from: [{source: {requestPrincipals: ["*/you"]}}]}]}`}, want: truth.No},
		"not-request-principal-none": {
			policies: list{`{action: DENY, rules: [{from: [{source: {notRequestPrincipals: ["*"]}}]}]}`},
			request:  &authz.Request{HTTP: &authz.HTTP{Token: authz.NoToken()}}, want: truth.No, // Istio's own example of requiring a token
		},

		"principal-unknown":        {policies: list{`{rules: [{from: [{source: {namespaces: [app]}}]}]}`}, request: &authz.Request{}, want: truth.Unknown, reason: "whether the ALLOW policy app/policy matches isn't known"},
		"path-unknown":             {policies: list{`{rules: [{to: [{operation: {paths: [/x]}}]}]}`}, request: &authz.Request{HTTP: &authz.HTTP{}}, want: truth.Unknown},
		"unknown-that-matters-not": {policies: list{`{rules: [{to: [{operation: {paths: [/x], ports: ["80"]}}]}]}`}, request: &authz.Request{HTTP: &authz.HTTP{}}, want: truth.No},
		"deny-unknown":             {policies: list{`{action: DENY, rules: [{to: [{operation: {paths: [/x]}}]}]}`}, request: &authz.Request{HTTP: &authz.HTTP{}}, want: truth.Unknown, reason: "whether the DENY policy app/policy matches isn't known"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			trust := c.trust
			if trust.Domains == nil {
				trust = local
			}
			request := c.request
			if request == nil {
				request = web()
			}
			got := authz.NewFilter(policies(t, c.policies...), trust, request.HTTP != nil).Decide(request)
			assert.Equal(t, c.want, got.Allowed, got.Reason)
			if c.reason != "" {
				assert.Equal(t, c.reason, got.Reason)
			}
		})
	}
}

// TestSkipped says which rules have no effect on a port, and why.
func TestSkipped(t *testing.T) {
	f := authz.NewFilter(policies(t, `{rules: [{}, {to: [{operation: {ports: ["80"]}}, {operation: {hosts: [a]}}]}, {to: [{operation: {ports: [http]}}]}]}`), local, false)
	assert.Equal(t, []string{
		"app/policy: spec.rules[1].to[1].operation.hosts: the proxy reads no HTTP on this port, and the field is HTTP's",
		`app/policy: spec.rules[2].to[0].operation.ports: reading a port: strconv.ParseUint: parsing "http": invalid syntax`,
	}, f.Skipped)
}

// BenchmarkDecide is one answer of a filter of a hundred policies.
func BenchmarkDecide(b *testing.B) {
	var specs []string
	for range 100 {
		specs = append(specs, `{rules: [{from: [{source: {principals: [cluster.local/ns/app/sa/other, cluster.local/ns/app/sa/third]}}], to: [{operation: {ports: ["3000"]}}]}]}`)
	}
	f, r := authz.NewFilter(policies(b, specs...), local, true), web()
	b.ReportAllocs()
	for b.Loop() {
		f.Decide(r)
	}
}
