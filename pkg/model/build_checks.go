package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// claim is an object that one entry of the model speaks for.
type claim = resource.Key

// claim records that an entry speaks for an object; two may not.
func (b *builder) claim(path, entry string, ref resource.Ref) {
	key := ref.Key()
	if other, taken := b.claims[key]; taken {
		b.model.report(finding.OwnerConflict, path, "%s is claimed by %s already", ref, other)
		return
	}
	b.claims[key] = entry
}

// holder is an entry of the model that has an identity.
type holder struct {
	path, name string
	identity   Identity
	gateway    bool
}

// identities checks that to trust a principal is to trust what the model names and nothing beside it.
// A gateway's identity is its own; workloads may share one where they are trusted by the same destinations.
func (b *builder) identities() {
	var holders []holder
	for i, wire := range b.model.spec.Gateways {
		if g := b.gateways[wire.Name]; g != nil {
			holders = append(holders, holder{index("spec.gateways", i), "gateway " + g.Name, g.Identity, true})
		}
	}
	for i, wire := range b.model.spec.Workloads {
		if w := b.workloads[wire.Name]; w != nil {
			holders = append(holders, holder{index("spec.workloads", i), "workload " + w.Name, w.Identity, false})
		}
	}
	first := map[Principal]holder{}
	for _, h := range holders {
		for _, p := range h.identity.All() {
			other, taken := first[p]
			if p.IsZero() || !taken {
				first[p] = h
				continue
			}
			mine, theirs := b.trustedBy(h.name), b.trustedBy(other.name)
			switch {
			case h.gateway || other.gateway:
				b.model.report(finding.IdentityAmbiguous, h.path+".serviceAccountName", "%s is the identity of %s too: a gateway's is its own", p, other.name)
			case mine != theirs:
				b.model.report(finding.IdentityAmbiguous, h.path+".serviceAccountName",
					"%s is the identity of %s too, and not the same destinations trust them (%s: %s; %s: %s)",
					p, other.name, h.name, orNone(mine), other.name, orNone(theirs))
			}
		}
	}
}

// trustedBy lists the destinations that name an entry as a caller.
func (b *builder) trustedBy(name string) string {
	var out []string
	names := func(callers []Caller) bool {
		return slices.ContainsFunc(callers, func(c Caller) bool { return c.String() == name })
	}
	for _, w := range b.platform.Workloads {
		if names(w.Callers) {
			out = append(out, w.Name)
		}
	}
	for _, t := range b.platform.Tenants {
		if names(t.Callers) {
			out = append(out, "tenants "+t.Name)
		}
	}
	return strings.Join(out, ", ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// enrollment checks that who is trusted by an enforced destination has a proxy to show its identity with.
func (b *builder) enrollment() {
	for i, wire := range b.model.spec.Workloads {
		w := b.workloads[wire.Name]
		if w == nil || w.Absent || !w.Protected || !w.Profile.Enforces() {
			continue
		}
		for _, c := range w.Callers {
			if c.Workload == nil || c.Workload.Absent || c.Workload.Enrolled() {
				continue
			}
			why := fmt.Sprintf("it is %s here", c.Workload.Profile)
			if !c.Workload.Enroll {
				why = "its enroll is false"
			}
			b.model.report(finding.CallerNotEnrolled, index("spec.workloads", i)+".callers",
				"workload %q is enforced and its caller %q would have no identity: %s", w.Name, c.Workload.Name, why)
		}
	}
}
