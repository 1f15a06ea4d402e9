package model

import "fmt"

// Profile is a rung of the ladder. Its zero value is Open.
type Profile int

const (
	// Open has neither sidecars nor policies.
	Open Profile = iota
	// Permissive has sidecars.
	Permissive
	// Enforced has sidecars, STRICT mTLS and ALLOW policies.
	Enforced
)

var profileNames = [...]string{Open: "open", Permissive: "permissive", Enforced: "enforced"}

// ParseProfile reads "open", "permissive" or "enforced".
func ParseProfile(s string) (Profile, error) {
	for p, name := range profileNames {
		if s == name {
			return Profile(p), nil
		}
	}
	return Open, fmt.Errorf("%q is no security profile, as open, permissive and enforced are", s)
}

// String returns the name that an Environment has for p.
func (p Profile) String() string { return profileNames[p] }

// Enrolls reports whether workloads get a sidecar.
func (p Profile) Enrolls() bool { return p >= Permissive }

// Enforces reports whether policies and STRICT mTLS apply.
func (p Profile) Enforces() bool { return p == Enforced }
