package random

import (
	"fmt"
	"math/rand/v2"

	securityv1beta1 "istio.io/api/security/v1beta1"
)

// Source draws everything; one of the same seed draws the same.
type Source struct{ *rand.Rand }

// New returns the source of a seed.
func New(seed uint64) Source { return Source{rand.New(rand.NewPCG(seed, 2))} }

func (s Source) chance(percent int) bool { return s.IntN(100) < percent }

func pick[T any](s Source, from ...T) T { return from[s.IntN(len(from))] }

// some returns up to n draws; mostly one.
func some(s Source, n int, draw func() string) []string {
	out := []string{draw()}
	for len(out) < n && s.chance(35) {
		out = append(out, draw())
	}
	return out
}

// Policy is one AuthorizationPolicy.
type Policy struct {
	Namespace, Name string
	DryRun          bool
	Spec            *securityv1beta1.AuthorizationPolicy
}

// Policies returns up to five policies.
func (s Source) Policies() []Policy {
	var out []Policy
	for i := range 1 + s.IntN(5) {
		out = append(out, Policy{
			Namespace: pick(s, "app", "app", "istio-system"), Name: fmt.Sprintf("policy-%d", i), DryRun: s.chance(7), Spec: s.spec(),
		})
	}
	return out
}

func (s Source) spec() *securityv1beta1.AuthorizationPolicy {
	out := &securityv1beta1.AuthorizationPolicy{Action: pick(s,
		securityv1beta1.AuthorizationPolicy_ALLOW, securityv1beta1.AuthorizationPolicy_ALLOW, securityv1beta1.AuthorizationPolicy_ALLOW,
		securityv1beta1.AuthorizationPolicy_DENY, securityv1beta1.AuthorizationPolicy_DENY, securityv1beta1.AuthorizationPolicy_AUDIT)}
	if s.chance(6) {
		out.Action = securityv1beta1.AuthorizationPolicy_CUSTOM
		out.ActionDetail = &securityv1beta1.AuthorizationPolicy_Provider{Provider: &securityv1beta1.AuthorizationPolicy_ExtensionProvider{Name: "ask"}}
	} else if s.chance(6) {
		return out // no rules
	}
	for range 1 + s.IntN(3) {
		out.Rules = append(out.Rules, s.rule())
	}
	return out
}

func (s Source) rule() *securityv1beta1.Rule {
	out := &securityv1beta1.Rule{}
	if s.chance(4) {
		return out // everything
	}
	if s.chance(65) {
		for range 1 + s.IntN(2) {
			out.From = append(out.From, &securityv1beta1.Rule_From{Source: s.source()})
		}
	}
	if s.chance(60) {
		for range 1 + s.IntN(2) {
			out.To = append(out.To, &securityv1beta1.Rule_To{Operation: s.operation()})
		}
	}
	if s.chance(40) {
		for range 1 + s.IntN(2) {
			out.When = append(out.When, s.Condition())
		}
	}
	return out
}

// values fills a field with values, with values that it must not have, or with both.
func (s Source) values(draw func() string) (values, notValues []string) {
	switch n := s.IntN(10); {
	case n < 7:
		return some(s, 3, draw), nil
	case n < 9:
		return nil, some(s, 3, draw)
	default:
		return some(s, 3, draw), some(s, 2, draw)
	}
}

func (s Source) source() *securityv1beta1.Source {
	out := &securityv1beta1.Source{}
	fields := []func(){
		func() { out.Principals, out.NotPrincipals = s.values(s.principal) },
		func() { out.RequestPrincipals, out.NotRequestPrincipals = s.values(s.requestPrincipal) },
		func() { out.Namespaces, out.NotNamespaces = s.values(s.namespace) },
		func() { out.IpBlocks, out.NotIpBlocks = s.values(s.block) },
		func() { out.RemoteIpBlocks, out.NotRemoteIpBlocks = s.values(s.block) },
		func() { out.ServiceAccounts, out.NotServiceAccounts = s.values(s.serviceAccount) },
		func() { out.TrustDomains, out.NotTrustDomains = s.values(s.trustDomain) },
	}
	s.fill(fields)
	return out
}

func (s Source) operation() *securityv1beta1.Operation {
	out := &securityv1beta1.Operation{}
	s.fill([]func(){
		func() { out.Hosts, out.NotHosts = s.values(s.host) },
		func() { out.Ports, out.NotPorts = s.values(s.port) },
		func() { out.Methods, out.NotMethods = s.values(s.method) },
		func() { out.Paths, out.NotPaths = s.values(s.path) },
	})
	return out
}

// fill sets one field, and sometimes more.
func (s Source) fill(fields []func()) {
	s.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	for i, set := range fields {
		if i == 0 || s.chance(12) {
			set()
		}
	}
}

// Condition returns a condition of any key that can be known offline.
func (s Source) Condition() *securityv1beta1.Condition {
	keys := []struct {
		key  string
		draw func() string
	}{
		{"request.headers[x-kind]", s.headerValue},
		{"request.headers[X-Other]", s.headerValue},
		{"source.ip", s.block},
		{"remote.ip", s.block},
		{"source.namespace", s.namespace},
		{"source.principal", s.principal},
		{"source.serviceAccount", s.serviceAccount},
		{"source.trustDomain", s.trustDomain},
		{"request.auth.principal", s.requestPrincipal},
		{"request.auth.audiences", s.claimValue},
		{"request.auth.presenter", s.claimValue},
		{"request.auth.claims[group]", s.claimValue},
		{"request.auth.claims[realm][roles]", s.claimValue},
		{"destination.ip", s.block},
		{"destination.port", s.port},
		{"connection.sni", s.sni},
	}
	k := pick(s, keys...)
	out := &securityv1beta1.Condition{Key: k.key}
	out.Values, out.NotValues = s.values(k.draw)
	return out
}
