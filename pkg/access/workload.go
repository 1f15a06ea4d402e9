package access

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access/capture"
	"github.com/ringfence-dev/ringfence/pkg/access/netpol"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Workload is the pods that one object makes.
type Workload struct {
	// Ref is the object.
	Ref resource.Ref
	// Proxy says whether the pods have one, and why.
	Proxy capture.Answer
	// Gateway says that the pods are a proxy and nothing else.
	Gateway bool

	namespace, account string
	principal          string // the SPIFFE ID of the pods' certificates
	labels             map[string]string
	plain              bool // no annotation takes anything of what the pods send past their proxy
	pod                capture.Pod
	template           *resource.PodTemplate
}

func (m *Mesh) workload(t *resource.PodTemplate) *Workload {
	ref := t.Object.Ref()
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

func (w *Workload) String() string { return w.Ref.Kind + " " + w.Ref.Namespace + "/" + w.Ref.Name }

func (m *Mesh) endpoint(w *Workload) netpol.Endpoint {
	return netpol.Endpoint{
		Pod: !w.pod.HostNetwork, Node: w.pod.HostNetwork, Namespace: w.namespace,
		NamespaceLabels: m.namespaces[w.namespace], Labels: w.labels,
	}
}

// portName returns what the pods' containers call a port; empty where they don't.
func (w *Workload) portName(port int32) string {
	for _, c := range w.template.AllContainers() {
		for _, p := range c.Ports {
			if p.ContainerPort == port && cmp.Or(p.Protocol, resource.ProtocolTCP) == resource.ProtocolTCP {
				return p.Name
			}
		}
	}
	return ""
}

// targets reports whether a Service's port leads to a port of the pods.
func (w *Workload) targets(p resource.ServicePort, port int32) bool {
	if name := p.TargetPort.StrVal; name != "" {
		return w.portName(port) == name
	}
	return cmp.Or(p.TargetPort.IntVal, p.Port) == port
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
			if w.targets(p, port) {
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
