package policy

import (
	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Peer is a PeerAuthentication as rendered, by whomever.
type Peer struct {
	Object *resource.Object
	Spec   *securityv1beta1.PeerAuthentication
}

// Peers returns the PeerAuthentications of a set. One that Istio would not read
// as written is an error.
func Peers(set *resource.Set) ([]Peer, finding.List) {
	var (
		out      []Peer
		findings finding.List
	)
	for _, o := range set.Kind(securityGroup, kindPeerAuthentication) {
		spec, err := specAs[securityv1beta1.PeerAuthentication](o)
		if err != nil {
			findings.Add(finding.New(finding.ObjectUnreadable, o.Ref(), "spec", "%v", err))
			continue
		}
		out = append(out, Peer{Object: o, Spec: spec})
	}
	return out, findings
}

// Names reports whether the PeerAuthentication is on the level of a workload's
// own: it selects these pods by their labels. One without selector gives way to
// it, and in the root namespace Istio ignores the selector.
func (p Peer) Names(namespace string, labels map[string]string) bool {
	at := p.Object.Ref().Namespace
	return (at == "" || at == namespace) && resource.Selects(p.Spec.GetSelector().GetMatchLabels(), labels)
}

// Strict reports whether it refuses plaintext on every port.
func (p Peer) Strict() bool {
	return p.Spec.GetMtls().GetMode() == securityv1beta1.PeerAuthentication_MutualTLS_STRICT && len(p.Spec.GetPortLevelMtls()) == 0
}
