package policy

import (
	"maps"

	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// DeploymentRef names a Deployment.
func DeploymentRef(namespace, name string) resource.Ref {
	return resource.Ref{APIVersion: "apps/v1", Kind: "Deployment", Namespace: namespace, Name: name}
}

// RulePath leads to the i-th rule of an AuthorizationPolicy.
func RulePath(i int) resource.Path { return resource.Path{"spec", "rules"}.Index(i) }

// labelGatewayName is on the pods that istiod makes for a Gateway API gateway.
const labelGatewayName = gatewayAPIGroup + "/gateway-name"

// GatewayLabels returns the labels of a gateway's pods: those that its selector
// says, and those that its Deployment has. Without the Deployment in the build
// there may be more: then it adds those that match asks for and the model says
// nothing of, so that what may select the pods does.
func GatewayLabels(in Input, g *model.Gateway, match map[string]string) map[string]string {
	labels := map[string]string{}
	maps.Copy(labels, g.Selector)
	if !g.TargetRef.IsZero() {
		labels[labelGatewayName] = g.TargetRef.Name
	}
	if o := in.Resources.Get(DeploymentRef(g.Namespace, g.Deployment)); o != nil {
		if t := o.PodTemplate(); t != nil {
			maps.Copy(labels, t.Labels)
			return labels
		}
	}
	for key := range match {
		if _, known := labels[key]; known {
			out := maps.Clone(match)
			maps.Copy(out, labels)
			return out
		}
	}
	return labels // nothing in common: more likely some other pods'
}

// HostPolicySelects reports whether a gateway has a host policy here and that
// selects pods of a namespace with these labels. In the root namespace, where
// gateways mostly are, a policy selects pods of the whole mesh.
func HostPolicySelects(in Input, g *model.Gateway, namespace string, labels map[string]string) bool {
	return g.HostPolicy && !g.Absent && g.Profile.Enforces() &&
		(g.Namespace == namespace || g.Namespace == in.Istio.RootNamespace) && resource.Selects(g.Selector, labels)
}

// PodLabels returns the labels of a workload's pods, once for each of its pod
// templates in the build: those of the template and those that its selector says.
// There is always one.
func PodLabels(in Input, w *model.Workload) []map[string]string {
	templates, _ := in.Templates(w) // what is missing is reported where the workload is planned
	if len(templates) == 0 {
		return []map[string]string{w.Selector}
	}
	out := make([]map[string]string, 0, len(templates))
	for _, t := range templates {
		labels := maps.Clone(w.Selector)
		maps.Copy(labels, t.Labels)
		out = append(out, labels)
	}
	return out
}
