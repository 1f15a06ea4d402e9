package parity

import (
	"fmt"
	"strings"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// protection is what is there of one kind of policy for one entry.
type protection struct {
	section, name string
	// ref is the name that the model gives the policy.
	ref resource.Ref
	// rendered says that the entry's pods are there, so that its policy would be.
	rendered bool
	found    []*resource.Object
	seen     []observation
	// named says that one of the model's name is there.
	named bool
}

// String names the entry: workload "web".
func (p *protection) String() string {
	return fmt.Sprintf("%s %q", strings.TrimSuffix(p.section, "s"), p.name)
}

// add takes an object: own is of the model's name, and it does what it is for
// where it holds. Of other names only those that hold tell anything.
func (p *protection) add(o *resource.Object, own, holds bool, does, doesNot string) {
	if !own && !holds {
		return
	}
	what := does
	if !holds {
		what = doesNot
	}
	e := observation{current: present, wanted: present}
	e.Aspect, e.Holds, e.Reason = Enforcement, holds, fmt.Sprintf("this policy of %s %s", p, what)
	p.named = p.named || own
	p.found, p.seen = append(p.found, o), append(p.seen, e)
}

// protected observes what is there. In enforced a policy has the model's name:
// under another nobody would find it to change it, or to take it away.
func (c *checker) protected(p protection) {
	for i, o := range p.found {
		c.observe(o, p.section, p.name, p.seen[i])
	}
	unreadable := !p.named && len(c.Resources.Named(p.ref)) > 0 // and reported as that
	due := min(c.Profile, c.ceiling(p.section, p.name)).Enforces()
	if p.named || unreadable || !p.rendered || len(p.found) > 0 && !due {
		return
	}
	e := observation{current: absent, wanted: present}
	e.Object, e.Aspect, e.Reason = p.ref, Enforcement, fmt.Sprintf("no rendered file holds this policy of %s", &p)
	c.observe(nil, p.section, p.name, e)
}

// isNamed reports whether an object is the one that ref names. One that leaves its
// namespace to whoever applies it may become that.
func isNamed(o *resource.Object, ref resource.Ref) bool {
	at := o.Ref()
	if at.Namespace == "" {
		at.Namespace = ref.Namespace
	}
	return at.Key() == ref.Key()
}

// isFrom reports whether an object was generated from an entry of this model, for whatever owner.
func (c *checker) isFrom(o *resource.Object, source string) bool {
	return policy.Generated(o) && o.Labels()[v1alpha1.LabelModel] == c.Name && o.Annotations()[v1alpha1.AnnotationSource] == source
}
