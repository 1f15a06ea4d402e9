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

// Judge answers one request: the first stage that denies decides, and one that
// can't know taints what those after it find.
func (m *Mesh) Judge(r Request) Verdict {
	j := judge{Mesh: m, Request: r, explains: true}
	return Verdict{j.run(), j.steps}
}

// judge answers one request. Where it needn't explain, it makes no sentences: of
// millions of pairs nobody reads them.
type judge struct {
	*Mesh
	Request
	explains bool
	steps    []Step
}

func (j *judge) say(s Step) { j.steps = append(j.steps, s) }

func (j *judge) run() truth.Value {
	network := j.network()
	if network == truth.No {
		return network
	}
	t := j.target(j.To, j.Port)
	if j.explains {
		j.say(Step{Stage: Capture, Allowed: truth.Yes, Text: t.captured.Reason})
	}
	return min(network, either(t.captured.Holds,
		func() truth.Value { return j.proxied(t) },
		func() truth.Value { return j.unproxied() }))
}

// either returns the answer of what is the case. Where that isn't known, both must agree.
func either(holds truth.Value, yes, no func() truth.Value) truth.Value {
	switch holds {
	case truth.Yes:
		return yes()
	case truth.No:
		return no()
	case truth.Unknown:
	}
	a, b := yes(), no()
	if a != b {
		return truth.Unknown
	}
	return a
}

