package workloadpolicy

import (
	"fmt"
	"maps"
	"slices"

	securityv1beta1 "istio.io/api/security/v1beta1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// edges are the principals and ports that the model admits to a destination.
type edges struct {
	to                *model.Workload
	principals, ports []string
}

// contended reports what would widen or unsettle the policies of the owner's
// destinations: ALLOW policies are a union (istio/istio#37364), and of several
// PeerAuthentications for the same pods the oldest wins.
func contended(in policy.Input) finding.List {
	policies, out := policy.Authorizations(in.Resources)
	peers, unreadable := policy.Peers(in.Resources)
	out.Add(unreadable...)
	policies = slices.DeleteFunc(policies, func(a policy.Authorization) bool { return generated(in, a.Object) || !a.Decides() })
	peers = slices.DeleteFunc(peers, func(p policy.Peer) bool { return generated(in, p.Object) || p.Strict() })
	selectors := selectorsOf(in)
	for w := range in.MyWorkloads() {
		if !w.Protected || !w.Profile.Enforces() {
			continue
		}
		edges := edgesTo(in, w)
		for _, pods := range policy.PodLabels(in, w) {
			out.Add(edges.widened(in, pods, policies)...)
			out.Add(edges.crossed(in, pods, selectors)...)
			out.Add(unsettled(w, pods, peers)...)
		}
	}
	return out
}

// generated reports whether Reconcile sees to an object: it is ours, of this section.
func generated(in policy.Input, o *resource.Object) bool {
	return policy.OriginOf(in.Scope).Made(o) && policy.SectionOf(o) == policy.SectionWorkloads
}

// widened reports policies of others that admit more than the model does.
func (e edges) widened(in policy.Input, pods map[string]string, policies []policy.Authorization) finding.List {
	var out finding.List
	for _, a := range policies {
		ref := a.Object.Ref()
		own := ref.Key() == policy.AuthorizationPolicyRef(e.to.Namespace, e.to.PolicyName).Key()
		if own || !a.Selects(e.to.Namespace, pods, in.Istio.RootNamespace) {
			continue
		}
		for i, rule := range a.Spec.GetRules() {
			if !e.hold(rule) {
				out.Add(finding.New(finding.WorkloadAllowWider, ref, policy.RulePath(i).String(),
					"it admits more to workload %q than the model, so that %s no longer decides alone who may reach it", e.to.Name, e.to.PolicyName))
			}
		}
	}
	return out
}

// label is one entry of a selector in a namespace.
type label struct{ namespace, key, value string }

// selectorsOf returns the destinations that are enforced by one label of their
// selectors: those that select a pod are among those of its labels.
func selectorsOf(in policy.Input) map[label][]*model.Workload {
	out := map[label][]*model.Workload{}
	for _, w := range in.Workloads {
		if !w.Absent && w.Protected && w.Profile.Enforces() {
			key := slices.Min(slices.Collect(maps.Keys(w.Selector)))
			at := label{w.Namespace, key, w.Selector[key]}
			out[at] = append(out[at], w)
		}
	}
	return out
}

// crossed reports other workloads, and gateways, of the model whose policies
// select these pods as well and admit more to them. The model knows the selectors
// alone; here are the labels that the pods really have.
func (e edges) crossed(in policy.Input, pods map[string]string, selectors map[label][]*model.Workload) finding.List {
	var out finding.List
	add := func(ref resource.Ref, selector map[string]string, format string, args ...any) {
		out.Add(finding.New(finding.WorkloadAllowWider, ref, "spec.selector.matchLabels", "the selector %s of %s", labels.Set(selector), fmt.Sprintf(format, args...)).
			WithRemedy("tell the two selectors apart"))
	}
	for _, g := range in.Gateways {
		if policy.HostPolicySelects(in, g, e.to.Namespace, pods) {
			add(policy.AuthorizationPolicyRef(g.Namespace, g.Name), g.Selector,
				"gateway %q matches the pods of workload %q, to which it admits everybody who asks for its hosts", g.Name, e.to.Name)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(pods)) {
		for _, other := range selectors[label{e.to.Namespace, key, pods[key]}] {
			if other != e.to && resource.Selects(other.Selector, pods) && !e.contain(edgesTo(in, other)) {
				add(policy.AuthorizationPolicyRef(other.Namespace, other.PolicyName), other.Selector,
					"workload %q matches the pods of workload %q, to which it admits more than that one's own policy", other.Name, e.to.Name)
			}
		}
	}
	return out
}

// unsettled reports PeerAuthentications of others that say something else for the same pods.
func unsettled(w *model.Workload, pods map[string]string, peers []policy.Peer) finding.List {
	var out finding.List
	for _, p := range peers {
		ref := p.Object.Ref()
		own := ref.Key() == policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName).Key()
		if own || !p.Names(w.Namespace, pods) {
			continue
		}
		out.Add(finding.New(finding.WorkloadPeerMode, ref, "spec", "it selects the pods of workload %q and isn't STRICT for every port, as %s is", w.Name, w.PeerAuthenticationName))
	}
	return out
}

func edgesTo(in policy.Input, w *model.Workload) edges {
	out := edges{to: w}
	for _, p := range derive.Principals(w.Callers) {
		out.principals = append(out.principals, p.String())
	}
	templates, _ := in.Templates(w) // for another owner's workload: those that this build holds
	ports, _ := in.ResolvePorts(w, templates)
	for _, p := range append(ports, w.Ports...) {
		out.ports = append(out.ports, p.String())
	}
	return out
}

func (e edges) contain(o edges) bool {
	return within(o.principals, e.principals) && within(o.ports, e.ports)
}

// hold reports whether a rule admits nobody whom the edges don't. Whatever it asks
// for beside principals and ports narrows it further.
func (e edges) hold(rule *securityv1beta1.Rule) bool {
	for _, from := range rule.GetFrom() {
		if named := from.GetSource().GetPrincipals(); len(named) == 0 || !within(named, e.principals) {
			return false
		}
	}
	for _, to := range rule.GetTo() {
		if named := to.GetOperation().GetPorts(); len(named) == 0 || !within(named, e.ports) {
			return false
		}
	}
	return len(rule.GetFrom()) > 0 && len(rule.GetTo()) > 0
}

func within(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}
