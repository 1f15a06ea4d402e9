package verify

import (
	"slices"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// misplaced: a build holds no object that the model, or its own labels, give to another owner.
func misplaced(in policy.Input) finding.List {
	var out finding.List
	check := func(ref resource.Ref, entry, owner string) {
		if o := in.Resources.Get(ref); o != nil && !in.Mine(owner) {
			out.Add(finding.New(finding.ObjectMisplaced, o.Ref(), "", "the model's %s gives it to owner %q, and this is the build of %q", entry, owner, in.Owner.Name))
		}
	}
	for _, g := range in.Gateways {
		entry := "gateway " + g.Name
		if g.HostPolicy {
			check(policy.AuthorizationPolicyRef(g.Namespace, g.Name), entry, g.Owner)
		}
		check(policy.DeploymentRef(g.Namespace, g.Deployment), entry, g.Owner)
		for _, route := range g.Routes {
			check(route.Ref, entry, route.Owner)
		}
	}
	for _, w := range in.Workloads {
		entry := "workload " + w.Name
		if w.Protected {
			check(policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName), entry, w.Owner)
			check(policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName), entry, w.Owner)
		}
		for _, ref := range w.TargetRefs {
			check(ref, entry, w.Owner)
		}
	}
	for _, c := range in.Consumers {
		check(c.Target, "consumer of "+c.Env, c.Owner)
	}
	for o := range in.Resources.All() {
		if policy.Generated(o) && !in.Mine(o.Labels()[v1alpha1.LabelOwner]) {
			out.Add(finding.New(finding.ObjectMisplaced, o.Ref(), "metadata.labels",
				"it was generated for owner %q, and this is the build of %q", o.Labels()[v1alpha1.LabelOwner], in.Owner.Name))
		}
	}
	return out
}

// strays: what carries our labels is what some unit derives. One of another model,
// or of no section that a unit looks at, nobody would ever remove.
func strays(in policy.Input) finding.List {
	var out finding.List
	origin := policy.OriginOf(in.Scope)
	for o := range in.Resources.All() {
		if !policy.Generated(o) || !in.Mine(o.Labels()[v1alpha1.LabelOwner]) {
			continue
		}
		switch {
		case !origin.Made(o):
			out.Add(finding.New(finding.ObjectStale, o.Ref(), "metadata.labels", "it was generated from model %q and this build's is %q",
				o.Labels()[v1alpha1.LabelModel], in.Name).WithRemedy("remove it: what this model derives is generated anew"))
		case !slices.Contains(policy.Sections, policy.SectionOf(o)):
			out.Add(finding.New(finding.ObjectStale, o.Ref(), resource.Path{"metadata", "annotations", v1alpha1.AnnotationSource}.String(),
				"it carries the labels of a generated object and no section of the model that it would be derived from").WithRemedy("remove it, or its labels if it isn't ours"))
		}
	}
	return out
}

// retired reports leftovers.
func retired(in policy.Input) finding.List {
	var out finding.List
	for _, ref := range in.Retired {
		if o := in.Resources.Get(ref); o != nil {
			out.Add(finding.New(finding.ObjectRetired, o.Ref(), "", "the model calls it retired"))
		}
	}
	return out
}

// absent reports pods of what this environment doesn't have, by its own word:
// nothing is derived for them, so that they would run unprotected.
func absent(in policy.Input) finding.List {
	var out finding.List
	check := func(ref resource.Ref, entry string) {
		if o := in.Resources.Get(ref); o != nil {
			out.Add(finding.New(finding.ObjectAbsent, o.Ref(), "", "environment %q lists %s as absent and the build holds its pods", in.Environment, entry))
		}
	}
	for _, g := range in.Gateways {
		if g.Absent {
			check(policy.DeploymentRef(g.Namespace, g.Deployment), "gateway "+g.Name)
		}
	}
	for _, w := range in.Workloads {
		if w.Absent {
			for _, ref := range w.TargetRefs {
				check(ref, "workload "+w.Name)
			}
		}
	}
	return out
}
