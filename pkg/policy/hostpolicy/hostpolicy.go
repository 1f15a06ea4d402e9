// Package hostpolicy carries one host value to every place that must agree on
// it: a gateway's Gateway and VirtualService, its AuthorizationPolicy, and the
// consumers that are told the host or the gateway's principal.
package hostpolicy

import (
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Plan writes the hosts of the owner's gateways into its routes and consumers,
// in every profile, and makes the gateways' policies what this environment
// derives: one for each gateway that is enforced, none for the others.
func Plan(in policy.Input) policy.Plan {
	var (
		plan     policy.Plan
		wanted   []policy.Object
		unwanted []resource.Ref
		origin   = policy.OriginOf(in.Scope)
	)
	for _, g := range in.Gateways {
		if !g.Absent {
			planRoutes(in, g, &plan)
		}
		if !in.Mine(g.Owner) || !g.HostPolicy {
			continue
		}
		if g.Absent || !g.Profile.Enforces() {
			unwanted = append(unwanted, policy.AuthorizationPolicyRef(g.Namespace, g.Name))
			continue
		}
		plan.Findings.Add(wildcards(in, g)...)
		wanted = append(wanted, origin.HostPolicy(g))
	}
	changes := policy.Reconcile(in.Resources, origin, policy.SectionGateways, wanted, unwanted)
	plan.Add(changes)
	plan.Findings.Add(widened(in)...)
	plan.Findings.Add(lockedOut(in, changes.Remove)...)
	for c := range in.MyConsumers() {
		planConsumer(in, c, &plan)
	}
	return plan
}

// wildcards reports a wildcard host that the build doesn't already serve, and
// one whose ports nobody listed.
func wildcards(in policy.Input, g *model.Gateway) finding.List {
	var out finding.List
	for _, host := range g.Hosts {
		if !host.IsWildcard() {
			continue
		}
		for _, route := range g.Routes {
			o := in.Resources.Get(route.Ref)
			if o != nil && !serves(o, route, host) {
				out.Add(finding.New(finding.HostWildcard, o.Ref(), hostsField(route.Ref.Kind),
					"gateway %q would admit %q, and it doesn't use that wildcard", g.Name, host).WithValues(currentHosts(o, route), nil))
			}
		}
		if len(g.HostPorts) == 0 {
			out.Add(finding.New(finding.HostWildcardPorts, policy.AuthorizationPolicyRef(g.Namespace, g.Name), "spec.rules[0].to[0].operation.hosts",
				"clients that write a port after a host of %q are denied", host))
		}
	}
	return out
}
