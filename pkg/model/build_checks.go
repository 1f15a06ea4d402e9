package model

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// entry is a gateway or workload of the model.
type entry struct {
	kind, name, owner string
	path              string
	absent            bool
	caller            Caller // who it is to those that it calls
}

// String names the entry as findings do: `workload "web"`.
func (e entry) String() string { return quoted(e.kind, e.name) }

// claim records that an entry speaks for an object; two may not.
func (b *builder) claim(path string, by entry, ref resource.Ref) {
	key := ref.Key()
	if other, taken := b.claims[key]; taken {
		b.model.report(finding.OwnerConflict, path, "%s belongs to %s already", ref, other)
		return
	}
	b.claims[key] = by
}

// checkIdentities checks that to trust a principal is to trust what the model names and nothing
// beside it. A gateway's identity is its own; workloads may share one where they are trusted by
// the same destinations.
func (b *builder) checkIdentities() {
	trusted := map[Caller][]string{}
	for _, e := range b.edges {
		trusted[e.caller] = append(trusted[e.caller], e.to)
	}
	first := map[Principal]entry{}
	for _, e := range b.entries {
		for i, p := range e.caller.Principals() {
			path := e.path + ".serviceAccountName"
			if i > 0 {
				path = index(e.path+".previousServiceAccountNames", i-1)
			}
			other, taken := first[p]
			mine, theirs := trusted[e.caller], trusted[other.caller]
			switch {
			case p.IsZero():
			case i == 0 && p.ServiceAccount() == "default" && (e.caller.Gateway != nil || len(mine) > 0):
				b.model.advise(finding.IdentityAmbiguous, path, "give it a ServiceAccount of its own", "it is trusted, and every pod of namespace %q that names no ServiceAccount runs as default", p.Namespace())
			case !taken:
				first[p] = e
			case e.caller.Gateway != nil || other.caller.Gateway != nil:
				b.model.report(finding.IdentityAmbiguous, path, "%s is the identity of %s too, and a gateway's is its own", p, other)
			case !slices.Equal(mine, theirs):
				b.model.report(finding.IdentityAmbiguous, path, "%s is the identity of %s too, and who trusts it trusts both; but %s is a caller of %s, and %s of %s",
					p, other, e, orNone(mine), other, orNone(theirs))
			}
		}
	}
	for _, e := range b.edges {
		if known, ok := first[e.caller.Principal]; ok {
			b.model.advise(finding.InputInvalidValue, e.path+".principal", "write "+known.kind+": "+known.name, "it is the identity of %s", known)
		}
	}
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	return listed(names)
}

// checkEnrollment checks that who is trusted where a policy holds has a proxy to show its identity
// with. The policies of tenants hold in every profile, and may wait for a caller's proxy.
func (b *builder) checkEnrollment() {
	paths := map[Caller]string{}
	for _, e := range b.entries {
		paths[e.caller] = e.path
	}
	for _, e := range b.edges {
		caller, to := e.caller.Workload, e.workload
		switch {
		case caller == nil || caller.Absent:
		case b.model.said[b.model.base+paths[e.caller]+".enroll"]: // that is the cause
		case to == nil && !caller.Enroll:
			b.model.report(finding.CallerNotEnrolled, e.path, "the caller %q would have no identity: its enroll is false", caller.Name)
		case to == nil || to.Absent || !to.Profile.Enforces() || caller.Enrolled():
		case !caller.Enroll:
			b.model.report(finding.CallerNotEnrolled, e.path, "%s is enforced, and its caller %q would have no identity: its enroll is false", e.to, caller.Name)
		default:
			b.model.report(finding.CallerNotEnrolled, e.path, "%s is enforced, and its caller %q would have no identity: it is %s", e.to, caller.Name, caller.Profile)
		}
	}
}

// policySelector is what a policy of an entry selects pods by.
type policySelector struct {
	entry
	namespace string
	labels    map[string]string
}

type labelPair struct{ key, value string }

// checkSelectors reports a policy that applies to the pods of another policy too: ALLOW policies are
// a union, so that its callers or hosts would be admitted there. One of the root namespace applies to
// every namespace.
func (b *builder) checkSelectors() {
	var policies []policySelector
	byLabel := map[labelPair][]policySelector{}
	for _, e := range b.entries {
		p := policySelector{entry: e}
		switch g, w := e.caller.Gateway, e.caller.Workload; {
		case g != nil && g.HostPolicy:
			p.namespace, p.labels = g.Namespace, g.Selector
		case w != nil && w.Protected:
			p.namespace, p.labels = w.Namespace, w.Selector
		}
		policies = append(policies, p)
		for key, value := range p.labels {
			byLabel[labelPair{key, value}] = append(byLabel[labelPair{key, value}], p)
		}
	}
	for _, p := range policies {
		var others []policySelector // those that share its rarest label
		for key, value := range sorted(p.labels) {
			if found := byLabel[labelPair{key, value}]; others == nil || len(found) < len(others) {
				others = found
			}
		}
		for _, other := range others {
			near := p.namespace == other.namespace || p.namespace == b.platform.Istio.RootNamespace
			if near && p.caller != other.caller && resource.Selects(p.labels, other.labels) {
				b.model.advise(finding.InputInvalidValue, p.path+".selector", "tell the labels of the two apart",
					"its policy would select the pods of %s too, and admit there what the model doesn't", other)
				break
			}
		}
	}
}
