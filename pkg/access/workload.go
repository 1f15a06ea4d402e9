package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access/capture"
	"github.com/ringfence-dev/ringfence/pkg/access/netpol"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Workload is the pods that one object makes.
type Workload struct {
	// Ref is the object. Of a name that an API server makes up, Ref has what it begins with.
	Ref resource.Ref
	// Proxy says whether the pods have one, and why.
	Proxy capture.Answer
	// Gateway says that the pods are a proxy and nothing else.
	Gateway bool

	namespace, account string
	principal          string // the SPIFFE ID of the pods' certificates
	labels             map[string]string
	imagined           bool // no object makes the pods
	plain              bool // no annotation takes anything of what the pods send past their proxy
	pod                capture.Pod
	template           *resource.PodTemplate
}

func (m *Mesh) workload(t *resource.PodTemplate) *Workload {
	ref := named(t.Object)
	pod := capture.Pod{
		Namespace: ref.Namespace, NamespaceLabels: m.namespaces[ref.Namespace],
		Labels: t.Labels, Annotations: t.Annotations, HostNetwork: t.Spec.HostNetwork,
	}
	for _, c := range t.AllContainers() {
		pod.Containers = append(pod.Containers, c.Name)
	}
	return &Workload{
		Ref: ref, Proxy: capture.Proxied(pod, m.Revision), Gateway: capture.Gateway(pod),
		namespace: ref.Namespace, account: t.ServiceAccount(),
		principal: "spiffe://" + m.TrustDomain + "/ns/" + ref.Namespace + "/sa/" + t.ServiceAccount(),
		labels:    t.Labels, pod: pod, template: t, plain: !has(t.Annotations, capture.OutboundAnnotations),
	}
}

func has(annotations map[string]string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { _, ok := annotations[name]; return ok })
}

func (w *Workload) String() string {
	if w.imagined {
		return "a pod of ServiceAccount " + w.namespace + "/" + w.account
	}
	return w.Ref.Kind + " " + w.Ref.Namespace + "/" + w.Ref.Name
}

// Pods are pods that no object makes, to ask as.
type Pods struct {
	Namespace, ServiceAccount string
	Labels                    map[string]string
	// Injected says that they have a proxy.
	Injected bool
	// TrustDomain of their certificates. Default: the mesh's.
	TrustDomain string
}

// Imagine returns pods that no object makes. They are none of the mesh's Workloads.
func (m *Mesh) Imagine(p Pods) *Workload {
	proxy := capture.Answer{Holds: truth.Of(p.Injected), Reason: "it is taken to have no proxy"}
	if p.Injected {
		proxy.Reason = "it is taken to have a proxy"
	}
	account := cmp.Or(p.ServiceAccount, "default")
	return &Workload{
		Ref: resource.Ref{APIVersion: "v1", Kind: "Pod", Namespace: p.Namespace}, Proxy: proxy, imagined: true,
		namespace: p.Namespace, account: account, labels: p.Labels, plain: true,
		principal: "spiffe://" + cmp.Or(p.TrustDomain, m.TrustDomain) + "/ns/" + p.Namespace + "/sa/" + account,
		pod:       capture.Pod{Namespace: p.Namespace, NamespaceLabels: m.namespaces[p.Namespace], Labels: p.Labels},
		template:  &resource.PodTemplate{},
	}
}

// Principal returns the identity of the pods' certificates: "<trust domain>/ns/<namespace>/sa/<name>".
func (w *Workload) Principal() string { return strings.TrimPrefix(w.principal, "spiffe://") }

// ServiceAccount returns the name of the account that the pods run as.
func (w *Workload) ServiceAccount() string { return w.account }

// Labels returns the pods' labels, which are not to be changed.
func (w *Workload) Labels() map[string]string { return w.labels }

func (m *Mesh) endpoint(w *Workload) netpol.Endpoint {
	return netpol.Endpoint{
		Pod: !w.pod.HostNetwork, Node: w.pod.HostNetwork, Namespace: w.namespace,
		NamespaceLabels: m.namespaces[w.namespace], Labels: w.labels,
	}
}

// portNames returns what the pods' containers call a port.
func (w *Workload) portNames(port int32) []string {
	var out []string
	for _, c := range w.template.AllContainers() {
		for _, p := range c.Ports {
			if p.Name != "" && p.ContainerPort == port && cmp.Or(p.Protocol, resource.ProtocolTCP) == resource.ProtocolTCP {
				out = append(out, p.Name)
			}
		}
	}
	return out
}

// number returns the port of the pods that a Service's port leads to; 0 where none has its name.
func (w *Workload) number(p resource.ServicePort) int32 {
	name := p.TargetPort.StrVal
	if name == "" {
		return cmp.Or(p.TargetPort.IntVal, p.Port)
	}
	for _, c := range w.template.AllContainers() {
		for _, port := range c.Ports {
			if port.Name == name && cmp.Or(port.Protocol, resource.ProtocolTCP) == cmp.Or(p.Protocol, resource.ProtocolTCP) {
				return port.ContainerPort
			}
		}
	}
	return 0
}

// protocol is what a Service says of a port.
type protocol int

const (
	sniffed protocol = iota // nothing: the proxy looks at the first bytes
	http
	tcp
)

// protocolOf returns the protocol of a port of the pods, as the Services before it
// declare it: by appProtocol, or by a prefix of the port's name (Istio's Protocol
// Selection). Two that disagree are as none.
func (m *Mesh) protocolOf(w *Workload, port int32) protocol {
	var found []protocol
	for _, s := range m.servicesOf(w) {
		for _, p := range s.Ports {
			if w.number(p) == port {
				found = append(found, declared(p))
			}
		}
	}
	for _, p := range found {
		if p != found[0] {
			return sniffed
		}
	}
	if len(found) == 0 {
		return sniffed
	}
	return found[0]
}

// declared returns the protocol that a Service's port declares
// (pkg/config/kube, ConvertProtocol, in Istio).
func declared(p resource.ServicePort) protocol {
	text := strings.ToLower(cmp.Or(p.AppProtocol, p.Name))
	name, _, _ := strings.Cut(text, "-")
	switch {
	case text == "kubernetes.io/h2c", text == "kubernetes.io/ws":
		return http
	case text == "kubernetes.io/wss":
		return tcp
	case slices.Contains([]string{"http", "http2", "http_proxy", "grpc"}, name):
		return http
	case slices.Contains([]string{"tcp", "tls", "https", "mongo", "mysql", "redis"}, name),
		slices.Contains(wellKnown, p.Port):
		return tcp
	}
	return sniffed
}

// wellKnown are ports whose servers speak first, so that nothing is looked at.
var wellKnown = []int32{25, 53, 3306, 27017}

func (m *Mesh) servicesOf(w *Workload) []service {
	var out []service
	for _, s := range m.services[w.namespace] {
		if resource.Selects(s.Selector, w.labels) {
			out = append(out, s)
		}
	}
	return out
}
