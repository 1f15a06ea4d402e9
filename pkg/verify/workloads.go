package verify

import (
	"strings"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// rungs: below enforced there is neither a policy nor STRICT mTLS for what is
// held there, and in enforced there are both (static tests 8 to 10).
func rungs(in policy.Input) finding.List {
	var out finding.List
	expect := func(ref resource.Ref, due bool, section, name string, profile model.Profile) {
		o := in.Resources.Get(ref)
		switch {
		case due && o == nil:
			out.Add(missing(ref, section+"/"+name))
		case !due && o != nil:
			out.Add(finding.New(finding.PolicyUnexpected, o.Ref(), "", "%s/%s is %s here", section, name, profile))
		}
	}
	for _, g := range in.Gateways {
		if in.Mine(g.Owner) && g.HostPolicy {
			expect(policy.AuthorizationPolicyRef(g.Namespace, g.Name), !g.Absent && g.Profile.Enforces(), policy.SectionGateways, g.Name, g.Profile)
		}
	}
	for _, w := range in.Workloads {
		if in.Mine(w.Owner) && w.Protected {
			due := !w.Absent && w.Profile.Enforces()
			expect(policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName), due, policy.SectionWorkloads, w.Name, w.Profile)
			expect(policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName), due, policy.SectionWorkloads, w.Name, w.Profile)
		}
	}
	return out
}

// attributes: policies of the model's workloads hold principals and ports alone (static test 11).
func attributes(in policy.Input) finding.List {
	policies, out := policy.Authorizations(in.Resources)
	for w := range in.MyWorkloads() {
		if !w.Protected {
			continue
		}
		ref := policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName)
		for _, a := range policies {
			if a.Object.Ref().Key() != ref.Key() {
				continue
			}
			for i, rule := range a.Spec.GetRules() {
				if what := beyond(rule); what != "" {
					out.Add(finding.New(finding.PolicyAttributes, a.Object.Ref(), policy.RulePath(i).String(), "the policy of workload %q has %s", w.Name, what))
				}
			}
		}
	}
	return out
}

// beyond says what a rule has beside principals and ports, or that it lacks one of the two.
func beyond(rule *securityv1beta1.Rule) string {
	var what []string
	principals, ports := len(rule.GetFrom()) > 0, len(rule.GetTo()) > 0
	for _, from := range rule.GetFrom() {
		source := from.GetSource()
		principals = principals && len(source.GetPrincipals()) > 0
		only := &securityv1beta1.Source{Principals: source.GetPrincipals()}
		if source.String() != only.String() {
			what = append(what, "sources beside principals")
		}
	}
	for _, to := range rule.GetTo() {
		operation := to.GetOperation()
		ports = ports && len(operation.GetPorts()) > 0
		only := &securityv1beta1.Operation{Ports: operation.GetPorts()}
		if operation.String() != only.String() {
			what = append(what, "operations beside ports")
		}
	}
	if len(rule.GetWhen()) > 0 {
		what = append(what, "conditions")
	}
	if !principals {
		what = append(what, "no principals")
	}
	if !ports {
		what = append(what, "no ports")
	}
	return strings.Join(what, " and ")
}

// labels: in the namespaces of the model's workloads, only the pod templates that
// it enrolls carry the label (static tests 8, 9 and 12). Gateways carry it by
// right; other namespaces, tenants' and Knative's among them, are their owners'
// own.
func labels(in policy.Input) finding.List {
	platform := map[string]bool{}
	for _, w := range in.Workloads {
		platform[w.Namespace] = true
	}
	var out finding.List
	for _, kind := range resource.PodKinds {
		for _, o := range in.Resources.Kind(kind.Group, kind.Kind) {
			if !platform[o.Ref().Namespace] {
				continue
			}
			if !o.Mentions(enrollment.LabelInject) && !o.Mentions(enrollment.LabelRevision) {
				continue // spares reading every pod template
			}
			t := o.PodTemplate()
			if t == nil || RunsGateway(t) || inTenantNamespace(in, o) {
				continue
			}
			if label := enrollment.Requests(t); label != "" && enrolledBy(in, t) == nil {
				out.Add(finding.New(finding.EnrollUnexpected, o.Ref(), t.LabelsAt.Child(label).String(),
					"it asks for a sidecar and no workload of the model that is enrolled here has it").WithValues(t.Labels[label], nil))
			}
		}
	}
	return out
}

