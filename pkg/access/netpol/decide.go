package netpol

import (
	"cmp"
	"slices"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// Connection is what a source opens to a port of a destination. Both are pods of
// their own, even where they are alike: what a pod opens to itself no policy blocks.
type Connection struct {
	Source, Destination Endpoint
	// Protocol is TCP where it is empty. Port is the pods' port, and PortNames what
	// their containers call it: several may declare it, each by a name of its own.
	Protocol  string
	Port      int32
	PortNames []string
}

// Decision is the answer for one direction.
type Decision struct {
	Allowed truth.Value
	// Policy and Rule that let it through, or may; else a policy that isolates the
	// pods; nil where none does.
	Policy *Policy
	Rule   string
}

// Egress answers whether the source's policies let the connection out.
func Egress(policies []*Policy, c Connection) Decision {
	return decide(policies, c, c.Source, c.Destination, func(p *Policy) (bool, []rule) { return p.egress, p.out })
}

// Ingress answers whether the destination's policies let the connection in. A
// node may always reach the pods that run on it, and which those are isn't known.
func Ingress(policies []*Policy, c Connection) Decision {
	d := decide(policies, c, c.Destination, c.Source, func(p *Policy) (bool, []rule) { return p.ingress, p.in })
	if d.Allowed == truth.No && c.Source.Node {
		d.Allowed = truth.Unknown
	}
	return d
}

// decide answers for the policies of one end: pods that none isolates are free,
// and the rules of all that do are a union.
func decide(policies []*Policy, c Connection, isolated, other Endpoint, part func(*Policy) (bool, []rule)) Decision {
	out := Decision{Allowed: truth.Yes}
	if !isolated.Pod {
		return out
	}
	for _, p := range policies {
		applies, rules := part(p)
		if !applies || !p.Selects(isolated.Namespace, isolated.Labels) {
			continue
		}
		if out.Policy == nil {
			out = Decision{Allowed: truth.No, Policy: p}
		}
		for _, r := range rules {
			if holds := r.holds(c, other, p.Namespace); holds > out.Allowed {
				out = Decision{Allowed: holds, Policy: p, Rule: r.path}
			}
		}
	}
	return out
}

func (r rule) holds(c Connection, other Endpoint, own string) truth.Value {
	peers, ports := truth.Yes, truth.Yes
	if len(r.peers) > 0 {
		peers = truth.Any(r.peers, func(p peer) truth.Value { return p.is(other, own) })
	}
	if len(r.ports) > 0 {
		ports = truth.Any(r.ports, func(p Port) truth.Value { return truth.Of(p.is(c)) })
	}
	return min(peers, ports)
}

// protocolTCP is the protocol of what names none.
const protocolTCP = "TCP"

func (p Port) is(c Connection) bool {
	switch {
	case cmp.Or(p.Protocol, protocolTCP) != cmp.Or(c.Protocol, protocolTCP):
		return false
	case p.Port == nil:
		return true
	case p.Port.Type == intstr.String:
		return slices.Contains(c.PortNames, p.Port.StrVal)
	case p.EndPort != nil:
		return p.Port.IntVal <= c.Port && c.Port <= *p.EndPort
	default:
		return p.Port.IntVal == c.Port
	}
}
