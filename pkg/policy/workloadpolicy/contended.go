package workloadpolicy

import (
	"slices"

	securityv1beta1 "istio.io/api/security/v1beta1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// contended reports what would widen or unsettle the policies of the owner's
// destinations: ALLOW policies are a union (istio/istio#37364), and of several
// PeerAuthentications for the same pods the oldest wins.
func contended(in policy.Input) finding.List {
	policies, out := policy.Authorizations(in.Resources)
	peers, unreadable := policy.Peers(in.Resources)
	out.Add(unreadable...)
	for w := range in.MyWorkloads() {
		if !w.Protected || !w.Profile.Enforces() {
			continue
		}
		for _, pods := range policy.PodLabels(in, w) {
			out.Add(widened(in, w, pods, policies)...)
			out.Add(crossed(in, w, pods)...)
			out.Add(unsettled(in, w, pods, peers)...)
		}
	}
	return out
}

// generated reports whether Reconcile sees to an object: it is ours, of this section.
func generated(in policy.Input, o *resource.Object) bool {
	return policy.OriginOf(in.Scope).Made(o) && policy.SectionOf(o) == policy.SectionWorkloads
}

// widened reports policies of others that admit more than the model does.
func widened(in policy.Input, w *model.Workload, pods map[string]string, policies []policy.Authorization) finding.List {
	var out finding.List
	edges := edgesTo(in, w)
	for _, a := range policies {
		ref := a.Object.Ref()
		own := ref.Key() == policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName).Key()
		if own || generated(in, a.Object) || !a.Decides() || !a.Selects(w.Namespace, pods, in.Istio.RootNamespace) {
			continue
		}
		for i, rule := range a.Spec.GetRules() {
			if !edges.hold(rule) {
				out.Add(finding.New(finding.WorkloadAllowWider, ref, policy.RulePath(i).String(),
					"it admits more to workload %q than the model, so that %s no longer decides alone who may reach it", w.Name, w.PolicyName))
			}
		}
	}
	return out
}

// crossed reports other workloads, and gateways, of the model whose policies
// select this one's pods as well and admit more to them. By default a gateway and
// a workload of one name have one selector, and a host policy admits everybody who
// knows the host.
func crossed(in policy.Input, w *model.Workload, pods map[string]string) finding.List {
	var out finding.List
	for _, g := range in.Gateways {
		if policy.HostPolicySelects(in, g, w.Namespace, pods) {
			out.Add(finding.New(finding.WorkloadAllowWider, policy.AuthorizationPolicyRef(g.Namespace, g.Name), "spec.selector.matchLabels",
				"the selector %s of gateway %q matches the pods of workload %q, to which it admits everybody who asks for its hosts", labels.Set(g.Selector), g.Name, w.Name).
				WithRemedy("tell the two selectors apart"))
		}
	}
	edges := edgesTo(in, w)
	for _, other := range in.Workloads {
		if other == w || other.Absent || !other.Protected || !other.Profile.Enforces() || other.Namespace != w.Namespace || !resource.Selects(other.Selector, pods) {
			continue
		}
		if !edges.contain(edgesTo(in, other)) {
			out.Add(finding.New(finding.WorkloadAllowWider, policy.AuthorizationPolicyRef(other.Namespace, other.PolicyName), "spec.selector.matchLabels",
				"the selector %s of workload %q matches the pods of workload %q, to which it admits more than that one's own policy", labels.Set(other.Selector), other.Name, w.Name).
				WithRemedy("tell the two selectors apart"))
		}
	}
	return out
}

// unsettled reports PeerAuthentications of others that say something else for the same pods.
func unsettled(in policy.Input, w *model.Workload, pods map[string]string, peers []policy.Peer) finding.List {
	var out finding.List
	for _, p := range peers {
		ref := p.Object.Ref()
		own := ref.Key() == policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName).Key()
		if own || generated(in, p.Object) || p.Strict() || !p.Names(w.Namespace, pods) {
			continue
		}
		out.Add(finding.New(finding.WorkloadPeerMode, ref, "spec", "it selects the pods of workload %q and isn't STRICT for every port, as %s is", w.Name, w.PeerAuthenticationName))
	}
	return out
}

// edges are the principals and ports that a policy admits.
type edges struct{ principals, ports []string }

func edgesTo(in policy.Input, w *model.Workload) edges {
	var out edges
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
