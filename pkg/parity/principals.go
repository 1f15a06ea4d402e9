package parity

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// defaultTrustDomain stands in a principal for the mesh's own, whatever that is
// (pilot/pkg/security/trustdomain in Istio).
const defaultTrustDomain = "cluster.local"

// principals compares the trust domain of what policies trust. Of the policies that
// the model derives it is the inventory's own (DD-0025, data model); those of
// others may name what the mesh accepts as well.
func (c *checker) principals() {
	for _, a := range c.policies {
		derived := c.derived(a.Object)
		for _, m := range principalsOf(a) {
			p, err := model.ParsePrincipal(m.text)
			if err != nil {
				continue // a pattern without a trust domain
			}
			c.checked.Principals++
			own := p.TrustDomain() == c.Istio.TrustDomain
			accepted := slices.Contains(c.Istio.TrustDomainAliases, p.TrustDomain()) || p.TrustDomain().Name() == defaultTrustDomain
			if own || accepted && !derived {
				continue
			}
			f := finding.New(finding.ParityTrustDomain, resource.Ref{}, m.field.String(), "it names trust domain %q, and the inventory's is %q", p.TrustDomain().Name(), c.Istio.TrustDomain.Name())
			if meant, err := model.NewPrincipal(c.Istio.TrustDomain, p.Namespace(), p.ServiceAccount()); err == nil {
				f = f.WithValues(m.text, meant.String())
			}
			c.report(a.Object, f)
		}
	}
}

// mention is a principal in a policy.
type mention struct {
	field resource.Path
	text  string
}

// principalsOf returns what a policy says of principals.
func principalsOf(a policy.Authorization) []mention {
	var out []mention
	add := func(at resource.Path, list []string) {
		for i, text := range list {
			out = append(out, mention{at.Index(i), text})
		}
	}
	for i, rule := range a.Spec.GetRules() {
		at := policy.RulePath(i)
		for j, from := range rule.GetFrom() {
			source := at.Child("from").Index(j).Child("source")
			add(source.Child("principals"), from.GetSource().GetPrincipals())
			add(source.Child("notPrincipals"), from.GetSource().GetNotPrincipals())
		}
		for j, when := range rule.GetWhen() {
			if when.GetKey() == "source.principal" {
				condition := at.Child("when").Index(j)
				add(condition.Child("values"), when.GetValues())
				add(condition.Child("notValues"), when.GetNotValues())
			}
		}
	}
	return out
}

// derived reports whether a policy is one that the model derives, by its labels or by its name.
func (c *checker) derived(o *resource.Object) bool {
	return policy.Generated(o) ||
		slices.ContainsFunc(c.Workloads, func(w *model.Workload) bool {
			return w.Protected && isNamed(o, policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName))
		}) ||
		slices.ContainsFunc(c.Gateways, func(g *model.Gateway) bool {
			return g.HostPolicy && isNamed(o, policy.AuthorizationPolicyRef(g.Namespace, g.Name))
		})
}
