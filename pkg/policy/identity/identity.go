// Package identity gives the owner's workloads and gateways the ServiceAccounts
// that the model names, and sees to it that nobody else runs under one that
// policies trust. It is the same on every rung of the ladder. It plans from the
// build as it was before other units changed its policies: they tell it which
// identities are in use. A Gateway API gateway is none of its business: istiod
// makes the Deployment and the ServiceAccount.
package identity

import (
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Plan makes the identities of the owner's entries: their ServiceAccounts, the
// serviceAccountName of their pod templates, and the subjects of their bindings.
func Plan(in policy.Input) policy.Plan {
	var plan policy.Plan
	entries, findings := entriesOf(in)
	plan.Findings.Add(findings...)
	assignments, findings := assign(entries)
	plan.Findings.Add(findings...)

	plan.Add(planAccounts(in, entries, assignments))
	for _, a := range assignments {
		planTemplate(in, a, &plan)
	}
	plan.Add(planBindings(in, entries))
	plan.Findings.Add(renamed(in, assignments)...)
	plan.Add(planOthers(in, assignments))
	return plan
}

// account names a ServiceAccount.
type account struct{ namespace, name string }

func accountOf(p model.Principal) account { return account{p.Namespace(), p.ServiceAccount()} }

func (a account) ref() resource.Ref {
	return resource.Ref{APIVersion: "v1", Kind: kindServiceAccount, Namespace: a.namespace, Name: a.name}
}

func (a account) String() string { return a.ref().String() }

const kindServiceAccount = "ServiceAccount"

// entry is a workload or gateway of the owner's.
type entry struct {
	name      string // as people say it: "workload web"
	source    string // as objects say it: "workloads/web"
	identity  model.Identity
	templates []*resource.PodTemplate
	bindings  []resource.Ref
}

func workloadName(w *model.Workload) string   { return "workload " + w.Name }
func workloadSource(w *model.Workload) string { return policy.SectionWorkloads + "/" + w.Name }
func gatewayName(g *model.Gateway) string     { return "gateway " + g.Name }
func gatewaySource(g *model.Gateway) string   { return policy.SectionGateways + "/" + g.Name }

// entriesOf returns the owner's entries in the model's order.
func entriesOf(in policy.Input) ([]entry, finding.List) {
	var (
		out      []entry
		findings finding.List
	)
	for g := range in.MyGateways() {
		if !g.TargetRef.IsZero() {
			continue
		}
		t, f := in.GatewayTemplate(g)
		findings.Add(f...)
		e := entry{name: gatewayName(g), source: gatewaySource(g), identity: g.Identity}
		if t != nil {
			e.templates = []*resource.PodTemplate{t}
		}
		out = append(out, e)
	}
	for w := range in.MyWorkloads() {
		templates, f := in.Templates(w)
		findings.Add(f...)
		out = append(out, entry{workloadName(w), workloadSource(w), w.Identity, templates, w.RoleBindings})
	}
	return out, findings
}

// assignment is a pod template and the entry that gives it its identity.
type assignment struct {
	*resource.PodTemplate
	entry *entry
}

// from is the ServiceAccount that the pods run as today.
func (a assignment) from() account {
	return account{a.Object.Ref().Namespace, a.ServiceAccount()}
}

// to is the one that the model gives them.
func (a assignment) to() account { return accountOf(a.entry.identity.Principal) }

func (a assignment) moves() bool { return a.from() != a.to() }

// expected reports whether the model knows that the pods may come from their ServiceAccount.
func (a assignment) expected() bool {
	return slices.ContainsFunc(a.entry.identity.All(), func(p model.Principal) bool { return accountOf(p) == a.from() })
}

// assign lists the pod templates of all entries, each once.
func assign(entries []entry) ([]assignment, finding.List) {
	var (
		out      []assignment
		findings finding.List
	)
	first := map[*resource.Object]assignment{}
	for i := range entries {
		for _, t := range entries[i].templates {
			a := assignment{t, &entries[i]}
			other, taken := first[t.Object]
			switch {
			case !taken:
				first[t.Object] = a
				out = append(out, a)
			case other.to() != a.to():
				findings.Add(finding.New(finding.IdentityAmbiguous, t.Object.Ref(), nameField(t),
					"the model gives its pods to %s as %q and to %s as %q", other.entry.name, other.to().name, a.entry.name, a.to().name).
					WithRemedy("let one of the two name it, by targetRefs or podTemplateSelector, or give both one serviceAccountName"))
			}
		}
	}
	return out, findings
}

func nameField(t *resource.PodTemplate) string { return t.SpecAt.Child("serviceAccountName").String() }

// planTemplate moves one pod template. The deprecated field is only read where
// serviceAccountName is empty (Kubernetes' conversion of v1.PodSpec), so that one
// which says something else would only mislead. An API server always stores both,
// alike.
func planTemplate(in policy.Input, a assignment, plan *policy.Plan) {
	name := a.to().name
	plan.Set(a.Object, a.SpecAt.Child("serviceAccountName"), name, "identity of "+a.entry.name)
	if old := a.Spec.DeprecatedServiceAccount; old != "" && old != name {
		var value any
		if in.Cluster {
			value = name
		}
		plan.Set(a.Object, a.SpecAt.Child("serviceAccount"), value, "serviceAccountName says who the pods are")
	}
}
