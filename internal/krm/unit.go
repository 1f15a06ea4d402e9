package krm

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/policy"
)

// Always is what the components of a unit hold that every build selects.
const Always = "*"

// Unit is one function.
type Unit struct {
	// Name of the function, of its folder and of its executable.
	Name string
	// Summary is one sentence for an overview.
	Summary string
	// Components select the unit in a build that includes one of them.
	Components []string
	// Plan is what the unit does.
	Plan policy.Unit
	// Judges says that the unit only judges what others made. It is spared where
	// they failed, for it would say the same again.
	Judges bool
}

// Units are all functions in the order in which they run.
type Units []Unit

// Named returns the unit of a name.
func (u Units) Named(name string) (Unit, bool) {
	i := slices.IndexFunc(u, func(unit Unit) bool { return unit.Name == name })
	if i < 0 {
		return Unit{}, false
	}
	return u[i], true
}

// Names returns the units' names.
func (u Units) Names() []string {
	out := make([]string, 0, len(u))
	for _, unit := range u {
		out = append(out, unit.Name)
	}
	return out
}

// selected returns the units that components select, in their order.
func (u Units) selected(components []string) Units {
	var out Units
	for _, unit := range u {
		if slices.ContainsFunc(unit.Components, func(c string) bool { return c == Always || slices.Contains(components, c) }) {
			out = append(out, unit)
		}
	}
	return out
}
