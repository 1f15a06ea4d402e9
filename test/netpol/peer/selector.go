package peer

import (
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NotIn selects what lacks the label, too, as Kubernetes documents ("and all
// resources with no labels with the key") and its own code does; to Cyclonus it
// doesn't. Each selector with NotIn is put before it as several whose union
// says the same.

// worded returns policies that say together what one does.
func worded(p *networkingv1.NetworkPolicy) []*networkingv1.NetworkPolicy {
	for i := range p.Spec.Ingress {
		p.Spec.Ingress[i].From = peers(p.Spec.Ingress[i].From)
	}
	for i := range p.Spec.Egress {
		p.Spec.Egress[i].To = peers(p.Spec.Egress[i].To)
	}
	var out []*networkingv1.NetworkPolicy
	for _, selector := range selectors(&p.Spec.PodSelector) {
		with := p.DeepCopy()
		with.Spec.PodSelector = *selector
		out = append(out, with)
	}
	return out
}

func peers(in []networkingv1.NetworkPolicyPeer) []networkingv1.NetworkPolicyPeer {
	var out []networkingv1.NetworkPolicyPeer
	for _, peer := range in {
		for _, pods := range selectors(peer.PodSelector) {
			for _, namespaces := range selectors(peer.NamespaceSelector) {
				out = append(out, networkingv1.NetworkPolicyPeer{PodSelector: pods, NamespaceSelector: namespaces, IPBlock: peer.IPBlock})
			}
		}
	}
	return out
}

func selectors(in *metav1.LabelSelector) []*metav1.LabelSelector {
	if in == nil {
		return []*metav1.LabelSelector{nil}
	}
	out := []*metav1.LabelSelector{{MatchLabels: in.MatchLabels}}
	for _, e := range in.MatchExpressions {
		choices := []metav1.LabelSelectorRequirement{e}
		if e.Operator == metav1.LabelSelectorOpNotIn {
			choices = append(choices, metav1.LabelSelectorRequirement{Key: e.Key, Operator: metav1.LabelSelectorOpDoesNotExist})
		}
		var next []*metav1.LabelSelector
		for _, selector := range out {
			for _, choice := range choices {
				with := selector.DeepCopy()
				with.MatchExpressions = append(with.MatchExpressions, choice)
				next = append(next, with)
			}
		}
		out = next
	}
	return out
}
