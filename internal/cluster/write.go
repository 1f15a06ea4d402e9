package cluster

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The steps of a run, in their order (DD-0025, rollout and rollback): identities
// before what trusts them, hosts before the policy that admits nothing else, a new
// policy before the one that it replaces goes, and whatever enforces goes before
// whatever enrolls.
const (
	stepIdentities = iota // ServiceAccounts and bindings
	stepPods              // pod templates, and their rollout
	stepRoutes            // hosts of Gateways and VirtualServices
	stepPolicies          // policies that are made or changed
	stepRemovals          // policies that go
	stepUnenroll          // sidecars that go, and the rollout
	stepAccounts          // ServiceAccounts that go
	steps
)

func stepOf(o *object) int {
	_, hasPods := resource.PodKindOf(o.ref)
	switch {
	case o.ref.Kind == "ServiceAccount" && o.removes():
		return stepAccounts
	case o.removes():
		return stepRemovals
	case hasPods && slices.ContainsFunc(o.edits, unenrolls):
		return stepUnenroll
	case hasPods:
		return stepPods
	case o.ref.Group() == authorizationPolicies.group:
		return stepPolicies
	case o.ref.Kind == "Gateway" || o.ref.Kind == "VirtualService":
		return stepRoutes
	default:
		return stepIdentities
	}
}

func unenrolls(e policy.Edit) bool {
	return e.Value == nil && len(e.Path) > 0 && e.Path[len(e.Path)-1] == enrollment.LabelInject
}

// write carries out what was planned.
func (r *run) write(ctx context.Context) error {
	var pending [steps][]*object
	for _, o := range r.state.all {
		if o.pending() {
			pending[stepOf(o)] = append(pending[stepOf(o)], o)
		}
	}
	for step, objects := range pending {
		if step == stepPolicies {
			if err := r.ready(ctx, objects, pending[stepPods]); err != nil || r.findings.Failed() {
				return err
			}
		}
		if step == stepUnenroll && len(objects) > 0 && len(pending[stepRemovals]) > 0 && !r.client.DryRun() {
			if err := sleep(ctx, r.task.Wait.Propagation); err != nil {
				return fmt.Errorf("waiting until the proxies know that the policies are gone: %w", err)
			}
		}
		slices.SortFunc(objects, func(a, b *object) int { return a.ref.Compare(b.ref) })
		for _, o := range objects {
			if err := r.writeOne(ctx, o); err != nil {
				return err
			}
		}
		if step == stepPods || step == stepUnenroll {
			if err := r.rollouts(ctx, objects); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *run) writeOne(ctx context.Context, o *object) error {
	var (
		stored *unstructured.Unstructured
		err    error
	)
	switch {
	case o.live == nil:
		stored, err = r.client.create(ctx, o.content)
	case o.removes():
		if err = r.client.remove(ctx, o.live); err == nil {
			r.journal.wrote(o.ref, nil)
			return nil
		}
	default:
		stored, err = r.client.update(ctx, o.content)
	}
	if err != nil {
		if transient(err) && ctx.Err() == nil { // whether it was done, the next reading shows
			r.journal.wrote(o.ref, r.journal.first[o.ref.Key()])
		}
		if conflict(err) {
			return againError{err}
		}
		return err
	}
	r.journal.wrote(o.ref, stored.Object)
	return differs(o, stored)
}

// differs reports what an API server stored otherwise than we wrote it: something
// between us and the store changed it, and then nobody knows what is enforced.
func differs(o *object, stored *unstructured.Unstructured) error {
	check := func(path resource.Path, want any) error {
		got, _ := resource.Field(stored.Object, path...)
		if want == nil && got == nil || reflect.DeepEqual(normalised(want), normalised(got)) {
			return nil
		}
		return &Error{
			Action: "store", Ref: o.ref,
			Err:    fmt.Errorf("%s was written as %v, and the API server has %v", path, want, got),
			Remedy: "look for a mutating webhook that changes it; what is enforced now is not what the model says",
		}
	}
	if o.live == nil || o.ref.Group() == authorizationPolicies.group {
		for key, want := range o.content {
			if key == "metadata" || key == "status" {
				continue
			}
			if err := check(resource.Path{key}, want); err != nil {
				return err
			}
		}
		for key, want := range resource.Map(o.content, "metadata", "labels") {
			if err := check(resource.Path{"metadata", "labels", key}, want); err != nil {
				return err
			}
		}
		return nil
	}
	for _, edit := range o.edits {
		path := edit.Path
		if path[len(path)-1] == resource.Append { // where it came to stand, the list as a whole shows
			path = path[:len(path)-1]
		}
		want, _ := resource.Field(o.content, path...)
		if err := check(path, want); err != nil {
			return err
		}
	}
	return nil
}

// normalised returns a value in which what JSON doesn't tell apart is the same.
func normalised(value any) any {
	switch value := value.(type) {
	case int64:
		return float64(value)
	case map[string]any:
		out := make(map[string]any, len(value))
		for key, entry := range value {
			out[key] = normalised(entry)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, entry := range value {
			out[i] = normalised(entry)
		}
		return out
	default:
		return value
	}
}
