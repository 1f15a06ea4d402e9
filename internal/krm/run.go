package krm

import (
	"fmt"
	"slices"
	"strings"

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
	set      *resource.Set
	findings finding.List
}

func newBuild(document *manifest.Document) *build {
	b := &build{document: document, set: resource.NewSet()}
	for _, item := range document.Items() {
		if !isOurs(item.Ref()) {
			b.set.Add(item)
		}
	}
	return b
}

// run plans and carries out units one after another. Problems are gathered over
// all of them; the verifier, which would repeat them, runs when there are none.
func (b *build) run(request model.Request, units Units) {
	in := policy.Input{
		Scope:      derive.Scope{Platform: request.Platform, Owner: request.Owner},
		Resources:  b.set,
		Components: request.Components,
	}
	if len(request.Units) == 0 {
		b.findings.Add(policy.CheckLadder(in, request.Config)...)
	}
	for i, unit := range units {
		if i > 0 && i == len(units)-1 && b.findings.Failed() {
			break
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

// choose returns the units that a request asks for.
func choose(all Units, request model.Request) (Units, finding.List) {
	names := request.Units
	if len(names) == 0 {
		if unit, ok := all.Named(request.Config.Name); ok {
			return Units{unit}, nil
		}
		return all.selected(request.Components), nil
	}
	var (
		out      Units
		findings finding.List
	)
	for i, name := range names {
		if _, ok := all.Named(name); !ok {
			findings.Add(finding.New(finding.InputUndefined, request.Config, fmt.Sprintf("spec.units[%d]", i),
				"there is no unit %q; there are %s", name, strings.Join(all.Names(), ", ")))
		}
	}
	for _, unit := range all { // in the order in which they work, whatever the order of the names
		if slices.Contains(names, unit.Name) {
			out = append(out, unit)
		}
	}
	return out, findings
}
