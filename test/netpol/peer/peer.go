package peer

import (
	"encoding/json"
	"fmt"

	"github.com/mattfenwick/cyclonus/pkg/matcher"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"github.com/ringfence-dev/ringfence/test/netpol/random"
)

// Policies are those of a cluster.
type Policies struct{ policy *matcher.Policy }

// New reads the policies of a cluster.
func New(objects []random.Object) (*Policies, error) {
	var all []*networkingv1.NetworkPolicy
	for _, object := range objects {
		data, err := json.Marshal(object)
		if err != nil {
			return nil, fmt.Errorf("serialising a policy: %w", err)
		}
		p := &networkingv1.NetworkPolicy{}
		if err := json.Unmarshal(data, p); err != nil {
			return nil, fmt.Errorf("reading a policy: %w", err)
		}
		all = append(all, worded(defaulted(p))...)
	}
	return &Policies{matcher.BuildNetworkPolicies(false, all)}, nil
}

// defaulted sets what an API server sets, as the reference of policyTypes says it.
func defaulted(p *networkingv1.NetworkPolicy) *networkingv1.NetworkPolicy {
	if len(p.Spec.PolicyTypes) > 0 {
		return p
	}
	p.Spec.PolicyTypes = []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	if len(p.Spec.Egress) > 0 {
		p.Spec.PolicyTypes = append(p.Spec.PolicyTypes, networkingv1.PolicyTypeEgress)
	}
	return p
}

// Connection is what is asked about.
type Connection struct {
	Source, Destination matcher.TrafficPeer
	Port                int32
	// Names are what the destination's containers call the port.
	Names    []string
	Protocol string
}

// Ingress answers whether the destination's policies let the connection in.
func (p *Policies) Ingress(c Connection) bool { return p.allows(c, true) }

// Egress answers whether the source's policies let the connection out.
func (p *Policies) Egress(c Connection) bool { return p.allows(c, false) }

// allows asks with each of the port's names: Cyclonus takes one, and rules are a union.
func (p *Policies) allows(c Connection, ingress bool) bool {
	for _, name := range append([]string{""}, c.Names...) {
		traffic := &matcher.Traffic{
			Source: &c.Source, Destination: &c.Destination,
			ResolvedPort: int(c.Port), ResolvedPortName: name, Protocol: corev1.Protocol(c.Protocol),
		}
		if p.policy.IsIngressOrEgressAllowed(traffic, ingress).IsAllowed() {
			return true
		}
	}
	return false
}
