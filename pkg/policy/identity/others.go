package identity

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// planOthers looks at every pod template that could run under one of our
// ServiceAccounts: a stranger under a trusted one is an error, and one of ours
// that nobody needs any more is removed. It is one pass over the build.
func planOthers(in policy.Input, assignments []assignment) policy.Plan {
	var plan policy.Plan
	trusted, stale := trustedHolders(in), staleAccounts(in)
	watched := map[string]bool{} // spares reading the pod templates of other namespaces
	for at := range trusted {
		watched[at.namespace] = true
	}
	for _, o := range stale {
		watched[o.Ref().Namespace] = true
	}
	after := map[*resource.Object]account{}
	for _, a := range assignments {
		after[a.Object] = a.to()
	}
	used := map[account]bool{}
	for o := range in.Resources.All() {
		if !watched[o.Ref().Namespace] {
			continue
		}
		t := o.PodTemplate()
		if t == nil {
			continue
		}
		at, moved := after[o]
		if !moved {
			at = account{o.Ref().Namespace, t.ServiceAccount()}
		}
		used[at] = true
		if h := trusted[at]; h != nil && !h.has(t) {
			plan.Findings.Add(in.Weigh(finding.New(finding.IdentityShared, o.Ref(), nameField(t),
				"its pods run as %s, the identity of %s: whoever trusts that would admit them too", at, h.names()).WithValues(at.name, nil)))
		}
	}
	for _, o := range stale {
		if !used[account{o.Ref().Namespace, o.Ref().Name}] {
			plan.Remove = append(plan.Remove, policy.Removal{Object: o, Reason: "no entry of the model has this identity here, and no pod template runs under it"})
		}
	}
	return plan
}

// holding is who has one identity, by the model.
type holding struct {
	entries   []string
	targets   map[resource.Key]bool
	selectors []labels.Selector
}

func (h *holding) names() string { return strings.Join(h.entries, ", ") }

// has reports whether the model gives a pod template the identity. The template
// is of the identity's namespace.
func (h *holding) has(t *resource.PodTemplate) bool {
	return h.targets[t.Object.Ref().Key()] ||
		slices.ContainsFunc(h.selectors, func(s labels.Selector) bool { return s.Matches(labels.Set(t.Labels)) })
}

// holdersOf returns who has each identity, current or previous: entries of all
// owners, and those too that this environment lacks.
func holdersOf(in policy.Input) map[account]*holding {
	out := map[account]*holding{}
	add := func(name string, i model.Identity, selector labels.Selector, targets ...resource.Ref) {
		for _, p := range i.All() {
			h := out[accountOf(p)]
			if h == nil {
				h = &holding{targets: map[resource.Key]bool{}}
				out[accountOf(p)] = h
			}
			h.entries = append(h.entries, name)
			for _, ref := range targets {
				h.targets[ref.Key()] = true
			}
			if selector != nil {
				h.selectors = append(h.selectors, selector)
			}
		}
	}
	for _, g := range in.Gateways {
		add(gatewayName(g), g.Identity, nil, policy.DeploymentRef(g.Namespace, g.Deployment))
	}
	for _, w := range in.Workloads {
		add(workloadName(w), w.Identity, w.PodTemplates, w.TargetRefs...)
	}
	return out
}

// trustedHolders returns who has each identity that policies trust here or would
// trust on a higher rung: callers and gateways. A principal that the model only
// names as such is left out: who runs under it is written nowhere.
func trustedHolders(in policy.Input) map[account]*holding {
	holders := holdersOf(in)
	out := map[account]*holding{}
	trust := func(principals []model.Principal) {
		for _, p := range principals {
			if h := holders[accountOf(p)]; h != nil && local(in.Istio, p) {
				out[accountOf(p)] = h
			}
		}
	}
	for _, g := range in.Gateways {
		if !g.Absent {
			trust(g.Identity.All())
		}
	}
	for _, w := range in.Workloads {
		if !w.Absent {
			trust(derive.Principals(w.Callers))
		}
	}
	for _, t := range in.Tenants {
		trust(derive.Principals(t.Callers))
	}
	return out
}

// staleAccounts returns the ServiceAccounts of ours that are no identity, current
// or previous, of an entry that this environment has.
func staleAccounts(in policy.Input) []*resource.Object {
	current := map[account]bool{}
	keep := func(i model.Identity, absent bool) {
		for _, p := range i.All() {
			at := accountOf(p)
			current[at] = current[at] || !absent
		}
	}
	for _, g := range in.Gateways {
		keep(g.Identity, g.Absent)
	}
	for _, w := range in.Workloads {
		keep(w.Identity, w.Absent)
	}
	var (
		out    []*resource.Object
		origin = policy.OriginOf(in.Scope)
	)
	for _, o := range in.Resources.Kind("", kindServiceAccount) {
		if !origin.Made(o) || current[account{o.Ref().Namespace, o.Ref().Name}] {
			continue
		}
		section, _, _ := strings.Cut(o.Annotations()[v1alpha1.AnnotationSource], "/")
		if section == policy.SectionGateways || section == policy.SectionWorkloads {
			out = append(out, o)
		}
	}
	return out
}
