package tenantpolicy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	labelInjection = "istio-injection" // on a namespace
	labelRevision  = "istio.io/rev"    // on a namespace or a pod

	annotationProxyConfig = "proxy.istio.io/config"
	annotationExclude     = "traffic.sidecar.istio.io/excludeInboundPorts"
	annotationInclude     = "traffic.sidecar.istio.io/includeInboundPorts"
)

// enroll asks for a sidecar that starts before the workload's containers.
func (w *workload) enroll() policy.Plan {
	var plan policy.Plan
	t := w.template
	o, at := t.Object, t.AnnotationsAt.Child(annotationProxyConfig)
	reason := fmt.Sprintf("tenant group %s enrolls every %s", w.group.Name, w.entry.Kind)
	plan.Set(o, t.LabelsAt.Child(enrollment.LabelInject), "true", reason)

	unreadable := func(current any, format string, args ...any) policy.Plan {
		plan.Findings.Add(finding.New(finding.TenantProxyConfig, o.Ref(), at.String(), format, args...).WithValues(current, nil))
		return plan
	}
	if value, found := resource.Field(o.Content(), at...); found {
		if _, ok := value.(string); !ok {
			return unreadable(value, "it is no string")
		}
	}
	current := t.Annotations[annotationProxyConfig] // an InferenceService's own annotation counts, where the predictor has none
	merged, err := holdApplication(current)
	if err != nil {
		return unreadable(current, "%v", err)
	}
	if merged != current {
		plan.Set(o, at, merged, reason)
	}
	return plan
}

// obstacles reports what would keep an enrolled workload out of the mesh, or break it in there.
func (w *workload) obstacles(in policy.Input) finding.List {
	var out finding.List
	t := w.template
	if t.Spec.HostNetwork {
		out.Add(finding.New(finding.EnrollHostNetwork, t.Object.Ref(), t.SpecAt.Child("hostNetwork").String(),
			"tenant group %q enrolls it and its pods use the node's network, where Istio injects nothing", w.group.Name).WithValues(true, nil))
	} else if why := w.unproxied(in, "true"); why != "" {
		out.Add(finding.New(finding.EnrollUnreachable, t.Object.Ref(), t.LabelsAt.Child(enrollment.LabelInject).String(),
			"tenant group %q enrolls it and it gets no proxy: %s", w.group.Name, why))
	}
	if len(t.Spec.InitContainers) > 0 && !in.Istio.NativeSidecars {
		out.Add(finding.New(finding.EnrollInitNetwork, t.Object.Ref(), t.SpecAt.Child("initContainers").String(),
			"tenant group %q enrolls it and it has init containers: with a classic sidecar under Istio CNI they have no network", w.group.Name))
	}
	return out
}

// enforced reports a policy that no proxy enforces: there is none, or the port
// goes past it.
func (w *workload) enforced(in policy.Input, port workloadPort, writes bool) finding.List {
	t := w.template
	label := t.Labels[enrollment.LabelInject]
	if writes && w.entry.Enroll {
		label = "true" // enroll writes it, obstacles reports what is in its way
	}
	if why := w.unproxied(in, label); why != "" {
		if label == "true" && writes && w.entry.Enroll {
			return nil
		}
		return finding.List{finding.New(finding.TenantPolicyInert, t.Object.Ref(), t.LabelsAt.Child(enrollment.LabelInject).String(),
			"no proxy holds its policy, so that everybody may reach it: %s", why)}
	}
	var out finding.List
	past := func(annotation string) {
		out.Add(finding.New(finding.EnrollPortNotCaptured, t.Object.Ref(), t.AnnotationsAt.Child(annotation).String(),
			"it keeps port %s, %s, out of the proxy, so that its policy is void", port, port.from).WithValues(t.Annotations[annotation], nil))
	}
	if slices.Contains(portList(t.Annotations[annotationExclude]), port.String()) {
		past(annotationExclude)
	}
	if include, ok := t.Annotations[annotationInclude]; ok {
		if list := portList(include); !slices.Contains(list, "*") && !slices.Contains(list, port.String()) {
			past(annotationInclude)
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

// unproxied says why the pods get no proxy, if their label of injection is the
// given one ("" for none); it is empty when they get one, and when nothing tells.
// The pod's label counts before its annotation, the namespace decides which
// webhook looks at the pod (pkg/kube/inject and the webhook's chart in Istio).
func (w *workload) unproxied(in policy.Input, label string) string {
	t := w.template
	if t.Spec.HostNetwork {
		return "its pods use the node's network"
	}
	what, asks := "label", label
	if asks == "" {
		what, asks = "annotation", t.Annotations[enrollment.LabelInject]
	}
	if asks != "" && !slices.Contains([]string{"y", "yes", "true", "on"}, strings.ToLower(asks)) {
		return fmt.Sprintf("its pods have the %s %s: %q", what, enrollment.LabelInject, asks)
	}
	var namespace map[string]string
	if w.namespace != nil {
		namespace = w.namespace.Labels()
	}
	injection, hasInjection := namespace[labelInjection]
	_, namespaceRevision := namespace[labelRevision]
	_, podRevision := t.Labels[labelRevision]
	switch {
	case hasInjection && injection != "enabled":
		return fmt.Sprintf("its namespace has the label %s: %q", labelInjection, injection)
	case hasInjection || namespaceRevision || podRevision || w.namespace == nil:
		return ""
	case label == "true" && in.Istio.Revision == "":
		return ""
	case label == "true":
		return fmt.Sprintf("with revision %q and no default tag the label does nothing: neither its pods nor its namespace have %s", in.Istio.Revision, labelRevision)
	default:
		return "neither its pods nor its namespace ask for a sidecar"
	}
}
