package authz

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

var errNoHTTP = errors.New("the proxy reads no HTTP on this port, and the field is HTTP's")

// Policy is one AuthorizationPolicy that applies to a workload.
type Policy struct {
	Namespace, Name string
	// DryRun says that Istio logs what the policy would do, and does nothing.
	DryRun bool
	Spec   *securityv1beta1.AuthorizationPolicy
}

func (p Policy) String() string { return p.Namespace + "/" + p.Name }

// Filter decides about requests to one workload's ports of one kind.
type Filter struct {
	http bool
	// principals are those that a rule names whole; patterned says that rules look at
	// principals in other ways, too.
	principals          map[string]bool
	patterned           bool
	custom, deny, allow []policy
	// Skipped are rules, by policy and path, that Istio leaves out on such ports, and why.
	Skipped []string
}

// policy is a Policy as translated for one kind of port.
type policy struct {
	Policy
	rules []rule
}

// NewFilter translates the policies that apply to a workload: for ports on which
// its proxy reads HTTP, or for those on which it doesn't. AUDIT policies and dry
// runs decide nothing; a CUSTOM policy asks its provider even as a dry run
// (pilot/pkg/security/authz/builder).
func NewFilter(policies []Policy, trust Trust, http bool) *Filter {
	f := &Filter{http: http, principals: map[string]bool{}}
	for _, p := range policies {
		action := p.Spec.GetAction()
		list := map[securityv1beta1.AuthorizationPolicy_Action]*[]policy{
			securityv1beta1.AuthorizationPolicy_CUSTOM: &f.custom,
			securityv1beta1.AuthorizationPolicy_DENY:   &f.deny,
			securityv1beta1.AuthorizationPolicy_ALLOW:  &f.allow,
		}[action]
		if list == nil || p.DryRun && action != securityv1beta1.AuthorizationPolicy_CUSTOM {
			continue
		}
		t := translation{trust: trust, own: p.Namespace, http: http, allow: action == securityv1beta1.AuthorizationPolicy_ALLOW}
		translated := policy{Policy: p}
		for i, in := range p.Spec.GetRules() {
			r, err := t.rule(fmt.Sprintf("spec.rules[%d]", i), in)
			if err != nil {
				f.Skipped = append(f.Skipped, fmt.Sprintf("%s: %v", p, err))
				continue
			}
			translated.rules = append(translated.rules, r)
		}
		*list = append(*list, translated)
		f.look(p.Spec.GetRules(), trust)
	}
	return f
}

// look notes which principals rules tell apart.
func (f *Filter) look(rules []*securityv1beta1.Rule, trust Trust) {
	for _, r := range rules {
		f.patterned = f.patterned || slices.ContainsFunc(r.GetWhen(), func(c *securityv1beta1.Condition) bool {
			return strings.HasPrefix(c.GetKey(), "source.")
		})
		for _, from := range r.GetFrom() {
			s := from.GetSource()
			f.patterned = f.patterned || len(s.GetNamespaces())+len(s.GetNotNamespaces())+len(s.GetServiceAccounts())+len(s.GetNotServiceAccounts())+
				len(s.GetTrustDomains())+len(s.GetNotTrustDomains()) > 0
			for _, text := range slices.Concat(s.GetPrincipals(), s.GetNotPrincipals()) {
				f.patterned = f.patterned || strings.Contains(text, "*")
				for _, expanded := range trust.principals(text) {
					f.principals[scheme+expanded] = true
				}
			}
		}
	}
}

// Class returns a text that two principals share if every request of the one is
// answered as that of the other: of most principals most policies know nothing.
func (f *Filter) Class(principal string) string {
	if f.patterned || f.principals[principal] {
		return principal
	}
	return ""
}

// Decision is the answer to one request.
type Decision struct {
	// Allowed is Unknown where the answer hangs on something that isn't known.
	Allowed truth.Value
	// Policy that decided, and the path of its rule. Both are empty where no policy
	// applies, and where policies allow and none of their rules matched.
	Policy *Policy
	Rule   string
	// Reason says it in a sentence.
	Reason string
}

// Allowed is Decide without a reason.
func (f *Filter) Allowed(r *Request) truth.Value {
	denied := match(f.deny, r).Allowed
	if denied == truth.Yes {
		return truth.No
	}
	allowed := truth.Yes
	if len(f.allow) > 0 {
		allowed = match(f.allow, r).Allowed
	}
	if allowed == truth.Yes && (denied == truth.Unknown || match(f.custom, r).Allowed != truth.No) {
		return truth.Unknown
	}
	return allowed
}

// Decide answers as Istio's filters do: CUSTOM first, then DENY, then ALLOW. A
// request that is denied in any case is denied, whatever else isn't known. Of a
// request without HTTP nothing of HTTP is known, where the proxy reads it.
func (f *Filter) Decide(r *Request) Decision {
	if f.http && r.HTTP == nil {
		with := *r
		with.HTTP = &HTTP{}
		r = &with
	}
	denied := match(f.deny, r)
	if denied.Allowed == truth.Yes {
		return denied.as(truth.No, "a rule of the DENY policy %s matches")
	}
	out := match(f.allow, r)
	switch {
	case len(f.allow) == 0:
		out = Decision{Allowed: truth.Yes, Reason: "no ALLOW policy applies"}
	case out.Allowed == truth.No:
		return Decision{Allowed: truth.No, Reason: "no rule of an ALLOW policy matches"}
	case out.Allowed == truth.Unknown:
		out = out.as(truth.Unknown, "whether the ALLOW policy %s matches isn't known")
	default:
		out = out.as(truth.Yes, "a rule of the ALLOW policy %s matches")
	}
	if denied.Allowed == truth.Unknown {
		return denied.as(truth.Unknown, "whether the DENY policy %s matches isn't known")
	}
	if asked := match(f.custom, r); asked.Allowed != truth.No {
		return asked.as(truth.Unknown, "the provider of the CUSTOM policy %s is asked")
	}
	return out
}

func (d Decision) as(allowed truth.Value, reason string) Decision {
	return Decision{Allowed: allowed, Policy: d.Policy, Rule: d.Rule, Reason: fmt.Sprintf(reason, d.Policy)}
}

// match returns the first rule that matches, else the first that may; Allowed says which.
func match(policies []policy, request *Request) Decision {
	out := Decision{Allowed: truth.No}
	for i := range policies {
		for _, r := range policies[i].rules {
			if holds := r.holds(request); holds > out.Allowed {
				out = Decision{Allowed: holds, Policy: &policies[i].Policy, Rule: r.path}
				if holds == truth.Yes {
					return out
				}
			}
		}
	}
	return out
}