func (j *judge) network() truth.Value {
	if len(j.networks) == 0 {
		if j.explains {
			j.say(Step{Stage: Network, Allowed: truth.Yes, Text: noNetworkPolicy})
		}
		return truth.Yes
	}
	c := netpol.Connection{Source: j.end(j.From), Destination: j.endpoint(j.To), Port: j.Port, PortName: j.To.portName(j.Port)}
	out, in := netpol.Egress(j.networks, c), netpol.Ingress(j.networks, c)
	decides, direction := in, "ingress"
	if out.Allowed < in.Allowed {
		decides, direction = out, "egress"
	}
	if j.explains {
		s := Step{Stage: Network, Allowed: decides.Allowed, Text: noNetworkPolicy}
		if p := decides.Policy; p != nil {
			s.Object = resource.Ref{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy", Namespace: p.Namespace, Name: p.Name}
			s.Field = decides.Rule
			s.Text = map[truth.Value]string{
				truth.Yes: "a rule for " + direction + " lets it through", truth.No: "no rule for " + direction + " lets it through",
				truth.Unknown: "whether a rule for " + direction + " lets it through isn't known",
			}[decides.Allowed]
		}
		j.say(s)
	}
	return decides.Allowed
}

const noNetworkPolicy = "no NetworkPolicy isolates either end"

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
func (j *judge) unproxied() truth.Value {
	s := Step{Stage: Transport, Allowed: truth.Yes, Text: "no proxy looks at it, and no policy of the mesh counts"}
	if j.To.Proxy.Holds != truth.No && j.speaksTLS() != truth.No {
		// Its pods have a proxy, and istiod tells others to speak mutual TLS to such pods.
		s.Allowed, s.Text = truth.Unknown, "the client's proxy may speak mutual TLS to a port that passes the other proxy by"
	}
	if j.explains {
		j.say(s)
	}
	return s.Allowed
}

// proxied answers where the destination's proxy sees the connection.
func (j *judge) proxied(t *target) truth.Value {
	known := truth.Yes
	for _, o := range t.opaque {
		known = truth.Unknown
		if j.explains {
			j.say(Step{Stage: Authorize, Allowed: truth.Unknown, Text: o.reason, Object: o.ref})
		}
	}
	mutual := j.mutual(t)
	return min(known, either(mutual.Holds,
		func() truth.Value { return j.identified(t, mutual) },
		func() truth.Value { return j.plaintext(t, mutual) }))
}

func (j *judge) identified(t *target, mutual answer) truth.Value {
	principal := j.From.Workload.principal
	if j.explains {
		j.say(Step{
			Stage: Transport, Allowed: truth.Yes, Object: peerOf(t.setting),
			Text: fmt.Sprintf("mutual TLS as %s: %s", strings.TrimPrefix(principal, "spiffe://"), mutual.text()),
		})
	}
	return j.authorize(t, authz.Is(principal))
}

func (j *judge) plaintext(t *target, mutual answer) truth.Value {
	allowed, text := truth.Yes, "plaintext, which carries no identity: "
	switch t.setting.Mode {
	case mtls.Strict:
		allowed, text = truth.No, "STRICT refuses plaintext: "
	case "":
		allowed, text = truth.Unknown, "plaintext may be refused: PeerAuthentications contradict each other, and the oldest counts: "
	case mtls.Permissive, mtls.Disable:
	}
	if j.explains {
		j.say(Step{Stage: Transport, Allowed: allowed, Text: text + mutual.text(), Object: peerOf(t.setting)})
	}
	if allowed == truth.No {
		return allowed
	}
	return min(allowed, j.authorize(t, authz.None()))
}

func peerOf(s mtls.Setting) resource.Ref {
	if len(s.Policies) == 0 {
		return resource.Ref{}
	}
	p := s.Policies[0]
	return resource.Ref{APIVersion: groupSecurity + "/v1", Kind: "PeerAuthentication", Namespace: p.Namespace, Name: p.Name}
}

// speaksTLS answers whether the source's proxy would use a certificate of the mesh.
func (j *judge) speaksTLS() truth.Value {
	if j.From.Workload == nil {
		return truth.No
	}
	if j.From.Workload.plain {
		return j.From.Workload.Proxy.Holds
	}
	return min(j.From.Workload.Proxy.Holds, capture.Outbound(j.From.Workload.pod, j.dialled()).Holds)
}

func (r Request) dialled() int32 {
	if r.Dialled != 0 {
		return r.Dialled
	}
	return r.Port
}

// answer is a capture.Answer that makes its sentence when somebody asks.
type answer struct {
	Holds truth.Value
	text  func() string
}

func because(holds truth.Value, format string, args ...any) answer {
	return answer{holds, func() string { return fmt.Sprintf(format, args...) }}
}

// mutual answers whether the connection is mutual TLS with an identity.
func (j *judge) mutual(t *target) answer {
	setting := t.setting
	from := j.From.Workload
	if from == nil {
		return because(truth.No, "%s has no certificate of the mesh", j.From)
	}
	if from.Proxy.Holds != truth.Yes {
		return because(from.Proxy.Holds, "%s: %s", from, from.Proxy.Reason)
	}
	if out := capture.Outbound(from.pod, j.dialled()); out.Holds != truth.Yes {
		return because(out.Holds, "%s: %s", from, out.Reason)
	}
	if mode, rule := j.clientTLS(t); rule != nil {
		holds := truth.Unknown
		switch {
		case mode == networkingv1alpha3.ClientTLSSettings_DISABLE:
			holds = truth.No
		case mode == networkingv1alpha3.ClientTLSSettings_ISTIO_MUTUAL && setting.Mode != mtls.Disable:
			holds = truth.Yes
		}
		return because(holds, "DestinationRule %s/%s says %s", rule.ref.Namespace, rule.ref.Name, mode)
	}
	switch setting.Mode {
	case mtls.Disable:
		return disabled
	case "":
		return contradicted
	case mtls.Permissive, mtls.Strict:
	}
	return inForce[setting.Mode]
}

// The answers of most pairs, made once.
var (
	disabled     = because(truth.No, "DISABLE takes plaintext alone")
	contradicted = because(truth.Unknown, "PeerAuthentications contradict each other")
	inForce      = map[mtls.Mode]answer{
		mtls.Permissive: because(truth.Yes, "both ends have a proxy, and PERMISSIVE is in force"),
		mtls.Strict:     because(truth.Yes, "both ends have a proxy, and STRICT is in force"),
	}
)

// applies reports whether an object with a selector is about a workload.
func (m *Mesh) applies(ref resource.Ref, match map[string]string, w *Workload) bool {
	if ref.Namespace != w.namespace && ref.Namespace != m.RootNamespace && ref.Namespace != "" {
		return false
	}
	return len(match) == 0 || resource.Selects(match, w.labels)
}

func (j *judge) authorize(t *target, principal authz.Text) truth.Value {
	request := &authz.Request{Principal: principal, SourceIP: j.From.Address, RemoteIP: j.From.Address, DestinationPort: uint16(j.Port), SNI: j.SNI} //nolint:gosec // a port
	token := j.token(t)
	decide := func(readsHTTP bool) truth.Value {
		if readsHTTP {
			request.HTTP = j.seen(token)
		}
		f := j.filter(t, readsHTTP)
		if !j.explains {
			return f.Allowed(request)
		}
		d := f.Decide(request)
		s := Step{Stage: Authorize, Allowed: d.Allowed, Text: d.Reason, Field: d.Rule}
		if p := d.Policy; p != nil {
			s.Object = resource.Ref{APIVersion: groupSecurity + "/v1", Kind: "AuthorizationPolicy", Namespace: p.Namespace, Name: p.Name}
		}
		j.say(s)
		return d.Allowed
	}
	reads := truth.Unknown // the proxy finds out
	switch {
	case t.protocol == http, t.protocol == sniffed && j.HTTP != nil, len(t.policies) == 0:
		reads = truth.Yes
	case t.protocol == tcp:
		reads = truth.No
	}
	return either(reads, func() truth.Value { return decide(true) }, func() truth.Value {
		request.HTTP = nil
		return decide(false)
	})
}

// token reports whether a token counts: where a RequestAuthentication may accept it.
func (j *judge) token(t *target) bool {
	if t.token.IsZero() {
		return false
	}
	if j.explains {
		j.say(Step{Stage: Authenticate, Allowed: truth.Yes, Text: "a token counts if this accepts it", Object: t.token})
	}
	return true
}

// seen returns what the proxy makes of the request.
func (j *judge) seen(token bool) *authz.HTTP {
	switch {
	case token && j.HTTP != nil:
		return j.HTTP
	case token:
		return &authz.HTTP{}
	case j.HTTP == nil:
		return &unseen
	}
	out := *j.HTTP
	out.Token = authz.NoToken()
	return &out
}

// unseen is a request of which nothing is known but that no token counts.
var unseen = authz.HTTP{Token: authz.NoToken()}

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
