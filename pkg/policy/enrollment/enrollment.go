// Package enrollment puts the model's workloads into the mesh, and takes out
// those on a lower rung: one label on the pod template, which Istio's webhook
// acts on. Gateways and tenants are none of its business.
package enrollment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// LabelInject asks for a sidecar, on the pod. The annotation of this name is
// ignored in an unlabelled namespace (istio/istio#39006).
const LabelInject = "sidecar.istio.io/inject"

const (
	labelInjection = "istio-injection" // on a namespace
	labelRevision  = "istio.io/rev"    // on a namespace or a pod

	annotationExclude = "traffic.sidecar.istio.io/excludeInboundPorts"
	annotationInclude = "traffic.sidecar.istio.io/includeInboundPorts"
)

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
			} else if t.Labels[LabelInject] == "true" {
				plan.Set(t.Object, t.LabelsAt.Child(LabelInject), nil, fmt.Sprintf("workload %s isn't enrolled on the %s rung", w.Name, w.Profile))
			}
		}
		if !namespaces[w.Namespace] {
			namespaces[w.Namespace] = true
			plan.Findings.Add(namespaceWide(in, w.Namespace)...)
		}
	}
	return plan
}

// namespaceWide reports a platform namespace that would enroll every pod in it.
func namespaceWide(in policy.Input, name string) finding.List {
	namespace := in.Namespace(name)
	if namespace == nil {
		return nil
	}
	labels := namespace.Labels()
	if labels[labelInjection] == "enabled" {
		return finding.List{finding.New(finding.EnrollNamespaceWide, namespace.Ref(), resource.Path{"metadata", "labels", labelInjection}.String(),
			"it enrolls every pod of the namespace, whatever the model says").WithValues("enabled", nil)}
	}
	return nil
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
		for _, port := range w.Ports {
			out.Add(captured(w, t, port)...)
		}
	}
	return out
}

// reach reports when Istio's webhook doesn't see the label: each of its rules
// looks at the namespace's labels first (manifests/charts/istio-control in Istio).
func reach(in policy.Input, w *model.Workload, t *resource.PodTemplate) finding.List {
	revision := in.Istio.Revision
	at := t.LabelsAt.Child(LabelInject).String()
	unreachable := func(object resource.Ref, field, format string, args ...any) finding.List {
		return finding.List{finding.New(finding.EnrollUnreachable, object, field, format, args...)}
	}
	labels := map[string]string{}
	namespace := in.Namespace(w.Namespace)
	if namespace != nil {
		labels = namespace.Labels()
	}
	nsRevision, hasRevision := labels[labelRevision]
	podRevision, podHasRevision := t.Labels[labelRevision]
	injection, hasInjection := labels[labelInjection]
	switch {
	case hasInjection && injection != "enabled":
		return unreachable(namespace.Ref(), resource.Path{"metadata", "labels", labelInjection}.String(),
			"it is %q, so that the label of workload %q's pods does nothing", injection, w.Name)
	case hasInjection: // every pod of the namespace, by the default revision
		return nil
	case hasRevision && nsRevision != revision:
		return unreachable(namespace.Ref(), resource.Path{"metadata", "labels", labelRevision}.String(),
			"it is %q and the environment's revision is %q, so that the label of workload %q's pods doesn't reach it", nsRevision, revision, w.Name)
	case hasRevision:
		return nil
	case podHasRevision && podRevision != revision:
		return unreachable(t.Object.Ref(), t.LabelsAt.Child(labelRevision).String(),
			"it is %q and the environment's revision is %q, so that no webhook injects", podRevision, revision)
	case podHasRevision || revision == "":
		return nil
	case namespace == nil:
		return finding.List{finding.New(finding.EnrollUnknownNamespace, t.Object.Ref(), at,
			"with revision %q the label is enough only where namespace %q has %s=%s, and this build doesn't hold the namespace", revision, w.Namespace, labelRevision, revision)}
	default:
		return unreachable(t.Object.Ref(), at, "with revision %q and no default tag it injects nothing: neither namespace %q nor the pods have %s=%s", revision, w.Namespace, labelRevision, revision)
	}
}

// captured reports a policy port that annotations take out of the proxy's hands.
func captured(w *model.Workload, t *resource.PodTemplate, port model.Port) finding.List {
	var out finding.List
	add := func(annotation, number string) {
		out.Add(finding.New(finding.EnrollPortNotCaptured, t.Object.Ref(), t.AnnotationsAt.Child(annotation).String(),
			"it keeps port %s of workload %q out of the proxy, so that its policy is void", number, w.Name).WithValues(t.Annotations[annotation], nil))
	}
	for _, resolved := range policy.ContainerPorts(t, port) {
		number := resolved.String()
		if slices.Contains(portList(t.Annotations[annotationExclude]), number) {
			add(annotationExclude, number)
		}
		if include, ok := t.Annotations[annotationInclude]; ok {
			if list := portList(include); !slices.Contains(list, "*") && !slices.Contains(list, number) {
				add(annotationInclude, number)
			}
		}
	}
	return out
}

func portList(annotation string) []string {
	fields := strings.Split(annotation, ",")
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields
}
