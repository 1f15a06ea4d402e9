package access

import (
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"
)

// named is a DestinationRule about a Service of a workload.
type named struct {
	*destinationRule
	service string // the namespace of the Service
}

// rulesFor returns the DestinationRules about the Services before a workload.
func (m *Mesh) rulesFor(w *Workload) []named {
	if len(m.destination) == 0 {
		return nil
	}
	var out []named
	for _, s := range m.servicesOf(w) {
		for i, d := range m.destination {
			if matchesHost(d, hostOf(s)) {
				out = append(out, named{&m.destination[i], s.ref.Namespace})
			}
		}
	}
	return out
}

// clientTLS returns the TLS mode that a DestinationRule sets for the source's
// connections to the destination, and the rule; nil where none does. Rules count
// in the order: the client's namespace, the Service's, the root namespace.
func (j *judge) clientTLS(t *target) (networkingv1alpha3.ClientTLSSettings_TLSmode, *destinationRule) {
	if len(t.rules) == 0 {
		return 0, nil
	}
	for _, of := range []func(named) string{
		func(named) string { return j.From.Workload.namespace },
		func(n named) string { return n.service },
		func(named) string { return j.RootNamespace },
	} {
		for _, n := range t.rules {
			if n.ref.Namespace != of(n) {
				continue
			}
			if mode, ok := tlsOf(n.spec.GetTrafficPolicy(), j.dialled()); ok {
				return mode, n.destinationRule
			}
		}
	}
	return 0, nil
}

// clusterDomain is the domain of Services; a DestinationRule may leave it out.
const clusterDomain = "cluster.local"

func hostOf(s service) string {
	return s.ref.Name + "." + s.ref.Namespace + ".svc." + clusterDomain
}

func matchesHost(d destinationRule, host string) bool {
	name := d.spec.GetHost()
	switch {
	case name == "*":
		return true
	case strings.HasPrefix(name, "*"):
		return strings.HasSuffix(host, name[1:])
	case !strings.Contains(name, "."):
		name += "." + d.ref.Namespace + ".svc." + clusterDomain
	case strings.HasSuffix(name, ".svc"):
		name += "." + clusterDomain
	}
	return name == host
}

func tlsOf(p *networkingv1alpha3.TrafficPolicy, port int32) (networkingv1alpha3.ClientTLSSettings_TLSmode, bool) {
	for _, s := range p.GetPortLevelSettings() {
		if s.GetPort().GetNumber() == uint32(port) && s.GetTls() != nil { //nolint:gosec // a port
			return s.GetTls().GetMode(), true
		}
	}
	if p.GetTls() == nil {
		return 0, false
	}
	return p.GetTls().GetMode(), true
}
