package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Task is what a run is to bring about.
type Task struct {
	// Scope says whose entries, and which, are to be as the model derives them.
	Scope derive.Scope
	// Units plan, in this order.
	Units []policy.Unit
	// Namespace narrows a run over tenants; empty for all of theirs.
	Namespace string
	// Only narrows a run over tenants to the policy of one workload; zero for all.
	Only resource.Key
	// Absent takes the scope's policies away, and changes nothing else.
	Absent bool
	// Prune takes away what carries the scope's labels, was written by the client's
	// field manager, and is no longer derived.
	Prune bool
	// Force takes objects of our names over whoever wrote them.
	Force bool
	// Strict makes warnings errors.
	Strict bool
	// Unready says what becomes of enforcement that live pods aren't ready for.
	Unready Unready
	// Wait says whether rollouts are waited for.
	Wait Wait
}

// Unready is what becomes of a policy that live pods aren't ready for.
type Unready int

const (
	// Refuse writes no such policy and fails the run.
	Refuse Unready = iota
	// Report writes it and says so.
	Report
)

// Wait is how long a run waits for what others do.
type Wait struct {
	// Rollouts: 0 doesn't wait.
	Rollouts time.Duration
	// Interval between two looks.
	Interval time.Duration
	// Propagation is how long proxies get to hear of a removed policy before the
	// sidecars are taken from pods that it concerned.
	Propagation time.Duration
}

// Outcome is what a run did, or would do.
type Outcome struct {
	Findings finding.List
	// Changes are the objects that are others than before, in the order of the writing.
	Changes []Change
	// Derived are the owner's generated objects as they are now.
	Derived []map[string]any
}

// attempts is how often a run starts over because the cluster changed meanwhile.
const attempts = 6

// againError says that what was read is no longer what is there.
type againError struct{ error }

func (e againError) Unwrap() error { return e.error }

// Run brings about what a task asks for. Nothing is written before every unit has
// said that it may be; a run that fails later says what was written, and another
// one goes on from there.
func Run(ctx context.Context, c *Client, task Task) (Outcome, error) {
	r := &run{client: c, task: task, journal: newJournal()}
	var err error
	for attempt := range attempts {
		var again againError
		if err = r.once(ctx); !errors.As(err, &again) {
			break
		}
		err = again.error
		if sleep(ctx, time.Duration(attempt+1)*200*time.Millisecond) != nil {
			break
		}
	}
	return Outcome{Findings: r.findings, Changes: r.journal.changes(), Derived: r.derived()}, err
}

type run struct {
	client   *Client
	task     Task
	journal  *journal
	state    *state
	findings finding.List
}

// once reads, plans and writes.
func (r *run) once(ctx context.Context) error {
	wanted := needs(r.task.Scope, r.task.Namespace)
	if r.task.Prune {
		wanted.labelled = labels.SelectorFromSet(policy.OriginOf(r.task.Scope).Labels()).String()
	}
	state, unseen, err := read(ctx, r.client, wanted)
	if err != nil {
		return err
	}
	r.state, r.findings = state, unseen
	r.journal.read(state)
	if err := r.plan(); err != nil {
		return err
	}
	if r.findings.Failed() {
		return nil
	}
	return r.write(ctx)
}

// plan lets each unit plan over what those before it left, in memory.
func (r *run) plan() error {
	if r.task.Force {
		if err := r.takeOver(); err != nil {
			return err
		}
	}
	in := r.input()
	for _, unit := range r.task.Units {
		plan := unit(in)
		r.keep(&plan)
		plan.Findings.Add(immutable(&plan)...)
		r.findings.Add(plan.Findings...)
		if err := r.state.apply(plan); err != nil {
			return err
		}
	}
	if !r.task.Absent {
		if err := r.own(); err != nil {
			return err
		}
	}
	for _, u := range r.state.set.Unreadable() {
		r.findings.Add(finding.New(finding.ObjectUnreadable, u.Ref, "", "%v", u.Err))
	}
	r.nameWriters()
	if r.task.Strict {
		r.findings = r.findings.Strict()
	}
	return nil
}

