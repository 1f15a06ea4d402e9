package access

import (
	"slices"
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// clientTLS is what DestinationRules set for a client's connections.
type clientTLS struct {
	// set says that one of them sets a mode; known, that it is known which one counts.
	set, known bool
	mode       networkingv1alpha3.ClientTLSSettings_TLSmode
	rule       *destinationRule
}

// clientTLS returns what is set for the source's connections to the destination.
// Where several Services lead there, all that may be dialled must agree.
func (j *judge) clientTLS(t *target) clientTLS {
	out := clientTLS{known: true}
	services := slices.DeleteFunc(slices.Clone(t.services), func(s service) bool { return !s.dialled(j.Dialled) })
	if len(services) == 0 {
		services = t.services // who dials the pods themselves is taken to mean one of them
	}
	for i, s := range services {
		found := setting(j.ruleFor(j.From.Workload, s), j.dialled())
		switch {
		case i == 0:
			out = found
		case found.set != out.set || found.mode != out.mode:
			out.known, out.set = false, true
			if out.rule == nil {
				out.rule = found.rule
			}
		}
	}
	return out
}

// dialled reports whether a client may dial the Service by a port; 0 is not known.
func (s service) dialled(port int32) bool {
	return port == 0 || slices.ContainsFunc(s.Ports, func(p resource.ServicePort) bool { return p.Port == port })
}

// ruleFor returns the DestinationRules that may count for a client's connections to
// a Service: those of the client's namespace, else of the Service's, else the
// mesh's; of each the ones whose host is the most specific; of these the ones that
// select the client's pods, else those that select none (pilot/pkg/model,
// destinationRule and SidecarScope.DestinationRule).
func (m *Mesh) ruleFor(from *Workload, s service) []*destinationRule {
	namespaces := []string{from.namespace, s.ref.Namespace, m.RootNamespace}
	if from.namespace == m.RootNamespace {
		namespaces = namespaces[1:] // what is the mesh's counts last for it, too
	}
	for _, namespace := range namespaces {
		best, found := -1, []*destinationRule(nil)
		for i := range m.destination {
			d := &m.destination[i]
			if d.ref.Namespace != namespace {
				continue
			}
			switch rank := d.specific(hostOf(s)); {
			case rank < 0 || rank < best:
			case rank > best:
				best, found = rank, []*destinationRule{d}
			default:
				found = append(found, d)
			}
		}
		found = slices.DeleteFunc(found, func(d *destinationRule) bool { return !d.exportedTo(from.namespace) })
		if len(found) == 0 {
			continue
		}
		selecting := slices.DeleteFunc(slices.Clone(found), func(d *destinationRule) bool {
			match := d.spec.GetWorkloadSelector().GetMatchLabels()
			return len(match) == 0 || namespace != from.namespace || !resource.Selects(match, from.labels)
		})
		if len(selecting) > 0 {
			return selecting
		}
		return slices.DeleteFunc(found, func(d *destinationRule) bool { return len(d.spec.GetWorkloadSelector().GetMatchLabels()) > 0 })
	}
	return nil
}

// setting returns what rules of one host set. The oldest that has a traffic policy
// counts, and which that is isn't known.
func setting(rules []*destinationRule, port int32) clientTLS {
	out := clientTLS{known: true}
	seen := false
	for _, d := range rules {
		policy := d.spec.GetTrafficPolicy()
		if policy == nil {
			continue
		}
		tls := tlsOf(policy, port)
		found := clientTLS{set: tls != nil, known: true, mode: tls.GetMode(), rule: d}
		if seen && (found.set != out.set || found.mode != out.mode) {
			return clientTLS{set: true, rule: d}
		}
		out, seen = found, true
	}
	return out
}

// clusterDomain is the domain of Services; a DestinationRule may leave it out.
const clusterDomain = "cluster.local"

func hostOf(s service) string {
	return s.ref.Name + "." + s.ref.Namespace + ".svc." + clusterDomain
}

// specific returns how well the rule's host names a Service: -1 where it doesn't.
func (d *destinationRule) specific(host string) int {
	name := d.spec.GetHost()
	switch {
	case strings.HasPrefix(name, "*"):
	case !strings.Contains(name, "."):
		name += "." + d.ref.Namespace + ".svc." + clusterDomain
	case strings.HasSuffix(name, ".svc"):
		name += "." + clusterDomain
	}
	return specific(name, host)
}

func (d *destinationRule) exportedTo(namespace string) bool {
	return exported(d.spec.GetExportTo(), d.ref.Namespace, namespace)
}

// exported reports whether a list of namespaces that an object of one is exported to holds another.
func exported(to []string, own, namespace string) bool {
	return len(to) == 0 || slices.ContainsFunc(to, func(name string) bool {
		return name == "*" || name == namespace || name == "." && own == namespace
	})
}

// tlsOf returns what a policy sets for a port. A port's own settings inherit nothing.
func tlsOf(p *networkingv1alpha3.TrafficPolicy, port int32) *networkingv1alpha3.ClientTLSSettings {
	for _, s := range p.GetPortLevelSettings() {
		if s.GetPort().GetNumber() == uint32(port) { //nolint:gosec // a port
			return s.GetTls()
		}
	}
	return p.GetTls()
}
