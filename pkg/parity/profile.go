package parity

import (
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// What Profile.Rendered says where it is no profile.
const (
	// Mixed says that no profile makes everything that is rendered.
	Mixed = "mixed"
	// Unknown says that nothing rendered tells one profile from another.
	Unknown = "unknown"
)

// Profile is the security profile by the inventory, and by what is rendered.
type Profile struct {
	Inventory model.Profile
	// Rendered is the name of a profile, names with "or" between where nothing tells
	// them apart and the inventory's is none of them, Mixed or Unknown.
	Rendered string
	// Evidence is what tells, in the model's order.
	Evidence []Evidence
}

// Aspect is what one rung of the ladder adds to the one below.
type Aspect string

// The aspects: sidecars from permissive on, policies and STRICT mTLS in enforced.
const (
	Enrollment  Aspect = "enrollment"
	Enforcement Aspect = "enforcement"
)

// Evidence is one object, there or not, that tells of the profile.
type Evidence struct {
	// Entry names the entry of the model: "workload web".
	Entry  string
	Aspect Aspect
	// Holds says whether it is enrolled, or enforced.
	Holds bool
	// Object and Field say it; where the object isn't there, it is the one that would.
	Object resource.Ref
	Field  string
	File   string
	Line   int
	// Reason says in words what is there.
	Reason string
}

// observation is evidence, and what it is held against.
type observation struct {
	Evidence
	ceiling model.Profile
	// current is the field's value, and wanted the one that it has where the aspect holds.
	current, wanted any
}

// observe keeps evidence. The object is nil where there is none.
func (c *checker) observe(o *resource.Object, section, name string, e observation) {
	e.ceiling = c.ceiling(section, name)
	e.Entry = strings.TrimSuffix(section, "s") + " " + name
	if o != nil {
		e.Object = o.Ref()
		e.File, e.Line = position(o)
	}
	c.observations = append(c.observations, e)
}

// ceiling returns the rung that an override holds an entry at, or enforced.
func (c *checker) ceiling(section, name string) model.Profile {
	for _, override := range c.Overrides {
		if override.Section == section && override.Name == name {
			return override.Profile
		}
	}
	return model.Enforced
}

// expected reports whether the aspect holds where the environment is of a profile.
func (o observation) expected(p model.Profile) bool {
	rung := min(p, o.ceiling)
	if o.Aspect == Enrollment {
		return rung.Enrolls()
	}
	return rung.Enforces()
}

// profile reports what speaks against the inventory's profile.
func (c *checker) profile() {
	for _, o := range c.observations {
		due := o.expected(c.Profile)
		if o.Holds == due {
			continue
		}
		rung := "security_profile is " + c.Profile.String()
		if o.ceiling < c.Profile {
			rung += " and " + o.Entry + " is held at " + o.ceiling.String()
		}
		wanted := o.wanted
		if !due {
			wanted = nil
		}
		f := finding.New(finding.ParityProfile, o.Object, o.Field, "%s, and %s", rung, o.Reason)
		c.findings.Add(f.WithValues(o.current, wanted).In(o.File, o.Line))
	}
}

// inferred returns the profile that makes what is rendered.
func (c *checker) inferred() Profile {
	out := Profile{Inventory: c.Profile, Rendered: Unknown}
	for _, o := range c.observations {
		out.Evidence = append(out.Evidence, o.Evidence)
	}
	var names []string
	for p := model.Open; p <= model.Enforced; p++ {
		if c.agrees(p) {
			names = append(names, p.String())
		}
	}
	switch {
	case len(c.observations) == 0 || len(names) > int(model.Enforced):
	case len(names) == 0:
		out.Rendered = Mixed
	case c.agrees(c.Profile):
		out.Rendered = c.Profile.String()
	default:
		out.Rendered = strings.Join(names, " or ")
	}
	return out
}

func (c *checker) agrees(p model.Profile) bool {
	for _, o := range c.observations {
		if o.Holds != o.expected(p) {
			return false
		}
	}
	return true
}