func (r *run) input() policy.Input {
	scope := r.task.Scope
	if r.task.Absent {
		scope = scope.Disenforced()
	}
	return policy.Input{Scope: scope, Resources: r.state.set, Cluster: true}
}

// keep takes out of a plan what isn't this task's.
func (r *run) keep(plan *policy.Plan) {
	names := named(r.task.Scope)
	origin := policy.OriginOf(r.task.Scope)
	plan.Remove = slices.DeleteFunc(plan.Remove, func(removal policy.Removal) bool {
		o, err := source(removal.Object)
		if err != nil || names[o.ref.Key()] {
			return err != nil
		}
		switch {
		case r.other(o.ref):
			return true
		case policy.SectionOf(removal.Object) != policy.SectionTenants && !r.task.Prune:
			return true
		case !wrote(o.live, r.client.manager):
			plan.Findings.Add(finding.New(finding.ObjectNotOurs, o.ref, "metadata.managedFields",
				"it has the labels of owner %q and isn't derived any more, and it was written by %s: it is left alone", origin.Owner, strings.Join(writers(o.live), ", ")))
			return true
		}
		return false
	})
	if r.task.Only != (resource.Key{}) {
		plan.Create = slices.DeleteFunc(plan.Create, func(o policy.Object) bool { return r.other(o.Ref) })
		plan.Edits = slices.DeleteFunc(plan.Edits, func(e policy.Edit) bool { return r.other(e.Object.Ref()) })
	}
	if r.task.Absent {
		plan.Create, plan.Edits = nil, nil
		plan.Findings = slices.DeleteFunc(plan.Findings, func(f finding.Finding) bool { return !slices.Contains(concernRemoval, f.Rule) })
	}
}

// concernRemoval are the rules that may speak against taking a policy away.
var concernRemoval = []finding.ID{finding.ObjectForeign, finding.ObjectAdopted, finding.ObjectUnreadable, finding.ObjectNotOurs, finding.GatewayLockedOut}

// other reports whether an object is another workload's than the one that a run over tenants is narrowed to.
func (r *run) other(ref resource.Ref) bool {
	only := r.task.Only
	if only == (resource.Key{}) || ref.Key() == only {
		return false
	}
	return ref.Key() != policy.AuthorizationPolicyRef(only.Namespace, policy.TenantPolicyName(only.Name)).Key()
}

// takeOver gives the task's labels to objects of our names that somebody else
// made, so that the units take them for ours and set everything else.
func (r *run) takeOver() error {
	origin := policy.OriginOf(r.task.Scope)
	for _, unit := range r.task.Units {
		for _, f := range unit(r.input()).Findings {
			if f.Rule != finding.ObjectForeign {
				continue
			}
			o := r.state.set.Get(f.Object)
			if o == nil {
				continue
			}
			var plan policy.Plan
			for _, label := range slices.Sorted(maps.Keys(origin.Labels())) {
				plan.Set(o, resource.Path{"metadata", "labels", label}, origin.Labels()[label], "taken over by force")
			}
			if err := r.state.apply(plan); err != nil {
				return err
			}
			r.findings.Add(finding.New(finding.ObjectAdopted, f.Object, "", "%s; it is taken over by force", f.Message))
		}
	}
	return nil
}

// nameWriters says of each object that somebody else made who that is.
func (r *run) nameWriters() {
	for i, f := range r.findings {
		if f.Rule != finding.ObjectForeign {
			continue
		}
		if o := r.state.set.Get(f.Object); o != nil {
			if live, err := source(o); err == nil && live.live != nil {
				r.findings[i].Message += fmt.Sprintf("; the API server has it from %s", strings.Join(writers(live.live), ", "))
			}
		}
	}
}
