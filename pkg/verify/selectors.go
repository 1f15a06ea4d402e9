package verify

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// selectors: every policy of ours applies to something in the build, and those
// of workloads to their own pods alone.
func selectors(in policy.Input) finding.List {
	policies, _ := policy.Authorizations(in.Resources) // what can't be read is reported elsewhere
	peers, _ := policy.Peers(in.Resources)
	origin := policy.OriginOf(in.Scope)
	policies = slices.DeleteFunc(policies, func(a policy.Authorization) bool { return !origin.Made(a.Object) })
	peers = slices.DeleteFunc(peers, func(p policy.Peer) bool { return !origin.Made(p.Object) })
	namespaces := map[string]bool{}
	for _, a := range policies {
		namespaces[a.Object.Ref().Namespace] = true
	}
	for _, p := range peers {
		namespaces[p.Object.Ref().Namespace] = true
	}
	var out finding.List
	protected, pods := protectedOf(in), podsIn(in, namespaces)
	check := func(o *resource.Object, match map[string]string) {
		out.Add(selects(in, o, match, protected[o.Ref().Key()], pods.selected(o.Ref().Namespace, match))...)
	}
	for _, a := range policies {
		out.Add(attached(in, a)...)
		check(a.Object, a.Spec.GetSelector().GetMatchLabels())
	}
	for _, p := range peers {
		check(p.Object, p.Spec.GetSelector().GetMatchLabels())
	}
	return out
}

// attached reports a policy of ours that names a Gateway which the build lacks.
func attached(in policy.Input, a policy.Authorization) finding.List {
	var out finding.List
	for i, target := range a.TargetRefs() {
		ref := resource.Ref{APIVersion: target.GetGroup() + "/", Kind: target.GetKind(), Namespace: a.Object.Ref().Namespace, Name: target.GetName()}
		if in.Resources.Get(ref) == nil {
			out.Add(finding.New(finding.PolicySelector, a.Object.Ref(), resource.Path{"spec", "targetRefs"}.Index(i).String(),
				"it attaches to %s, which this build doesn't hold", ref).WithRemedy("add the Gateway to the build, or correct targetRef in the model"))
		}
	}
	return out
}

// selects reports a selector of ours that matches no pods, or others' than those
// of the workload whose policy it is in; w is nil for a gateway's or a tenant's.
func selects(in policy.Input, o *resource.Object, match map[string]string, w *model.Workload, selected []*resource.PodTemplate) finding.List {
	switch {
	case len(match) == 0:
		return nil
	case len(selected) == 0:
		return finding.List{finding.New(finding.PolicySelector, o.Ref(), "spec.selector.matchLabels", "it selects no pods of this build").WithValues(match, nil)}
	case w == nil:
		return nil
	}
	own, _ := in.Templates(w) // what is missing is reported elsewhere
	var others []string
	for _, t := range selected {
		if !slices.ContainsFunc(own, func(mine *resource.PodTemplate) bool { return mine.Object == t.Object }) {
			others = append(others, t.Object.Ref().String())
		}
	}
	if len(others) == 0 {
		return nil
	}
	return finding.List{finding.New(finding.PolicySelectsOthers, o.Ref(), "spec.selector.matchLabels",
		"it is workload %q's and selects the pods of %s too", w.Name, strings.Join(others, ", ")).WithValues(match, nil)}
}

// podIndex finds the pod templates that a selector matches without looking at all.
type podIndex map[podLabel][]*resource.PodTemplate

type podLabel struct{ namespace, key, value string }

func podsIn(in policy.Input, namespaces map[string]bool) podIndex {
	index := podIndex{}
	for namespace := range namespaces {
		for t := range in.PodTemplatesIn(namespace) {
			for key, value := range t.Labels {
				at := podLabel{namespace, key, value}
				index[at] = append(index[at], t)
			}
		}
	}
	return index
}

func (p podIndex) selected(namespace string, match map[string]string) []*resource.PodTemplate {
	var rarest []*resource.PodTemplate
	first := true
	for key, value := range match {
		if found := p[podLabel{namespace, key, value}]; first || len(found) < len(rarest) {
			rarest, first = found, false
		}
	}
	return slices.DeleteFunc(slices.Clone(rarest), func(t *resource.PodTemplate) bool { return !resource.Selects(match, t.Labels) })
}
