package cluster

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// replicate does the next step of a ReplicaSet: its pods, then its status.
func (c *Controllers) replicate(ctx context.Context, set *appsv1.ReplicaSet) error {
	pace, err := c.paceOf(set)
	if err != nil || pace == Idle || set.DeletionTimestamp != nil {
		return err
	}
	pods, err := ownedBy[corev1.Pod](c, Pod, set.UID)
	if err != nil {
		return err
	}
	replicas := int(*set.Spec.Replicas)
	for _, pod := range pods[min(replicas, len(pods)):] {
		if err := c.delete(ctx, Pod, pod); err != nil {
			return err
		}
	}
	if len(pods) < replicas {
		return c.replenish(ctx, set, pods)
	}
	status := appsv1.ReplicaSetStatus{ObservedGeneration: set.Generation}
	for _, pod := range pods {
		status.Replicas++
		status.FullyLabeledReplicas++
		if isReady(pod) {
			status.ReadyReplicas++
			status.AvailableReplicas++
		}
	}
	if sameStatus(set.Status, status) {
		return nil
	}
	set.Status = status
	return c.updateStatus(ctx, ReplicaSet, set, deploymentController)
}

// replenish makes the pods that a ReplicaSet lacks. Their names are counted, so
// that one which the cache doesn't know yet isn't made twice.
func (c *Controllers) replenish(ctx context.Context, set *appsv1.ReplicaSet, pods []*corev1.Pod) error {
	names := map[string]bool{}
	for _, pod := range pods {
		names[pod.Name] = true
	}
	for i := range *set.Spec.Replicas {
		name := fmt.Sprintf("%s-%05x", set.Name, i)
		if names[name] {
			continue
		}
		pod := podOf(set, name)
		if err := c.admit(ctx, pod); err != nil {
			return err
		}
		if err := c.create(ctx, Pod, pod, deploymentController); err != nil {
			return err
		}
	}
	return nil
}

func podOf(set *appsv1.ReplicaSet, name string) *corev1.Pod {
	template := set.Spec.Template.DeepCopy()
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Namespace, pod.Name, pod.GenerateName = set.Namespace, name, set.Name+"-"
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, ReplicaSet)}
	return pod
}

// paceOf returns the pace of the Deployment that a ReplicaSet or pod belongs to, or
// of its namespace.
func (c *Controllers) paceOf(object metav1.Object) (Pace, error) {
	owner := metav1.GetControllerOf(object)
	switch {
	case owner != nil && owner.Kind == Deployment.Kind:
		return c.pace(object.GetNamespace(), owner.Name), nil
	case owner != nil && owner.Kind == ReplicaSet.Kind:
		sets, err := c.caches[ReplicaSet].GetIndexer().ByIndex(byUID, string(owner.UID))
		if err != nil || len(sets) == 0 {
			return Idle, err // what has just gone
		}
		set, err := asObject(sets[0])
		if err != nil {
			return Idle, err
		}
		return c.paceOf(set)
	default:
		return c.pace(object.GetNamespace(), ""), nil
	}
}
