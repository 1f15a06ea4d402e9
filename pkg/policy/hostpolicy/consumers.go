package hostpolicy

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// planConsumer writes a derived value into an environment variable: in the
// container that the model names, else in all that have the variable, init
// containers too, else in the first. A valueFrom gives way: no object is to
// stand between the value and who reads it (DD-0025, section 3).
func planConsumer(in policy.Input, c *model.Consumer, plan *policy.Plan) {
	o := in.Resources.Get(c.Target)
	if o == nil {
		plan.Findings.Add(in.Missing(c.Target, "consumer of "+c.Env))
		return
	}
	for _, twin := range in.Resources.Duplicates(c.Target) {
		plan.Findings.Add(finding.New(finding.ObjectDuplicate, twin.Ref(), "", "it stands twice in this build"))
	}
	t := o.PodTemplate()
	if t == nil {
		return // the set keeps the error
	}
	written := false
	for _, list := range []struct {
		field      string
		containers []resource.Container
	}{{"initContainers", t.Spec.InitContainers}, {"containers", t.Spec.Containers}} {
		for i, container := range list.containers {
			chosen := container.Name == c.Container
			if c.Container == "" {
				chosen = slices.ContainsFunc(container.Env, func(e resource.EnvVar) bool { return e.Name == c.Env })
			}
			if chosen {
				written = true
				setEnv(o, t.SpecAt.Child(list.field).Index(i), container, c, plan)
			}
		}
	}
	containers := t.SpecAt.Child("containers")
	switch {
	case written:
	case c.Container == "" && len(t.Spec.Containers) > 0:
		setEnv(o, containers.Index(0), t.Spec.Containers[0], c, plan)
	case c.Container == "":
		plan.Findings.Add(finding.New(finding.ConsumerContainer, o.Ref(), containers.String(), "it has no container to get %s", c.Env))
	default:
		plan.Findings.Add(finding.New(finding.ConsumerContainer, o.Ref(), containers.String(), "it has no container %q to get %s", c.Container, c.Env))
	}
}

// setEnv sets every entry of the variable's name: of several, the last one counts.
func setEnv(o *resource.Object, at resource.Path, container resource.Container, c *model.Consumer, plan *policy.Plan) {
	reason := "derived from " + c.Source
	found := false
	for i, env := range container.Env {
		if env.Name == c.Env {
			found = true
			plan.Set(o, at.Child("env").Index(i).Child("valueFrom"), nil, reason)
			plan.Set(o, at.Child("env").Index(i).Child("value"), c.Value, reason)
		}
	}
	if !found {
		plan.Set(o, at.Child("env", resource.Append), map[string]any{"name": c.Env, "value": c.Value}, reason)
	}
}