// enrolledBy returns the workload that enrolls a pod template here, or nil.
func enrolledBy(in policy.Input, t *resource.PodTemplate) *model.Workload {
	for _, w := range in.Workloads {
		if !w.Enrolled() || w.Namespace != t.Object.Ref().Namespace {
			continue
		}
		if w.PodTemplates != nil && w.PodTemplates.Matches(labelSet(t.Labels)) {
			return w
		}
		for _, ref := range w.TargetRefs {
			if ref.Key() == t.Object.Ref().Key() {
				return w
			}
		}
	}
	return nil
}

func inTenantNamespace(in policy.Input, o *resource.Object) bool {
	namespace := in.Namespace(o.Ref().Namespace)
	if namespace == nil {
		return false
	}
	for _, t := range in.Tenants {
		if t.Namespaces.Matches(labelSet(namespace.Labels())) {
			return true
		}
	}
	return false
}

// selectors: every policy of ours applies to something in the build, and those
// of workloads to their own pods alone.
func selectors(in policy.Input) finding.List {
	policies, _ := policy.Authorizations(in.Resources) // what can't be read is reported elsewhere
	peers, _ := policy.Peers(in.Resources)
	origin := policy.OriginOf(in.Scope)
	var out finding.List
	for _, a := range policies {
		if origin.Made(a.Object) {
			out.Add(attached(in, a)...)
			out.Add(selects(in, a.Object, a.Spec.GetSelector().GetMatchLabels())...)
		}
	}
	for _, p := range peers {
		if origin.Made(p.Object) {
			out.Add(selects(in, p.Object, p.Spec.GetSelector().GetMatchLabels())...)
		}
	}
	return out
}

// attached reports a policy of ours that names a Gateway which the build lacks.
func attached(in policy.Input, a policy.Authorization) finding.List {
	var out finding.List
	for i, target := range a.TargetRefs() {
		ref := resource.Ref{APIVersion: target.GetGroup() + "/", Kind: target.GetKind(), Namespace: a.Object.Ref().Namespace, Name: target.GetName()}
		if in.Resources.Get(ref) == nil {
			out.Add(finding.New(finding.PolicySelector, a.Object.Ref(), resource.Path{"spec", "targetRefs"}.Index(i).String(),
				"it attaches to %s, which this build doesn't hold", ref).WithRemedy("add the Gateway to the build, or correct targetRef in the model"))
		}
	}
	return out
}

func selects(in policy.Input, o *resource.Object, match map[string]string) finding.List {
	if len(match) == 0 {
		return nil
	}
	own := map[*resource.Object]bool{}
	w := protectedBy(in, o)
	if w != nil {
		templates, _ := in.Templates(w) // what is missing is reported elsewhere
		for _, t := range templates {
			own[t.Object] = true
		}
	}
	found := false
	var others []string
	for t := range in.PodTemplatesIn(o.Ref().Namespace) {
		if resource.Selects(match, t.Labels) {
			found = true
			if !own[t.Object] {
				others = append(others, t.Object.Ref().String())
			}
		}
	}
	switch {
	case !found:
		return finding.List{finding.New(finding.PolicySelector, o.Ref(), "spec.selector.matchLabels", "it selects no pods of this build").WithValues(match, nil)}
	case w != nil && len(others) > 0:
		return finding.List{finding.New(finding.PolicySelectsOthers, o.Ref(), "spec.selector.matchLabels",
			"it is workload %q's and selects the pods of %s too", w.Name, strings.Join(others, ", ")).WithValues(match, nil)}
	}
	return nil
}

// protectedBy returns the workload whose policy an object is, or nil.
func protectedBy(in policy.Input, o *resource.Object) *model.Workload {
	for w := range in.MyWorkloads() {
		for _, ref := range []resource.Ref{
			policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName),
			policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName),
		} {
			if w.Protected && ref.Key() == o.Ref().Key() {
				return w
			}
		}
	}
	return nil
}
