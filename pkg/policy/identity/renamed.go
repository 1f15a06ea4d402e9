package identity

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
)

// renamed reports pods that would leave an identity which policies trust, where
// the model doesn't say that it is being left: until the last of them has rolled
// out, either the old pods or the new ones would be refused. A policy that this
// run is going to change or remove counts too, for it is what the cluster has.
// Policies that aren't in the build can't be seen.
func renamed(in policy.Input, assignments []assignment) finding.List {
	var out finding.List
	unexpected := slices.DeleteFunc(slices.Clone(assignments), assignment.expected)
	if len(unexpected) == 0 {
		return nil
	}
	trusting, findings := trustingPolicies(in)
	out.Add(findings...)
	holders := holdersOf(in)
	for _, a := range unexpected {
		from := a.from()
		policies := trusting[from]
		if len(policies) == 0 {
			continue
		}
		f := finding.New(finding.IdentityRenamed, a.Object.Ref(), nameField(a.PodTemplate),
			"its pods run as %s, which %s trusts, and the model now gives %s the name %q alone, so that its pods would be refused while they roll out",
			from, strings.Join(policies, ", "), a.entry.name, a.to().name).WithValues(from.name, a.to().name)
		if h := holders[from]; h != nil { // a second entry with this identity may be refused by the model
			f = f.WithRemedy("add %q to previousServiceAccountNames of %s; where the model refuses that, because it is the identity of %s too, "+
				"put the destinations on a lower rung (spec.overrides), rename in a second step, and raise them in a third", from.name, a.entry.name, h.names())
		}
		out.Add(f)
	}
	return out
}

// trustingPolicies returns the generated policies of the build by the
// ServiceAccounts that they trust.
func trustingPolicies(in policy.Input) (map[account][]string, finding.List) {
	policies, findings := policy.Authorizations(in.Resources)
	out := map[account][]string{}
	for _, p := range policies {
		if !policy.Generated(p.Object) || !p.Allows() {
			continue
		}
		name := p.Object.Ref().String()
		for _, rule := range p.Spec.GetRules() {
			for _, from := range rule.GetFrom() {
				for _, s := range from.GetSource().GetPrincipals() {
					principal, err := model.ParsePrincipal(s)
					if err != nil || !local(in.Istio, principal) {
						continue // Istio matches no pod of this cluster with it
					}
					if at := accountOf(principal); !slices.Contains(out[at], name) {
						out[at] = append(out[at], name)
					}
				}
			}
		}
	}
	return out, findings
}

// local reports whether a principal may be a pod's of this mesh. Istio reads
// "cluster.local" as the mesh's own trust domain, whatever that is.
func local(mesh model.Istio, p model.Principal) bool {
	td := p.TrustDomain()
	return td == mesh.TrustDomain || td.Name() == "cluster.local" || slices.Contains(mesh.TrustDomainAliases, td)
}
