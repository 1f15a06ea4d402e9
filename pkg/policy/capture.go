package policy

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The annotations of a pod by which its traffic, or part of it, passes the proxy
// by (istio.io/api/annotation).
const (
	annotationExclude    = "traffic.sidecar.istio.io/excludeInboundPorts"
	annotationInclude    = "traffic.sidecar.istio.io/includeInboundPorts"
	annotationInterfaces = "traffic.sidecar.istio.io/excludeInterfaces"
	annotationMode       = "sidecar.istio.io/interceptionMode"
	annotationTemplates  = "inject.istio.io/templates"
)

// templatesWithoutCapture are Istio's own injection templates that redirect nothing to the proxy.
var templatesWithoutCapture = []string{"gateway", "grpc-agent", "grpc-simple"}

// Uncaptured reports annotations of a pod template that keep ports out of the
// proxy's hands: a policy on them would be void. entry is whose policy it is:
// `workload "web"`.
func Uncaptured(t *resource.PodTemplate, entry string, ports ...model.Port) finding.List {
	var out finding.List
	add := func(annotation, what, remedy string) {
		out.Add(finding.New(finding.EnrollPortNotCaptured, t.Object.Ref(), t.AnnotationsAt.Child(annotation).String(),
			"it keeps %s of %s out of the proxy, so that its policy is void", what, entry).
			WithValues(t.Annotations[annotation], nil).WithRemedy("%s", remedy))
	}
	const remove = "remove the annotation"
	if strings.EqualFold(t.Annotations[annotationMode], "NONE") {
		add(annotationMode, "every port", remove)
	}
	if strings.Trim(t.Annotations[annotationInterfaces], " ,") != "" {
		add(annotationInterfaces, "what some interfaces bring to the pods", remove)
	}
	templates := fields(t.Annotations[annotationTemplates])
	if !slices.Contains(templates, "sidecar") && slices.ContainsFunc(templates, func(name string) bool { return slices.Contains(templatesWithoutCapture, name) }) {
		add(annotationTemplates, "every port", remove)
	}
	for _, port := range ports {
		for _, resolved := range ContainerPorts(t, port) {
			number := resolved.String()
			if slices.Contains(fields(t.Annotations[annotationExclude]), number) {
				add(annotationExclude, "port "+number, "take the port out of the annotation")
			}
			if include, ok := t.Annotations[annotationInclude]; ok && !slices.Contains(fields(include), "*") && !slices.Contains(fields(include), number) {
				add(annotationInclude, "port "+number, "add the port to the annotation")
			}
		}
	}
	return out
}

// fields returns the entries of a list with commas.
func fields(list string) []string {
	out := strings.Split(list, ",")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}
