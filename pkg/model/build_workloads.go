package model

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	securityV1   = "security.istio.io/v1"
	gatewayAPIv1 = "gateway.networking.k8s.io/v1"
	rbacV1       = "rbac.authorization.k8s.io/v1"

	kindRoleBinding = "RoleBinding"
)

// proxyPorts are Envoy's own; they never reach a policy.
var proxyPorts = []int32{15000, 15001, 15004, 15006, 15008, 15020, 15021, 15053, 15090}

func (b *builder) readWorkloads() {
	seen := map[string]bool{}
	for i, wire := range b.model.spec.Workloads {
		path := index("spec.workloads", i)
		b.label(path+".name", wire.Name)
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
	w.Profile, w.Absent = b.rung(workloadSection, w.Name)
	b.ownerRef(path+".owner", w.Owner)
	b.namespace(path+".namespace", w.Namespace)
	b.objectName(path+".policyName", wire.PolicyName)
	b.objectName(path+".peerAuthenticationName", wire.PeerAuthenticationName)
	w.Identity = b.identity(path, w.Namespace, wire.ServiceAccountName, wire.PreviousServiceAccountNames)
	w.Selector = b.matchLabels(path+".selector", wire.Selector, w.Name)
	by := entry{kind: "workload", name: w.Name, owner: w.Owner, path: path, absent: w.Absent, caller: Caller{Workload: w}}
	b.entries = append(b.entries, by)
	b.targets(path, by, wire, w)
	for j, binding := range once(b.model.advise, path+".roleBindingRefs", wire.RoleBindingRefs) {
		w.RoleBindings = append(w.RoleBindings, b.roleBinding(index(path+".roleBindingRefs", j), binding, w.Namespace))
	}
	for j, port := range once(b.model.advise, path+".ports", wire.Ports) {
		b.workloadPort(index(path+".ports", j)+".port", port.Port, w)
	}
	if w.Protected {
		b.protected(path, by, w)
	}
	return w
}

func (b *builder) roleBinding(path string, wire v1alpha1.RoleBindingReference, namespace string) resource.Ref {
	oneOf(b.model.advise, path+".kind", wire.Kind, kindRoleBinding, "ClusterRoleBinding")
	b.pathName(path+".name", wire.Name)
	ref := resource.Ref{APIVersion: rbacV1, Kind: wire.Kind, Name: wire.Name}
	if wire.Kind == kindRoleBinding {
		ref.Namespace = namespace
	}
	return ref
}

// pathName checks the name of an object whose kind allows more than DNS does: "system:auth-delegator".
func (b *builder) pathName(path, value string) {
	b.check(path, value, "object name", content.IsPathSegmentName)
}

// protected checks what a destination with a policy needs.
func (b *builder) protected(path string, by entry, w *Workload) {
	b.claim(path+".policyName", by, resource.Ref{APIVersion: securityV1, Kind: "AuthorizationPolicy", Namespace: w.Namespace, Name: w.PolicyName})
	b.claim(path+".peerAuthenticationName", by, resource.Ref{APIVersion: securityV1, Kind: "PeerAuthentication", Namespace: w.Namespace, Name: w.PeerAuthenticationName})
	if len(w.Ports) == 0 {
		b.model.advise(finding.InputMissing, path+".ports", "write the ports that its containers listen on", "it has callers and no port that they may reach")
	}
	if !w.Enroll {
		b.model.report(finding.DestinationNotEnrolled, path+".enroll", "it has callers, and no sidecar that would hold its policy")
	}
	if w.Namespace == b.platform.Istio.RootNamespace {
		b.model.advise(finding.InputInvalidValue, path+".namespace", "move the workload to a namespace of its own, or remove callers",
			"%q is the mesh's root namespace, where Istio ignores a PeerAuthentication that has a selector", w.Namespace)
	}
}

func (b *builder) targets(path string, by entry, wire v1alpha1.Workload, w *Workload) {
	if wire.PodTemplateSelector != nil {
		if len(wire.TargetRefs) > 0 {
			b.model.advise(finding.InputInvalidValue, path+".podTemplateSelector", "remove one of the two", "it stands beside targetRefs")
		}
		w.PodTemplates = b.selector(path+".podTemplateSelector", *wire.PodTemplateSelector)
		if w.PodTemplates.Empty() {
			b.model.advise(finding.InputInvalidValue, path+".podTemplateSelector", writeLabels, "it is empty, so it would select every pod template of the namespace")
		}
		return
	}
	refs := wire.TargetRefs
	if len(refs) == 0 {
		refs = []v1alpha1.LocalObjectReference{{Kind: "Deployment", Name: w.Name}}
	}
	for j, ref := range once(b.model.advise, path+".targetRefs", refs) {
		to := index(path+".targetRefs", j)
		b.podKind(to+".kind", ref.Kind)
		b.requiredName(to+".name", ref.Name)
		target := podRef(ref.Kind, w.Namespace, ref.Name)
		b.claim(to, by, target)
		w.TargetRefs = append(w.TargetRefs, target)
	}
}

func (b *builder) podKind(path, kind string) {
	if _, ok := resource.PodKindNamed(kind); !ok {
		names := make([]string, 0, len(resource.PodKinds))
		for _, k := range resource.PodKinds {
			names = append(names, k.Kind)
		}
		b.model.report(finding.InputInvalidValue, path, "%q is no kind with a pod template that is known here; those are %s", kind, strings.Join(names, ", "))
	}
}

func podRef(kind, namespace, name string) resource.Ref {
	k, _ := resource.PodKindNamed(kind)
	return resource.Ref{APIVersion: k.APIVersion(), Kind: kind, Namespace: namespace, Name: name}
}

func (b *builder) workloadPort(path string, wire v1alpha1.IntOrString, w *Workload) {
	add := func(p Port) { w.Ports = append(w.Ports, p) }
	if wire.Str == "" {
		b.portNumber(path, wire.Int, add)
		return
	}
	port, err := PortName(wire.Str)
	if err != nil {
		b.model.report(finding.InputInvalidValue, path, "%v", err)
		return
	}
	add(port)
}

// portNumber reads the number of a port that a policy is to hold.
func (b *builder) portNumber(path string, n int32, add func(Port)) {
	port, err := PortNumber(n)
	switch {
	case err != nil:
		b.model.report(finding.InputInvalidValue, path, "%v", err)
	case slices.Contains(proxyPorts, n):
		b.model.advise(finding.InputInvalidValue, path, "write the port that the container listens on", "%d is the proxy's own port, which bypasses every policy", n)
	default:
		add(port)
	}
}

// identity reads a ServiceAccount name and those that a rename is leaving.
func (b *builder) identity(path, namespace, name string, previous []string) Identity {
	id := Identity{Principal: b.principal(path+".serviceAccountName", namespace, name)}
	path += ".previousServiceAccountNames"
	for j, old := range once(b.model.advise, path, previous) {
		if old == name {
			b.model.advise(finding.InputDuplicateName, index(path, j), "remove it", "%q is its serviceAccountName", old)
			continue
		}
		id.Previous = append(id.Previous, b.principal(index(path, j), namespace, old))
	}
	return id
}

func (b *builder) principal(path, namespace, name string) Principal {
	b.check(path, name, "ServiceAccount name", validation.IsDNS1123Subdomain)
	p, err := NewPrincipal(b.platform.Istio.TrustDomain, namespace, name)
	if err != nil {
		return Principal{} // said of the name or of the namespace
	}
	return p
}

// matchLabels reads a workload selector; without one, pods are selected by their app label.
func (b *builder) matchLabels(path string, wire *v1alpha1.MatchLabels, name string) map[string]string {
	if wire == nil {
		return map[string]string{"app": name}
	}
	path += ".matchLabels"
	if len(wire.MatchLabels) == 0 {
		b.model.advise(finding.InputInvalidValue, path, writeLabels, "it is empty, so it would select every pod of the namespace")
	}
	for key, value := range sorted(wire.MatchLabels) {
		b.check(join(path, key), key, "label key", validation.IsQualifiedName)
		b.check(join(path, key), value, "label value", validation.IsValidLabelValue)
	}
	return wire.MatchLabels
}
