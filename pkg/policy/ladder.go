package policy

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The kustomize components. Each adds its name to the build's configuration.
const (
	ComponentBaseline    = "security-baseline"
	ComponentEnrollment  = "security-enrollment"
	ComponentEnforcement = "security-enforcement"
	ComponentTenants     = "tenant-policies"
)

// RequiredComponents returns the components that an owner's build includes in
// this environment (DD-0025, section 1). A build may include ComponentTenants
// without tenants; every other difference is one.
func RequiredComponents(in Input) []string {
	out := []string{ComponentBaseline}
	if in.Profile.Enrolls() {
		out = append(out, ComponentEnrollment)
	}
	if in.Profile.Enforces() {
		out = append(out, ComponentEnforcement)
	}
	for range in.MyTenants() {
		out = append(out, ComponentTenants)
		break
	}
	return out
}

// CheckLadder compares the components that a build includes with those that its
// environment asks for, and reports what is held on a lower rung.
func CheckLadder(in Input, config resource.Ref) finding.List {
	var out finding.List
	report := func(format string, args ...any) {
		out.Add(finding.New(finding.LadderComponent, config, "spec.components", format, args...).WithValues(in.Components, RequiredComponents(in)))
	}
	required := RequiredComponents(in)
	for _, name := range required {
		if !slices.Contains(in.Components, name) {
			report("environment %q is %s, which asks for component %s; the build of owner %q includes %s",
				in.Environment, in.Profile, name, in.Owner.Name, listed(in.Components))
		}
	}
	for i, name := range in.Components {
		switch {
		case slices.Contains(in.Components[:i], name):
			report("component %s is included twice", name)
		case name == ComponentTenants || slices.Contains(required, name):
		case slices.Contains([]string{ComponentEnrollment, ComponentEnforcement}, name):
			report("environment %q is %s, which has no component %s", in.Environment, in.Profile, name)
		default:
			report("there is no component %q", name)
		}
	}
	return out
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
