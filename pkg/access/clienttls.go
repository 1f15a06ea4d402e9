package access

import (
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"
)

// clientTLS returns the TLS mode that a DestinationRule sets for the source's
// connections to the destination, and the rule; nil where none does. Rules count
// in the order: the client's namespace, the Service's, the root namespace.
func (m *Mesh) clientTLS(r Request) (networkingv1alpha3.ClientTLSSettings_TLSmode, *destinationRule) {
	for _, s := range m.servicesOf(r.To) {
		host := s.ref.Name + "." + s.ref.Namespace + ".svc." + clusterDomain
		for _, namespace := range []string{r.From.Workload.namespace, s.ref.Namespace, m.RootNamespace} {
			for i, d := range m.destination {
				if d.ref.Namespace != namespace || !matchesHost(d, host) {
					continue
				}
				if mode, ok := tlsOf(d.spec.GetTrafficPolicy(), r.dialled()); ok {
					return mode, &m.destination[i]
				}
			}
		}
	}
	return 0, nil
}

// clusterDomain is the domain of Services; a DestinationRule may leave it out.
const clusterDomain = "cluster.local"

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
