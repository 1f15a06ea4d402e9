package clustertest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Load stores the objects of a YAML stream as a manager, with their status, and
// replaces those that exist. No hook and no webhook sees it.
func (s *Server) Load(tb testing.TB, manager, manifests string) {
	tb.Helper()
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(manifests)), len(manifests)+1)
	for {
		o := &unstructured.Unstructured{}
		err := decoder.Decode(&o.Object)
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(tb, err)
		if len(o.Object) > 0 {
			s.mu.Lock()
			err = s.load(manager, o)
			s.mu.Unlock()
			require.NoError(tb, err)
		}
	}
}

func (s *Server) load(manager string, o *unstructured.Unstructured) error {
	gvk := o.GroupVersionKind()
	i := slices.IndexFunc(s.kinds, func(k kind) bool { return k.groupKind() == gvk.GroupKind() && slices.Contains(k.versions, gvk.Version) })
	if i < 0 {
		return fmt.Errorf("the server has no kind %s", gvk)
	}
	r := &request{kind: &s.kinds[i], gvk: gvk, namespace: o.GetNamespace(), name: o.GetName(), manager: manager}
	if !r.clusterScoped && r.namespace == "" {
		return fmt.Errorf("%s %q has no namespace", gvk.Kind, r.name)
	}
	r.complete(o)
	before := s.store.get(r.key())
	if before == nil {
		o.SetUID(uuid.NewUUID())
		o.SetCreationTimestamp(metav1.NewTime(time.Now()))
		if !r.noGeneration && o.GetGeneration() == 0 {
			o.SetGeneration(1)
		}
		return s.write(r, nil, o)
	}
	o.SetUID(before.GetUID())
	o.SetCreationTimestamp(before.GetCreationTimestamp())
	return s.write(r, before, o)
}

// write stores an object without asking whether that is right.
func (s *Server) write(r *request, before, o *unstructured.Unstructured) error {
	if before != nil {
		before.SetGroupVersionKind(r.gvk)
		if !r.noGeneration && o.GetGeneration() <= before.GetGeneration() && !reflect.DeepEqual(desired(before), desired(o)) {
			o.SetGeneration(before.GetGeneration() + 1)
		}
	}
	after, err := managed(r, before, o)
	if err != nil {
		return err
	}
	s.store.put(r.key(), after)
	return nil
}

// Edit changes an object as a manager, status included, as somebody else would
// between two requests.
func (s *Server) Edit(tb testing.TB, manager, kind, namespace, name string, change func(o *unstructured.Unstructured)) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kindNamed(kind)
	require.NotNil(tb, k, "the server has no kind %s", kind)
	r := &request{kind: k, gvk: k.in(k.versions[0]), namespace: namespace, name: name, manager: manager}
	before := s.store.get(r.key())
	require.NotNil(tb, before, "there is no %s %s/%s", kind, namespace, name)
	after := before.DeepCopy()
	after.SetGroupVersionKind(r.gvk)
	change(after)
	require.NoError(tb, s.write(r, before, after))
}

// Remove deletes an object without asking anybody, if it is there.
func (s *Server) Remove(kind, namespace, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.kindNamed(kind); k != nil {
		s.store.remove(k.key(namespace, name))
	}
}

// Objects returns the objects of some kinds, or of all, by kind, namespace and
// name, in the version in which they were written last.
func (s *Server) Objects(kinds ...string) []*unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*unstructured.Unstructured
	for i := range s.kinds {
		if k := &s.kinds[i]; len(kinds) == 0 || slices.Contains(kinds, k.kind) {
			out = append(out, s.store.list(k, "")...)
		}
	}
	return out
}

// Object returns an object, nil where there is none.
func (s *Server) Object(kind, namespace, name string) *unstructured.Unstructured {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kindNamed(kind)
	if k == nil {
		return nil
	}
	return s.store.get(k.key(namespace, name))
}

func (s *Server) kindNamed(name string) *kind {
	i := slices.IndexFunc(s.kinds, func(k kind) bool { return k.kind == name })
	if i < 0 {
		return nil
	}
	return &s.kinds[i]
}
