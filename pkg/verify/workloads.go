package verify

import (
	"slices"
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
	protected := protectedOf(in)
	for _, a := range policies {
		w := protected[a.Object.Ref().Key()]
		if w == nil {
			continue
		}
		for i, rule := range a.Spec.GetRules() {
			if what := beyond(rule); what != "" {
				out.Add(finding.New(finding.PolicyAttributes, a.Object.Ref(), policy.RulePath(i).String(), "the policy of workload %q has %s", w.Name, what))
			}
		}
	}
	return out
}

// protectedOf returns the owner's destinations by the names of their policies.
func protectedOf(in policy.Input) map[resource.Key]*model.Workload {
	out := map[resource.Key]*model.Workload{}
	for w := range in.MyWorkloads() {
		if w.Protected {
			out[policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName).Key()] = w
			out[policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName).Key()] = w
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
	platform, enrolled := map[string]bool{}, map[resource.Key]bool{}
	var selecting []*model.Workload
	for _, w := range in.Workloads {
		platform[w.Namespace] = true
		switch {
		case !w.Enrolled():
		case w.PodTemplates != nil:
			selecting = append(selecting, w)
		default:
			for _, ref := range w.TargetRefs {
				enrolled[ref.Key()] = true
			}
		}
	}
	var out finding.List
	for _, kind := range resource.PodKinds {
		for _, o := range in.Resources.Kind(kind.Group, kind.Kind) {
			ref := o.Ref()
			if !platform[ref.Namespace] || enrolled[ref.Key()] {
				continue
			}
			if !o.Mentions(enrollment.LabelInject) && !o.Mentions(enrollment.LabelRevision) {
				continue // spares reading every pod template
			}
			t := o.PodTemplate()
			if t == nil || RunsGateway(t) || inTenantNamespace(in, o) {
				continue
			}
			label := enrollment.Requests(t)
			if label == "" || slices.ContainsFunc(selecting, func(w *model.Workload) bool {
				return w.Namespace == ref.Namespace && w.PodTemplates.Matches(labelSet(t.Labels))
			}) {
				continue
			}
			out.Add(finding.New(finding.EnrollUnexpected, ref, t.LabelsAt.Child(label).String(),
				"it asks for a sidecar and no workload of the model that is enrolled here has it").WithValues(t.Labels[label], nil))
		}
	}
	return out
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
