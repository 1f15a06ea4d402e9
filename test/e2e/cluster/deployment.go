package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	deploymentController = "kube-controller-manager" // its field manager
	revisionAnnotation   = "deployment.kubernetes.io/revision"
)

// rollOut does the next step of a Deployment: a ReplicaSet for its template, the
// revision, the numbers of replicas (those of old ReplicaSets once the new pods
// are available), the status.
func (c *Controllers) rollOut(ctx context.Context, d *appsv1.Deployment) error {
	pace := c.pace(d.Namespace, d.Name)
	if pace == Idle || d.Spec.Paused || d.DeletionTimestamp != nil {
		return nil
	}
	sets, err := ownedBy[appsv1.ReplicaSet](c, ReplicaSet, d.UID)
	if err != nil {
		return err
	}
	latest := 0
	for _, set := range sets {
		latest = max(latest, revision(set))
	}
	wanted, err := replicaSetOf(d, latest+1)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(sets, func(set *appsv1.ReplicaSet) bool { return set.Name == wanted.Name })
	if i < 0 {
		return c.create(ctx, ReplicaSet, wanted, deploymentController)
	}
	current := sets[i]
	if revision(current) < latest { // back to an earlier template
		current.Annotations[revisionAnnotation] = strconv.Itoa(latest + 1)
		return c.update(ctx, ReplicaSet, current, deploymentController)
	}
	if d.Annotations[revisionAnnotation] != current.Annotations[revisionAnnotation] {
		metav1.SetMetaDataAnnotation(&d.ObjectMeta, revisionAnnotation, current.Annotations[revisionAnnotation])
		return c.update(ctx, Deployment, d, deploymentController)
	}
	if scaled, err := c.scale(ctx, *d.Spec.Replicas, current, sets); scaled || err != nil {
		return err
	}
	status := deploymentStatus(d, current, sets, pace)
	if sameStatus(d.Status, status) {
		return nil
	}
	d.Status = status
	return c.updateStatus(ctx, Deployment, d, deploymentController)
}

func (c *Controllers) scale(ctx context.Context, replicas int32, current *appsv1.ReplicaSet, sets []*appsv1.ReplicaSet) (bool, error) {
	available := current.Status.ObservedGeneration == current.Generation && current.Status.AvailableReplicas >= replicas
	for _, set := range sets {
		wanted := *set.Spec.Replicas
		switch {
		case set == current:
			wanted = replicas
		case available:
			wanted = 0
		}
		if *set.Spec.Replicas != wanted {
			set.Spec.Replicas = &wanted
			return true, c.update(ctx, ReplicaSet, set, deploymentController)
		}
	}
	return false, nil
}

// replicaSetOf returns the ReplicaSet of a Deployment's template.
func replicaSetOf(d *appsv1.Deployment, revision int) (*appsv1.ReplicaSet, error) {
	text, err := json.Marshal(d.Spec.Template)
	if err != nil {
		return nil, fmt.Errorf("reading the template of %s/%s: %w", d.Namespace, d.Name, err)
	}
	sum := fnv.New32a()
	_, _ = sum.Write(text) // a hash takes everything
	hash := strconv.FormatUint(uint64(sum.Sum32()), 16)

	set := &appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{
		Replicas: d.Spec.Replicas, Selector: d.Spec.Selector.DeepCopy(), Template: *d.Spec.Template.DeepCopy(),
	}}
	set.Namespace, set.Name = d.Namespace, d.Name+"-"+hash
	set.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(d, Deployment)}
	set.Annotations = map[string]string{revisionAnnotation: strconv.Itoa(revision)}
	set.Labels = maps.Clone(d.Spec.Template.Labels)
	for _, labels := range []*map[string]string{&set.Labels, &set.Spec.Selector.MatchLabels, &set.Spec.Template.Labels} {
		if *labels == nil {
			*labels = map[string]string{}
		}
		(*labels)[appsv1.DefaultDeploymentUniqueLabelKey] = hash
	}
	return set, nil
}

func revision(set *appsv1.ReplicaSet) int {
	number, err := strconv.Atoi(set.Annotations[revisionAnnotation])
	if err != nil {
		return 0 // none of ours
	}
	return number
}

func deploymentStatus(d *appsv1.Deployment, current *appsv1.ReplicaSet, sets []*appsv1.ReplicaSet, pace Pace) appsv1.DeploymentStatus {
	s := appsv1.DeploymentStatus{ObservedGeneration: d.Generation, UpdatedReplicas: current.Status.Replicas}
	var asked int32
	for _, set := range sets {
		asked += *set.Spec.Replicas
		s.Replicas += set.Status.Replicas
		s.ReadyReplicas += set.Status.ReadyReplicas
		s.AvailableReplicas += set.Status.AvailableReplicas
	}
	s.UnavailableReplicas = max(0, asked-s.AvailableReplicas)

	available := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionTrue,
		Reason: "MinimumReplicasAvailable", Message: "Deployment has minimum availability.",
	}
	if s.AvailableReplicas < *d.Spec.Replicas {
		available.Status = corev1.ConditionFalse
		available.Reason, available.Message = "MinimumReplicasUnavailable", "Deployment does not have minimum availability."
	}
	progressing := appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue}
	n := *d.Spec.Replicas
	switch {
	case s.UpdatedReplicas == n && s.Replicas == n && s.AvailableReplicas == n:
		progressing.Reason = "NewReplicaSetAvailable"
		progressing.Message = fmt.Sprintf("ReplicaSet %q has successfully progressed.", current.Name)
	case pace == Overdue:
		progressing.Status, progressing.Reason = corev1.ConditionFalse, "ProgressDeadlineExceeded"
		progressing.Message = fmt.Sprintf("ReplicaSet %q has timed out progressing.", current.Name)
	default:
		progressing.Reason = "ReplicaSetUpdated"
		progressing.Message = fmt.Sprintf("ReplicaSet %q is progressing.", current.Name)
	}
	s.Conditions = []appsv1.DeploymentCondition{since(d.Status.Conditions, available), since(d.Status.Conditions, progressing)}
	return s
}

// since gives a condition the times of the one that it replaces, where it says the same.
func since(conditions []appsv1.DeploymentCondition, condition appsv1.DeploymentCondition) appsv1.DeploymentCondition {
	now := metav1.Now()
	condition.LastUpdateTime, condition.LastTransitionTime = now, now
	for _, old := range conditions {
		if old.Type == condition.Type && old.Status == condition.Status {
			condition.LastTransitionTime = old.LastTransitionTime
			if old.Reason == condition.Reason && old.Message == condition.Message {
				condition.LastUpdateTime = old.LastUpdateTime
			}
		}
	}
	return condition
}
