package clustertest

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured/unstructuredscheme"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

// fieldManager returns what keeps the managedFields of a request's kind: that of a
// real API server, but without schemas, so that every list belongs to one manager
// as a whole.
func fieldManager(r *request) (*managedfields.FieldManager, error) {
	return managedfields.NewDefaultCRDFieldManager(managedfields.NewDeducedTypeConverter(), versions{},
		unstructuredscheme.NewUnstructuredDefaulter(), unstructuredscheme.NewUnstructuredCreator(),
		r.gvk, r.gvk.GroupVersion(), r.subresource, nil)
}

// managed returns an object with managedFields that say what the request wrote of it.
func managed(r *request, before, after *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	manager, err := fieldManager(r)
	if err != nil {
		return nil, fmt.Errorf("tracking managed fields: %w", err)
	}
	if before == nil {
		before = &unstructured.Unstructured{Object: map[string]any{}}
		before.SetGroupVersionKind(r.gvk)
	}
	out, err := manager.Update(before.DeepCopy(), after, r.manager)
	if err != nil {
		return nil, fmt.Errorf("tracking managed fields: %w", err)
	}
	return asUnstructured(out)
}

// applied returns what a server-side apply makes of an object.
func applied(r *request, before, configuration *unstructured.Unstructured, force bool) (*unstructured.Unstructured, error) {
	manager, err := fieldManager(r)
	if err != nil {
		return nil, fmt.Errorf("tracking managed fields: %w", err)
	}
	out, err := manager.Apply(before, configuration, r.manager, force)
	if err != nil {
		return nil, err // a conflict is one of the API's errors
	}
	return asUnstructured(out)
}

func asUnstructured(o runtime.Object) (*unstructured.Unstructured, error) {
	out, ok := o.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("tracking managed fields: the object is now of type %T", o)
	}
	return out, nil
}

// versions converts between the versions of a kind, which differ in their names alone.
type versions struct{}

var _ runtime.ObjectConvertor = versions{}

func (versions) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	out := in.DeepCopyObject()
	gvk, ok := target.KindForGroupVersionKinds([]schema.GroupVersionKind{in.GetObjectKind().GroupVersionKind()})
	if !ok {
		return nil, fmt.Errorf("there is no version of %T for %v", in, target)
	}
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return out, nil
}

func (versions) Convert(_, _, _ any) error {
	return errors.New("objects are converted by version only")
}

func (versions) ConvertFieldLabel(_ schema.GroupVersionKind, label, value string) (newLabel, newValue string, err error) {
	return label, value, nil
}
