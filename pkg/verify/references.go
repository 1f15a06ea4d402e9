package verify

import (
	"fmt"

	k8slabels "k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

type labelSet = k8slabels.Set

// principals: every principal that a policy of ours trusts is a ServiceAccount
// of this build (here), or of another owner by the model (elsewhere); else it is
// nowhere, and nobody can ever show it.
func principals(in policy.Input) finding.List {
	return resolve(in, func(holder) bool { return false })
}

// unionPrincipals: over all builds, what a build owns must be here.
func unionPrincipals(in policy.Input) finding.List {
	return resolve(in, func(h holder) bool {
		owner, ok := in.Platform.Owner(h.owner)
		return ok && owner.Tool == model.GitOps
	})
}

// holder is the entry of the model that has an identity.
type holder struct{ entry, owner string }

func resolve(in policy.Input, mustBeHere func(holder) bool) finding.List {
	policies, _ := policy.Authorizations(in.Resources) // what can't be read is reported elsewhere
	var out finding.List
	origin := policy.OriginOf(in.Scope)
	holders := holdersOf(in)
	for _, a := range policies {
		if !origin.Made(a.Object) {
			continue
		}
		for i, rule := range a.Spec.GetRules() {
			for j, from := range rule.GetFrom() {
				for k, principal := range from.GetSource().GetPrincipals() {
					field := policy.RulePath(i).Child("from").Index(j).Child("source", "principals").Index(k).String()
					out.Add(answer(in, a.Object.Ref(), field, principal, holders, mustBeHere)...)
				}
			}
		}
	}
	return out
}

func answer(in policy.Input, ref resource.Ref, field, text string, holders map[model.Principal]holder, mustBeHere func(holder) bool) finding.List {
	nowhere := func(why string) finding.List {
		return finding.List{finding.New(finding.PrincipalNowhere, ref, field, "%q %s", text, why).WithValues(text, nil)}
	}
	principal, err := model.ParsePrincipal(text)
	if err != nil {
		return nowhere(fmt.Sprintf("can't be anybody's: %v", err))
	}
	account := resource.Ref{APIVersion: "v1", Kind: "ServiceAccount", Namespace: principal.Namespace(), Name: principal.ServiceAccount()}
	if principal.TrustDomain() == in.Istio.TrustDomain && in.Resources.Get(account) != nil {
		return nil // here
	}
	h, known := holders[principal]
	switch {
	case known && !mustBeHere(h):
		return finding.List{finding.New(finding.PrincipalElsewhere, ref, field, "%q is %s of owner %q", text, h.entry, h.owner)}
	case known:
		return nowhere(fmt.Sprintf("is %s of owner %q, and no build holds %s", h.entry, h.owner, account))
	default:
		return nowhere("is no ServiceAccount of this build and no identity of the model")
	}
}

func holdersOf(in policy.Input) map[model.Principal]holder {
	out := map[model.Principal]holder{}
	add := func(identity model.Identity, entry, owner string) {
		for _, p := range identity.All() {
			out[p] = holder{entry, owner}
		}
	}
	for _, g := range in.Gateways {
		add(g.Identity, "gateway "+g.Name, g.Owner)
	}
	for _, w := range in.Workloads {
		add(w.Identity, "workload "+w.Name, w.Owner)
		for _, c := range w.Callers {
			if !c.Principal.IsZero() {
				out[c.Principal] = holder{"a caller outside the model", w.Owner + " (principal)"}
			}
		}
	}
	for _, t := range in.Tenants {
		for _, c := range t.Callers {
			if !c.Principal.IsZero() {
				out[c.Principal] = holder{"a caller outside the model", t.Owner + " (principal)"}
			}
		}
	}
	return out
}
