package netpol

import (
	"errors"
	"fmt"
	"net/netip"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// Endpoint is one end of a connection.
type Endpoint struct {
	// Pod says that it is a pod on the pods' network. One on its node's network is no
	// pod here, for policies neither select nor know it.
	Pod bool
	// Namespace of the pod, with its labels; nil labels are not known. Every namespace
	// has at least the label of its name.
	Namespace       string
	NamespaceLabels map[string]string
	Labels          map[string]string
	// Address is not known where it is the zero Addr.
	Address netip.Addr
	// Node says that it is a node, or a pod on its network.
	Node bool
}

type peer struct {
	pods, namespaces labels.Selector // both nil for a block
	block            netip.Prefix
	except           []netip.Prefix
}

func (in Peer) read(path string) (peer, error) {
	var p peer
	if in.IPBlock != nil {
		if in.PodSelector != nil || in.NamespaceSelector != nil {
			return p, fmt.Errorf("%s.ipBlock: it stands alone or not at all", path)
		}
		var err error
		if p.block, err = netip.ParsePrefix(in.IPBlock.CIDR); err != nil {
			return p, fmt.Errorf("%s.ipBlock.cidr: %w", path, err)
		}
		for i, text := range in.IPBlock.Except {
			except, err := netip.ParsePrefix(text)
			if err != nil {
				return p, fmt.Errorf("%s.ipBlock.except[%d]: %w", path, i, err)
			}
			p.except = append(p.except, except)
		}
		return p, nil
	}
	if in.PodSelector == nil && in.NamespaceSelector == nil {
		return p, fmt.Errorf("%s: %w", path, errors.New("it names nobody"))
	}
	p.pods = labels.Everything()
	var err error
	if in.PodSelector != nil {
		if p.pods, err = in.PodSelector.read(path + ".podSelector"); err != nil {
			return p, err
		}
	}
	if in.NamespaceSelector != nil {
		p.namespaces, err = in.NamespaceSelector.read(path + ".namespaceSelector")
	}
	return p, err
}

// labelName is what the API server puts on each namespace.
const labelName = "kubernetes.io/metadata.name"

func (p peer) is(e Endpoint, own string) truth.Value {
	switch {
	case p.pods == nil:
		return p.holds(e.Address)
	case !e.Pod:
		return truth.No
	case p.namespaces == nil && e.Namespace != own, !p.pods.Matches(labels.Set(e.Labels)):
		return truth.No
	case p.namespaces == nil:
		return truth.Yes
	}
	known := labels.Set{labelName: e.Namespace}
	if e.NamespaceLabels == nil {
		// What the name alone settles is known without the rest.
		requirements, _ := p.namespaces.Requirements()
		return truth.All(requirements, func(r labels.Requirement) truth.Value {
			if r.Key() != labelName {
				return truth.Unknown
			}
			return truth.Of(r.Matches(known))
		})
	}
	for key, value := range e.NamespaceLabels {
		if key != labelName {
			known[key] = value
		}
	}
	return truth.Of(p.namespaces.Matches(known))
}

func (p peer) holds(address netip.Addr) truth.Value {
	if !address.IsValid() {
		return truth.Unknown
	}
	return min(truth.Of(p.block.Contains(address)), truth.Not(truth.Any(p.except, func(b netip.Prefix) truth.Value {
		return truth.Of(b.Contains(address))
	})))
}
