package access

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/capture"
	"github.com/ringfence-dev/ringfence/pkg/access/mtls"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// target is a port of a workload, with everything that decides about it whoever asks.
type target struct {
	captured capture.Answer
	setting  mtls.Setting
	protocol protocol
	opaque   []opaque
	// token is the RequestAuthentication by which a token counts; zero where none applies.
	token resource.Ref
	// services lead to the port; ruled says that DestinationRules are about one of them.
	services []service
	ruled    bool
	// servers are a gateway's on the port.
	servers []server
	// Filters for what is read as HTTP, and for what isn't; nil until they are asked for.
	http, tcp *authz.Filter
	policies  []authz.Policy
}

type targetKey struct {
	workload *Workload
	port     int32
}

// target reads a destination once for all that ask.
func (m *Mesh) target(w *Workload, port int32) *target {
	key := targetKey{w, port}
	if t := m.targets[key]; t != nil {
		return t
	}
	t := &target{
		captured: m.captured(w, port), protocol: m.protocolOf(w, port),
		setting: mtls.InForce(m.peers, m.RootNamespace, w.namespace, w.labels, uint32(port)), //nolint:gosec // a port
	}
	for _, o := range m.opaque {
		if o.inbound && m.applies(o.ref, o.match, w) {
			t.opaque = append(t.opaque, o)
		}
	}
	for _, p := range m.policiesOf(w) {
		t.policies = append(t.policies, p.Policy)
	}
	for _, r := range m.tokens {
		if t.token.IsZero() && m.selects(r.ref, r.spec, w) {
			t.token = r.ref
		}
	}
	if len(m.destination)+len(m.sidecars) > 0 {
		for _, s := range m.servicesOf(w) {
			if slices.ContainsFunc(s.Ports, func(p resource.ServicePort) bool { return w.number(p) == port }) {
				t.services, t.ruled = append(t.services, s), t.ruled || m.hasRule(s)
			}
		}
	}
	if w.Gateway {
		t.servers = slices.DeleteFunc(m.serversOf(w), func(s server) bool { return s.port != port })
	}
	m.targets[key] = t
	return t
}

// policiesOf returns the AuthorizationPolicies that apply to a workload: those of
// its namespace and the mesh's.
func (m *Mesh) policiesOf(w *Workload) []policy {
	namespaces := []string{m.RootNamespace, w.namespace, ""}
	if w.namespace == m.RootNamespace {
		namespaces = namespaces[1:]
	}
	var out []policy
	for _, namespace := range namespaces {
		for _, p := range m.policies[namespace] {
			if m.selects(p.ref, p.Spec, w) {
				out = append(out, p)
			}
		}
	}
	return out
}

// filter returns what decides on a port, as the proxy reads it.
func (m *Mesh) filter(t *target, http bool) *authz.Filter {
	cached := &t.tcp
	if http {
		cached = &t.http
	}
	if *cached == nil {
		*cached = authz.NewFilter(t.policies, authz.Trust{Domains: append([]string{m.TrustDomain}, m.TrustDomainAliases...)}, http)
	}
	return *cached
}
