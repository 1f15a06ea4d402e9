// Package hostpolicy carries one host value to every place that must agree on
// it: a gateway's Gateway and VirtualService, its AuthorizationPolicy, and the
// consumers that are told the host or the gateway's principal.
package hostpolicy

import (
	"k8s.io/apimachinery/pkg/labels"

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
		plan.Findings.Add(selected(in, g)...)
		plan.Findings.Add(crossed(in, g)...)
		plan.Findings.Add(wildcards(in, g)...)
		wanted = append(wanted, origin.HostPolicy(g))
	}
	changes := policy.Reconcile(in.Resources, origin, policy.SectionGateways, wanted, unwanted)
	plan.Add(changes)
	plan.Findings.Add(widened(in)...)
	plan.Findings.Add(lockedOut(in, changes)...)
	for c := range in.MyConsumers() {
		planConsumer(in, c, &plan)
	}
	return plan
}

// selected reports a selector that misses the gateway's own pods: its policy would protect nothing.
func selected(in policy.Input, g *model.Gateway) finding.List {
	o := in.Resources.Get(policy.DeploymentRef(g.Namespace, g.Deployment))
	if o == nil || g.Selector == nil {
		return nil
	}
	t := o.PodTemplate()
	if t == nil || resource.Selects(g.Selector, t.Labels) {
		return nil // no template: the set keeps the error
	}
	return finding.List{finding.New(finding.GatewaySelector, o.Ref(), t.LabelsAt.String(),
		"the selector %s of gateway %q doesn't match its pods' labels %s", labels.Set(g.Selector), g.Name, labels.Set(t.Labels)).WithValues(t.Labels, g.Selector)}
}

// wildcards reports a wildcard host that nothing in the build serves, and one
// whose ports nobody listed. That every route serves it already, the routes see to.
func wildcards(in policy.Input, g *model.Gateway) finding.List {
	var out finding.List
	ref := policy.AuthorizationPolicyRef(g.Namespace, g.Name)
	const hosts = "spec.rules[0].to[0].operation.hosts"
	for _, host := range g.Hosts {
		if !host.IsWildcard() {
			continue
		}
		served := false
		for _, route := range g.Routes {
			o := in.Resources.Get(route.Ref)
			served = served || o != nil && serves(o, route, host)
		}
		if !served {
			out.Add(finding.New(finding.HostWildcard, ref, hosts, "it would admit %q, which no route of gateway %q in %s uses", host, g.Name, in.Place()))
		}
		if len(g.HostPorts) == 0 {
			out.Add(finding.New(finding.HostWildcardPorts, ref, hosts, "clients that write a port after a host of %q are denied", host))
		}
	}
	return out
}
