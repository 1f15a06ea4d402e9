// Package workloadpolicy protects the model's destinations: an AuthorizationPolicy
// that admits the callers' principals to the workload ports, and a STRICT
// PeerAuthentication, without which plaintext callers carry no principal.
package workloadpolicy

import (
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Plan makes the policies of the owner's destinations what this environment
// derives: both objects of each that is enforced, none of the others.
func Plan(in policy.Input) policy.Plan {
	var (
		plan     policy.Plan
		wanted   []policy.Object
		unwanted []resource.Ref
		origin   = policy.OriginOf(in.Scope)
	)
	for _, w := range in.Workloads {
		if !in.Mine(w.Owner) || !w.Protected {
			continue
		}
		if w.Absent || !w.Profile.Enforces() {
			unwanted = append(unwanted,
				policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName),
				policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName))
			continue
		}
		templates, findings := in.Templates(w)
		plan.Findings.Add(findings...)
		ports, findings := in.ResolvePorts(w, templates)
		plan.Findings.Add(findings...)
		plan.Findings.Add(selected(in, w, templates)...)
		wanted = append(wanted, origin.WorkloadPolicy(w, ports), origin.StrictMTLS(w))
	}
	plan.Add(policy.Reconcile(in.Resources, origin, policy.SectionWorkloads, wanted, unwanted))
	plan.Findings.Add(contended(in)...)
	return plan
}

// selected reports a selector that misses the workload's own pods: the policy would protect nothing.
func selected(in policy.Input, w *model.Workload, templates []*resource.PodTemplate) finding.List {
	var out finding.List
	for _, t := range templates {
		if !resource.Selects(w.Selector, t.Labels) {
			out.Add(finding.New(finding.PolicySelector, t.Object.Ref(), t.LabelsAt.String(),
				"the selector %v of workload %q doesn't match its pods' labels", w.Selector, w.Name).WithValues(t.Labels, w.Selector))
		}
	}
	return out
}

// contended reports other policies that would widen or unsettle ours.
func contended(in policy.Input) finding.List {
	policies, out := policy.Authorizations(in.Resources)
	origin := policy.OriginOf(in.Scope)
	root := in.Istio.RootNamespace
	for w := range in.MyWorkloads() {
		if !w.Protected || !w.Profile.Enforces() {
			continue
		}
		labels := policy.PodLabels(in, w)
		for _, a := range policies {
			ref := a.Object.Ref()
			ours := ref.Namespace == w.Namespace && ref.Name == w.PolicyName || origin.Made(a.Object)
			if ours || !a.Allows() || a.DryRun() || len(a.Spec.GetRules()) == 0 || !a.Selects(w.Namespace, labels, root) {
				continue
			}
			out.Add(finding.New(finding.WorkloadAllowWider, ref, "spec.rules",
				"it applies to workload %q too, so that %s no longer decides alone who may reach it", w.Name, w.PolicyName))
		}
		for _, o := range in.Resources.Kind("security.istio.io", "PeerAuthentication") {
			ref := o.Ref()
			match := resource.StringMap(o.Content(), "spec", "selector", "matchLabels")
			ours := ref.Name == w.PeerAuthenticationName || origin.Made(o)
			if ref.Namespace == w.Namespace && !ours && resource.Selects(match, labels) {
				out.Add(finding.New(finding.WorkloadPeerMode, ref, "spec", "it selects workload %q too, as %s does", w.Name, w.PeerAuthenticationName))
			}
		}
	}
	return out
}
