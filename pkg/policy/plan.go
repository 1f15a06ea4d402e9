package policy

import (
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Plan is what one unit wants done. An adapter carries it out whole, or not at
// all when a finding is an error.
type Plan struct {
	Create   []Object
	Edits    []Edit
	Remove   []Removal
	Findings finding.List
}

// Edit sets one field of an existing object, with what leads to it.
type Edit struct {
	Object *resource.Object
	// Path of the field.
	Path resource.Path
	// Value as JSON has it; nil removes the field, and a mapping that it leaves empty.
	Value any
	// Current is the value that the field has; nil when it has none.
	Current any
	// Reason says why, for a report: "host of gateway web".
	Reason string
}

// Removal takes an object out.
type Removal struct {
	Object *resource.Object
	// Reason says why, for a report.
	Reason string
}

// Add appends what another plan wants.
func (p *Plan) Add(o Plan) {
	p.Create = append(p.Create, o.Create...)
	p.Edits = append(p.Edits, o.Edits...)
	p.Remove = append(p.Remove, o.Remove...)
	p.Findings.Add(o.Findings...)
}

// Set adds the edit that gives a field a value, unless it has it already. A nil
// value removes the field.
func (p *Plan) Set(o *resource.Object, path resource.Path, value any, reason string) {
	current, found := resource.Field(o.Content(), path...)
	if found == (value != nil) && equalJSON(current, value) {
		return
	}
	p.Edits = append(p.Edits, Edit{Object: o, Path: path, Value: value, Current: current, Reason: reason})
}

// Empty reports whether nothing would change.
func (p *Plan) Empty() bool { return len(p.Create)+len(p.Edits)+len(p.Remove) == 0 }
