package access

import (
	"fmt"
	"slices"
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// virtualService is a VirtualService.
type virtualService struct {
	ref  resource.Ref
	spec *networkingv1alpha3.VirtualService
}

// bound is a VirtualService that a server of a Gateway takes its routes from.
type bound struct {
	virtualService
	server server
	// hosts are those that both name, in lower case.
	hosts []string
}

// boundTo returns the VirtualServices of a server, in the order of the objects.
func (m *Mesh) boundTo(s server, w *Workload) []bound {
	var out []bound
	for _, v := range m.routes {
		if !v.names(s.gateway.String()) || !v.exportedTo(w.namespace) {
			continue
		}
		if hosts := common(s.hostsFor(v.ref.Namespace), v.spec.GetHosts()); len(hosts) > 0 {
			out = append(out, bound{v, s, hosts})
		}
	}
	return out
}

// names reports whether the VirtualService is for a Gateway, "<namespace>/<name>".
func (v virtualService) names(gateway string) bool {
	return slices.ContainsFunc(v.spec.GetGateways(), func(name string) bool { return v.gatewayName(name) == gateway })
}

// gatewayName returns a Gateway's name with its namespace
// (pilot/pkg/model, resolveGatewayName).
func (v virtualService) gatewayName(name string) string {
	namespace, rest, found := strings.Cut(name, "/")
	switch {
	case found && namespace == ".":
		return v.ref.Namespace + "/" + rest
	case found, name == "mesh":
		return name
	}
	short, domain, dotted := strings.Cut(name, ".")
	if !dotted {
		return v.ref.Namespace + "/" + name
	}
	namespace, _, _ = strings.Cut(domain, ".")
	return namespace + "/" + short
}

func (v virtualService) exportedTo(namespace string) bool {
	return exported(v.spec.GetExportTo(), v.ref.Namespace, namespace)
}

// common returns the hosts that two lists share: of a host and a wildcard that covers it, the host.
func common(servers, services []string) []string {
	var out []string
	for _, a := range servers {
		for _, b := range services {
			var host string
			switch {
			case within(a, b):
				host = a
			case within(b, a):
				host = b
			default:
				continue
			}
			if host = strings.ToLower(host); !slices.Contains(out, host) {
				out = append(out, host)
			}
		}
	}
	return out
}

// within reports whether every name of a host is one of the other's
// (pkg/config/host, SubsetOf).
func within(host, other string) bool {
	rest, wildcard := strings.CutPrefix(other, "*")
	switch {
	case !wildcard:
		return host == other
	case strings.HasPrefix(host, "*"):
		return len(host) >= len(other) && strings.HasSuffix(host[1:], rest)
	default:
		return strings.HasSuffix(host, rest)
	}
}

// outcome is what a gateway may do with a request.
type outcome struct {
	step Step
	// to are the pods that it may go to; none where the gateway answers itself, or it isn't known.
	to []Request
}

// Through judges a request to a gateway and on to the pods that the gateway sends
// it to. A request that the gateway answers itself reaches it and nobody else. To
// pods that are no gateway it is Judge.
func (m *Mesh) Through(r Request) Verdict {
	v := m.Judge(r)
	if !r.To.Gateway || v.Allowed == truth.No {
		return v
	}
	routed := truth.Unknown
	for i, o := range m.outcomes(r) {
		v.Steps = append(v.Steps, o.step)
		allowed := o.step.Allowed
		for k, next := range o.to {
			hop := Hop{next, m.Judge(next)}
			v.Hops = append(v.Hops, hop)
			if k == 0 {
				allowed = hop.Verdict.Allowed
			} else if hop.Verdict.Allowed != allowed {
				allowed = truth.Unknown // which of the pods it reaches isn't known
			}
		}
		if allowed = min(allowed, o.step.Allowed); i == 0 {
			routed = allowed
		} else if allowed != routed {
			routed = truth.Unknown
		}
	}
	v.Allowed = min(v.Allowed, routed)
	return v
}

// outcomes returns what the gateway may do: one where that is known.
func (m *Mesh) outcomes(r Request) []outcome {
	for _, o := range m.opaque {
		if o.routes && (o.ref.Kind == kindGateway || o.ref.Kind == kindVirtualService || m.applies(o.ref, o.match, r.To)) {
			return []outcome{answered(truth.Unknown, o.ref, "", "%s", o.reason)}
		}
	}
	j := judge{Mesh: m, Request: r}
	chosen, _ := serversFor(m.target(r.To, r.Port).servers, j.sni())
	var read, passed []server
	for _, s := range chosen {
		if s.reads() {
			read = append(read, s)
		} else {
			passed = append(passed, s)
		}
	}
	var out []outcome
	if len(read) > 0 {
		out = append(out, m.routed(r, read)...)
	}
	for _, s := range passed {
		out = append(out, m.forwarded(r, s)...)
	}
	return out
}

func answered(allowed truth.Value, object resource.Ref, field, format string, args ...any) outcome {
	return outcome{step: Step{Stage: Route, Allowed: allowed, Object: object, Field: field, Text: fmt.Sprintf(format, args...)}}
}

// routed returns the outcomes on servers that read HTTP.
func (m *Mesh) routed(r Request, servers []server) []outcome {
	var host string
	known := r.HTTP != nil
	if known {
		var there truth.Value
		host, there = r.HTTP.Host.Value()
		known = there == truth.Yes
	}
	if !known {
		return []outcome{answered(truth.Unknown, servers[0].gateway.ref, "", "the request's host isn't known, and hosts decide about the route")}
	}
	host = withoutPort(strings.ToLower(host))
	for _, s := range servers {
		if s.redirects() && slices.ContainsFunc(s.hosts(), func(h string) bool { return specific(h, host) >= 0 }) {
			return []outcome{answered(truth.Yes, s.gateway.ref, s.field, "the gateway redirects to HTTPS")}
		}
	}
	// The domain that names the host best has all routes of those that share it.
	best, sources := -1, []bound(nil)
	for _, s := range servers {
		for _, b := range m.boundTo(s, r.To) {
			for _, domain := range b.hosts {
				switch rank := specific(domain, host); {
				case rank < 0 || rank < best:
				case rank > best:
					best, sources = rank, []bound{b}
				case !slices.ContainsFunc(sources, func(other bound) bool { return other.ref == b.ref && other.server.gateway.ref == s.gateway.ref }):
					sources = append(sources, b)
				}
			}
		}
	}
	if len(sources) == 0 {
		return []outcome{answered(truth.No, servers[0].gateway.ref, "", "no VirtualService routes host %q: the gateway answers 404", host)}
	}
	// The oldest of several counts first, and which that is isn't known.
	var out []outcome
	taken := false
	for _, source := range sources {
		found, complete := m.httpRoutes(r, source)
		out, taken = append(out, found...), taken || complete
	}
	if !taken {
		out = append(out, answered(truth.No, sources[0].ref, "spec.http", "no route matches: the gateway answers 404"))
	}
	return out
}

// httpRoutes returns what a VirtualService's routes may do with a request, and
// whether one of them surely takes it.
func (m *Mesh) httpRoutes(r Request, b bound) ([]outcome, bool) {
	var out []outcome
	for i, route := range b.spec.GetHttp() {
		matches := truth.Yes
		if len(route.GetMatch()) > 0 {
			matches = truth.Any(route.GetMatch(), func(match *networkingv1alpha3.HTTPMatchRequest) truth.Value { return matchesHTTP(match, r, b) })
		}
		if matches == truth.No {
			continue
		}
		out = append(out, m.httpRoute(r, b, route, fmt.Sprintf("spec.http[%d]", i)))
		if matches == truth.Yes {
			return out, true
		}
	}
	return out, false
}

func (m *Mesh) httpRoute(r Request, b bound, route *networkingv1alpha3.HTTPRoute, field string) outcome {
	switch {
	case route.GetRedirect() != nil:
		return answered(truth.Yes, b.ref, field+".redirect", "the gateway answers with a redirect")
	case route.GetDirectResponse() != nil:
		return answered(truth.Yes, b.ref, field+".directResponse", "the gateway answers itself")
	case route.GetDelegate() != nil:
		return answered(truth.Unknown, b.ref, field+".delegate", "what a delegate adds to its root isn't read")
	case len(route.GetRoute()) == 0:
		return answered(truth.No, b.ref, field, "the route leads nowhere")
	}
	with := rewritten(r, route)
	var found []destination
	for i, to := range route.GetRoute() {
		if to.GetWeight() == 0 && len(route.GetRoute()) > 1 {
			continue
		}
		found = append(found, destination{to.GetDestination(), changed(with, to.GetHeaders().GetRequest()), fmt.Sprintf("%s.route[%d].destination", field, i)})
	}
	return m.toDestinations(r, b, found)
}

// forwarded returns the outcomes on a server that reads no HTTP.
func (m *Mesh) forwarded(r Request, s server) []outcome {
	sni, there := r.SNI.Value()
	var out []outcome
	for _, b := range m.boundTo(s, r.To) {
		at := func(matches truth.Value, routes []*networkingv1alpha3.RouteDestination, field string) {
			if matches == truth.No || len(routes) == 0 {
				return
			}
			var found []destination
			for i, to := range routes {
				found = append(found, destination{to.GetDestination(), nil, fmt.Sprintf("%s.route[%d].destination", field, i)})
			}
			out = append(out, m.toDestinations(r, b, found))
			if matches == truth.Unknown {
				out = append(out, answered(truth.Unknown, b.ref, field, "whether the route matches isn't known"))
			}
		}
		if s.passes() {
			for i, route := range b.spec.GetTls() {
				at(truth.Any(route.GetMatch(), func(match *networkingv1alpha3.TLSMatchAttributes) truth.Value {
					named := truth.Unknown
					if there != truth.Unknown {
						named = truth.Of(slices.ContainsFunc(match.GetSniHosts(), func(host string) bool { return specific(strings.ToLower(host), sni) >= 0 }))
					}
					return min(named, l4(match.GetPort(), match.GetGateways(), b))
				}), route.GetRoute(), fmt.Sprintf("spec.tls[%d]", i))
			}
			continue
		}
		for i, route := range b.spec.GetTcp() {
			matches := truth.Yes
			if len(route.GetMatch()) > 0 {
				matches = truth.Any(route.GetMatch(), func(match *networkingv1alpha3.L4MatchAttributes) truth.Value {
					return l4(match.GetPort(), match.GetGateways(), b)
				})
			}
			at(matches, route.GetRoute(), fmt.Sprintf("spec.tcp[%d]", i))
			if matches == truth.Yes {
				break
			}
		}
	}
	if len(out) == 0 {
		out = append(out, answered(truth.No, s.gateway.ref, s.field, "no VirtualService routes what comes to this server"))
	}
	return out
}

// l4 reports whether a match is for the server: by its number and its Gateway as written.
func l4(port uint32, gateways []string, b bound) truth.Value {
	return truth.Of((port == 0 || port == b.server.GetPort().GetNumber()) &&
		(len(gateways) == 0 || slices.ContainsFunc(gateways, func(name string) bool { return b.gatewayName(name) == b.server.gateway.String() })))
}
