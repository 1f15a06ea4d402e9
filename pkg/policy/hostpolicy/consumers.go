package hostpolicy

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// planConsumer writes a derived value into an environment variable: in the
// container that the model names, else in all that have the variable, else in
// the first. A valueFrom gives way: no object is to stand between the value and
// who reads it (DD-0025, section 3).
func planConsumer(in policy.Input, c *model.Consumer, plan *policy.Plan) {
	o := in.Resources.Get(c.Target)
	if o == nil {
		plan.Findings.Add(finding.New(finding.ObjectMissing, c.Target, "",
			"the model's consumer of %s has it and this build of owner %q doesn't", c.Env, in.Owner.Name))
		return
	}
	t := o.PodTemplate()
	if t == nil {
		return // the set keeps the error
	}
	containers := t.SpecAt.Child("containers")
	written := false
	for i, container := range t.Spec.Containers {
		position := envPosition(container, c.Env)
		chosen := container.Name == c.Container
		if c.Container == "" {
			chosen = position >= 0
		}
		if chosen {
			written = true
			setEnv(o, containers.Index(i), position, c, plan)
		}
	}
	switch {
	case written:
	case c.Container == "" && len(t.Spec.Containers) > 0:
		setEnv(o, containers.Index(0), -1, c, plan)
	default:
		plan.Findings.Add(finding.New(finding.ConsumerContainer, o.Ref(), containers.String(), "it has no container %q to get %s", c.Container, c.Env))
	}
}

func envPosition(container corev1.Container, name string) int {
	for i, env := range container.Env {
		if env.Name == name {
			return i
		}
	}
	return -1
}

func setEnv(o *resource.Object, container resource.Path, position int, c *model.Consumer, plan *policy.Plan) {
	reason := "derived from " + c.Source
	if position < 0 {
		plan.Set(o, container.Child("env", resource.Append), map[string]any{"name": c.Env, "value": c.Value}, reason)
		return
	}
	at := container.Child("env").Index(position)
	plan.Set(o, at.Child("valueFrom"), nil, reason)
	plan.Set(o, at.Child("value"), c.Value, reason)
}
