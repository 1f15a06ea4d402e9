package tenantpolicy

import (
	"net/netip"
	"slices"
	"strings"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// unconstrained reports ALLOW policies with a rule that admits everybody to
// tenants' pods: those in a tenant namespace, and those in the root namespace
// that hold there too. ALLOW policies are a union, so one such rule voids every
// scoped policy (istio/istio#37364). What only logs (dry-run) admits nobody.
func unconstrained(in policy.Input, tenants found, replaced map[*resource.Object]bool) finding.List {
	if len(slices.Collect(in.MyTenants())) == 0 {
		return nil
	}
	var out finding.List
	policies, unreadable := policy.Authorizations(in.Resources)
	for _, f := range unreadable {
		if at := f.Object.Namespace; tenants.namespaces[at] || at == in.Istio.RootNamespace {
			out.Add(f)
		}
	}
	e := everybodyIn(in.Istio)
	for _, a := range policies {
		if replaced[a.Object] || !a.Allows() || a.DryRun() {
			continue
		}
		for i, rule := range a.Spec.GetRules() {
			if !e.admitted(rule) {
				continue
			}
			if where := reaches(in, a, tenants); where != "" {
				out.Add(finding.New(finding.TenantUnconstrained, a.Object.Ref(), policy.RulePath(i).String(),
					"rule %d admits everybody to %s: %s", i, where, why(rule)).
					WithValues(resource.List(a.Object.Content(), "spec", "rules")[i], nil).
					WithRemedy("name who may call in from.source.principals, or remove the rule: ALLOW policies are a union, so that it voids every scoped one"))
			}
		}
	}
	return out
}

// reaches says which tenants' pods a policy applies to; "" for none.
func reaches(in policy.Input, a policy.Authorization, tenants found) string {
	at := a.Object.Ref().Namespace
	switch {
	case tenants.namespaces[at]:
		return "pods of tenant namespace " + at
	case at != in.Istio.RootNamespace:
		return ""
	case a.NamespaceWide():
		return "every pod of the mesh, tenants' too (it is in the root namespace and selects none)"
	}
	for _, w := range tenants.workloads {
		ref := w.template.Object.Ref()
		if a.Selects(ref.Namespace, w.template.Labels, in.Istio.RootNamespace) {
			return "the pods of " + ref.String() + " (it is in the root namespace)"
		}
	}
	return ""
}

func why(rule *securityv1beta1.Rule) string {
	if len(rule.GetFrom())+len(rule.GetTo())+len(rule.GetWhen()) == 0 {
		return "it is empty"
	}
	return "each of its constraints matches everything, or only leaves some out"
}

// everybody knows the values that match every caller or every request.
//
// A rule admits everybody if one of its sources is everyone, one of its
// operations everything, and each condition always holds; what is absent is so.
// These constrain, however wide they are: requestPrincipals (a token was
// verified), serviceAccounts (no wildcards), ports, and every list without a
// value that matches all. Kubeflow's rules of paths alone and of source.namespace
// alone are such. Lists that only leave something out (notPaths) constrain
// nothing: what they leave in is everybody.
type everybody struct {
	// trustDomains are the names of this mesh's own. Everybody in it has one.
	trustDomains []string
}

func everybodyIn(mesh model.Istio) everybody {
	// Istio takes cluster.local for the mesh's own domain, whatever that is called.
	e := everybody{trustDomains: []string{mesh.TrustDomain.Name(), "cluster.local"}}
	for _, alias := range mesh.TrustDomainAliases {
		e.trustDomains = append(e.trustDomains, alias.Name())
	}
	return e
}

func (e everybody) admitted(rule *securityv1beta1.Rule) bool {
	return allOrAny(rule.GetFrom(), e.from) && allOrAny(rule.GetTo(), e.to) && !slices.ContainsFunc(rule.GetWhen(), func(c *securityv1beta1.Condition) bool {
		return !e.always(c)
	})
}

// allOrAny reports whether one of the alternatives matches all, as having none does.
func allOrAny[T any](alternatives []T, matchesAll func(T) bool) bool {
	return len(alternatives) == 0 || slices.ContainsFunc(alternatives, matchesAll)
}

func (e everybody) from(f *securityv1beta1.Rule_From) bool {
	s := f.GetSource()
	return len(s.GetRequestPrincipals())+len(s.GetServiceAccounts()) == 0 &&
		allOrAny(s.GetPrincipals(), e.principal) &&
		allOrAny(s.GetNamespaces(), anything) &&
		allOrAny(s.GetTrustDomains(), e.trustDomain) &&
		allOrAny(s.GetIpBlocks(), anyAddress) &&
		allOrAny(s.GetRemoteIpBlocks(), anyAddress)
}

func (e everybody) to(t *securityv1beta1.Rule_To) bool {
	o := t.GetOperation()
	return len(o.GetPorts()) == 0 &&
		allOrAny(o.GetHosts(), anything) &&
		allOrAny(o.GetMethods(), anything) &&
		allOrAny(o.GetPaths(), anyPath)
}

func (e everybody) always(c *securityv1beta1.Condition) bool {
	key, values := c.GetKey(), c.GetValues()
	switch {
	case key == "source.principal":
		return allOrAny(values, e.principal)
	case key == "source.trustDomain":
		return allOrAny(values, e.trustDomain)
	case key == "source.ip", key == "remote.ip", key == "destination.ip":
		return allOrAny(values, anyAddress)
	case strings.HasPrefix(key, "request.auth."):
		return len(values) == 0 // any token at all is still one that was verified
	default: // a header too: everybody can write it
		return allOrAny(values, anything)
	}
}

func anything(value string) bool { return value == "*" }

// anyPath matches the patterns that every path has; "{**}" is Istio's template for any rest.
func anyPath(value string) bool { return slices.Contains([]string{"*", "/*", "/{**}"}, value) }

func anyAddress(block string) bool {
	prefix, err := netip.ParsePrefix(block)
	return err == nil && prefix.Bits() == 0
}

// principal matches "*" and beginnings such as "cluster.local/*": everybody who
// has an identity in this mesh.
func (e everybody) principal(value string) bool {
	beginning, ok := strings.CutSuffix(value, "*")
	return ok && slices.ContainsFunc(e.trustDomains, func(domain string) bool {
		return strings.HasPrefix(domain+"/ns/", beginning)
	})
}

func (e everybody) trustDomain(value string) bool {
	beginning, wildcard := strings.CutSuffix(value, "*")
	return slices.ContainsFunc(e.trustDomains, func(domain string) bool {
		return value == domain || wildcard && strings.HasPrefix(domain, beginning)
	})
}
