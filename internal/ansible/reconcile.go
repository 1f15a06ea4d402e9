package ansible

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/internal/cluster"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// The parameters of modules that write.
const (
	paramState        = "state"
	paramForce        = "force"
	paramOnUnready    = "on_unready"
	paramWait         = "wait"
	paramWaitTimeout  = "wait_timeout"
	paramWaitSleep    = "wait_sleep"
	paramPropagation  = "propagation_delay"
	paramFieldManager = "field_manager"
	paramStamp        = "stamp_version"

	stateDerived, stateAbsent = "derived", "absent"
)

// StateOption is the option of a module that can take its objects away.
var StateOption = Option{
	Name: paramState, Type: String, Default: stateDerived, Choices: []string{stateDerived, stateAbsent},
	Description: []string{
		"With V(derived) the cluster gets what the profile derives: the policies where it is V(enforced), and no policies where it isn't.",
		"With V(absent) the policies go, whatever the profile says; nothing else is changed. This works even when the model can't be read: " +
			"then what goes is found by the labels of O(owner), in every namespace that the task may read.",
	},
}

// WriteOptions are the options of every module that writes.
var WriteOptions = []Option{
	{
		Name: paramForce, Type: Bool, Default: false,
		Description: []string{
			"Take over objects of our names that somebody else wrote.",
			"Without it such an object fails the task, and the message says who wrote it; but an ALLOW policy that admits everybody is replaced in any case.",
		},
	},
	{
		Name: paramFieldManager, Type: String, Default: cluster.DefaultFieldManager,
		Description: []string{"The name by which the API server knows the writes of these tasks. Nothing that another manager wrote is pruned."},
	},
	{
		Name: paramStamp, Type: Bool, Default: false,
		Description: []string{
			"Write the version of this collection into generated objects, as the annotation C(ringfence.dev/version).",
			"Each upgrade then changes every one of them.",
		},
	},
}

// WaitOptions are the options of a module that changes pods, or what they need.
var WaitOptions = []Option{
	{
		Name: paramOnUnready, Type: String, Default: "fail", Choices: []string{"fail", "warn"},
		Description: []string{
			"What to do where a policy is about to be enforced and a live pod isn't ready for it: a caller without a proxy, or a gateway that still runs under another ServiceAccount.",
			"V(fail) writes no policy; V(warn) writes it and says which requests will be refused.",
		},
	},
	{
		Name: paramWait, Type: Bool, Default: true,
		Description: []string{"Wait until the pods of changed templates are replaced, before anything relies on them."},
	},
	{
		Name: paramWaitTimeout, Type: Int, Default: 120,
		Description: []string{"How many seconds to wait for each rollout."},
	},
	{
		Name: paramWaitSleep, Type: Int, Default: 5,
		Description: []string{"How many seconds to wait between two looks."},
	},
}

// PropagationOption is the option of a module that takes sidecars from pods.
var PropagationOption = Option{
	Name: paramPropagation, Type: Int, Default: 10,
	Description: []string{"How many seconds the proxies get to hear that policies are gone, before the sidecars of these pods go as well."},
}

// WriteReturns are the return values of every module that writes.
var WriteReturns = []Return{
	{
		Name: "changes", Type: List, Elements: Dict, Returned: "always",
		Description: []string{"The objects that were changed, or in check mode would be, in the order of the writing. A task that failed on the way lists what it had written."},
		Sample:      []any{map[string]any{"method": "create", "api_version": "security.istio.io/v1", "kind": "AuthorizationPolicy", "namespace": "istio-system", "name": "istio-ingressgateway-web"}},
		Contains: []Return{
			{Name: "method", Type: String, Returned: "always", Description: []string{"V(create), V(update) or V(delete)."}},
			{Name: "api_version", Type: String, Returned: "always", Description: []string{"The API version."}},
			{Name: "kind", Type: String, Returned: "always", Description: []string{"The kind."}},
			{Name: "namespace", Type: String, Returned: "always", Description: []string{"The namespace; empty for what has none."}},
			{Name: "name", Type: String, Returned: "always", Description: []string{"The name."}},
		},
	},
	{
		Name: "result", Type: List, Elements: Dict, Returned: "when the model could be read",
		Description: []string{"The objects that this task looks after, as they are now (in check mode as they would be), without managedFields and status."},
	},
	{Name: "duration", Type: Float, Returned: "always", Description: []string{"Seconds that the module took."}},
	{Name: "profile", Type: String, Returned: "when the model could be read", Sample: "enforced", Description: []string{"The security profile of the environment."}},
	{
		Name: "skipped_reason", Type: String, Returned: "when there was nothing to derive",
		Description: []string{"Why: the gateway is disabled, or the environment doesn't have it. What was left of it is removed all the same."},
	},
	FindingsReturn,
}

