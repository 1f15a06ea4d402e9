// Package verify judges the end state of a build. It derives everything again
// and reports each difference, and it checks the static assertions of DD-0025
// on the objects themselves, so that a fault of the derivation shows as well.
package verify

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
	"github.com/ringfence-dev/ringfence/pkg/policy/hostpolicy"
	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
	"github.com/ringfence-dev/ringfence/pkg/policy/tenantpolicy"
	"github.com/ringfence-dev/ringfence/pkg/policy/workloadpolicy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// planners derive what a build holds. A build that is right leaves them nothing to do.
var planners = []policy.Unit{
	identity.Plan,
	hostpolicy.Plan,
	enrollment.Plan,
	workloadpolicy.Plan,
	tenantpolicy.Plan,
}

// rules are the assertions on the objects themselves.
var rules = []func(policy.Input) finding.List{
	gatewayAllows,
	gatewayIdentities,
	rungs,
	attributes,
	labels,
	selectors,
	retired,
	absent,
	strays,
	relaxed,
	applications,
}

// Plan judges one build and changes nothing.
func Plan(in policy.Input) policy.Plan {
	out := judge(in, principals, misplaced)
	if !out.Failed() {
		out.Add(Tests(in, in.Tests, true)...)
	}
	return policy.Plan{Findings: out}
}

// Union judges the builds of all owners together, as one of them: then every
// principal of a build must resolve to one of the builds' ServiceAccounts.
func Union(in policy.Input) finding.List {
	return judge(in, unionPrincipals)
}

func judge(in policy.Input, more ...func(policy.Input) finding.List) finding.List {
	var out finding.List
	for _, plan := range planners {
		out.Add(stale(plan(in))...)
	}
	for _, rule := range slices.Concat(rules, more) {
		out.Add(rule(in)...)
	}
	if !out.Failed() {
		out.Add(edges(in)...)
	}
	return out
}

// stale reports what a plan would still change, and what it found.
func stale(plan policy.Plan) finding.List {
	out := plan.Findings
	for _, o := range plan.Create {
		out.Add(missing(o.Ref, o.Source))
	}
	for _, e := range plan.Edits {
		out.Add(finding.New(finding.ObjectStale, e.Object.Ref(), e.Path.String(), "it isn't what the model derives (%s)", e.Reason).WithValues(e.Current, e.Value))
	}
	for _, r := range plan.Remove {
		out.Add(finding.New(finding.ObjectStale, r.Object.Ref(), "", "the build holds it and shouldn't: %s", r.Reason))
	}
	return out
}

func missing(ref resource.Ref, source string) finding.Finding {
	return finding.New(finding.ObjectStale, ref, "", "%s of the model derives it and the build doesn't hold it", source)
}

// relaxed reports what is held on a lower rung.
func relaxed(in policy.Input) finding.List {
	var out finding.List
	environment := resource.Ref{Kind: "Environment", Name: in.Environment}
	for _, o := range in.Overrides {
		out.Add(finding.New(finding.OverrideActive, environment, "spec.overrides", "%s/%s is held at %s", o.Section, o.Name, o.Profile))
	}
	if in.Tier != productionTier {
		return out
	}
	if !in.Profile.Enforces() {
		out.Add(finding.New(finding.ProductionRelaxed, environment, "spec.securityProfile", "it is %s in a production environment", in.Profile))
	}
	for _, o := range in.Overrides {
		out.Add(finding.New(finding.ProductionRelaxed, environment, "spec.overrides", "%s/%s is held at %s in a production environment", o.Section, o.Name, o.Profile))
	}
	return out
}

// applications reports Argo CD Applications that would leave a removed policy alive.
func applications(in policy.Input) finding.List {
	var out finding.List
	for _, kind := range []struct {
		name string
		at   resource.Path
	}{{"Application", nil}, {"ApplicationSet", resource.Path{"spec", "template"}}} {
		path := kind.at.Child("spec", "syncPolicy", "automated", "prune")
		for _, o := range in.Resources.Kind("argoproj.io", kind.name) {
			prune, _ := resource.Field(o.Content(), path...)
			if on, ok := prune.(bool); !ok || !on {
				out.Add(finding.New(finding.ApplicationPrune, o.Ref(), path.String(),
					"it isn't true, so that a policy which is no longer derived stays in the cluster").WithValues(prune, true))
			}
		}
	}
	return out
}
