package hostpolicy

import (
	"slices"
	"strings"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
)

// widened reports ALLOW policies beside ours that admit more to a gateway than
// the model's hosts. ALLOW policies are a union (istio/istio#37364), so one that
// is wider voids ours. The policy of the gateway's own name is Reconcile's.
func widened(in policy.Input) finding.List {
	policies, out := policy.Authorizations(in.Resources)
	origin := policy.OriginOf(in.Scope)
	for _, g := range in.Gateways {
		if g.Absent || !in.Mine(g.Owner) && !inBuild(in, g) {
			continue
		}
		labels := policy.GatewayLabels(in, g)
		for _, a := range policies {
			ref := a.Object.Ref()
			own := g.HostPolicy && in.Mine(g.Owner) && ref == policy.AuthorizationPolicyRef(g.Namespace, g.Name)
			if own || origin.Made(a.Object) || !a.Allows() || a.DryRun() || !a.Selects(g.Namespace, labels, in.Istio.RootNamespace) {
				continue
			}
			for i, rule := range a.Spec.GetRules() {
				out.Add(judge(g, a, i, rule)...)
			}
		}
	}
	return out
}

// inBuild reports whether a gateway of another owner has its pods here all the same.
func inBuild(in policy.Input, g *model.Gateway) bool {
	return in.Resources.Get(policy.DeploymentRef(g.Namespace, g.Deployment)) != nil
}

func judge(g *model.Gateway, a policy.Authorization, i int, rule *securityv1beta1.Rule) finding.List {
	field := policy.RulePath(i).String()
	hosts, constrained := hostsOf(rule)
	if !constrained {
		return finding.List{finding.New(finding.GatewayAllowOpen, a.Object.Ref(), field, "it admits requests for any host to gateway %q", g.Name)}
	}
	if !g.HostPolicy {
		return nil
	}
	var beyond []string
	for _, pattern := range hosts {
		if !covered(pattern, g.Hosts) {
			beyond = append(beyond, pattern)
		}
	}
	if len(beyond) == 0 || !g.Profile.Enforces() {
		return nil
	}
	return finding.List{finding.New(finding.GatewayAllowWider, a.Object.Ref(), field,
		"it admits hosts to gateway %q that the model doesn't: %s", g.Name, strings.Join(beyond, ", "))}
}

// hostsOf returns the hosts that a rule admits, and whether it constrains them at all.
func hostsOf(rule *securityv1beta1.Rule) (hosts []string, constrained bool) {
	for _, to := range rule.GetTo() {
		list := to.GetOperation().GetHosts()
		if len(list) == 0 {
			return nil, false
		}
		hosts = append(hosts, list...)
	}
	return hosts, len(hosts) > 0 && !slices.Contains(hosts, "*")
}

// covered reports whether every host that a pattern of a policy matches is one of the hosts, port aside.
func covered(pattern string, hosts []model.Host) bool {
	name, _, _ := strings.Cut(pattern, ":")
	host, err := model.ParseHost(name)
	return err == nil && slices.ContainsFunc(hosts, func(h model.Host) bool { return h.Covers(host) })
}

// lockedOut reports removals after which an ALLOW policy without rules would
// admit nobody to a gateway: Kubeflow's global-deny-all is one.
func lockedOut(in policy.Input, removals []policy.Removal) finding.List {
	policies, _ := policy.Authorizations(in.Resources) // what can't be read is reported by widened
	var out finding.List
	for _, removal := range removals {
		for _, g := range in.Gateways {
			ref := policy.AuthorizationPolicyRef(g.Namespace, g.Name)
			if g.Absent || removal.Object.Ref().Key() != ref.Key() {
				continue
			}
			for _, a := range policies {
				if a.Object != removal.Object && a.Allows() && !a.DryRun() && len(a.Spec.GetRules()) == 0 &&
					a.Selects(g.Namespace, policy.GatewayLabels(in, g), in.Istio.RootNamespace) {
					out.Add(finding.New(finding.GatewayLockedOut, ref, "", "without it gateway %q is under %s, which has no rules and admits nobody", g.Name, a.Object.Ref()))
				}
			}
		}
	}
	return out
}
