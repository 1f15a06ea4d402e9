package clustertest

import (
	"cmp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// key names an object in whatever version.
type key struct{ group, plural, namespace, name string }

func (k *kind) key(namespace, name string) key {
	if k.clusterScoped {
		namespace = ""
	}
	return key{group: k.group, plural: k.plural, namespace: namespace, name: name}
}

// store holds the objects. What it gives and takes are copies.
type store struct {
	version uint64
	objects map[key]*unstructured.Unstructured
}

func newStore() store { return store{objects: map[key]*unstructured.Unstructured{}} }

// get returns an object, nil where there is none.
func (s *store) get(k key) *unstructured.Unstructured {
	if o := s.objects[k]; o != nil {
		return o.DeepCopy()
	}
	return nil
}

// put stores an object as a new version, which it gets.
func (s *store) put(k key, o *unstructured.Unstructured) {
	s.version++
	o.SetResourceVersion(strconv.FormatUint(s.version, 10))
	s.objects[k] = o.DeepCopy()
}

func (s *store) remove(k key) {
	s.version++
	delete(s.objects, k)
}

// list returns the objects of a kind in a namespace, "" for all, in their order.
func (s *store) list(k *kind, namespace string) []*unstructured.Unstructured {
	var out []*unstructured.Unstructured
	for at, o := range s.objects {
		if at.group == k.group && at.plural == k.plural && (namespace == "" || at.namespace == namespace) {
			out = append(out, o.DeepCopy())
		}
	}
	slices.SortFunc(out, compare)
	return out
}

func compare(a, b *unstructured.Unstructured) int {
	return cmp.Or(cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
}

// dependents returns the objects that an object owns.
func (s *store) dependents(owner *unstructured.Unstructured) map[key]*unstructured.Unstructured {
	out := map[key]*unstructured.Unstructured{}
	for at, o := range s.objects {
		for _, reference := range o.GetOwnerReferences() {
			if reference.UID == owner.GetUID() {
				out[at] = o.DeepCopy()
			}
		}
	}
	return out
}
