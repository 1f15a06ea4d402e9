package policy

import (
	"iter"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Input is what a unit plans from: what an owner's build should hold, and what it holds.
type Input struct {
	derive.Scope
	// Resources are the objects of the build.
	Resources *resource.Set
	// Components that the build includes.
	Components []string
	// Tests are what the build must hold against.
	Tests []model.AccessTest
	// Cluster says that the resources are a cluster's and no build's: others' objects
	// are among them, which are theirs to answer for, and what is missing may still come.
	Cluster bool
}

// Place names where the resources are, for a message.
func (in Input) Place() string {
	if in.Cluster {
		return "the cluster"
	}
	return "this build"
}

// Weigh makes what is an error in a build, which its owner alone puts together, a
// warning in a cluster, where one owner can neither wait for the others nor mend
// what is theirs.
func (in Input) Weigh(f finding.Finding) finding.Finding {
	if in.Cluster && f.Severity == finding.Error {
		f.Severity = finding.Warning
	}
	return f
}

// Unit plans one unit's changes. It neither applies them nor does any I/O.
type Unit func(Input) Plan

// Templates returns the pod templates of a workload of the owner's. Each that
// the model names and the build lacks is an error, and so is an object of the
// same name twice: a policy for pods that nobody renders protects nothing.
func (in Input) Templates(w *model.Workload) ([]*resource.PodTemplate, finding.List) {
	if w.PodTemplates != nil {
		return in.selected(w)
	}
	var (
		out      []*resource.PodTemplate
		findings finding.List
	)
	for _, ref := range w.TargetRefs {
		t, f := in.template(ref, "workload "+w.Name)
		findings.Add(f...)
		if t != nil {
			out = append(out, t)
		}
	}
	return out, findings
}

func (in Input) selected(w *model.Workload) ([]*resource.PodTemplate, finding.List) {
	var out []*resource.PodTemplate
	for t := range in.PodTemplatesIn(w.Namespace) {
		if w.PodTemplates.Matches(labels.Set(t.Labels)) {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		ref := resource.Ref{Kind: "pod template", Namespace: w.Namespace, Name: w.PodTemplates.String()}
		return nil, finding.List{in.Weigh(finding.New(finding.ObjectMissing, ref, "", "workload %q selects no pod template of %s", w.Name, in.Place()))}
	}
	return out, nil
}

// GatewayTemplate returns the pod template of a gateway of the owner's.
func (in Input) GatewayTemplate(g *model.Gateway) (*resource.PodTemplate, finding.List) {
	return in.template(DeploymentRef(g.Namespace, g.Deployment), "gateway "+g.Name)
}

func (in Input) template(ref resource.Ref, entry string) (*resource.PodTemplate, finding.List) {
	o := in.Resources.Get(ref)
	if o == nil {
		return nil, finding.List{in.Missing(ref, entry)}
	}
	var findings finding.List
	for _, twin := range in.Resources.Duplicates(ref) {
		findings.Add(finding.New(finding.ObjectDuplicate, twin.Ref(), "", "it stands twice in this build"))
	}
	return o.PodTemplate(), findings // no template: the set keeps the error
}

// Missing reports an object that an entry of the owner's has and the build
// lacks. One of its kind and name in another namespace is named: mostly a
// kustomization's namespace moved it, or nothing gave it one.
func (in Input) Missing(ref resource.Ref, entry string) finding.Finding {
	if in.Cluster {
		return in.Weigh(finding.New(finding.ObjectMissing, ref, "", "the model's %s has it and the cluster doesn't", entry).
			WithRemedy("deploy it and run the task again, or list the entry under absent in the Environment"))
	}
	f := finding.New(finding.ObjectMissing, ref, "", "the model's %s has it and this build of owner %q doesn't", entry, in.Owner.Name)
	for _, o := range in.Resources.Kind(ref.Group(), ref.Kind) {
		switch at := o.Ref(); {
		case at.Name != ref.Name:
		case at.Namespace == "":
			return f.WithRemedy("it is there without a namespace: give it %q", ref.Namespace)
		default:
			return f.WithRemedy("it is there in namespace %q: keep it out of what sets a namespace, or correct the model", at.Namespace)
		}
	}
	return f
}

// PodTemplatesIn yields the pod templates of one namespace.
func (in Input) PodTemplatesIn(namespace string) iter.Seq[*resource.PodTemplate] {
	return func(yield func(*resource.PodTemplate) bool) {
		for _, kind := range resource.PodKinds {
			for _, o := range in.Resources.Kind(kind.Group, kind.Kind) {
				if o.Ref().Namespace != namespace {
					continue
				}
				if t := o.PodTemplate(); t != nil && !yield(t) {
					return
				}
			}
		}
	}
}

// Namespace returns the Namespace object of a name, or nil when the build has none.
func (in Input) Namespace(name string) *resource.Object {
	return in.Resources.Get(resource.Ref{APIVersion: "v1", Kind: "Namespace", Name: name})
}
