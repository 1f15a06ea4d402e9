package netpol_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/pkg/access/netpol"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// read reads a policy of namespace app, and refuses what Kubernetes' own type doesn't have.
func read(t *testing.T, text string) *netpol.Policy {
	t.Helper()
	var spec netpol.Spec
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &spec))
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), &networkingv1.NetworkPolicySpec{}), "a case that no API server would take")
	p, err := netpol.New("app", "policy", spec)
	require.NoError(t, err)
	return p
}

func pod(namespace string, labels map[string]string) netpol.Endpoint {
	return netpol.Endpoint{Pod: true, Namespace: namespace, Labels: labels, NamespaceLabels: map[string]string{"team": namespace}}
}

var (
	web    = pod("app", map[string]string{"app": "web"})
	api    = pod("app", map[string]string{"app": "api"})
	shop   = pod("shop", map[string]string{"app": "web"})
	node   = netpol.Endpoint{Node: true, Address: netip.MustParseAddr("10.0.0.1")}
	client = netpol.Endpoint{Address: netip.MustParseAddr("203.0.113.9")}
)

// The expected values are those of Kubernetes' reference of NetworkPolicySpec.
func TestIngress(t *testing.T) {
	type list = []string
	cases := map[string]struct {
		policies list
		from     netpol.Endpoint
		to       *netpol.Endpoint
		port     int32
		names    list
		protocol string
		want     truth.Value
	}{
		"no-policy":           {from: shop, want: truth.Yes},
		"other-pods":          {policies: list{`{podSelector: {matchLabels: {app: web}}}`}, from: shop, want: truth.Yes},
		"isolated":            {policies: list{`{podSelector: {}}`}, from: web, want: truth.No},
		"isolated-for-egress": {policies: list{`{podSelector: {}, policyTypes: [Egress]}`}, from: web, want: truth.Yes},
		"empty-rule":          {policies: list{`{podSelector: {}, ingress: [{}]}`}, from: client, want: truth.Yes},
		"union":               {policies: list{`{podSelector: {}}`, `{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}`}, from: web, want: truth.Yes},
		"pods-of-own":         {policies: list{`{podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {app: web}}}]}]}`}, from: shop, want: truth.No},
		"pods-of-others":      {policies: list{`{podSelector: {}, ingress: [{from: [{podSelector: {matchLabels: {app: web}}, namespaceSelector: {matchLabels: {team: shop}}}]}]}`}, from: shop, want: truth.Yes},
		"namespace-by-name":   {policies: list{`{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}}]}]}`}, from: shop, want: truth.Yes},
		"namespace-unknown": {
			policies: list{`{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {team: shop}}}]}]}`},
			from:     netpol.Endpoint{Pod: true, Namespace: "shop"}, want: truth.Unknown,
		},
		"namespace-unknown-but-named": {
			policies: list{`{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [shop, x]}]}}]}]}`},
			from:     netpol.Endpoint{Pod: true, Namespace: "shop"}, want: truth.Yes,
		},
		"namespace-unknown-but-another": {
			policies: list{`{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: app, team: shop}}}]}]}`},
			from:     netpol.Endpoint{Pod: true, Namespace: "shop"}, want: truth.No,
		},
		"every-namespace-is-no-client": {policies: list{`{podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]}`}, from: client, want: truth.No},
		"block":                        {policies: list{`{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 203.0.113.0/24}}]}]}`}, from: client, want: truth.Yes},
		"block-but":                    {policies: list{`{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 203.0.113.0/24, except: [203.0.113.8/30]}}]}]}`}, from: client, want: truth.No},
		"block-of-a-pod":               {policies: list{`{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}]}`}, from: web, want: truth.Unknown},
		"port":                         {policies: list{`{podSelector: {}, ingress: [{ports: [{port: 3000}]}]}`}, from: web, want: truth.Yes},
		"another-port":                 {policies: list{`{podSelector: {}, ingress: [{ports: [{port: 80}]}]}`}, from: web, want: truth.No},
		"port-by-name":                 {policies: list{`{podSelector: {}, ingress: [{ports: [{port: http}]}]}`}, from: web, names: list{"http"}, want: truth.Yes},
		"port-by-its-other-name":       {policies: list{`{podSelector: {}, ingress: [{ports: [{port: http}]}]}`}, from: web, names: list{"web", "http"}, want: truth.Yes},
		"port-of-no-name":              {policies: list{`{podSelector: {}, ingress: [{ports: [{port: http}]}]}`}, from: web, want: truth.No},
		"port-range":                   {policies: list{`{podSelector: {}, ingress: [{ports: [{port: 2000, endPort: 3000}]}]}`}, from: web, want: truth.Yes},
		"another-protocol":             {policies: list{`{podSelector: {}, ingress: [{ports: [{protocol: UDP}]}]}`}, from: web, want: truth.No},
		"udp":                          {policies: list{`{podSelector: {}, ingress: [{ports: [{protocol: UDP}]}]}`}, from: web, protocol: "UDP", want: truth.Yes},
		"port-and-peer":                {policies: list{`{podSelector: {}, ingress: [{from: [{podSelector: {}}], ports: [{port: 80}]}]}`}, from: web, want: truth.No},
		"node":                         {policies: list{`{podSelector: {}}`}, from: node, want: truth.Unknown}, // it may be the pod's own
		"to-a-node":                    {policies: list{`{podSelector: {}}`}, from: web, to: &node, want: truth.Yes},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			connection := netpol.Connection{Source: c.from, Destination: api, Port: 3000, PortNames: c.names, Protocol: c.protocol}
			if c.to != nil {
				connection.Destination = *c.to
			}
			assert.Equal(t, c.want, netpol.Ingress(all(t, c.policies), connection).Allowed)
		})
	}
}

