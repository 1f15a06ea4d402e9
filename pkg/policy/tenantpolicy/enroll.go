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
)

// enrolled plans a sidecar that starts before the workload's containers.
func (w *workload) enrolled(in policy.Input) policy.Plan {
	var plan policy.Plan
	t := w.template
	o, at := t.Object, t.AnnotationsAt.Child(annotationProxyConfig)
	reason := fmt.Sprintf("tenant group %s enrolls its %ss", w.group.Name, w.entry.Kind)
	plan.Set(o, t.LabelsAt.Child(enrollment.LabelInject), "true", reason)
	if len(t.Spec.InitContainers) > 0 && !in.Istio.NativeSidecars {
		plan.Findings.Add(finding.New(finding.EnrollInitNetwork, o.Ref(), t.SpecAt.Child("initContainers").String(),
			"tenant group %q enrolls it and it has init containers: with a classic sidecar under Istio CNI they have no network", w.group.Name))
	}

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

// enforced reports a policy that no proxy enforces: the pods get none, or the
// port goes past it.
func (w *workload) enforced(in policy.Input, port workloadPort) finding.List {
	t := w.template
	label := t.Labels[enrollment.LabelInject]
	if w.enroll {
		label = "true"
	}
	if why := w.unproxied(in, label); why != "" {
		return finding.List{w.unenforced(why)}
	}
	return policy.Uncaptured(t, fmt.Sprintf("tenant group %q (%s)", w.group.Name, port.from), port.Port)
}

// unenforced reports pods without a proxy: an obstacle where the model wants one.
func (w *workload) unenforced(why string) finding.Finding {
	t := w.template
	label := t.LabelsAt.Child(enrollment.LabelInject).String()
	switch {
	case w.enroll && t.Spec.HostNetwork:
		return finding.New(finding.EnrollHostNetwork, t.Object.Ref(), t.SpecAt.Child("hostNetwork").String(),
			"tenant group %q enrolls it, and Istio injects nothing: %s", w.group.Name, why).WithValues(true, nil)
	case w.enroll:
		return finding.New(finding.EnrollUnreachable, t.Object.Ref(), label, "tenant group %q enrolls it, and Istio injects nothing: %s", w.group.Name, why)
	default:
		return finding.New(finding.TenantPolicyInert, t.Object.Ref(), label, "no proxy enforces its policy, so that everybody can reach it: %s", why)
	}
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
