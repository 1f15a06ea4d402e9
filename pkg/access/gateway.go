package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// gateway is a Gateway of Istio's.
type gateway struct {
	ref  resource.Ref
	spec *networkingv1alpha3.Gateway
}

func (g gateway) String() string { return g.ref.Namespace + "/" + g.ref.Name }

// server is a server of a Gateway on the port on which a gateway's pods listen for it.
type server struct {
	*networkingv1alpha3.Server
	gateway gateway
	field   string
	port    int32
}

// plain says that the server speaks no TLS.
func (s server) plain() bool { return s.GetTls() == nil || s.redirects() }

// redirects says that the server answers nothing but "ask by HTTPS".
func (s server) redirects() bool { return s.GetTls().GetHttpsRedirect() && s.http() }

func (s server) protocol() string { return strings.ToUpper(s.GetPort().GetProtocol()) }

// http says that the protocol is HTTP without TLS.
func (s server) http() bool {
	return slices.Contains([]string{"HTTP", "HTTP2", "HTTP_PROXY", "GRPC", "GRPC-WEB"}, s.protocol())
}

func (s server) passes() bool {
	mode := s.GetTls().GetMode()
	return s.GetTls() != nil && (mode == networkingv1alpha3.ServerTLSSettings_PASSTHROUGH || mode == networkingv1alpha3.ServerTLSSettings_AUTO_PASSTHROUGH)
}

// reads says that the gateway reads HTTP: where it comes without TLS, or the gateway ends the TLS.
func (s server) reads() bool { return s.http() || s.protocol() == "HTTPS" && !s.passes() }

// hosts returns the server's hosts without the namespaces in front of them.
func (s server) hosts() []string {
	out := make([]string, 0, len(s.GetHosts()))
	for _, host := range s.GetHosts() {
		if _, name, found := strings.Cut(host, "/"); found {
			host = name
		}
		out = append(out, strings.ToLower(host))
	}
	return out
}

// hostsFor returns the server's hosts to which VirtualServices of a namespace may bind.
func (s server) hostsFor(namespace string) []string {
	var out []string
	for _, host := range s.GetHosts() {
		of, name, found := strings.Cut(host, "/")
		switch {
		case !found:
			out = append(out, host)
		case of == "*", of == namespace, of == "." && s.gateway.ref.Namespace == namespace:
			out = append(out, name)
		}
	}
	return out
}

// serversOf returns the servers of the Gateways that select a gateway's pods. A
// server is on the port that a Service before the pods leads to from the server's
// number, else on that number itself (pilot/pkg/model, resolvePorts). Of several
// Services the oldest counts, which isn't known: it may be on the port of each.
func (m *Mesh) serversOf(w *Workload) []server {
	var out []server
	for _, g := range m.gateways {
		if match := g.spec.GetSelector(); len(match) > 0 && !resource.Selects(match, w.labels) {
			continue
		}
		for i, s := range g.spec.GetServers() {
			for _, port := range m.resolved(w, int32(s.GetPort().GetNumber())) { //nolint:gosec // a port
				out = append(out, server{s, g, fmt.Sprintf("spec.servers[%d]", i), port})
			}
		}
	}
	return out
}

const labelNoTranslation = "experimental.istio.io/disable-gateway-port-translation"

func (m *Mesh) resolved(w *Workload, number int32) []int32 {
	var out []int32
	for _, s := range m.servicesOf(w) {
		if _, off := s.labels[labelNoTranslation]; off {
			continue
		}
		for _, p := range s.Ports {
			if p.Port == number {
				if target := w.number(p); target != 0 && !slices.Contains(out, target) {
					out = append(out, target)
				}
			}
		}
	}
	if len(out) == 0 {
		return []int32{number}
	}
	return out
}

