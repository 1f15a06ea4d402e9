package netpol

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// The fields of k8s.io/api/networking/v1 by the same names; a test holds them
// against it. They are its JSON.

// Spec is a NetworkPolicy's spec.
type Spec struct {
	PodSelector LabelSelector `json:"podSelector,omitzero"`
	PolicyTypes []string      `json:"policyTypes,omitempty"`
	Ingress     []IngressRule `json:"ingress,omitempty"`
	Egress      []EgressRule  `json:"egress,omitempty"`
}

// IngressRule admits peers to ports.
type IngressRule struct {
	From  []Peer `json:"from,omitempty"`
	Ports []Port `json:"ports,omitempty"`
}

// EgressRule lets pods out to peers' ports.
type EgressRule struct {
	To    []Peer `json:"to,omitempty"`
	Ports []Port `json:"ports,omitempty"`
}

// Peer is the other end of a connection.
type Peer struct {
	PodSelector       *LabelSelector `json:"podSelector,omitempty"`
	NamespaceSelector *LabelSelector `json:"namespaceSelector,omitempty"`
	IPBlock           *IPBlock       `json:"ipBlock,omitempty"`
}

// IPBlock is a block of addresses without some blocks in it.
type IPBlock struct {
	CIDR   string   `json:"cidr"`
	Except []string `json:"except,omitempty"`
}

// Port is a port of the destination's pods, by number or by name, or a range.
type Port struct {
	Protocol string              `json:"protocol,omitempty"`
	Port     *intstr.IntOrString `json:"port,omitempty"`
	EndPort  *int32              `json:"endPort,omitempty"`
}

// LabelSelector selects by labels (metav1.LabelSelector).
type LabelSelector struct {
	MatchLabels      map[string]string `json:"matchLabels,omitempty"`
	MatchExpressions []Requirement     `json:"matchExpressions,omitempty"`
}

// Requirement relates a label to values.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

// The policy types.
const (
	typeIngress = "Ingress"
	typeEgress  = "Egress"
)

// Policy is one NetworkPolicy, read.
type Policy struct {
	Namespace, Name string
	pods            labels.Selector
	// What it isolates pods for, and the rules that let something through all the same.
	ingress, egress bool
	in, out         []rule
}

func (p *Policy) String() string { return p.Namespace + "/" + p.Name }

// Selects reports whether the policy is about pods of a namespace with these labels.
func (p *Policy) Selects(namespace string, pod map[string]string) bool {
	return p.Namespace == namespace && p.pods.Matches(labels.Set(pod))
}

// Keys returns the labels of pods by which the policy tells them apart.
func (p *Policy) Keys() []string {
	var out []string
	add := func(s labels.Selector) {
		if s == nil {
			return
		}
		requirements, _ := s.Requirements()
		for _, r := range requirements {
			out = append(out, r.Key())
		}
	}
	add(p.pods)
	for _, r := range slices.Concat(p.in, p.out) {
		for _, peer := range r.peers {
			add(peer.pods)
		}
	}
	return out
}

type rule struct {
	path  string
	peers []peer // none: every peer
	ports []Port // none: every port
}

// New reads a policy. An error names the field that an API server would refuse.
func New(namespace, name string, spec Spec) (*Policy, error) {
	p := &Policy{Namespace: namespace, Name: name}
	var err error
	if p.pods, err = spec.PodSelector.read("spec.podSelector"); err != nil {
		return nil, err
	}
	// Without types a policy is for ingress, and for egress where it has such rules.
	p.ingress = len(spec.PolicyTypes) == 0 || slices.Contains(spec.PolicyTypes, typeIngress)
	p.egress = len(spec.PolicyTypes) == 0 && len(spec.Egress) > 0 || slices.Contains(spec.PolicyTypes, typeEgress)
	for i, r := range spec.Ingress {
		if err := add(&p.in, fmt.Sprintf("spec.ingress[%d]", i), "from", r.From, r.Ports); err != nil {
			return nil, err
		}
	}
	for i, r := range spec.Egress {
		if err := add(&p.out, fmt.Sprintf("spec.egress[%d]", i), "to", r.To, r.Ports); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func add(rules *[]rule, path, field string, peers []Peer, ports []Port) error {
	r := rule{path: path, ports: ports}
	for i, in := range peers {
		p, err := in.read(fmt.Sprintf("%s.%s[%d]", path, field, i))
		if err != nil {
			return err
		}
		r.peers = append(r.peers, p)
	}
	*rules = append(*rules, r)
	return nil
}

func (s LabelSelector) read(path string) (labels.Selector, error) {
	operators := map[string]selection.Operator{
		"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist,
	}
	out := labels.SelectorFromSet(s.MatchLabels)
	for i, e := range s.MatchExpressions {
		operator, ok := operators[e.Operator]
		if !ok {
			return nil, fmt.Errorf("%s.matchExpressions[%d].operator: there is no operator %q", path, i, e.Operator)
		}
		requirement, err := labels.NewRequirement(e.Key, operator, e.Values)
		if err != nil {
			return nil, fmt.Errorf("%s.matchExpressions[%d]: %w", path, i, err)
		}
		out = out.Add(*requirement)
	}
	return out, nil
}
