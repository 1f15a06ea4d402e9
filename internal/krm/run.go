package krm

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// build is one run over the items of one document.
type build struct {
	document *manifest.Document
	// set holds the objects that units work on, inputs those that tell them what to do.
	set, inputs *resource.Set
	findings    finding.List
	hasPaths    func() bool // findPaths, once
}

func newBuild(document *manifest.Document) *build {
	items := document.Items()
	objects, inputs := make([]resource.Source, 0, len(items)), []resource.Source(nil)
	for _, item := range items {
		if isOurs(item.Ref()) {
			inputs = append(inputs, item)
		} else {
			objects = append(objects, item)
		}
	}
	b := &build{document: document, set: resource.NewSet(objects...), inputs: resource.NewSet(inputs...)}
	b.hasPaths = sync.OnceValue(b.findPaths)
	return b
}

// run plans and carries out units one after another. Problems are gathered over
// all of them.
func (b *build) run(request model.Request, all Units, called string) {
	units, chosen, findings := choose(all, called, request)
	b.findings.Add(findings...)
	b.findings.Add(ownerTool(request)...)
	in := policy.Input{
		Scope:      scopeOf(request),
		Resources:  b.set,
		Components: request.Components,
		Tests:      request.Tests,
	}
	if !chosen {
		b.findings.Add(policy.CheckLadder(in, request.Config)...)
	}
	for _, unit := range units {
		if unit.Judges && b.findings.Failed() {
			continue
		}
		plan := unit.Plan(in)
		b.findings.Add(plan.Findings...)
		if err := b.apply(plan); err != nil {
			b.findings.Add(finding.New(finding.ObjectUnreadable, resource.Ref{}, "", "%s: %v", unit.Name, err))
		}
	}
	for _, u := range b.set.Unreadable() {
		b.findings.Add(finding.New(finding.ObjectUnreadable, u.Ref, "", "%v", u.Err))
	}
	if request.Strict {
		b.findings = b.findings.Strict()
	}
}

// Version of this executable. The main package sets it.
var Version = "dev"

func scopeOf(request model.Request) derive.Scope {
	scope := derive.Scope{Platform: request.Platform, Owner: request.Owner}
	if request.StampVersion {
		scope.Version = Version
	}
	return scope
}

// choose returns the units that a run asks for: the one that it is called as,
// those that the configuration lists, or those that its components select.
// chosen says that it was none of the last. A configuration's name chooses
// nothing: a rename would take enforcement and the verifier out of a build.
func choose(all Units, called string, request model.Request) (units Units, chosen bool, findings finding.List) {
	names := request.Units
	if _, ok := all.Named(called); ok {
		names = []string{called}
	}
	if len(names) == 0 {
		return all.selected(request.Components), false, nil
	}
	for i, name := range names {
		if _, ok := all.Named(name); !ok {
			findings.Add(finding.New(finding.InputUndefined, request.Config, fmt.Sprintf("spec.units[%d]", i),
				"there is no unit %q; there are %s", name, strings.Join(all.Names(), ", ")))
		}
	}
	for _, unit := range all { // in the order in which they work, whatever the order of the names
		if slices.Contains(names, unit.Name) {
			units = append(units, unit)
		}
	}
	return units, true, findings
}
