package access

import (
	"slices"
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// destination is where a route leads, with the request as it arrives there; nil where nobody reads it.
type destination struct {
	*networkingv1alpha3.Destination
	http  *authz.HTTP
	field string
}

// toDestinations returns the pods behind the Services of destinations.
func (m *Mesh) toDestinations(r Request, b bound, all []destination) outcome {
	var out outcome
	var names []string
	for _, d := range all {
		service, field := m.serviceNamed(d.GetHost(), b.ref.Namespace), d.field
		if service == nil {
			return answered(truth.Unknown, b.ref, field+".host", "Service %q isn't among the objects", d.GetHost())
		}
		port, ok := service.portFor(d.GetPort().GetNumber(), b.server.GetPort().GetNumber())
		if !ok {
			return answered(truth.No, b.ref, field+".port", "%s has no port %d: the gateway answers 503", service.ref, d.GetPort().GetNumber())
		}
		subset, known := m.subset(d, *service)
		if !known {
			return answered(truth.Unknown, b.ref, field+".subset", "no DestinationRule among the objects has subset %q", d.GetSubset())
		}
		found := false
		for _, w := range m.Workloads {
			if w.namespace != service.ref.Namespace || !resource.Selects(service.Selector, w.labels) || len(subset) > 0 && !resource.Selects(subset, w.labels) {
				continue
			}
			if number := w.number(port); number != 0 {
				found = true
				out.to = append(out.to, Request{From: Subject{Workload: r.To}, To: w, Port: number, Dialled: port.Port, HTTP: d.http})
			}
		}
		if !found {
			return answered(truth.Unknown, b.ref, field, "no pods of %s are among the objects", service.ref)
		}
		names = append(names, service.ref.String())
	}
	out.step = answered(truth.Yes, b.ref, all[0].field, "the gateway sends it to %s", strings.Join(slices.Compact(names), " or ")).step
	return out
}

// serviceNamed returns the Service of a host as a VirtualService writes it: alone
// for one of its namespace, or with the whole domain.
func (m *Mesh) serviceNamed(host, namespace string) *service {
	if !strings.Contains(host, ".") {
		host += "." + namespace + ".svc." + clusterDomain
	}
	name, rest, _ := strings.Cut(host, ".")
	of, domain, _ := strings.Cut(rest, ".")
	if domain != "svc."+clusterDomain {
		return nil
	}
	for i := range m.services[of] {
		if m.services[of][i].ref.Name == name {
			return &m.services[of][i]
		}
	}
	return nil
}

// portFor returns the Service's port of a number; of none, its only one or the
// one that the gateway's server has (GetDestinationCluster in pilot/pkg/networking/core/route).
func (s service) portFor(number, server uint32) (resource.ServicePort, bool) {
	if number == 0 {
		if len(s.Ports) == 1 {
			return s.Ports[0], true
		}
		number = server
	}
	for _, p := range s.Ports {
		if uint32(p.Port) == number { //nolint:gosec // a port
			return p, true
		}
	}
	return resource.ServicePort{}, false
}

// subset returns the labels of a destination's subset.
func (m *Mesh) subset(d destination, s service) (labels map[string]string, known bool) {
	if d.GetSubset() == "" {
		return nil, true
	}
	for i := range m.destination {
		rule := &m.destination[i]
		if rule.specific(hostOf(s)) < 0 {
			continue
		}
		for _, subset := range rule.spec.GetSubsets() {
			if subset.GetName() == d.GetSubset() {
				return subset.GetLabels(), true
			}
		}
	}
	return nil, false
}