func TestEgress(t *testing.T) {
	cases := map[string]struct {
		policies []string
		to       netpol.Endpoint
		want     truth.Value
	}{
		"no-policy":                {to: api, want: truth.Yes},
		"ingress-alone":            {policies: []string{`{podSelector: {}}`}, to: api, want: truth.Yes},
		"a-rule-makes-it-for-both": {policies: []string{`{podSelector: {}, egress: [{to: [{podSelector: {matchLabels: {app: db}}}]}]}`}, to: api, want: truth.No},
		"nothing-out":              {policies: []string{`{podSelector: {}, policyTypes: [Egress]}`}, to: client, want: truth.No},
		"to-a-pod":                 {policies: []string{`{podSelector: {}, policyTypes: [Egress], egress: [{to: [{podSelector: {matchLabels: {app: api}}}], ports: [{port: 3000}]}]}`}, to: api, want: truth.Yes},
		"to-the-world":             {policies: []string{`{podSelector: {}, policyTypes: [Egress], egress: [{to: [{ipBlock: {cidr: 0.0.0.0/0}}]}]}`}, to: client, want: truth.Yes},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, netpol.Egress(all(t, c.policies), netpol.Connection{Source: web, Destination: c.to, Port: 3000}).Allowed)
		})
	}
}

func all(t *testing.T, texts []string) []*netpol.Policy {
	t.Helper()
	var out []*netpol.Policy
	for _, text := range texts {
		out = append(out, read(t, text))
	}
	return out
}

func TestDecision(t *testing.T) {
	d := netpol.Ingress(all(t, []string{`{podSelector: {}}`, `{podSelector: {}, ingress: [{ports: [{port: 1}]}, {from: [{podSelector: {}}]}]}`}),
		netpol.Connection{Source: web, Destination: api, Port: 3000})
	assert.Equal(t, "spec.ingress[1]", d.Rule)
	d = netpol.Ingress(all(t, []string{`{podSelector: {}}`}), netpol.Connection{Source: web, Destination: api})
	require.NotNil(t, d.Policy)
	assert.Equal(t, "app/policy", d.Policy.String(), "who isolates the pods")
	assert.Empty(t, d.Rule)
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{podSelector: {matchExpressions: [{key: a, operator: Like}]}}`:         `spec.podSelector.matchExpressions[0].operator: there is no operator "Like"`,
		`{ingress: [{from: [{}]}]}`:                                             "spec.ingress[0].from[0]: it names nobody",
		`{egress: [{to: [{ipBlock: {cidr: 10.0.0.0}}]}]}`:                       `spec.egress[0].to[0].ipBlock.cidr: netip.ParsePrefix("10.0.0.0"): no '/'`,
		`{ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}, podSelector: {}}]}]}`: "spec.ingress[0].from[0].ipBlock: it stands alone or not at all",
	} {
		var spec netpol.Spec
		require.NoError(t, yaml.UnmarshalStrict([]byte(text), &spec))
		_, err := netpol.New("app", "policy", spec)
		assert.EqualError(t, err, want)
	}
}
