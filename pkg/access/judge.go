package access

import (
	"fmt"
	"net/netip"
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"
	typev1beta1 "istio.io/api/type/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/capture"
	"github.com/ringfence-dev/ringfence/pkg/access/mtls"
	"github.com/ringfence-dev/ringfence/pkg/access/netpol"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Subject is who asks.
type Subject struct {
	// Workload of the mesh's objects; nil for everybody else.
	Workload *Workload
	// Node says that it is a node; else, without a workload, it is a client outside of the cluster.
	Node bool
	// Address of one without a workload; the zero Addr is not known.
	Address netip.Addr
}

func (s Subject) String() string {
	switch {
	case s.Workload != nil:
		return s.Workload.String()
	case s.Node:
		return "a node"
	default:
		return "a client outside of the cluster"
	}
}

// Request is one request, or one connection.
type Request struct {
	From Subject
	To   *Workload
	// Port of the destination's pods, and the port that the client dials: a Service's. 0 stands for the same.
	Port, Dialled int32
	// HTTP is what is known of the request; nil asks about connections of which nothing is known.
	HTTP *authz.HTTP
	// SNI that an outside client asks for.
	SNI authz.Text
}

// Stage is a part of an answer.
type Stage string

// The stages, in their order.
const (
	Network      Stage = "network"
	Capture      Stage = "capture"
	Transport    Stage = "transport"
	Authenticate Stage = "authenticate"
	Authorize    Stage = "authorize"
)

// Step is what one stage finds.
type Step struct {
	Stage   Stage
	Allowed truth.Value
	// Text says it in a sentence; Object and Field are what it rests on, where that is one.
	Text   string
	Object resource.Ref
	Field  string
}

// Verdict is the answer to one request.
type Verdict struct {
	Allowed truth.Value
	// Steps are those that were asked, in order; the last one decided where it isn't Yes.
	Steps []Step
}

func (v *Verdict) add(s Step) bool {
	v.Steps = append(v.Steps, s)
	v.Allowed = min(v.Allowed, s.Allowed)
	return s.Allowed != truth.No
}

// Judge answers one request: the first stage that denies decides, and one that
// can't know taints what those after it find.
func (m *Mesh) Judge(r Request) Verdict {
	v := Verdict{Allowed: truth.Yes}
	if !v.add(m.network(r)) {
		return v
	}
	captured := m.captured(r.To, r.Port)
	v.add(Step{Stage: Capture, Allowed: truth.Yes, Text: captured.Reason})
	var branches []Verdict
	if captured.Holds != truth.No {
		branches = append(branches, m.proxied(r))
	}
	if captured.Holds != truth.Yes {
		branches = append(branches, m.unproxied(r))
	}
	v.merge(branches)
	return v
}

// merge takes the steps of what may be the case: all agree, or the answer is unknown.
func (v *Verdict) merge(branches []Verdict) {
	allowed := branches[0].Allowed
	for _, b := range branches {
		v.Steps = append(v.Steps, b.Steps...)
		if b.Allowed != allowed {
			allowed = truth.Unknown
		}
	}
	v.Allowed = min(v.Allowed, allowed)
}

func (m *Mesh) network(r Request) Step {
	c := netpol.Connection{Source: m.end(r.From), Destination: m.endpoint(r.To), Port: r.Port, PortName: r.To.portName(r.Port)}
	out, in := netpol.Egress(m.networks, c), netpol.Ingress(m.networks, c)
	decides, direction := in, "ingress"
	if out.Allowed < in.Allowed {
		decides, direction = out, "egress"
	}
	s := Step{Stage: Network, Allowed: decides.Allowed, Text: "no NetworkPolicy isolates either end"}
	if p := decides.Policy; p != nil {
		s.Object = resource.Ref{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy", Namespace: p.Namespace, Name: p.Name}
		s.Field = decides.Rule
		s.Text = map[truth.Value]string{
			truth.Yes: "a rule for " + direction + " lets it through", truth.No: "no rule for " + direction + " lets it through",
			truth.Unknown: "whether a rule for " + direction + " lets it through isn't known",
		}[decides.Allowed]
	}
	return s
}

func (m *Mesh) end(s Subject) netpol.Endpoint {
	if s.Workload != nil {
		return m.endpoint(s.Workload)
	}
	return netpol.Endpoint{Node: s.Node, Address: s.Address}
}

// captured answers whether the destination's proxy sees connections to a port.
func (m *Mesh) captured(w *Workload, port int32) capture.Answer {
	if w.Proxy.Holds != truth.Yes {
		return capture.Answer{Holds: w.Proxy.Holds, Reason: fmt.Sprintf("%s: %s", w, w.Proxy.Reason)}
	}
	in := capture.Inbound(w.pod, port)
	if in.Reason == "" {
		in.Reason = fmt.Sprintf("the proxy of %s sees port %d (%s)", w, port, w.Proxy.Reason)
	} else {
		in.Reason = fmt.Sprintf("%s: %s", w, in.Reason)
	}
	return in
}

// unproxied answers where nothing of the mesh stands before the destination.
func (m *Mesh) unproxied(r Request) Verdict {
	v := Verdict{Allowed: truth.Yes}
	if r.To.Proxy.Holds != truth.No && m.speaksTLS(r) != truth.No {
		// Its pods have a proxy, and istiod tells others to speak mutual TLS to such pods.
		v.add(Step{Stage: Transport, Allowed: truth.Unknown, Text: fmt.Sprintf("the proxy of %s may speak mutual TLS to a port that passes the other proxy by", r.From)})
		return v
	}
	v.add(Step{Stage: Transport, Allowed: truth.Yes, Text: "no proxy looks at it, and no policy of the mesh counts"})
	return v
}

// proxied answers where the destination's proxy sees the connection.
func (m *Mesh) proxied(r Request) Verdict {
	v := Verdict{Allowed: truth.Yes}
	for _, o := range m.opaque {
		if m.applies(o.ref, o.match, r.To) {
			v.add(Step{Stage: Authorize, Allowed: truth.Unknown, Text: o.reason, Object: o.ref})
		}
	}
	setting := mtls.InForce(m.peers, m.RootNamespace, r.To.namespace, r.To.labels, uint32(r.Port)) //nolint:gosec // a port
	mutual := m.mutual(r, setting)
	var branches []Verdict
	if mutual.Holds != truth.No {
		branches = append(branches, m.identified(r, setting, mutual.Reason))
	}
	if mutual.Holds != truth.Yes {
		branches = append(branches, m.plaintext(r, setting, mutual.Reason))
	}
	v.merge(branches)
	return v
}

func (m *Mesh) identified(r Request, setting mtls.Setting, reason string) Verdict {
	v := Verdict{Allowed: truth.Yes}
	principal := m.principal(r.From.Workload)
	v.add(Step{Stage: Transport, Allowed: truth.Yes, Text: fmt.Sprintf("mutual TLS as %s: %s", strings.TrimPrefix(principal, "spiffe://"), reason), Object: peerOf(setting)})
	m.authorize(&v, r, authz.Is(principal))
	return v
}

func (m *Mesh) plaintext(r Request, setting mtls.Setting, reason string) Verdict {
	v := Verdict{Allowed: truth.Yes}
	s := Step{Stage: Transport, Allowed: truth.Yes, Text: "plaintext, which carries no identity: " + reason, Object: peerOf(setting)}
	switch setting.Mode {
	case mtls.Strict:
		s.Allowed, s.Text = truth.No, "STRICT refuses plaintext: "+reason
	case "":
		s.Allowed, s.Text = truth.Unknown, "PeerAuthentications contradict each other, and the oldest counts"
	case mtls.Permissive, mtls.Disable:
	}
	if v.add(s) {
		m.authorize(&v, r, authz.None())
	}
	return v
}

func peerOf(s mtls.Setting) resource.Ref {
	if len(s.Policies) == 0 {
		return resource.Ref{}
	}
	p := s.Policies[0]
	return resource.Ref{APIVersion: groupSecurity + "/v1", Kind: "PeerAuthentication", Namespace: p.Namespace, Name: p.Name}
}

// speaksTLS answers whether the source's proxy would use a certificate of the mesh.
func (m *Mesh) speaksTLS(r Request) truth.Value {
	if r.From.Workload == nil {
		return truth.No
	}
	return min(r.From.Workload.Proxy.Holds, capture.Outbound(r.From.Workload.pod, r.dialled()).Holds)
}

func (r Request) dialled() int32 {
	if r.Dialled != 0 {
		return r.Dialled
	}
	return r.Port
}

// mutual answers whether the connection is mutual TLS with an identity.
func (m *Mesh) mutual(r Request, setting mtls.Setting) capture.Answer {
	from := r.From.Workload
	if from == nil {
		return capture.Answer{Holds: truth.No, Reason: r.From.String() + " has no certificate of the mesh"}
	}
	if from.Proxy.Holds != truth.Yes {
		return capture.Answer{Holds: from.Proxy.Holds, Reason: fmt.Sprintf("%s: %s", from, from.Proxy.Reason)}
	}
	if out := capture.Outbound(from.pod, r.dialled()); out.Holds != truth.Yes {
		return capture.Answer{Holds: out.Holds, Reason: fmt.Sprintf("%s: %s", from, out.Reason)}
	}
	if mode, rule := m.clientTLS(r); rule != nil {
		reason := fmt.Sprintf("DestinationRule %s says %s", rule.ref.Namespace+"/"+rule.ref.Name, mode)
		switch {
		case mode == networkingv1alpha3.ClientTLSSettings_DISABLE:
			return capture.Answer{Holds: truth.No, Reason: reason}
		case mode == networkingv1alpha3.ClientTLSSettings_ISTIO_MUTUAL && setting.Mode != mtls.Disable:
			return capture.Answer{Holds: truth.Yes, Reason: reason}
		default:
			return capture.Answer{Holds: truth.Unknown, Reason: reason}
		}
	}
	switch setting.Mode {
	case mtls.Disable:
		return capture.Answer{Holds: truth.No, Reason: "DISABLE takes plaintext alone"}
	case "":
		return capture.Answer{Holds: truth.Unknown, Reason: "PeerAuthentications contradict each other"}
	case mtls.Permissive, mtls.Strict:
	}
	return capture.Answer{Holds: truth.Yes, Reason: fmt.Sprintf("both ends have a proxy, and %s is in force", setting.Mode)}
}

// applies reports whether an object with a selector is about a workload.
func (m *Mesh) applies(ref resource.Ref, match map[string]string, w *Workload) bool {
	if ref.Namespace != w.namespace && ref.Namespace != m.RootNamespace && ref.Namespace != "" {
		return false
	}
	return len(match) == 0 || resource.Selects(match, w.labels)
}

func (m *Mesh) authorize(v *Verdict, r Request, principal authz.Text) {
	var policies []authz.Policy
	for _, p := range m.policies {
		if m.selects(p.ref, p.Spec, r.To) {
			policies = append(policies, p.Policy)
		}
	}
	request := &authz.Request{Principal: principal, SourceIP: r.From.Address, RemoteIP: r.From.Address, DestinationPort: uint16(r.Port), SNI: r.SNI} //nolint:gosec // a port
	trust := authz.Trust{Domains: append([]string{m.TrustDomain}, m.TrustDomainAliases...)}
	kinds := []bool{true, false}
	switch m.protocolOf(r.To, r.Port) {
	case http:
		kinds = kinds[:1]
	case tcp:
		kinds = kinds[1:]
	case sniffed:
		if r.HTTP != nil {
			kinds = kinds[:1] // the proxy finds out
		}
	}
	seen := m.authenticate(v, r)
	var branches []Verdict
	for _, readsHTTP := range kinds {
		request.HTTP = nil
		if readsHTTP {
			request.HTTP = seen
		}
		d := authz.NewFilter(policies, trust, readsHTTP).Decide(request)
		s := Step{Stage: Authorize, Allowed: d.Allowed, Text: d.Reason, Field: d.Rule}
		if p := d.Policy; p != nil {
			s.Object = resource.Ref{APIVersion: groupSecurity + "/v1", Kind: "AuthorizationPolicy", Namespace: p.Namespace, Name: p.Name}
		}
		branch := Verdict{Allowed: truth.Yes}
		branch.add(s)
		branches = append(branches, branch)
	}
	if len(branches) == 2 && branches[0].Allowed == branches[1].Allowed {
		branches = branches[:1]
	}
	v.merge(branches)
}

// authenticate answers which token counts: what a RequestAuthentication accepts.
func (m *Mesh) authenticate(v *Verdict, r Request) *authz.HTTP {
	for _, t := range m.tokens {
		if !m.selects(t.ref, t.spec, r.To) {
			continue
		}
		v.add(Step{Stage: Authenticate, Allowed: truth.Yes, Text: "a token counts if this accepts it", Object: t.ref})
		return r.HTTP
	}
	out := authz.HTTP{Token: authz.NoToken()}
	if r.HTTP != nil {
		out = *r.HTTP
		out.Token = authz.NoToken()
	}
	return &out
}

// attached is a policy of Istio's that applies by a selector or by targets.
type attached interface {
	GetSelector() *typev1beta1.WorkloadSelector
	GetTargetRef() *typev1beta1.PolicyTargetReference
	GetTargetRefs() []*typev1beta1.PolicyTargetReference
}

// selects reports whether a policy applies to pods: by its selector, or by naming
// the Gateway that made them. One that names a Service is a waypoint's.
func (m *Mesh) selects(ref resource.Ref, p attached, w *Workload) bool {
	targets := p.GetTargetRefs()
	if target := p.GetTargetRef(); target != nil {
		targets = append(targets, target)
	}
	if len(targets) == 0 {
		return m.applies(ref, p.GetSelector().GetMatchLabels(), w)
	}
	for _, t := range targets {
		if t.GetKind() == "Gateway" && ref.Namespace == w.namespace && w.labels["gateway.networking.k8s.io/gateway-name"] == t.GetName() {
			return true
		}
	}
	return false
}
