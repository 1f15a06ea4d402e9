package parity

import (
	"strings"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// gateway compares a gateway's routes, which may be another owner's, and observes its host policy.
func (c *checker) gateway(g *model.Gateway) {
	if g.Absent {
		return
	}
	for _, route := range g.Routes {
		if c.compared(route.Owner) && len(route.Hosts) > 0 {
			c.route(g, route)
		}
	}
	if !c.compared(g.Owner) {
		return
	}
	pods := policy.DeploymentRef(g.Namespace, g.Deployment)
	if !g.TargetRef.IsZero() {
		pods = g.TargetRef // istiod makes the pods of a Gateway API gateway
	}
	deployed := len(c.objects(pods, "gateway "+g.Name)) > 0
	if deployed {
		c.checked.Gateways++
	}
	if g.HostPolicy {
		c.hostPolicy(g, deployed)
	}
}

// hostPolicy observes the host policies of a gateway: the one of the model's name,
// whoever wrote it, and others that constrain its hosts.
func (c *checker) hostPolicy(g *model.Gateway, deployed bool) {
	ref := policy.AuthorizationPolicyRef(g.Namespace, g.Name)
	p := protection{section: policy.SectionGateways, name: g.Name, ref: ref, rendered: deployed}
	for _, a := range c.policies {
		own := isNamed(a.Object, ref)
		holds := a.Decides() && !a.OnlyEmptyRules()
		if own || c.isFrom(a.Object, policy.SectionGateways+"/"+g.Name) || holds && c.constrains(a, g) {
			p.add(a.Object, own, holds, "admits only some requests", inert(a))
		}
		if own && holds && g.Profile.Enforces() {
			c.checked.HostPolicies++
			c.policyHosts(a, g)
		}
	}
	c.protected(p)
}

// constrains reports whether a policy of no gateway's name constrains the hosts of a gateway.
func (c *checker) constrains(a policy.Authorization, g *model.Gateway) bool {
	if a.NamespaceWide() || !a.AppliesTo(c.Input, g) {
		return false
	}
	for _, other := range c.Gateways {
		if isNamed(a.Object, policy.AuthorizationPolicyRef(other.Namespace, other.Name)) {
			return false
		}
	}
	for _, rule := range a.Spec.GetRules() {
		if _, constrained := policy.RuleHosts(rule); constrained {
			return true
		}
	}
	return false
}

// policyHosts compares the hosts that a gateway's policy admits, ports aside.
func (c *checker) policyHosts(a policy.Authorization, g *model.Gateway) {
	var (
		patterns []string
		at       = resource.Path{"spec", "rules"}
	)
	for i, rule := range a.Spec.GetRules() {
		hosts, constrained := policy.RuleHosts(rule)
		if !constrained {
			c.report(a.Object, finding.New(finding.ParityHost, resource.Ref{}, policy.RulePath(i).String(),
				"it admits requests for any host, and the inventory gives gateway %q %s", g.Name, listed(hostNames(g.Hosts))).
				WithValues(hosts, derive.HostPatterns(g)))
			return
		}
		patterns = append(patterns, hosts...)
	}
	if rules := a.Spec.GetRules(); len(rules) == 1 && len(rules[0].GetTo()) == 1 {
		at = policy.RulePath(0).Child("to").Index(0).Child("operation", "hosts")
	}
	hosts := make([]string, 0, len(patterns))
	for _, pattern := range patterns {
		name, _, _ := strings.Cut(pattern, ":")
		hosts = append(hosts, name)
	}
	if !sameHosts(hosts, g.Hosts) {
		c.report(a.Object, finding.New(finding.ParityHost, resource.Ref{}, at.String(),
			"it admits %s, and the inventory gives gateway %q %s", listed(patterns), g.Name, listed(hostNames(g.Hosts))).
			WithValues(patterns, derive.HostPatterns(g)))
	}
}

// foreignHosts compares what the other policies of gateways name: an external
// authorization for the host of another environment authorizes nothing in this one.
func (c *checker) foreignHosts() {
	for _, a := range c.policies {
		custom := a.Spec.GetAction() == securityv1beta1.AuthorizationPolicy_CUSTOM
		if a.DryRun() || !a.Allows() && !custom || !c.ofGateway(a) {
			continue
		}
		for i, rule := range a.Spec.GetRules() {
			for j, to := range rule.GetTo() {
				for k, pattern := range to.GetOperation().GetHosts() {
					if c.foreign(pattern) {
						field := policy.RulePath(i).Child("to").Index(j).Child("operation", "hosts").Index(k)
						c.report(a.Object, finding.New(finding.ParityHost, resource.Ref{}, field.String(),
							"it names %q, and the inventory gives that host to no gateway", pattern).WithValues(pattern, nil))
					}
				}
			}
		}
	}
}

// ofGateway reports whether a policy applies to a gateway that is compared, and
// isn't the one that policyHosts looks at.
func (c *checker) ofGateway(a policy.Authorization) bool {
	applies := false
	for _, g := range c.Gateways {
		if isNamed(a.Object, policy.AuthorizationPolicyRef(g.Namespace, g.Name)) && g.HostPolicy {
			return false
		}
		applies = applies || c.compared(g.Owner) && !g.Absent && a.AppliesTo(c.Input, g)
	}
	return applies
}

// foreign reports whether a pattern names a public host that no gateway of the
// environment serves. Names within a cluster are in no dns.
func (c *checker) foreign(pattern string) bool {
	name, _, _ := strings.Cut(pattern, ":")
	host, err := model.ParseHost(name)
	if err != nil || strings.HasSuffix(host.String(), ".svc") || strings.HasSuffix(host.String(), ".svc.cluster.local") {
		return false
	}
	for _, g := range c.Gateways {
		for _, h := range g.Hosts {
			if h.Covers(host) || host.Covers(h) {
				return false
			}
		}
	}
	return true
}
