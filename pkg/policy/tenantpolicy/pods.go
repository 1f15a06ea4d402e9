package tenantpolicy

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// podIndex finds the pod templates of some namespaces by a label of theirs, so
// that many workloads in one namespace cost no more than a look each.
type podIndex struct {
	namespaces map[string]bool
	byLabel    map[label][]*resource.PodTemplate
}

type label struct{ namespace, key, value string }

// podsIn indexes the pod templates of the namespaces that the workloads are in.
func podsIn(in policy.Input, workloads []*workload) podIndex {
	namespaces := map[string]bool{}
	for _, w := range workloads {
		namespaces[w.template.Object.Ref().Namespace] = true
	}
	index := podIndex{namespaces: namespaces, byLabel: map[label][]*resource.PodTemplate{}}
	for _, kind := range resource.PodKinds {
		for _, o := range in.Resources.Kind(kind.Group, kind.Kind) {
			namespace := o.Ref().Namespace
			if !namespaces[namespace] {
				continue
			}
			t := o.PodTemplate()
			if t == nil {
				continue // the set keeps the error
			}
			for key, value := range t.Labels {
				at := label{namespace, key, value}
				index.byLabel[at] = append(index.byLabel[at], t)
			}
		}
	}
	return index
}

// selected returns the pod templates that matchLabels select, in the build's order.
func (p podIndex) selected(namespace string, matchLabels map[string]string) []*resource.PodTemplate {
	var rarest []*resource.PodTemplate
	first := true
	for key, value := range matchLabels {
		if list := p.byLabel[label{namespace, key, value}]; first || len(list) < len(rarest) {
			rarest, first = list, false
		}
	}
	return slices.DeleteFunc(slices.Clone(rarest), func(t *resource.PodTemplate) bool {
		return !resource.Selects(matchLabels, t.Labels)
	})
}

// servicesOf returns the Services before each pod template of the index.
func servicesOf(in policy.Input, pods podIndex) map[*resource.PodTemplate][]policy.Service {
	out := map[*resource.PodTemplate][]policy.Service{}
	for _, o := range in.Resources.Kind("", "Service") {
		if !pods.namespaces[o.Ref().Namespace] {
			continue
		}
		s := policy.Service{Object: o}
		if !o.ReadInto(&s.ServiceSpec, "spec") {
			continue // the set keeps the error
		}
		for _, t := range pods.selected(o.Ref().Namespace, s.Selector) {
			out[t] = append(out[t], s)
		}
	}
	return out
}
