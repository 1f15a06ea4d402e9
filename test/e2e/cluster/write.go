package cluster

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func (c *Controllers) create(ctx context.Context, kind schema.GroupVersionKind, object metav1.Object, manager string) error {
	out, err := untyped(kind, object)
	if err != nil {
		return err
	}
	objects, err := c.client.Kind(ctx, kind, object.GetNamespace())
	if err != nil {
		return err
	}
	_, err = objects.Create(ctx, out, metav1.CreateOptions{FieldManager: manager})
	return err
}

// update writes an object unless someone else has changed it since it was read.
func (c *Controllers) update(ctx context.Context, kind schema.GroupVersionKind, object metav1.Object, manager string, subresources ...string) error {
	out, err := untyped(kind, object)
	if err != nil {
		return err
	}
	objects, err := c.client.Kind(ctx, kind, object.GetNamespace())
	if err != nil {
		return err
	}
	_, err = objects.Update(ctx, out, metav1.UpdateOptions{FieldManager: manager}, subresources...)
	return err
}

func (c *Controllers) updateStatus(ctx context.Context, kind schema.GroupVersionKind, object metav1.Object, manager string) error {
	return c.update(ctx, kind, object, manager, "status")
}

func untyped(kind schema.GroupVersionKind, object metav1.Object) (*unstructured.Unstructured, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	out := &unstructured.Unstructured{Object: content}
	out.SetGroupVersionKind(kind)
	return out, nil
}

// sameStatus compares as the API server does: nothing is like an empty list, and
// times are equal in whatever zone.
func sameStatus(a, b any) bool { return equality.Semantic.DeepEqual(a, b) }
