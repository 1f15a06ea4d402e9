package hostpolicy

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// widened reports ALLOW policies beside ours that admit more to a gateway than
// the model's hosts. ALLOW policies are a union (istio/istio#37364), so one that
// is wider voids ours. It looks at every gateway: this build may hold a policy
// that opens another owner's. What Reconcile sees to is left out: the policy of
// the gateway's own name, and ours of this section.
func widened(in policy.Input) finding.List {
	policies, out := policy.Authorizations(in.Resources)
	origin := policy.OriginOf(in.Scope)
	policies = slices.DeleteFunc(policies, func(a policy.Authorization) bool {
		return !a.Decides() || origin.Made(a.Object) && policy.SectionOf(a.Object) == policy.SectionGateways
	})
	for _, g := range in.Gateways {
		if g.Absent || in.Cluster && !in.Mine(g.Owner) {
			continue
		}
		for _, a := range policies {
			own := g.HostPolicy && in.Mine(g.Owner) && a.Object.Ref().Key() == policy.AuthorizationPolicyRef(g.Namespace, g.Name).Key()
			if own || !a.AppliesTo(in, g) {
				continue
			}
			out.Add(policy.OpenRules(a, g)...)
			if g.HostPolicy && g.Profile.Enforces() {
				out.Add(wider(a, g)...)
			}
		}
	}
	return out
}

func wider(a policy.Authorization, g *model.Gateway) finding.List {
	var out finding.List
	for i, rule := range a.Spec.GetRules() {
		hosts, constrained := policy.RuleHosts(rule)
		beyond := slices.DeleteFunc(hosts, func(pattern string) bool { return covered(pattern, g.Hosts) })
		if constrained && len(beyond) > 0 {
			out.Add(finding.New(finding.GatewayAllowWider, a.Object.Ref(), policy.RulePath(i).String(),
				"it admits hosts to gateway %q that the model doesn't: %s", g.Name, strings.Join(beyond, ", ")))
		}
	}
	return out
}

// crossed reports other gateways of the model whose host policies select this
// one's pods as well and admit more hosts to them: the label istio:
// ingressgateway, say, is on the pods of many.
func crossed(in policy.Input, g *model.Gateway) finding.List {
	var out finding.List
	for _, other := range in.Gateways {
		if other == g || !policy.HostPolicySelects(in, other, g.Namespace, policy.GatewayLabels(in, g, other.Selector)) {
			continue
		}
		beyond := slices.DeleteFunc(slices.Clone(other.Hosts), func(host model.Host) bool {
			return slices.ContainsFunc(g.Hosts, func(mine model.Host) bool { return mine.Covers(host) })
		})
		if len(beyond) > 0 {
			out.Add(finding.New(finding.GatewayAllowWider, policy.AuthorizationPolicyRef(other.Namespace, other.Name), "spec.selector.matchLabels",
				"the selector %s of gateway %q matches the pods of gateway %q, to which it admits %s", labels.Set(other.Selector), other.Name, g.Name, strings.Join(names(beyond), ", ")).
				WithRemedy("tell the two gateways' selectors apart"))
		}
	}
	return out
}

// covered reports whether every host that a pattern of a policy matches is one of
// the hosts, port aside. Patterns with a "*" elsewhere than as the whole first
// label, or as the port, match more than any host of a model.
func covered(pattern string, hosts []model.Host) bool {
	name, _, _ := strings.Cut(pattern, ":")
	host, err := model.ParseHost(name)
	return err == nil && slices.ContainsFunc(hosts, func(h model.Host) bool { return h.Covers(host) })
}

// lockedOut reports gateways that would be left under an ALLOW policy without
// rules, which admits nobody (Kubeflow's global-deny-all is one), with no policy
// that admits somebody: the owner's below the enforced rung, and others' from
// which a removal takes the last one.
func lockedOut(in policy.Input, changes policy.Plan) finding.List {
	removed, edited := map[*resource.Object]bool{}, map[*resource.Object]bool{}
	for _, removal := range changes.Remove {
		removed[removal.Object] = true
	}
	for _, edit := range changes.Edits { // it becomes the policy of an enforced gateway
		edited[edit.Object] = true
	}
	policies, _ := policy.Authorizations(in.Resources) // what can't be read is reported by widened
	var out finding.List
	for _, g := range in.Gateways {
		if g.Absent || in.Mine(g.Owner) && g.HostPolicy && g.Profile.Enforces() {
			continue
		}
		var closing []policy.Authorization
		open, touched := false, in.Mine(g.Owner) && g.HostPolicy
		for _, a := range policies {
			switch {
			case edited[a.Object] || !a.Decides() || !a.AppliesTo(in, g):
			case removed[a.Object]:
				touched = true
			case len(a.Spec.GetRules()) > 0:
				open = true
			default:
				closing = append(closing, a)
			}
		}
		if open || !touched {
			continue
		}
		for _, a := range closing {
			out.Add(finding.New(finding.GatewayLockedOut, a.Object.Ref(), "spec",
				"it has no rules and so admits nobody, and gateway %q, which is %s here, has no other policy", g.Name, g.Profile))
		}
	}
	return out
}
