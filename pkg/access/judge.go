package access

import (
	"fmt"
	"net/netip"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/capture"
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
	// Route is where a gateway sends what it has admitted.
	Route Stage = "route"
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

// String says what the stage finds, and what that rests on.
func (s Step) String() string {
	switch {
	case s.Object.IsZero():
		return s.Text
	case s.Field != "":
		return fmt.Sprintf("%s (%s, %s)", s.Text, s.Object, s.Field)
	default:
		return fmt.Sprintf("%s (%s)", s.Text, s.Object)
	}
}

// Verdict is the answer to one request.
type Verdict struct {
	Allowed truth.Value
	// Steps are those that were asked, in order; the last one decided where it isn't Yes.
	Steps []Step
	// Hops are a gateway's own requests to the pods that it may send the request to.
	Hops []Hop
}

// Hop is a request that another one leads to.
type Hop struct {
	Request Request
	Verdict Verdict
}

// Judge answers one request: the first stage that denies decides, and one that
// can't know taints what those after it find.
func (m *Mesh) Judge(r Request) Verdict {
	j := judge{Mesh: m, Request: r, explains: true}
	return Verdict{Allowed: j.run(), Steps: j.steps}
}

// judge answers one request. Where it needn't explain, it makes no sentences: of
// millions of pairs nobody reads them.
type judge struct {
	*Mesh
	Request
	explains bool
	steps    []Step
}

// say adds a step. What is found once more, as of a port that may speak HTTP or not,
// isn't said once more.
func (j *judge) say(s Step) {
	if last := len(j.steps) - 1; last < 0 || j.steps[last] != s {
		j.steps = append(j.steps, s)
	}
}

// tell says it where somebody asks.
func (j *judge) tell(s Step) {
	if j.explains {
		j.say(s)
	}
}

func (j *judge) run() truth.Value {
	network := j.network()
	if network == truth.No {
		return network
	}
	t := j.target(j.To, j.Port)
	if j.explains {
		j.say(Step{Stage: Capture, Allowed: truth.Yes, Text: t.captured.Reason})
	}
	return j.clouded(t, min(network, either(t.captured.Holds,
		func() truth.Value { return j.proxied(t) },
		func() truth.Value { return j.unproxied() })))
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
	for _, o := range j.opaque {
		if o.network && (o.ref.Namespace == j.To.namespace || j.From.Workload != nil && o.ref.Namespace == j.From.Workload.namespace) {
			j.tell(Step{Stage: Network, Allowed: truth.Unknown, Text: o.reason, Object: o.ref})
			return truth.Unknown // it may let through what no other does
		}
	}
	if len(j.networks) == 0 {
		if j.explains {
			j.say(Step{Stage: Network, Allowed: truth.Yes, Text: noNetworkPolicy})
		}
		return truth.Yes
	}
	c := netpol.Connection{Source: j.end(j.From), Destination: j.endpoint(j.To), Port: j.Port, PortNames: j.To.portNames(j.Port)}
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

// clouded returns Unknown where an object stands in between that may turn the
// answer round, whatever it is.
func (j *judge) clouded(t *target, out truth.Value) truth.Value {
	cloud := func(stage Stage, o opaque) {
		out = truth.Unknown
		j.tell(Step{Stage: stage, Allowed: out, Text: o.reason, Object: o.ref})
	}
	if t.captured.Holds != truth.No {
		for _, o := range t.opaque {
			cloud(Authorize, o)
		}
	}
	for _, o := range j.sends(j.From.Workload) {
		cloud(Transport, o)
	}
	return out
}

// sends returns the objects that may change what a workload's proxy sends.
func (m *Mesh) sends(w *Workload) []opaque {
	if w == nil || w.Proxy.Holds == truth.No {
		return nil
	}
	var out []opaque
	for _, o := range m.opaque {
		if o.outbound && m.applies(o.ref, o.match, w) {
			out = append(out, o)
		}
	}
	return out
}
