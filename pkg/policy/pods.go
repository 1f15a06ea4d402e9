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

// GatewayLabels returns the labels of a gateway's pods: those that its selector
// says, and those that its Deployment has where it is in the build.
func GatewayLabels(in Input, g *model.Gateway) map[string]string {
	labels := maps.Clone(g.Selector)
	if labels == nil {
		labels = map[string]string{}
	}
	if o := in.Resources.Get(DeploymentRef(g.Namespace, g.Deployment)); o != nil {
		if t := o.PodTemplate(); t != nil {
			maps.Copy(labels, t.Labels)
		}
	}
	return labels
}

// PodLabels returns the labels of a workload's pods: those that its selector
// says, and those of its first pod template in the build.
func PodLabels(in Input, w *model.Workload) map[string]string {
	labels := maps.Clone(w.Selector)
	templates, _ := in.Templates(w) // what is missing is reported where the workload is planned
	if len(templates) > 0 {
		maps.Copy(labels, templates[0].Labels)
	}
	return labels
}
