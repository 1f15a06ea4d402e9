// Package workloadpolicy protects the model's destinations: an AuthorizationPolicy
// that admits the callers' principals to the workload ports, and a STRICT
// PeerAuthentication, without which plaintext callers carry no principal.
package workloadpolicy

import (
	"fmt"
	"k8s.io/apimachinery/pkg/labels"

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
		plan.Findings.Add(protects(w, templates)...)
		wanted = append(wanted, origin.WorkloadPolicy(w, ports), origin.StrictMTLS(w))
	}
	plan.Add(policy.Reconcile(in.Resources, origin, policy.SectionWorkloads, wanted, unwanted))
	plan.Findings.Add(contended(in)...)
	return plan
}

// protects reports what would leave pods of a workload outside its policy: a
// selector that misses them, and annotations that take their ports out of the
// proxy.
func protects(w *model.Workload, templates []*resource.PodTemplate) finding.List {
	var out finding.List
	for _, t := range templates {
		if !resource.Selects(w.Selector, t.Labels) {
			out.Add(finding.New(finding.PolicySelector, t.Object.Ref(), t.LabelsAt.String(),
				"the selector %s of workload %q doesn't match its pods' labels %s", labels.Set(w.Selector), w.Name, labels.Set(t.Labels)).WithValues(t.Labels, w.Selector))
		}
		out.Add(policy.Uncaptured(t, fmt.Sprintf("workload %q", w.Name), w.Ports...)...)
	}
	return out
}
