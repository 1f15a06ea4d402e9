package parity

import (
	"iter"
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// consumer compares an environment variable in the containers that have it: in the
// one that the model names, else in all that have it, else in the first, which
// should.
func (c *checker) consumer(consumer *model.Consumer) {
	for _, o := range c.objects(consumer.Target, "consumer of "+consumer.Env) {
		t := o.PodTemplate()
		if t == nil {
			continue // the set keeps the error
		}
		c.checked.Consumers++
		found := false
		for path, container := range containers(t) {
			has := slices.ContainsFunc(container.Env, func(e resource.EnvVar) bool { return e.Name == consumer.Env })
			if consumer.Container == "" && has || consumer.Container != "" && container.Name == consumer.Container {
				found = true
				c.variable(o, path, container, consumer)
			}
		}
		switch at := t.SpecAt.Child("containers"); {
		case found:
		case consumer.Container == "" && len(t.Spec.Containers) > 0:
			c.variable(o, at.Index(0), &t.Spec.Containers[0], consumer)
		default:
			c.report(o, finding.New(finding.ParityConsumer, resource.Ref{}, at.String(), "it has no container %q to hold %s", consumer.Container, consumer.Env).
				WithValues(nil, consumer.Value))
		}
	}
}

// variable compares each entry of the variable's name: of several the last one
// counts, and none should say something else.
func (c *checker) variable(o *resource.Object, at resource.Path, container *resource.Container, consumer *model.Consumer) {
	found := false
	for i, env := range container.Env {
		if env.Name != consumer.Env {
			continue
		}
		found = true
		path := at.Child("env").Index(i)
		if from, indirect := resource.Field(o.Content(), path.Child("valueFrom")...); indirect && from != nil {
			c.report(o, finding.New(finding.ParityConsumer, resource.Ref{}, path.Child("valueFrom").String(),
				"%s takes its value from another object, where nobody can compare it, and the inventory gives %q (%s)", consumer.Env, consumer.Value, consumer.Source).
				WithValues(from, consumer.Value).WithRemedy("write the value itself, and remove valueFrom"))
			continue
		}
		if env.Value != consumer.Value {
			c.report(o, finding.New(finding.ParityConsumer, resource.Ref{}, path.Child("value").String(),
				"%s is %q, and the inventory gives %q (%s)", consumer.Env, env.Value, consumer.Value, consumer.Source).
				WithValues(env.Value, consumer.Value))
		}
	}
	if !found {
		c.report(o, finding.New(finding.ParityConsumer, resource.Ref{}, at.Child("env").String(),
			"container %q doesn't have %s, and the inventory gives %q (%s)", container.Name, consumer.Env, consumer.Value, consumer.Source).
			WithValues(nil, consumer.Value))
	}
}

// containers yields all containers of a pod template, init containers too.
func containers(t *resource.PodTemplate) iter.Seq2[resource.Path, *resource.Container] {
	return func(yield func(resource.Path, *resource.Container) bool) {
		for i := range t.Spec.InitContainers {
			if !yield(t.SpecAt.Child("initContainers").Index(i), &t.Spec.InitContainers[i]) {
				return
			}
		}
		for i := range t.Spec.Containers {
			if !yield(t.SpecAt.Child("containers").Index(i), &t.Spec.Containers[i]) {
				return
			}
		}
	}
}
