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
		for path, text := range principalsOf(a) {
			p, err := model.ParsePrincipal(text)
			if err != nil {
				continue // a pattern without a trust domain
			}
			c.checked.Principals++
			own := p.TrustDomain() == c.Istio.TrustDomain
			accepted := slices.Contains(c.Istio.TrustDomainAliases, p.TrustDomain()) || p.TrustDomain().Name() == defaultTrustDomain
			if own || accepted && !derived {
				continue
			}
			f := finding.New(finding.ParityTrustDomain, resource.Ref{}, path.String(), "it names trust domain %q, and the inventory's is %q", p.TrustDomain().Name(), c.Istio.TrustDomain.Name())
			if meant, err := model.NewPrincipal(c.Istio.TrustDomain, p.Namespace(), p.ServiceAccount()); err == nil {
				f = f.WithValues(text, meant.String())
			}
			c.report(a.Object, f)
		}
	}
}

// principalsOf yields what a policy says of principals, with where.
func principalsOf(a policy.Authorization) func(yield func(resource.Path, string) bool) {
	return func(yield func(resource.Path, string) bool) {
		each := func(at resource.Path, list []string) bool {
			for i, text := range list {
				if !yield(at.Index(i), text) {
					return false
				}
			}
			return true
		}
		for i, rule := range a.Spec.GetRules() {
			at := policy.RulePath(i)
			for j, from := range rule.GetFrom() {
				source := at.Child("from").Index(j).Child("source")
				if !each(source.Child("principals"), from.GetSource().GetPrincipals()) || !each(source.Child("notPrincipals"), from.GetSource().GetNotPrincipals()) {
					return
				}
			}
			for j, when := range rule.GetWhen() {
				if when.GetKey() != "source.principal" {
					continue
				}
				condition := at.Child("when").Index(j)
				if !each(condition.Child("values"), when.GetValues()) || !each(condition.Child("notValues"), when.GetNotValues()) {
					return
				}
			}
		}
	}
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
