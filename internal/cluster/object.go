package cluster

import (
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// object is one object of the cluster, and what it is to become.
type object struct {
	ref resource.Ref
	// live is what the API server holds; nil for an object that is to be made.
	live *unstructured.Unstructured
	// content is what it is to hold; nil for an object that is to go.
	content map[string]any
	// edits are what led there, for a report and for a look at what was stored.
	edits []policy.Edit
	// reason says why it is made or goes.
	reason string
}

var _ resource.Source = (*object)(nil)

func liveObject(o *unstructured.Unstructured) *object {
	return &object{ref: refOf(o), live: o, content: runtime.DeepCopyJSON(o.Object)}
}

// Ref names the object.
func (o *object) Ref() resource.Ref { return o.ref }

// Decode returns what the object is to hold.
func (o *object) Decode() (map[string]any, error) { return o.content, nil }

// Mentions reports whether a key or value holds s. Objects are in memory already:
// to look into one costs no more than to search it.
func (o *object) Mentions(string) bool { return true }

// pending reports whether there is something to write.
func (o *object) pending() bool {
	switch {
	case o.live == nil:
		return o.content != nil
	case o.content == nil:
		return true
	}
	return !reflect.DeepEqual(o.live.Object, o.content)
}

// removes reports whether the object is to go.
func (o *object) removes() bool { return o.live != nil && o.content == nil }
