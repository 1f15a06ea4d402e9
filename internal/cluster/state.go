package cluster

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// state is what a run has read, with the changes that were planned so far. Plans
// are carried out here first, so that a unit sees what those before it want and
// nothing is written before all have said that it may be.
type state struct {
	set *resource.Set
	all []*object
}

func newState(live []*unstructured.Unstructured) *state {
	s := &state{set: resource.NewSet()}
	for _, o := range live {
		s.add(liveObject(o))
	}
	return s
}

func (s *state) add(o *object) {
	s.all = append(s.all, o)
	s.set.Add(o)
}

// apply carries out a plan in memory.
func (s *state) apply(plan policy.Plan) error {
	changed := map[*resource.Object]bool{}
	for _, edit := range plan.Edits {
		o, err := source(edit.Object)
		if err != nil {
			return err
		}
		content, err := set(o.content, edit.Path, runtime.DeepCopyJSONValue(edit.Value))
		if err != nil {
			return fmt.Errorf("setting %s of %s: %w", edit.Path, o.ref, err)
		}
		mapping, ok := content.(map[string]any)
		if !ok {
			return fmt.Errorf("setting %s of %s: it would be no object any more", edit.Path, o.ref)
		}
		o.content, o.ref.APIVersion = mapping, resource.String(mapping, "apiVersion")
		o.edits = append(o.edits, edit)
		changed[edit.Object] = true
	}
	for o := range changed {
		o.Reload()
	}
	for _, removal := range plan.Remove {
		o, err := source(removal.Object)
		if err != nil {
			return err
		}
		o.content, o.reason = nil, removal.Reason
		s.set.Remove(removal.Object)
	}
	for _, derived := range plan.Create {
		s.add(&object{ref: derived.Ref, content: runtime.DeepCopyJSON(derived.Content()), reason: derived.Source + " of the model"})
	}
	return nil
}

func source(o *resource.Object) (*object, error) {
	out, ok := o.Source.(*object)
	if !ok {
		return nil, fmt.Errorf("%s wasn't read from the cluster", o.Ref())
	}
	return out, nil
}

// immutable takes out of a plan what an API server would refuse: the pod template
// of a Job that exists, and nearly all of a Pod. A warning says what to do.
func immutable(plan *policy.Plan) finding.List {
	var (
		out  finding.List
		said []*resource.Object
	)
	plan.Edits = slices.DeleteFunc(plan.Edits, func(e policy.Edit) bool {
		kind := e.Object.Ref().Kind
		if _, pods := resource.PodKindOf(e.Object.Ref()); !pods || kind != "Job" && kind != "Pod" && kind != "ReplicaSet" {
			return false
		}
		if !slices.Contains(said, e.Object) {
			said = append(said, e.Object)
			out.Add(finding.New(finding.ObjectImmutable, e.Object.Ref(), e.Path.String(), "it would get %v (%s), and a %s that exists can't be changed", e.Value, e.Reason, kind))
		}
		return true
	})
	return out
}

// writers returns who wrote an object, by the API server's books: those who own
// something of its spec first.
func writers(o *unstructured.Unstructured) []string {
	var spec, others []string
	for _, entry := range resource.List(o.Object, "metadata", "managedFields") {
		fields, _ := entry.(map[string]any)
		manager := resource.String(fields, "manager")
		switch {
		case manager == "" || resource.String(fields, "subresource") != "":
		case ownsAny(resource.Map(fields, "fieldsV1", "f:spec"), o.Object["spec"]):
			spec = append(spec, manager)
		default:
			others = append(others, manager)
		}
	}
	var out []string
	for _, manager := range append(spec, others...) {
		if !slices.Contains(out, manager) {
			out = append(out, manager)
		}
	}
	return out
}

// wrote reports whether an object is still a manager's work: it owns something of
// the spec. A write that only took fields away, as from an adopted policy that is
// to admit nobody, leaves no claim to the spec at all; then the label that names
// the owner counts, unless somebody else has written the spec since.
func wrote(o *unstructured.Unstructured, manager string) bool {
	var (
		labelled string // when the manager labelled it, without a claim to the spec
		others   string // when somebody else last wrote to the spec
	)
	for _, entry := range resource.List(o.Object, "metadata", "managedFields") {
		fields, _ := entry.(map[string]any)
		if resource.String(fields, "subresource") != "" {
			continue
		}
		claim := resource.Map(fields, "fieldsV1", "f:spec")
		at := resource.String(fields, "time") // RFC 3339 in UTC, which sorts as text
		if resource.String(fields, "manager") != manager {
			if ownsAny(claim, o.Object["spec"]) {
				others = max(others, at)
			}
			continue
		}
		if ownsAny(claim, o.Object["spec"]) {
			return true
		}
		_, hasLabel := resource.Field(fields, "fieldsV1", "f:metadata", "f:labels", "f:"+v1alpha1.LabelOwner)
		if hasLabel && (claim == nil || len(resource.Map(o.Object, "spec")) == 0) {
			labelled = max(labelled, at, "0") // later than never
		}
	}
	return labelled != "" && others <= labelled
}

// ownsAny reports whether a claim of managedFields, a tree of "f:" keys, holds a
// value of what is there. A manager whose every value somebody else has replaced
// stays there with the mappings that led to them (seen with kube-apiserver 1.35).
func ownsAny(claim map[string]any, value any) bool {
	mapping, isMapping := value.(map[string]any)
	for key, below := range claim {
		if key == "." {
			continue
		}
		name, isField := strings.CutPrefix(key, "f:")
		if !isField || !isMapping { // an entry of a list
			return true
		}
		at, there := mapping[name]
		deeper, _ := below.(map[string]any)
		if _, nested := at.(map[string]any); there && !nested && len(deeper) == 0 || ownsAny(deeper, at) {
			return true
		}
	}
	return false
}
