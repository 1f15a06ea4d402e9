// Package enrollment puts the model's workloads into the mesh, and takes out
// those on a lower rung: one label on the pod template, which Istio's webhook
// acts on. Gateways and tenants are none of its business.
package enrollment

import (
	"cmp"
	"fmt"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// LabelInject asks for a sidecar, on the pod. The annotation of this name is
// ignored in an unlabelled namespace (istio/istio#39006).
const LabelInject = "sidecar.istio.io/inject"

// LabelRevision asks for the sidecar of one revision of istiod, on a pod or on a namespace.
const LabelRevision = "istio.io/rev"

const labelInjection = "istio-injection" // on a namespace

// Plan labels the pod templates of the owner's workloads that are enrolled here,
// and unlabels the others'.
func Plan(in policy.Input) policy.Plan {
	var plan policy.Plan
	namespaces := map[string]bool{}
	for w := range in.MyWorkloads() {
		templates, findings := in.Templates(w)
		plan.Findings.Add(findings...)
		for _, t := range templates {
			if w.Enrolled() {
				plan.Set(t.Object, t.LabelsAt.Child(LabelInject), "true", "workload "+w.Name+" is enrolled")
				plan.Findings.Add(obstacles(in, w, t)...)
			} else {
				unlabel(t, fmt.Sprintf("workload %s isn't enrolled on the %s rung", w.Name, w.Profile), &plan)
			}
		}
		if !namespaces[w.Namespace] {
			namespaces[w.Namespace] = true
			plan.Findings.Add(namespaceWide(in, w.Namespace)...)
		}
	}
	return plan
}

// unlabel takes the label off wherever the pods have it from: KServe hands an
// InferenceService's own labels down to them.
func unlabel(t *resource.PodTemplate, reason string, plan *policy.Plan) {
	places := []resource.Path{t.LabelsAt}
	if t.Kind.Kind == resource.InferenceService {
		places = append(places, resource.Path{"metadata", "labels"})
	}
	for _, at := range places {
		if at = at.Child(LabelInject); resource.String(t.Object.Content(), at...) == "true" {
			plan.Set(t.Object, at, nil, reason)
		}
	}
}

// Requests returns the label by which a pod template asks for a sidecar, or "":
// ours, or a revision's (manifests/charts/istio-control in Istio).
func Requests(t *resource.PodTemplate) string {
	switch {
	case t.Labels[LabelInject] == "true":
		return LabelInject
	case t.Labels[LabelRevision] != "" && t.Labels[LabelInject] != "false":
		return LabelRevision
	}
	return ""
}

// namespaceWide reports a platform namespace that would enroll every pod in it.
func namespaceWide(in policy.Input, name string) finding.List {
	namespace := in.Namespace(name)
	if namespace == nil {
		return nil
	}
	var out finding.List
	labels := namespace.Labels()
	for _, label := range []string{labelInjection, LabelRevision} {
		value, ok := labels[label]
		if ok && (label == LabelRevision || value == "enabled") {
			out.Add(finding.New(finding.EnrollNamespaceWide, namespace.Ref(), resource.Path{"metadata", "labels", label}.String(),
				"it enrolls every pod of the namespace, whatever the model says").WithValues(value, nil))
		}
	}
	return out
}

// obstacles reports what would keep an enrolled pod out of the mesh, or break it in there.
func obstacles(in policy.Input, w *model.Workload, t *resource.PodTemplate) finding.List {
	var out finding.List
	add := func(id finding.ID, path resource.Path, current any, format string, args ...any) {
		out.Add(finding.New(id, t.Object.Ref(), path.String(), format, args...).WithValues(current, nil))
	}
	if t.Spec.HostNetwork {
		add(finding.EnrollHostNetwork, t.SpecAt.Child("hostNetwork"), true,
			"workload %q is enrolled and its pods use the node's network, where Istio injects nothing", w.Name)
	}
	if t.Kind.Completes && !in.Istio.NativeSidecars {
		add(finding.EnrollJobNeverEnds, t.LabelsAt.Child(LabelInject), nil,
			"workload %q is a %s: with a classic sidecar its pods never complete", w.Name, t.Kind.Kind)
	}
	if len(t.Spec.InitContainers) > 0 && !in.Istio.NativeSidecars {
		add(finding.EnrollInitNetwork, t.SpecAt.Child("initContainers"), nil,
			"workload %q has init containers: with a classic sidecar under Istio CNI they have no network", w.Name)
	}
	out.Add(reach(in, w, t)...)
	if w.Protected {
		out.Add(policy.Uncaptured(t, fmt.Sprintf("workload %q", w.Name), w.Ports...)...)
	}
	return out
}

// reach reports when Istio's webhook doesn't see the label: each of its rules
// looks at the namespace's labels first (manifests/charts/istio-control in Istio).
func reach(in policy.Input, w *model.Workload, t *resource.PodTemplate) finding.List {
	revision := in.Istio.Revision
	unreachable := func(object resource.Ref, field resource.Path, format string, args ...any) finding.List {
		return finding.List{finding.New(finding.EnrollUnreachable, object, field.String(), format, args...)}
	}
	labels := map[string]string{}
	namespace := in.Namespace(w.Namespace)
	if namespace != nil {
		labels = namespace.Labels()
	}
	nsRevision, hasRevision := revisionOf(labels)
	podRevision, podHasRevision := revisionOf(t.Labels)
	injection, hasInjection := labels[labelInjection]
	switch {
	case hasInjection && injection != "enabled":
		return unreachable(namespace.Ref(), resource.Path{"metadata", "labels", labelInjection},
			"it is %q, so that the label of workload %q's pods does nothing", injection, w.Name)
	case hasInjection && revision != "":
		return unreachable(namespace.Ref(), resource.Path{"metadata", "labels", labelInjection},
			"it is the default revision's, and with revision %q there is none that would see the label of workload %q's pods", revision, w.Name)
	case hasInjection: // every pod of the namespace, by the default revision
		return nil
	case hasRevision && nsRevision != revision:
		return unreachable(namespace.Ref(), resource.Path{"metadata", "labels", LabelRevision},
			"it is %q and the environment's revision is %q, so that the label of workload %q's pods doesn't reach it", labels[LabelRevision], cmp.Or(revision, "default"), w.Name)
	case hasRevision:
		return nil
	case podHasRevision && podRevision != revision:
		return unreachable(t.Object.Ref(), t.LabelsAt.Child(LabelRevision),
			"it is %q and the environment's revision is %q, so that no webhook injects", t.Labels[LabelRevision], cmp.Or(revision, "default"))
	case podHasRevision || revision == "":
		return nil
	case namespace == nil:
		return finding.List{finding.New(finding.EnrollUnknownNamespace, t.Object.Ref(), t.LabelsAt.Child(LabelInject).String(),
			"with revision %q the label alone injects nothing, and %s doesn't hold namespace %q, which may have %s=%s", revision, in.Place(), w.Namespace, LabelRevision, revision)}
	default:
		f := finding.New(finding.EnrollUnreachable, t.Object.Ref(), t.LabelsAt.Child(LabelRevision).String(),
			"with revision %q and no default tag the label %s alone injects nothing", revision, LabelInject)
		return finding.List{f.WithRemedy("put %s: %q on the pod template, too", LabelRevision, revision).WithValues(nil, revision)}
	}
}

// revisionOf returns the revision that labels name, empty for the default one.
func revisionOf(labels map[string]string) (revision string, ok bool) {
	revision, ok = labels[LabelRevision]
	if revision == "default" {
		revision = ""
	}
	return revision, ok
}
