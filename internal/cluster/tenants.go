package cluster

import (
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// own makes each tenant policy the dependent of the workload that it is for, so
// that the garbage collector takes it away with that (DD-0025, section 9). A
// function can't: an object of a build has no uid yet.
func (r *run) own() error {
	origin := policy.OriginOf(r.task.Scope)
	for o := range r.state.set.All() {
		if policy.SectionOf(o) != policy.SectionTenants || !origin.Made(o) {
			continue
		}
		policyObject, err := source(o)
		if err != nil {
			return err
		}
		owner := r.workloadOf(policyObject.ref)
		if owner == nil || r.other(policyObject.ref) {
			continue
		}
		reference := map[string]any{
			"apiVersion": owner.ref.APIVersion, "kind": owner.ref.Kind, "name": owner.ref.Name, "uid": string(owner.live.GetUID()),
		}
		var plan policy.Plan
		plan.Set(o, resource.Path{"metadata", "ownerReferences"}, []any{reference}, "it goes with "+owner.ref.String())
		if err := r.state.apply(plan); err != nil {
			return err
		}
	}
	return nil
}

// workloadOf returns the workload that a tenant policy is for, nil when it isn't there.
func (r *run) workloadOf(ref resource.Ref) *object {
	name, ok := strings.CutSuffix(ref.Name, policy.TenantPolicyName(""))
	if !ok {
		return nil
	}
	kind := "Deployment"
	if o := r.state.set.Get(ref); o != nil && resource.String(o.Content(), "spec", "selector", "matchLabels", resource.LabelInferenceService) != "" {
		kind = resource.InferenceService // a Deployment of its name is somebody else's, and goes at another time
	}
	k, _ := resource.PodKindNamed(kind)
	o := r.state.set.Get(resource.Ref{APIVersion: k.APIVersion(), Kind: k.Kind, Namespace: ref.Namespace, Name: name})
	if o == nil {
		return nil
	}
	if live, err := source(o); err == nil && live.live != nil {
		return live
	}
	return nil
}
