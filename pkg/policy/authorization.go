package policy

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/finding"
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
	a := Authorization{Object: o, Spec: &securityv1beta1.AuthorizationPolicy{}}
	spec, found := o.Content()["spec"]
	if !found || spec == nil {
		return a, nil // Istio reads it as ALLOW without rules
	}
	data, err := json.Marshal(spec)
	if err != nil {
		return a, fmt.Errorf("serialising its spec: %w", err)
	}
	if err := protojson.Unmarshal(data, a.Spec); err != nil {
		return a, fmt.Errorf("reading it as Istio does: %w", err)
	}
	return a, nil
}

// Allows reports whether the action is ALLOW, which it is when absent.
func (a Authorization) Allows() bool {
	return a.Spec.GetAction() == securityv1beta1.AuthorizationPolicy_ALLOW
}

// DryRun reports whether Istio only logs what the policy would do.
func (a Authorization) DryRun() bool { return a.Object.Annotations()["istio.io/dry-run"] == "true" }

// Selects reports whether the policy applies to pods of a namespace with these
// labels. In the root namespace a policy without selector applies to the whole
// mesh. One with targetRefs applies to Gateway API gateways, waypoints and
// services, and to no pod by its labels.
func (a Authorization) Selects(namespace string, labels map[string]string, rootNamespace string) bool {
	if a.Spec.GetTargetRef() != nil || len(a.Spec.GetTargetRefs()) > 0 {
		return false
	}
	at := a.Object.Ref().Namespace
	if at != namespace && at != rootNamespace {
		return false
	}
	match := a.Spec.GetSelector().GetMatchLabels()
	return len(match) == 0 || resource.Selects(match, labels)
}

// NamespaceWide reports whether the policy names no pods.
func (a Authorization) NamespaceWide() bool {
	return len(a.Spec.GetSelector().GetMatchLabels()) == 0 && a.Spec.GetTargetRef() == nil && len(a.Spec.GetTargetRefs()) == 0
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
