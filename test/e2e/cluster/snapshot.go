package cluster

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Snapshot is the whole content of objects, managedFields and resourceVersion
// included, by "Kind namespace/name". Equal snapshots are of untouched objects.
type Snapshot map[string]map[string]any

// Snapshot returns the objects of some kinds in a namespace, or everywhere when that is empty.
func (c *Client) Snapshot(ctx context.Context, namespace string, kinds ...schema.GroupVersionKind) (Snapshot, error) {
	snapshot := Snapshot{}
	for _, kind := range kinds {
		objects, err := c.Kind(ctx, kind, namespace)
		if err != nil {
			return nil, err
		}
		list, err := objects.List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("listing each %s: %w", kind.Kind, err)
		}
		for _, object := range list.Items {
			snapshot[fmt.Sprintf("%s %s/%s", kind.Kind, object.GetNamespace(), object.GetName())] = object.Object
		}
	}
	return snapshot, nil
}
