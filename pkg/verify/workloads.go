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
	expect := func(ref resource.Ref, due bool, entry string, profile model.Profile) {
		o := in.Resources.Get(ref)
		switch {
		case due && o == nil:
			out.Add(finding.New(finding.ObjectStale, ref, "", "%s is %s and the build doesn't hold it", entry, profile))
		case !due && o != nil:
			out.Add(finding.New(finding.PolicyUnexpected, o.Ref(), "", "%s is %s here", entry, profile))
		}
	}
	for _, g := range in.Gateways {
		if in.Mine(g.Owner) && g.HostPolicy {
			expect(policy.AuthorizationPolicyRef(g.Namespace, g.Name), !g.Absent && g.Profile.Enforces(), "gateway "+g.Name, g.Profile)
		}
	}
	for _, w := range in.Workloads {
		if in.Mine(w.Owner) && w.Protected {
			due := !w.Absent && w.Profile.Enforces()
			expect(policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName), due, "workload "+w.Name, w.Profile)
			expect(policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName), due, "workload "+w.Name, w.Profile)
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

// labels: only the pod templates that the model enrolls carry the label (static
// tests 8, 9 and 12). Gateways carry it by right; tenant namespaces are their
// owners' own.
func labels(in policy.Input) finding.List {
	var out finding.List
	for _, kind := range resource.PodKinds {
		for _, o := range in.Resources.Kind(kind.Group, kind.Kind) {
			if !o.Mentions(enrollment.LabelInject) {
				continue // spares reading every pod template
			}
			t := o.PodTemplate()
			if t == nil || t.Labels[enrollment.LabelInject] != "true" || runsGateway(t) || inTenantNamespace(in, o) {
				continue
			}
			if w := enrolledBy(in, t); w == nil {
				out.Add(finding.New(finding.EnrollUnexpected, o.Ref(), t.LabelsAt.Child(enrollment.LabelInject).String(),
					"it asks for a sidecar and no workload of the model that is enrolled here has it").WithValues("true", nil))
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

// selectors: every policy of ours selects pods of the build, and those of its own entry alone.
func selectors(in policy.Input) finding.List {
	var out finding.List
	origin := policy.OriginOf(in.Scope)
	for _, kind := range []string{"AuthorizationPolicy", "PeerAuthentication"} {
		for _, o := range in.Resources.Kind("security.istio.io", kind) {
			match := resource.StringMap(o.Content(), "spec", "selector", "matchLabels")
			if len(match) == 0 || !origin.Made(o) {
				continue
			}
			var selected []string
			for t := range in.PodTemplatesIn(o.Ref().Namespace) {
				if resource.Selects(match, t.Labels) {
					selected = append(selected, t.Object.Ref().String())
				}
			}
			if len(selected) == 0 {
				out.Add(finding.New(finding.PolicySelector, o.Ref(), "spec.selector.matchLabels", "it selects no pods of this build").WithValues(match, nil))
			}
			if w := protectedBy(in, o); w != nil && len(selected) > len(w.TargetRefs) && w.PodTemplates == nil {
				out.Add(finding.New(finding.PolicySelectsOthers, o.Ref(), "spec.selector.matchLabels",
					"it is workload %q's and selects %s", w.Name, strings.Join(selected, ", ")).WithValues(match, nil))
			}
		}
	}
	return out
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