// served answers where the destination is a gateway: what it speaks on a port is
// what its servers say, whatever PeerAuthentications do.
func (j *judge) served(t *target) truth.Value {
	if len(t.servers) == 0 {
		return j.unserved()
	}
	chosen, sni := serversFor(t.servers, j.sni())
	if len(chosen) == 0 {
		j.tell(Step{Stage: Transport, Allowed: truth.No, Object: t.servers[0].gateway.ref, Text: fmt.Sprintf("no server on port %d is for TLS with the name %q", j.Port, sni)})
		return truth.No
	}
	// Where it isn't known which server answers, all must agree.
	out := j.serve(t, chosen[0])
	for _, s := range chosen[1:] {
		if s.plain() != chosen[0].plain() {
			j.tell(Step{Stage: Transport, Allowed: truth.Unknown, Object: s.gateway.ref, Field: s.field, Text: "servers with and without TLS share the port, and the oldest counts"})
			return truth.Unknown
		}
		if s.like(chosen[0]) {
			continue
		}
		if j.serve(t, s) != out {
			return truth.Unknown
		}
	}
	return out
}

// like says that two servers treat a connection alike up to the routes.
func (s server) like(other server) bool {
	return s.plain() == other.plain() && s.reads() == other.reads() && (s.plain() || s.GetTls().GetMode() == other.GetTls().GetMode())
}

// unserved answers where no server is on the port.
func (j *judge) unserved() truth.Value {
	for _, o := range j.opaque {
		if o.routes && o.ref.Kind == kindGateway {
			j.tell(Step{Stage: Transport, Allowed: truth.Unknown, Object: o.ref, Text: o.reason})
			return truth.Unknown
		}
	}
	servers := j.serversOf(j.To)
	if len(servers) == 0 || j.To.labels[labelGatewayName] != "" {
		j.tell(Step{Stage: Transport, Allowed: truth.Unknown, Text: fmt.Sprintf("no Gateway among the objects selects the pods of %s", j.To)})
		return truth.Unknown
	}
	ports := map[int32]bool{}
	for _, s := range servers {
		ports[s.port] = true
	}
	j.tell(Step{Stage: Transport, Allowed: truth.No, Object: servers[0].gateway.ref, Text: fmt.Sprintf("no Gateway has a server on port %d of %s; there are %s", j.Port, j.To, numbers(ports))})
	return truth.No
}

// serversFor returns the servers that may answer a client who asks for a name in
// its TLS handshake: the one whose host is the most specific, or all where that
// isn't known or there is no TLS.
func serversFor(servers []server, sni authz.Text) (chosen []server, name string) {
	name, there := sni.Value()
	if there == truth.Unknown || slices.ContainsFunc(servers, server.plain) {
		return servers, name
	}
	best := -1
	for _, s := range servers {
		for _, host := range s.hosts() {
			if rank := specific(host, name); rank > best && there == truth.Yes || host == "*" && best < 0 {
				chosen, best = []server{s}, max(rank, 0)
			}
		}
	}
	return chosen, name
}

// specific returns how well a host with or without a wildcard names a name: -1 where it doesn't.
func specific(host, name string) int {
	switch {
	case host == "*":
		return 0
	case strings.HasPrefix(host, "*"):
		if len(name) >= len(host) && strings.HasSuffix(name, host[1:]) {
			return len(host)
		}
		return -1
	case host == name:
		return len(host) + 1_000 // before every wildcard: no host is as long
	default:
		return -1
	}
}

// sni is the name that the client asks for: a client of HTTPS asks for the host.
func (j *judge) sni() authz.Text {
	if _, there := j.SNI.Value(); there != truth.Unknown || j.HTTP == nil {
		return j.SNI
	}
	host, there := j.HTTP.Host.Value()
	if there != truth.Yes {
		return authz.Text{}
	}
	return authz.Is(withoutPort(strings.ToLower(host)))
}

