// Package tenantpolicy gives each workload of the owner's tenants an
// AuthorizationPolicy of its own, in every profile alike: profile namespaces are
// injected whatever the environment says, and without it the service gateway
// gets 403. It refuses policies that would admit everybody, and changes none
// that isn't ours.
package tenantpolicy

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Plan makes the policies of the owner's tenant groups what their workloads
// derive (DD-0025, section 9), and enrolls the kinds of workload that the model
// enrolls. What an External owner has is judged and never written.
func Plan(in policy.Input) policy.Plan {
	var (
		plan   policy.Plan
		wanted []policy.Object
		origin = policy.OriginOf(in.Scope)
	)
	tenants, findings := find(in)
	plan.Findings.Add(findings...)
	pods := podsIn(in, tenants.workloads)
	services := servicesOf(in, pods)
	for _, w := range tenants.workloads {
		if w.enroll {
			plan.Add(w.enrolled(in))
		}
		port, findings := w.port()
		if !findings.Failed() {
			findings.Add(w.served(port, services[w.template])...)
		}
		plan.Findings.Add(findings...)
		selector, findings := w.selector()
		plan.Findings.Add(findings...)
		plan.Findings.Add(w.enforced(in, port)...)
		if selector == nil {
			continue
		}
		plan.Findings.Add(w.alone(selector, pods)...)
		ref := w.template.Object.Ref()
		wanted = append(wanted, origin.TenantPolicy(w.group, ref.Namespace, ref.Name, selector, port.Port))
	}
	if writes(in) {
		plan.Add(policy.Reconcile(in.Resources, origin, policy.SectionTenants, wanted, nil))
		plan.Remove = slices.DeleteFunc(plan.Remove, func(r policy.Removal) bool { return tenants.kept[r.Object] })
	}
	plan.Findings.Add(unconstrained(in, tenants, replaced(in, wanted, plan))...)
	return plan
}

// writes reports whether the owner's objects are ours to write.
func writes(in policy.Input) bool { return in.Owner.Tool != model.External }

// selector returns the labels by which the workload's policy selects its pods;
// nil when one is missing, for a policy without it would select other pods too.
func (w *workload) selector() (map[string]string, finding.List) {
	t := w.template
	keys := w.entry.SelectorKeys
	if w.isInferenceService() {
		keys = []string{resource.LabelInferenceService, resource.LabelComponent}
	}
	var findings finding.List
	out := map[string]string{}
	for _, key := range keys {
		value, ok := t.Labels[key]
		if !ok {
			findings.Add(finding.New(finding.TenantSelectorKey, t.Object.Ref(), t.LabelsAt.Child(key).String(),
				"tenant group %q selects the pods of a %s by label %q, and this pod template has no such label", w.group.Name, w.entry.Kind, key))
		}
		out[key] = value
	}
	if findings.Failed() {
		return nil, findings
	}
	return out, nil
}

// alone reports other pods that the workload's policy selects: it would admit
// its callers to them as well.
func (w *workload) alone(selector map[string]string, pods podIndex) finding.List {
	t := w.template
	var others []string
	for _, other := range pods.selected(t.Object.Ref().Namespace, selector) {
		if other.Object.Ref().Key() != t.Object.Ref().Key() {
			others = append(others, other.Object.Ref().String())
		}
	}
	if len(others) == 0 {
		return nil
	}
	return finding.List{finding.New(finding.PolicySelectsOthers, t.Object.Ref(), t.LabelsAt.String(),
		"its policy %s selects the pods of %s too: they have the same values of its selector's labels",
		policy.TenantPolicyName(t.Object.Ref().Name), strings.Join(others, ", ")).WithValues(selector, nil)}
}

// replaced returns the policies of the build that won't be in its output as they are.
func replaced(in policy.Input, wanted []policy.Object, plan policy.Plan) map[*resource.Object]bool {
	out := map[*resource.Object]bool{}
	for _, object := range wanted {
		if o := in.Resources.Get(object.Ref); o != nil && writes(in) {
			out[o] = true // or it is someone else's, which is an error already
		}
	}
	for _, removal := range plan.Remove {
		out[removal.Object] = true
	}
	return out
}
