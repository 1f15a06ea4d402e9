package model

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	securityV1   = "security.istio.io/v1"
	gatewayAPIv1 = "gateway.networking.k8s.io/v1"
	rbacV1       = "rbac.authorization.k8s.io/v1"
)

// proxyPorts are Envoy's own; they never reach a policy.
var proxyPorts = []int32{15000, 15001, 15004, 15006, 15008, 15020, 15021, 15053, 15090}

func (b *builder) workloadSection() {
	seen := map[string]bool{}
	for i, wire := range b.model.spec.Workloads {
		path := index("spec.workloads", i)
		b.label(b.model.report, path+".name", wire.Name)
		if !b.unique(seen, path+".name", wire.Name) {
			continue
		}
		w := b.workload(path, wire)
		b.workloads[w.Name] = w
		b.platform.Workloads = append(b.platform.Workloads, w)
	}
}

func (b *builder) workload(path string, wire v1alpha1.Workload) *Workload {
	w := &Workload{
		Name: wire.Name, Namespace: wire.Namespace, Owner: wire.Owner, Enroll: wire.Enroll,
		Protected:              wire.Callers != nil,
		PolicyName:             defaulted(wire.PolicyName, wire.Name+"-allow-callers"),
		PeerAuthenticationName: defaulted(wire.PeerAuthenticationName, wire.Name+"-strict-mtls"),
	}
	w.Profile, w.Absent = b.rung("workloads", w.Name)
	b.ownerRef(path+".owner", w.Owner)
	b.namespace(b.model.report, path+".namespace", w.Namespace)
	b.objectName(path+".policyName", w.PolicyName)
	b.objectName(path+".peerAuthenticationName", w.PeerAuthenticationName)
	w.Identity = b.identity(path, w.Namespace, wire.ServiceAccountName, wire.PreviousServiceAccountNames)
	w.Selector = b.matchLabels(path+".selector", wire.Selector, w.Name)
	b.targets(path, wire, w)
	for j, binding := range wire.RoleBindingRefs {
		at := index(path+".roleBindingRefs", j)
		b.oneOf(b.model.report, at+".kind", binding.Kind, "RoleBinding", "ClusterRoleBinding")
		b.objectName(at+".name", binding.Name)
		ref := resource.Ref{APIVersion: rbacV1, Kind: binding.Kind, Name: binding.Name}
		if binding.Kind == "RoleBinding" {
			ref.Namespace = w.Namespace
		}
		w.RoleBindings = append(w.RoleBindings, ref)
	}
	for j, port := range wire.Ports {
		b.workloadPort(index(path+".ports", j)+".port", port.Port, w)
	}
	if w.Protected {
		b.protected(path, w)
	}
	return w
}

// protected checks what a destination with a policy needs.
func (b *builder) protected(path string, w *Workload) {
	source := "workloads/" + w.Name
	b.claim(path+".policyName", source, resource.Ref{APIVersion: securityV1, Kind: "AuthorizationPolicy", Namespace: w.Namespace, Name: w.PolicyName})
	b.claim(path+".peerAuthenticationName", source, resource.Ref{APIVersion: securityV1, Kind: "PeerAuthentication", Namespace: w.Namespace, Name: w.PeerAuthenticationName})
	if len(w.Ports) == 0 {
		b.model.report(finding.InputMissing, path+".ports", "workload %q has callers and no port that they may reach", w.Name)
	}
	if !w.Enroll {
		b.model.report(finding.DestinationNotEnrolled, path+".enroll", "workload %q has callers and no sidecar that would hold its policy", w.Name)
	}
	if w.Namespace == b.platform.Istio.RootNamespace {
		b.model.report(finding.InputInvalidValue, path+".namespace",
			"%q is the mesh's root namespace, where Istio ignores a PeerAuthentication that has a selector", w.Namespace)
	}
}

func (b *builder) targets(path string, wire v1alpha1.Workload, w *Workload) {
	source := "workloads/" + w.Name
	if wire.PodTemplateSelector != nil {
		if len(wire.TargetRefs) > 0 {
			b.model.report(finding.InputInvalidValue, path+".podTemplateSelector", "it excludes targetRefs")
		}
		w.PodTemplates = b.selector(path+".podTemplateSelector", *wire.PodTemplateSelector)
		if w.PodTemplates.Empty() {
			b.model.report(finding.InputInvalidValue, path+".podTemplateSelector", "it is empty, so it would select every pod template of the namespace")
		}
		return
	}
	refs := wire.TargetRefs
	if len(refs) == 0 {
		refs = []v1alpha1.LocalObjectReference{{Kind: "Deployment", Name: w.Name}}
	}
	for j, ref := range refs {
		at := index(path+".targetRefs", j)
		b.podKind(at+".kind", ref.Kind)
		b.objectName(at+".name", ref.Name)
		target := podRef(ref.Kind, w.Namespace, ref.Name)
		b.claim(at, source, target)
		w.TargetRefs = append(w.TargetRefs, target)
	}
}

func (b *builder) podKind(path, kind string) {
	if _, ok := resource.PodKindNamed(kind); !ok && kind != "" {
		names := make([]string, 0, len(resource.PodKinds))
		for _, k := range resource.PodKinds {
			names = append(names, k.Kind)
		}
		b.model.report(finding.InputInvalidValue, path, "%q has no pod template that we know; %s have", kind, strings.Join(names, ", "))
	}
}

func podRef(kind, namespace, name string) resource.Ref {
	k, _ := resource.PodKindNamed(kind)
	return resource.Ref{APIVersion: k.APIVersion(), Kind: kind, Namespace: namespace, Name: name}
}

func (b *builder) workloadPort(path string, wire v1alpha1.IntOrString, w *Workload) {
	add := func(p Port) {
		if slices.Contains(w.Ports, p) {
			b.model.report(finding.InputDuplicateName, path, "the port %s stands twice", p)
			return
		}
		w.Ports = append(w.Ports, p)
	}
	if wire.Str != "" {
		port, err := PortName(wire.Str)
		if err != nil {
			b.model.report(finding.InputInvalidValue, path, "%v", err)
			return
		}
		add(port)
		return
	}
	if slices.Contains(proxyPorts, wire.Int) {
		b.model.report(finding.InputInvalidValue, path, "%d is the proxy's own port, which bypasses every policy", wire.Int)
		return
	}
	b.portNumber(path, wire.Int, add)
}

func (b *builder) portNumber(path string, n int32, add func(Port)) {
	port, err := PortNumber(n)
	if err != nil {
		b.model.report(finding.InputInvalidValue, path, "%v", err)
		return
	}
	add(port)
}

// identity reads a ServiceAccount name and those that a rename is leaving.
func (b *builder) identity(path, namespace, name string, previous []string) Identity {
	read := func(at, name string) Principal {
		p, err := NewPrincipal(b.platform.Istio.TrustDomain, namespace, name)
		if err != nil && len(validation.IsDNS1123Label(namespace)) == 0 {
			b.model.report(finding.InputInvalidValue, at, "%q gives no principal: %v", name, err)
		}
		return p
	}
	id := Identity{Principal: read(path+".serviceAccountName", name)}
	for j, old := range previous {
		at := index(path+".previousServiceAccountNames", j)
		if old == name || slices.Contains(previous[:j], old) {
			b.model.report(finding.InputDuplicateName, at, "%q is named already", old)
			continue
		}
		id.Previous = append(id.Previous, read(at, old))
	}
	return id
}
