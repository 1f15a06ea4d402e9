package parity

import (
	"fmt"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The words by which an object is there or isn't, where no field says it.
const (
	present = "present"
	absent  = "absent"
)

// workload observes whether a workload's pods ask for a sidecar, and whether its policies are there.
func (c *checker) workload(w *model.Workload) {
	templates := c.templates(w)
	if len(templates) > 0 {
		c.checked.Workloads++
	}
	if w.Enroll {
		for _, t := range templates {
			c.enrollment(w, t)
		}
	}
	if w.Protected {
		c.authorized(w, templates)
		c.strict(w, templates)
	}
}

// templates returns the pod templates of a workload. A template that can't be
// read is kept by the set.
func (c *checker) templates(w *model.Workload) []*resource.PodTemplate {
	var out []*resource.PodTemplate
	entry := "workload " + w.Name
	for _, ref := range w.TargetRefs {
		for _, o := range c.objects(ref, entry) {
			if t := o.PodTemplate(); t != nil {
				out = append(out, t)
			}
		}
	}
	if w.PodTemplates == nil {
		return out
	}
	for t := range c.PodTemplatesIn(w.Namespace) {
		if w.PodTemplates.Matches(labels.Set(t.Labels)) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		c.objects(resource.Ref{Kind: "pod template", Namespace: w.Namespace, Name: w.PodTemplates.String()}, entry)
	}
	return out
}

// enrollment observes a pod template: its own label, or else one of its namespace,
// which enrolls every pod that doesn't refuse.
func (c *checker) enrollment(w *model.Workload, t *resource.PodTemplate) {
	o, path, label := t.Object, t.LabelsAt.Child(enrollment.LabelInject), enrollment.Requests(t)
	e := observation{wanted: "true"}
	e.Aspect = Enrollment
	switch namespace, key := c.enrollingNamespace(t); {
	case label != "":
		path = t.LabelsAt.Child(label)
		e.Holds, e.current = true, t.Labels[label]
		e.Reason = fmt.Sprintf("the pods of workload %q ask for a sidecar", w.Name)
	case namespace != nil:
		o, path = namespace, resource.Path{"metadata", "labels", key}
		e.Holds, e.current = true, namespace.Labels()[key]
		e.Reason = "the namespace gives every pod a sidecar"
	default:
		if value, said := t.Labels[enrollment.LabelInject]; said {
			e.current = value
		}
		e.Reason = fmt.Sprintf("the pods of workload %q ask for no sidecar", w.Name)
	}
	e.Field = path.String()
	c.observe(o, policy.SectionWorkloads, w.Name, e)
}

// labelInjection enrolls the pods of a namespace.
const labelInjection = "istio-injection"

// enrollingNamespace returns the Namespace that gives a template's pods their sidecar, and its label that does.
func (c *checker) enrollingNamespace(t *resource.PodTemplate) (*resource.Object, string) {
	namespace := c.Namespace(t.Object.Ref().Namespace)
	if namespace == nil || t.Labels[enrollment.LabelInject] == "false" {
		return nil, ""
	}
	switch labels := namespace.Labels(); {
	case labels[labelInjection] == "enabled":
		return namespace, labelInjection
	case labels[labelInjection] == "" && labels[enrollment.LabelRevision] != "":
		return namespace, enrollment.LabelRevision
	}
	return nil, ""
}

// authorized observes the AuthorizationPolicies of a workload: the one of the
// model's name, whoever wrote it, and others that decide who reaches its pods.
func (c *checker) authorized(w *model.Workload, templates []*resource.PodTemplate) {
	ref := policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName)
	source := policy.SectionWorkloads + "/" + w.Name
	p := protection{section: policy.SectionWorkloads, name: w.Name, ref: ref, rendered: len(templates) > 0}
	for _, a := range c.policies {
		own := isNamed(a.Object, ref)
		if own || c.isFrom(a.Object, source) || a.Decides() && c.selects(a, w, templates) {
			p.add(a.Object, own, a.Decides() && !a.OnlyEmptyRules(), "admits only some to it", inert(a))
		}
	}
	c.protected(p)
}

// selects reports whether a policy names the pods of a workload by their labels.
func (c *checker) selects(a policy.Authorization, w *model.Workload, templates []*resource.PodTemplate) bool {
	if a.NamespaceWide() {
		return false
	}
	for _, t := range templates {
		if a.Selects(w.Namespace, t.Labels, c.Istio.RootNamespace) {
			return true
		}
	}
	return false
}

// inert says why a policy of an enforced name enforces nothing.
func inert(a policy.Authorization) string {
	switch {
	case a.DryRun():
		return "is a dry run"
	case !a.Allows():
		return "has the action " + a.Spec.GetAction().String()
	default:
		return "admits every request"
	}
}

// strict observes the PeerAuthentications of a workload.
func (c *checker) strict(w *model.Workload, templates []*resource.PodTemplate) {
	ref := policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName)
	source := policy.SectionWorkloads + "/" + w.Name
	p := protection{section: policy.SectionWorkloads, name: w.Name, ref: ref, rendered: len(templates) > 0}
	for _, peer := range c.peers {
		own, names := isNamed(peer.Object, ref), false
		for _, t := range templates {
			names = names || peer.Strict() && peer.Names(w.Namespace, t.Labels)
		}
		if own || names || c.isFrom(peer.Object, source) {
			p.add(peer.Object, own, peer.Strict(), "refuses plaintext", "accepts plaintext on some port")
		}
	}
	c.protected(p)
}