// FindingsReturn is the return value that holds what is wrong, or worth a look.
var FindingsReturn = Return{
	Name: "findings", Type: List, Elements: Dict, Returned: "always",
	Description: []string{"Errors and warnings about the input and the objects, one by one; the same stands in C(msg) and C(warnings)."},
	Contains: []Return{
		{Name: "rule", Type: String, Returned: "always", Description: []string{"The rule's ID."}, Sample: "pod-unready"},
		{Name: "severity", Type: String, Returned: "always", Description: []string{"V(error) or V(warning)."}},
		{Name: "message", Type: String, Returned: "always", Description: []string{"What is wrong."}},
		{Name: "remedy", Type: String, Returned: "always", Description: []string{"What to do."}},
		{Name: "object", Type: Dict, Returned: "where it is about one", Description: []string{"The object: api_version, kind, namespace, name."}},
		{Name: "field", Type: String, Returned: "where it is about one", Description: []string{"The path of the field, or the parameter."}},
		{Name: "file", Type: String, Returned: "where it is known", Description: []string{"The file."}},
		{Name: "line", Type: Int, Returned: "where it is known", Description: []string{"The line in the file."}},
	},
}

// Reconciliation is what a module brings about in a cluster.
type Reconciliation struct {
	// Task returns what to do for an input that could be read, and a reason where
	// there is nothing to derive.
	Task func(model.Request) (task cluster.Task, skipped string, err error)
	// Selection is what goes when it is all to go and the model doesn't say what that is.
	Selection cluster.Selection
	// Labelled says that the selection goes in any case: the model names no policy of it.
	Labelled bool
	// Disabled says why everything is to go whatever the state asks for; may be empty.
	Disabled string
}

// Reconcile reads the input and brings about what a reconciliation says.
func (c *Call) Reconcile(ctx context.Context, r Reconciliation) (Result, error) {
	start := time.Now()
	request, findings := c.Request()
	absent := c.String(paramState) == stateAbsent || r.Disabled != ""
	var (
		task    cluster.Task
		skipped string
		unknown string // why the model doesn't say what is to go
	)
	switch {
	case findings.Failed() && !absent:
		return Result{Values: map[string]any{"findings": findingValues(findings)}}, failed(findings)
	case findings.Failed():
		unknown, findings = first(findings), nil
	default:
		var err error
		if task, skipped, err = r.Task(request); err != nil && !absent {
			return Result{}, err
		} else if err != nil {
			unknown = err.Error()
		}
	}
	if r.Disabled != "" {
		skipped = r.Disabled
	}
	client, err := c.Connect()
	if err != nil {
		return Result{}, err
	}
	var outcome cluster.Outcome
	if unknown != "" {
		c.Warn("The model doesn't say what goes, so it is found by the labels of owner %q alone: %s", r.Selection.Owner, unknown)
	} else {
		r.Selection.Model = request.Platform.Name
		outcome, err = cluster.Run(ctx, client, c.completed(task, absent))
	}
	if absent && (unknown != "" || r.Labelled) && err == nil && !outcome.Findings.Failed() {
		var labelled cluster.Outcome
		labelled, err = cluster.Remove(ctx, client, r.Selection)
		outcome.Changes = append(outcome.Changes, labelled.Changes...)
		outcome.Findings.Add(labelled.Findings...)
	}
	findings.Add(outcome.Findings...)
	result := c.report(outcome, findings)
	result.Skipped = skipped
	result.Values["duration"] = time.Since(start).Seconds()
	if request.Platform != nil {
		result.Values["profile"] = request.Platform.Profile.String()
	}
	if err != nil {
		return result, c.stopped(err, outcome)
	}
	if findings.Failed() {
		return result, &Failure{Message: messages(findings) + c.done(outcome)}
	}
	return result, nil
}

// completed puts what the parameters say into a task.
func (c *Call) completed(task cluster.Task, absent bool) cluster.Task {
	task.Absent = absent
	if c.Bool(paramStamp) {
		task.Scope.Version = Version
	}
	task.Force, task.Strict = c.Bool(paramForce), c.Bool(paramStrict)
	if c.String(paramOnUnready) == "warn" {
		task.Unready = cluster.Report
	}
	if c.Bool(paramWait) {
		task.Wait.Rollouts = time.Duration(c.Int(paramWaitTimeout)) * time.Second
		task.Wait.Interval = time.Duration(max(c.Int(paramWaitSleep), 1)) * time.Second
	}
	task.Wait.Propagation = time.Duration(c.Int(paramPropagation)) * time.Second
	return task
}

