package cluster

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// collected are the kinds whose objects go when their owners are gone.
var collected = []schema.GroupVersionKind{ReplicaSet, Pod, AuthorizationPolicy, PeerAuthentication, ServiceAccount}

// Indexes of each cache.
const (
	byUID   = "uid"
	byOwner = "owner" // the owner that controls the object
)

func uidOf(entry any) ([]string, error) {
	object, err := asObject(entry)
	if err != nil {
		return nil, err
	}
	return []string{string(object.GetUID())}, nil
}

func ownerOf(entry any) ([]string, error) {
	object, err := asObject(entry)
	if err != nil {
		return nil, err
	}
	if owner := metav1.GetControllerOf(object); owner != nil {
		return []string{string(owner.UID)}, nil
	}
	return nil, nil
}

func asObject(entry any) (*unstructured.Unstructured, error) {
	object, ok := entry.(*unstructured.Unstructured)
	if !ok {
		return nil, fmt.Errorf("a cache holds a %T", entry)
	}
	return object, nil
}

// typed returns an entry of a cache as a type of its API, apart from the cache.
func typed[T any](entry any) (*T, error) {
	object, err := asObject(entry)
	if err != nil {
		return nil, err
	}
	out := new(T)
	err = runtime.DefaultUnstructuredConverter.FromUnstructured(object.DeepCopy().Object, out)
	return out, err
}

// ownedBy returns the objects of a kind that an owner controls.
func ownedBy[T any](c *Controllers, kind schema.GroupVersionKind, owner types.UID) ([]*T, error) {
	entries, err := c.caches[kind].GetIndexer().ByIndex(byOwner, string(owner))
	if err != nil {
		return nil, err
	}
	var out []*T
	for _, entry := range entries {
		object, err := typed[T](entry)
		if err != nil {
			return nil, err
		}
		out = append(out, object)
	}
	return out, nil
}

// collect deletes the objects that have owners but none that is still there.
func (c *Controllers) collect(ctx context.Context) error {
	var failed []error
	for _, kind := range collected {
		for _, entry := range c.caches[kind].GetStore().List() {
			object, err := asObject(entry)
			if err == nil {
				err = c.collectOne(ctx, kind, object)
			}
			failed = append(failed, err)
		}
	}
	return errors.Join(failed...)
}

func (c *Controllers) collectOne(ctx context.Context, kind schema.GroupVersionKind, object *unstructured.Unstructured) error {
	owners := object.GetOwnerReferences()
	if len(owners) == 0 || object.GetDeletionTimestamp() != nil {
		return nil
	}
	for _, owner := range owners {
		if there, err := c.isThere(ctx, object.GetNamespace(), owner); there || err != nil {
			return err
		}
	}
	return c.delete(ctx, kind, object)
}

// isThere looks into the caches first, and asks the server before it says no.
func (c *Controllers) isThere(ctx context.Context, namespace string, owner metav1.OwnerReference) (bool, error) {
	kind := schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind)
	if informer, ok := c.caches[kind]; ok {
		if found, err := informer.GetIndexer().ByIndex(byUID, string(owner.UID)); err != nil || len(found) > 0 {
			return true, err
		}
	}
	object, err := c.client.Get(ctx, kind, namespace, owner.Name)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && object.GetUID() == owner.UID, err
}

// delete deletes what has the object's name and is that very object.
func (c *Controllers) delete(ctx context.Context, kind schema.GroupVersionKind, object metav1.Object) error {
	objects, err := c.client.Kind(ctx, kind, object.GetNamespace())
	if err != nil {
		return err
	}
	uid, now := object.GetUID(), int64(0)
	err = objects.Delete(ctx, object.GetName(), metav1.DeleteOptions{
		GracePeriodSeconds: &now, Preconditions: &metav1.Preconditions{UID: &uid},
	})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
