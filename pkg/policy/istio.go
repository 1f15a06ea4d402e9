package policy

import (
	securityv1beta1 "istio.io/api/security/v1beta1"
	typev1beta1 "istio.io/api/type/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	securityGroup      = "security.istio.io"
	securityAPIVersion = securityGroup + "/v1"
	gatewayAPIGroup    = "gateway.networking.k8s.io"

	kindAuthorizationPolicy = "AuthorizationPolicy"
	kindPeerAuthentication  = "PeerAuthentication"
)

// The sections of the model that objects are derived from: the first part of
// their source annotation.
const (
	SectionGateways  = "gateways"
	SectionWorkloads = "workloads"
	SectionTenants   = "tenants"
)

// Sections are all of them.
var Sections = []string{SectionGateways, SectionWorkloads, SectionTenants}

// AuthorizationPolicyRef names an AuthorizationPolicy.
func AuthorizationPolicyRef(namespace, name string) resource.Ref {
	return resource.Ref{APIVersion: securityAPIVersion, Kind: kindAuthorizationPolicy, Namespace: namespace, Name: name}
}

// PeerAuthenticationRef names a PeerAuthentication.
func PeerAuthenticationRef(namespace, name string) resource.Ref {
	return resource.Ref{APIVersion: securityAPIVersion, Kind: kindPeerAuthentication, Namespace: namespace, Name: name}
}

// HostPolicy is a gateway's AuthorizationPolicy: it admits requests for the
// gateway's hosts (DD-0025, section 3).
func (o Origin) HostPolicy(g *model.Gateway) Object {
	spec := &securityv1beta1.AuthorizationPolicy{}
	if hosts := derive.HostPatterns(g); len(hosts) > 0 { // an operation without hosts would admit every host
		spec.Rules = []*securityv1beta1.Rule{{To: []*securityv1beta1.Rule_To{{Operation: &securityv1beta1.Operation{Hosts: hosts}}}}}
	}
	if g.TargetRef.IsZero() {
		spec.Selector = &typev1beta1.WorkloadSelector{MatchLabels: g.Selector}
	} else {
		spec.TargetRefs = []*typev1beta1.PolicyTargetReference{{Group: gatewayAPIGroup, Kind: g.TargetRef.Kind, Name: g.TargetRef.Name}}
	}
	return o.allow(AuthorizationPolicyRef(g.Namespace, g.Name), SectionGateways+"/"+g.Name, spec)
}

// WorkloadPolicy is a destination's AuthorizationPolicy: it admits the callers'
// principals to the workload ports (DD-0025, section 5). ports are numbers.
func (o Origin) WorkloadPolicy(w *model.Workload, ports []model.Port) Object {
	return o.callerPolicy(AuthorizationPolicyRef(w.Namespace, w.PolicyName), SectionWorkloads+"/"+w.Name, w.Selector, derive.Principals(w.Callers), ports)
}

// TenantPolicy is a tenant workload's AuthorizationPolicy: it admits the group's
// callers to the workload port (DD-0025, section 9).
func (o Origin) TenantPolicy(t *model.Tenant, namespace, name string, selector map[string]string, port model.Port) Object {
	return o.callerPolicy(AuthorizationPolicyRef(namespace, TenantPolicyName(name)), SectionTenants+"/"+t.Name, selector, derive.Principals(t.Callers), []model.Port{port})
}

// TenantPolicyName returns the name of the policy of a tenant workload.
func TenantPolicyName(workload string) string { return workload + "-service-gateway" }

// callerPolicy admits principals to ports. Without principals, or without ports,
// it has no rules, which in an ALLOW policy admits nobody; a rule without from
// would admit everybody, and one without to would admit to every port.
func (o Origin) callerPolicy(ref resource.Ref, source string, selector map[string]string, principals []model.Principal, ports []model.Port) Object {
	spec := &securityv1beta1.AuthorizationPolicy{Selector: &typev1beta1.WorkloadSelector{MatchLabels: selector}}
	if len(principals) > 0 && len(ports) > 0 {
		from, to := &securityv1beta1.Source{}, &securityv1beta1.Operation{}
		for _, p := range principals {
			from.Principals = append(from.Principals, p.String())
		}
		for _, p := range ports {
			to.Ports = append(to.Ports, p.String())
		}
		spec.Rules = []*securityv1beta1.Rule{{
			From: []*securityv1beta1.Rule_From{{Source: from}},
			To:   []*securityv1beta1.Rule_To{{Operation: to}},
		}}
	}
	return o.allow(ref, source, spec)
}

// allow returns an ALLOW policy with its action written out: the action is the
// enum's zero value, which a typed struct drops.
func (o Origin) allow(ref resource.Ref, source string, spec *securityv1beta1.AuthorizationPolicy) Object {
	body := specOf(spec)
	body["action"] = securityv1beta1.AuthorizationPolicy_ALLOW.String()
	return o.New(ref, source, map[string]any{"spec": body})
}

// StrictMTLS is a destination's PeerAuthentication: it refuses plaintext, which
// carries no principal.
func (o Origin) StrictMTLS(w *model.Workload) Object {
	spec := &securityv1beta1.PeerAuthentication{
		Selector: &typev1beta1.WorkloadSelector{MatchLabels: w.Selector},
		Mtls:     &securityv1beta1.PeerAuthentication_MutualTLS{Mode: securityv1beta1.PeerAuthentication_MutualTLS_STRICT},
	}
	return o.New(PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName), SectionWorkloads+"/"+w.Name, map[string]any{"spec": specOf(spec)})
}
