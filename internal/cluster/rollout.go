package cluster

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// rollouts waits until the pods of changed templates are replaced.
func (r *run) rollouts(ctx context.Context, objects []*object) error {
	if r.client.DryRun() || r.task.Wait.Rollouts <= 0 {
		return nil
	}
	for _, o := range objects {
		if o.removes() {
			continue
		}
		if err := r.rollout(ctx, o.ref); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) rollout(ctx context.Context, ref resource.Ref) error {
	return r.poll(ctx, func() (string, error) {
		o, err := r.client.get(ctx, ref)
		if err != nil || o == nil {
			return "", err // somebody took it away: there is nothing to wait for
		}
		state, failed := progress(o)
		if failed {
			return "", &Error{Action: "roll out", Ref: ref, Err: fmt.Errorf("%s", state), Remedy: "look at its pods (kubectl describe); no policy was written, and the task can run again"}
		}
		return state, nil
	}, func(state string) error {
		return &Error{
			Action: "roll out", Ref: ref, Err: fmt.Errorf("it isn't done after %s: %s", r.task.Wait.Rollouts, state),
			Remedy: "look at its pods, or raise wait_timeout; no policy was written, and the task can run again",
		}
	})
}

// poll asks until there is nothing left to wait for, which "" says.
func (r *run) poll(ctx context.Context, ask func() (string, error), late func(state string) error) error {
	deadline := time.Now().Add(r.task.Wait.Rollouts)
	for {
		state, err := ask()
		if err != nil || state == "" {
			return err
		}
		if !time.Now().Add(r.task.Wait.Interval).Before(deadline) {
			return late(state)
		}
		if err := sleep(ctx, r.task.Wait.Interval); err != nil {
			return fmt.Errorf("waiting: %s: %w", state, err)
		}
	}
}

// progress returns what a rollout waits for, "" when it is done, and whether it
// has failed for good. It is what kubectl rollout status asks.
func progress(o *unstructured.Unstructured) (state string, failed bool) {
	number := func(path ...string) int64 {
		value, _ := resource.Field(o.Object, path...)
		n, _ := value.(int64)
		return n
	}
	want := int64(1)
	if value, set := resource.Field(o.Object, "spec", "replicas"); set && value != nil {
		want = number("spec", "replicas")
	}
	onDelete := resource.String(o.Object, "spec", "updateStrategy", "type") == "OnDelete"
	updated := number("status", "updatedReplicas")
	switch kind := o.GetKind(); {
	case kind != "Deployment" && kind != "StatefulSet" && kind != "DaemonSet" || onDelete:
		return "", false // no controller replaces these pods
	case number("status", "observedGeneration") < o.GetGeneration():
		return "its controller hasn't seen the change yet", false
	case kind == "DaemonSet":
		want, updated = number("status", "desiredNumberScheduled"), number("status", "updatedNumberScheduled")
		return waiting(want, updated, number("status", "numberAvailable"), 0), false
	case kind == "Deployment":
		for _, entry := range resource.List(o.Object, "status", "conditions") {
			condition, _ := entry.(map[string]any)
			if condition["type"] == "Progressing" && condition["reason"] == "ProgressDeadlineExceeded" {
				return fmt.Sprintf("its deadline has passed: %v", condition["message"]), true
			}
		}
		return waiting(want, updated, number("status", "availableReplicas"), number("status", "replicas")-updated), false
	default:
		if partition := number("spec", "updateStrategy", "rollingUpdate", "partition"); partition > 0 {
			want = max(want-partition, 0)
		}
		return waiting(want, updated, number("status", "readyReplicas"), 0), false
	}
}

func waiting(want, updated, available, old int64) string {
	switch {
	case updated < want:
		return fmt.Sprintf("%d of %d pods are new", updated, want)
	case old > 0:
		return fmt.Sprintf("%d old pods are still there", old)
	case available < min(want, updated):
		return fmt.Sprintf("%d of %d new pods are available", available, updated)
	}
	return ""
}