// Connect returns a client for the connection that the parameters describe. In
// check mode the API server stores nothing that it is asked to write.
func (c *Call) Connect() (*cluster.Client, error) {
	config, err := c.Connection().REST()
	if err != nil {
		return nil, fmt.Errorf("connecting to the API server: %w", err)
	}
	return cluster.New(config, cluster.Options{
		FieldManager: c.String(paramFieldManager), DryRun: c.Check,
		Warn: func(message string) { c.Warn("The API server warns: %s", message) },
	})
}

// report renders an outcome.
func (c *Call) report(o cluster.Outcome, findings finding.List) Result {
	result := Result{Changed: len(o.Changes) > 0, Values: map[string]any{"findings": findingValues(findings)}}
	changes := []any{}
	for _, change := range o.Changes {
		ref := change.Ref
		changes = append(changes, map[string]any{
			"method": change.Action(), "api_version": ref.APIVersion, "kind": ref.Kind, "namespace": ref.Namespace, "name": ref.Name,
		})
		result.Diff = append(result.Diff, Diff{
			Before: manifestOf(change.Before), After: manifestOf(change.After),
			BeforeHeader: header(ref.String(), change.Before), AfterHeader: header(ref.String(), change.After),
		})
	}
	result.Values["changes"] = changes
	if o.Derived != nil {
		derived := make([]any, 0, len(o.Derived))
		for _, object := range o.Derived {
			derived = append(derived, object)
		}
		result.Values["result"] = derived
	}
	for _, f := range findings.Sorted() {
		if f.Severity == finding.Warning {
			c.Warn("%s", f)
		}
	}
	return result
}

// manifestOf renders an object as people read it.
func manifestOf(object map[string]any) string {
	if object == nil {
		return ""
	}
	out, err := yaml.Marshal(object)
	if err != nil {
		return fmt.Sprintf("(it can't be shown: %v)", err)
	}
	return string(out)
}

// header names one side of a difference; Ansible itself says which one it is.
func header(name string, object map[string]any) string {
	if object == nil {
		return name + " (absent)"
	}
	return name
}

// stopped says how far a run had come when an error ended it.
func (c *Call) stopped(err error, o cluster.Outcome) error {
	values := map[string]any{}
	message := err.Error()
	var fault *cluster.Error
	if errors.As(err, &fault) && fault.Reason != "" {
		values["reason"], values["status"] = fault.Reason, int64(fault.Code)
	}
	return &Failure{Message: message + c.done(o), Values: values, Err: err}
}

// done lists what a task that fails has written.
func (c *Call) done(o cluster.Outcome) string {
	if len(o.Changes) == 0 || c.Check {
		return ""
	}
	done := make([]string, 0, len(o.Changes))
	for _, change := range o.Changes {
		done = append(done, fmt.Sprintf("%s %s", change.Action(), change.Ref))
	}
	return fmt.Sprintf("\nDone before that: %s. The task isn't finished; run it again, and it goes on from there.", strings.Join(done, ", "))
}

func failed(findings finding.List) error { return &Failure{Message: messages(findings)} }

// messages makes one text of all errors, a line each.
func messages(findings finding.List) string {
	var lines []string
	for _, f := range findings.Sorted() {
		if f.Severity == finding.Error {
			lines = append(lines, f.String())
		}
	}
	return strings.Join(lines, "\n")
}

func first(findings finding.List) string {
	for _, f := range findings.Sorted() {
		if f.Severity == finding.Error {
			return f.String()
		}
	}
	return ""
}

// findingValues renders warnings and errors for the result.
func findingValues(findings finding.List) []any {
	out := []any{}
	for _, f := range findings.AtLeast(finding.Warning).Sorted() {
		value := map[string]any{"rule": string(f.Rule), "severity": f.Severity.String(), "message": f.Message, "remedy": f.Remedy}
		if !f.Object.IsZero() {
			value["object"] = map[string]any{"api_version": f.Object.APIVersion, "kind": f.Object.Kind, "namespace": f.Object.Namespace, "name": f.Object.Name}
		}
		if f.Field != "" {
			value["field"] = f.Field
		}
		if f.File != "" {
			value["file"] = f.File
		}
		if f.Line > 0 {
			value["line"] = int64(f.Line)
		}
		out = append(out, value)
	}
	return out
}