// serve answers for one server.
func (j *judge) serve(t *target, s server) truth.Value {
	say := func(allowed truth.Value, text string) truth.Value {
		j.tell(Step{Stage: Transport, Allowed: allowed, Object: s.gateway.ref, Field: s.field, Text: text})
		return allowed
	}
	principal, reads := authz.None(), truth.Of(s.reads())
	var known truth.Value
	switch mode := s.GetTls().GetMode(); {
	case s.plain():
		known = say(truth.Yes, "the gateway takes plaintext, which carries no identity")
	case mode == networkingv1alpha3.ServerTLSSettings_SIMPLE:
		known = say(truth.Yes, "TLS of the gateway, without a client's certificate")
	case mode == networkingv1alpha3.ServerTLSSettings_PASSTHROUGH:
		known = say(truth.Yes, "TLS that the gateway passes on")
	case mode == networkingv1alpha3.ServerTLSSettings_AUTO_PASSTHROUGH: // where Istio puts no policies
		return say(truth.Unknown, "the gateway passes on whatever cluster the client names")
	case mode == networkingv1alpha3.ServerTLSSettings_ISTIO_MUTUAL:
		if j.speaksTLS() == truth.No {
			return say(truth.No, "the gateway asks for a certificate of the mesh, and "+j.From.String()+" has none")
		}
		principal, known = authz.Is(j.From.Workload.principal), say(truth.Unknown, "whether the client's proxy speaks mutual TLS to a gateway isn't known")
	default:
		principal, known = authz.Text{}, say(truth.Unknown, "whose certificates the gateway accepts isn't known: "+mode.String())
	}
	return min(known, j.authorize(t, principal, reads))
}

const labelGatewayName = "gateway.networking.k8s.io/gateway-name"

// Entry is a port of a gateway's pods with a host that Gateways or VirtualServices
// name there.
type Entry struct {
	Gateway *Workload
	Port    int32
	// Host is one name, OtherHost, or a wildcard as written.
	Host string
}

// OtherHost stands for every host that nobody names.
const OtherHost = "other.invalid"

// Request is a request from outside for the entry's host, of which nothing else is known.
func (e Entry) Request() Request {
	host := e.Host
	if rest, wildcard := strings.CutPrefix(host, "*"); wildcard {
		host = "any" + rest
	}
	return Request{To: e.Gateway, Port: e.Port, HTTP: &authz.HTTP{Host: authz.Is(host)}}
}

// Entries returns the ports and hosts of all gateways, by the gateways' order, then
// by port and host; for each port OtherHost is the last.
func (m *Mesh) Entries() []Entry {
	var out []Entry
	for _, w := range m.Workloads {
		if !w.Gateway {
			continue
		}
		hosts := map[int32][]string{}
		for _, s := range m.serversOf(w) {
			hosts[s.port] = append(hosts[s.port], s.hosts()...)
			for _, v := range m.boundTo(s, w) {
				hosts[s.port] = append(hosts[s.port], v.hosts...)
			}
		}
		var list []Entry
		for port, names := range hosts {
			for _, name := range append(names, OtherHost) {
				if e := (Entry{w, port, name}); name != "*" && !slices.Contains(list, e) {
					list = append(list, e)
				}
			}
		}
		slices.SortFunc(list, func(a, b Entry) int {
			return cmp.Or(cmp.Compare(a.Port, b.Port), cmp.Compare(rank(a), rank(b)), cmp.Compare(a.Host, b.Host))
		})
		out = append(out, list...)
	}
	return out
}

// Served returns the ports of a workload's pods, in order: a gateway's are those on
// which it has servers.
func (m *Mesh) Served(w *Workload) []int32 {
	var out []int32
	if w.Gateway {
		for _, s := range m.serversOf(w) {
			out = append(out, s.port)
		}
	}
	if len(out) == 0 {
		return m.Ports(w)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func rank(e Entry) int {
	if e.Host == OtherHost {
		return 1
	}
	return 0
}

func numbers(ports map[int32]bool) string {
	var list []int32
	for port := range ports {
		list = append(list, port)
	}
	slices.Sort(list)
	var out []string
	for _, port := range list {
		out = append(out, fmt.Sprint(port))
	}
	return strings.Join(out, ", ")
}

// withoutPort returns a host without the port that a client may write behind it.
func withoutPort(host string) string {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") || strings.Contains(host[:at], ":") && !strings.HasSuffix(host[:at], "]") {
		return host
	}
	return host[:at]
}
