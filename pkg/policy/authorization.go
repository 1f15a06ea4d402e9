package policy

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	securityv1beta1 "istio.io/api/security/v1beta1"
	typev1beta1 "istio.io/api/type/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Authorization is an AuthorizationPolicy as rendered, by whomever.
type Authorization struct {
	Object *resource.Object
	Spec   *securityv1beta1.AuthorizationPolicy
}

// Authorizations returns the AuthorizationPolicies of a set. One that Istio
// would not read as written, a misspelt field included, is an error: nobody
// could say what it admits.
func Authorizations(set *resource.Set) ([]Authorization, finding.List) {
	var (
		out      []Authorization
		findings finding.List
	)
	for _, o := range set.Kind(securityGroup, kindAuthorizationPolicy) {
		a, err := readAuthorization(o)
		if err != nil {
			findings.Add(finding.New(finding.ObjectUnreadable, o.Ref(), "spec", "%v", err))
			continue
		}
		out = append(out, a)
	}
	return out, findings
}

func readAuthorization(o *resource.Object) (Authorization, error) {
	spec, err := specAs[securityv1beta1.AuthorizationPolicy](o) // without a spec Istio reads it as ALLOW without rules
	return Authorization{Object: o, Spec: spec}, err
}

// specAs returns an object's spec as a message of Istio's. It is read once.
func specAs[T any, M interface {
	*T
	proto.Message
}](o *resource.Object) (*T, error) {
	type result struct {
		spec *T
		err  error
	}
	read, ok := o.Typed(func() any {
		spec := new(T)
		return result{spec, readSpec(o, M(spec))}
	}).(result)
	if !ok {
		return new(T), errors.New("it was read as another type before")
	}
	return read.spec, read.err
}

// readSpec reads an object's spec as Istio does, but for unknown fields, which an
// API server would drop in silence. An absent or null spec is an empty one.
func readSpec(o *resource.Object, out proto.Message) error {
	spec := o.Content()["spec"]
	if spec == nil {
		return nil
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("serialising its spec: %w", err)
	}
	if err := protojson.Unmarshal(data, out); err != nil {
		// Before this stand a position in a text that nobody sees, and a space that differs between builds.
		_, what, _ := strings.Cut(err.Error(), "): ")
		return fmt.Errorf("it isn't what Istio reads: %s", cmp.Or(what, err.Error()))
	}
	return nil
}

// Allows reports whether the action is ALLOW, which it is when absent.
func (a Authorization) Allows() bool {
	return a.Spec.GetAction() == securityv1beta1.AuthorizationPolicy_ALLOW
}

// DryRun reports whether Istio only logs what the policy would do.
func (a Authorization) DryRun() bool {
	dry, err := strconv.ParseBool(a.Object.Annotations()[annotationDryRun])
	return err == nil && dry
}

// Decides reports whether the policy is one of those whose union says who is
// admitted: an ALLOW policy that is no dry run.
func (a Authorization) Decides() bool { return a.Allows() && !a.DryRun() }

// Selects reports whether the policy applies to pods of a namespace with these
// labels. In the root namespace a policy without selector applies to the whole
// mesh. One with targetRefs applies to Gateway API gateways, waypoints and
// services, and to no pod by its labels. One that leaves its namespace to whoever
// applies it may end up in this one.
func (a Authorization) Selects(namespace string, labels map[string]string, rootNamespace string) bool {
	if len(a.TargetRefs()) > 0 {
		return false
	}
	if at := a.Object.Ref().Namespace; at != "" && at != namespace && at != rootNamespace {
		return false
	}
	match := a.Spec.GetSelector().GetMatchLabels()
	return len(match) == 0 || resource.Selects(match, labels)
}

// AppliesTo reports whether the policy applies to a gateway: by the labels of its
// pods, or by naming its Gateway. Istio ignores a policy that names a classic
// Gateway in most versions and attaches it in the newest ones
// (pilot/pkg/model/policyattachment.go), so that here it counts.
func (a Authorization) AppliesTo(in Input, g *model.Gateway) bool {
	targets := a.TargetRefs()
	if len(targets) == 0 {
		labels := GatewayLabels(in, g, a.Spec.GetSelector().GetMatchLabels())
		return a.Selects(g.Namespace, labels, in.Istio.RootNamespace)
	}
	named := func(ref resource.Ref) bool {
		at := a.Object.Ref().Namespace
		return !ref.IsZero() && (at == "" || at == ref.Namespace) && slices.ContainsFunc(targets, func(t *typev1beta1.PolicyTargetReference) bool {
			return t.GetGroup() == ref.Group() && t.GetKind() == ref.Kind && t.GetName() == ref.Name
		})
	}
	return named(g.TargetRef) || slices.ContainsFunc(g.Routes, func(r model.Route) bool { return named(r.Ref) })
}

// TargetRefs returns what the policy names in place of pods.
func (a Authorization) TargetRefs() []*typev1beta1.PolicyTargetReference {
	if refs := a.Spec.GetTargetRefs(); len(refs) > 0 {
		return refs
	}
	if ref := a.Spec.GetTargetRef(); ref != nil {
		return []*typev1beta1.PolicyTargetReference{ref}
	}
	return nil
}

// NamespaceWide reports whether the policy names no pods.
func (a Authorization) NamespaceWide() bool {
	return len(a.Spec.GetSelector().GetMatchLabels()) == 0 && len(a.TargetRefs()) == 0
}

// OnlyEmptyRules reports whether the policy has rules and each admits everything.
func (a Authorization) OnlyEmptyRules() bool {
	for _, rule := range a.Spec.GetRules() {
		if !emptyRule(rule) {
			return false
		}
	}
	return len(a.Spec.GetRules()) > 0
}

func emptyRule(rule *securityv1beta1.Rule) bool {
	return len(rule.GetFrom())+len(rule.GetTo())+len(rule.GetWhen()) == 0
}

// RuleHosts returns the hosts that a rule admits, and whether it constrains them
// at all: each of its operations must name some.
func RuleHosts(rule *securityv1beta1.Rule) (hosts []string, constrained bool) {
	for _, to := range rule.GetTo() {
		list := to.GetOperation().GetHosts()
		if len(list) == 0 {
			return nil, false
		}
		hosts = append(hosts, list...)
	}
	return hosts, len(hosts) > 0 && !slices.Contains(hosts, "*")
}

// OpenRules reports the ALLOW rules of a gateway's policy that don't constrain the
// hosts of its requests (DD-0025, static test 6); one that only names callers is
// such a rule, too. A gateway without a host policy of ours has no host list that
// could be voided: only an empty rule is reported, and not, say, Kubeflow's rules
// of tokens for cluster-local-gateway.
func OpenRules(a Authorization, g *model.Gateway) finding.List {
	var out finding.List
	for i, rule := range a.Spec.GetRules() {
		_, constrained := RuleHosts(rule)
		what := `has an operation without hosts, or the host "*", so that it admits requests for any host`
		switch {
		case emptyRule(rule):
			what = "is empty, so that it admits every request"
		case constrained || !g.HostPolicy:
			continue
		case len(rule.GetTo()) == 0:
			what = "names no hosts, so that it admits requests for any host"
		}
		f := finding.New(finding.GatewayAllowOpen, a.Object.Ref(), RulePath(i).String(), "it %s to gateway %q", what, g.Name)
		if !g.HostPolicy {
			f = f.WithRemedy("say in the rule who may call, or remove the policy (for Kubeflow's cluster-local-gateway, its overlays/m2m-auth does)")
		}
		out.Add(f)
	}
	return out
}
