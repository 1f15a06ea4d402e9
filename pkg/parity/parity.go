package parity

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Options narrow a comparison, and say what a Platform doesn't.
type Options struct {
	// Owners of the tool GitOps whose entries are compared; empty for all of them.
	Owners []string
	// ChartVersion is that of Istio's charts; empty for the Platform's version of Istio.
	ChartVersion string
}

// Report is what a comparison found.
type Report struct {
	Profile Profile
	// Findings are the disagreements, and what can't be compared; sorted.
	Findings finding.List
	Checked  Checked
}

// Checked counts what was compared.
type Checked struct {
	Workloads, Gateways, Routes, HostPolicies, Consumers, Principals, Images, Charts int
}

// Located is a source that knows where its object was read.
type Located interface {
	// Position returns the file, and a line in it or 0.
	Position() (file string, line int)
}

// Check compares a platform, as the inventory says it, with the objects that
// GitOps renders for it.
func Check(p *model.Platform, rendered *resource.Set, o Options) Report {
	c := &checker{
		Input:   policy.Input{Scope: derive.Scope{Platform: p}, Resources: rendered},
		options: o,
		missed:  map[resource.Key]bool{},
	}
	c.owners()
	c.policies, c.peers = c.authorizations(), c.peerAuthentications()
	for _, w := range p.Workloads {
		if c.compared(w.Owner) && !w.Absent {
			c.workload(w)
		}
	}
	for _, g := range p.Gateways {
		c.gateway(g)
	}
	for _, consumer := range p.Consumers {
		if c.compared(consumer.Owner) && consumer.Value != "" {
			c.consumer(consumer)
		}
	}
	c.foreignHosts()
	c.principals()
	c.versions()
	c.nothing()
	c.profile()
	for _, u := range rendered.Unreadable() {
		c.findings.Add(finding.New(finding.ObjectUnreadable, u.Ref, "", "%v", u.Err))
	}
	c.locate()
	return Report{Profile: c.inferred(), Findings: c.findings.Sorted(), Checked: c.checked}
}

// checker is one comparison.
type checker struct {
	policy.Input
	options      Options
	policies     []policy.Authorization
	peers        []policy.Peer
	observations []observation
	findings     finding.List
	checked      Checked
	missed       map[resource.Key]bool
}

// compared reports whether an owner's entries are.
func (c *checker) compared(name string) bool {
	owner, known := c.Platform.Owner(name)
	return known && owner.Tool == model.GitOps && (len(c.options.Owners) == 0 || slices.Contains(c.options.Owners, name))
}

// owners reports names that narrow the comparison to nothing.
func (c *checker) owners() {
	var known []string
	for _, o := range c.Owners {
		if o.Tool == model.GitOps {
			known = append(known, o.Name)
		}
	}
	for _, name := range c.options.Owners {
		owner, ok := c.Platform.Owner(name)
		switch {
		case !ok:
			c.findings.Add(finding.New(finding.InputUndefined, resource.Ref{}, "owners", "the model has no owner %q; those of GitOps are %q", name, known))
		case owner.Tool != model.GitOps:
			c.findings.Add(finding.New(finding.OwnerTool, resource.Ref{}, "owners", "the objects of owner %q are written by %s, not by GitOps; those of GitOps are %q", name, owner.Tool, known))
		}
	}
}

func (c *checker) authorizations() []policy.Authorization {
	policies, unreadable := policy.Authorizations(c.Resources)
	c.findings.Add(unreadable...)
	return policies
}

func (c *checker) peerAuthentications() []policy.Peer {
	peers, unreadable := policy.Peers(c.Resources)
	c.findings.Add(unreadable...)
	return peers
}

// report adds a finding about an object, with where it was read.
func (c *checker) report(o *resource.Object, f finding.Finding) {
	file, line := position(o)
	f.Object = o.Ref()
	c.findings.Add(f.In(file, line))
}

func position(o *resource.Object) (file string, line int) {
	if source, ok := o.Source.(Located); ok {
		return source.Position()
	}
	return "", 0
}

// locate says of findings that other packages made where their object was read.
func (c *checker) locate() {
	for i, f := range c.findings {
		if o := c.Resources.Get(f.Object); o != nil && f.File == "" {
			c.findings[i] = f.In(position(o))
		}
	}
}

// objects returns the objects that ref names. Two files may hold one each: then
// both count. What is missing is reported, once.
func (c *checker) objects(ref resource.Ref, entry string) []*resource.Object {
	found := c.Resources.Named(ref)
	if len(found) == 0 && !c.missed[ref.Key()] {
		c.missed[ref.Key()] = true
		c.findings.Add(c.missing(ref, entry))
	}
	return found
}

// missing reports what no rendered file holds. One of its name in another
// namespace is named: mostly something gave it none, or the wrong one.
func (c *checker) missing(ref resource.Ref, entry string) finding.Finding {
	f := finding.New(finding.ParityMissing, ref, "", "the model's %s has it and no rendered file does, so that nothing shows what it is like", entry)
	for _, o := range c.Resources.Kind(ref.Group(), ref.Kind) {
		switch at := o.Ref(); {
		case at.Name != ref.Name:
		case at.Namespace == "":
			return f.WithRemedy("it is there without a namespace: give it %q", ref.Namespace)
		default:
			return f.WithRemedy("it is there in namespace %q: give it %q, or correct the model", at.Namespace, ref.Namespace)
		}
	}
	return f
}

// nothing reports a comparison in which there was nothing of the model's: it proves nothing.
func (c *checker) nothing() {
	if n := c.checked; n.Workloads+n.Gateways+n.Routes+n.Consumers == 0 && !c.findings.Failed() {
		c.findings.Add(finding.New(finding.ParityNothing, resource.Ref{}, "rendered", "the model gives the owners of GitOps nothing in this environment that could be compared"))
	}
}
