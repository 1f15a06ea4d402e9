package cluster

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Change is one object before and after a run; nil where there was or is none.
type Change struct {
	Ref           resource.Ref
	Before, After map[string]any
}

// Action names the change by the API's verb.
func (c Change) Action() string {
	switch {
	case c.Before == nil:
		return "create"
	case c.After == nil:
		return "delete"
	default:
		return "update"
	}
}

// journal knows what objects were when the run first saw them, and what they are
// after its writes. A run that starts over, because somebody else was faster or an
// answer was lost, thus still knows what it has changed.
type journal struct {
	first   map[resource.Key]map[string]any
	written []resource.Key
	last    map[resource.Key]Change
}

func newJournal() *journal {
	return &journal{last: map[resource.Key]Change{}}
}

// read takes in what a run reads, for the first time or again.
func (j *journal) read(s *state) {
	now := map[resource.Key]map[string]any{}
	for _, o := range s.all {
		now[o.ref.Key()] = o.live.Object
	}
	if j.first == nil {
		j.first = now
	}
	for key, change := range j.last { // what became of a write whose answer was lost
		change.After = now[key]
		j.last[key] = change
	}
}

// wrote notes what the API server stored; nil for an object that is gone.
func (j *journal) wrote(ref resource.Ref, stored map[string]any) {
	key := ref.Key()
	if _, again := j.last[key]; !again {
		j.written = append(j.written, key)
	}
	j.last[key] = Change{Ref: ref, Before: j.first[key], After: stored}
}

// changes returns what is different from before, in the order of the writing.
func (j *journal) changes() []Change {
	var out []Change
	for _, key := range j.written {
		c := j.last[key]
		c.Before, c.After = Clean(c.Before), Clean(c.After)
		if !reflect.DeepEqual(c.Before, c.After) {
			out = append(out, c)
		}
	}
	return out
}

// Clean returns an object without what the API server keeps for itself: whatever
// is left says what somebody wants.
func Clean(object map[string]any) map[string]any {
	if object == nil {
		return nil
	}
	out := runtime.DeepCopyJSON(object)
	delete(out, "status")
	if metadata, ok := out["metadata"].(map[string]any); ok {
		for _, field := range []string{"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp", "selfLink"} {
			delete(metadata, field)
		}
	}
	return out
}

// derived returns the owner's generated objects as the run leaves them.
func (r *run) derived() []map[string]any {
	if r.state == nil {
		return nil
	}
	var out []map[string]any
	names := named(r.task.Scope)
	for _, o := range r.state.all {
		if names[o.ref.Key()] || o.reason != "" || len(o.edits) > 0 {
			if content := Clean(o.content); content != nil {
				out = append(out, content)
			}
		}
	}
	slices.SortFunc(out, func(a, b map[string]any) int { return refOfContent(a).Compare(refOfContent(b)) })
	return out
}

func refOfContent(content map[string]any) resource.Ref {
	return resource.Ref{
		APIVersion: resource.String(content, "apiVersion"), Kind: resource.String(content, "kind"),
		Namespace: resource.String(content, "metadata", "namespace"), Name: resource.String(content, "metadata", "name"),
	}
}
