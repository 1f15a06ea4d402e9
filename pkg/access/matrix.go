package access

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access/capture"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Group is workloads that every question treats alike.
type Group struct {
	// Members are in the order of the mesh; none is everybody outside of the cluster.
	Members []*Workload
}

// Port is a port of a group's pods.
type Port struct {
	Group  int
	Number int32
}

// Matrix answers, for every group of subjects and every port of a group of
// destinations, whether the one reaches the other. Its size is that of the groups.
type Matrix struct {
	// Subjects, and Destinations; the last subject is everybody outside of the cluster.
	Subjects, Destinations []Group
	// Ports are those of the destinations that Services or containers declare.
	Ports []Port
	// Verdicts by subject and port.
	Verdicts [][]truth.Value
}

// Matrix judges every pair. Of requests nothing is known: where a policy looks at
// them, the answer is unknown.
func (m *Mesh) Matrix() *Matrix {
	out := &Matrix{Subjects: grouped(m.Workloads, m.subjectKey()), Destinations: grouped(m.Workloads, m.destinationKey())}
	for i, g := range out.Destinations {
		for _, number := range m.Ports(g.Members[0]) {
			out.Ports = append(out.Ports, Port{i, number})
		}
	}
	out.Subjects = append(out.Subjects, Group{})
	out.Verdicts = make([][]truth.Value, len(out.Subjects))
	for i := range out.Verdicts {
		out.Verdicts[i] = make([]truth.Value, len(out.Ports))
	}
	for i, p := range out.Ports {
		ask := m.Ask(out.Destinations[p.Group].Members[0], p.Number)
		for k, g := range out.Subjects {
			var from *Workload
			if len(g.Members) > 0 {
				from = g.Members[0]
			}
			out.Verdicts[k][i] = ask(from)
		}
	}
	return out
}

// Ask returns a function that answers who reaches a port of pods: a workload, or,
// for nil, a client outside of the cluster. It asks but once for all whom the pods
// can't tell apart.
func (m *Mesh) Ask(to *Workload, port int32) func(from *Workload) truth.Value {
	t, known := m.target(to, port), map[class]truth.Value{}
	return func(from *Workload) truth.Value {
		j := judge{Mesh: m, Request: Request{From: Subject{Workload: from}, To: to, Port: port}}
		c := j.class(t)
		verdict, seen := known[c]
		if !seen {
			verdict = j.run()
			known[c] = verdict
		}
		return verdict
	}
}

// class is what a destination sees of a subject; it gives one answer to all of a class.
type class struct {
	// subject is set where the network, or a DestinationRule, may know it by more.
	subject   *Workload
	inside    bool
	mutual    truth.Value
	principal string
	clouded   bool
}

func (j *judge) class(t *target) class {
	from := j.From.Workload
	if from == nil || t.ruled || len(j.networks)+len(j.sidecars) > 0 {
		return class{subject: from, inside: from != nil}
	}
	c := class{inside: true, mutual: j.speaksTLS(), clouded: len(j.sends(from)) > 0, principal: j.filter(t, true).Class(from.principal)}
	if c.principal == "" {
		c.principal = j.filter(t, false).Class(from.principal)
	}
	return c
}

// grouped puts workloads of one key together, in their order.
func grouped(all []*Workload, key func(*Workload) string) []Group {
	at := map[string]int{}
	var out []Group
	for _, w := range all {
		k := key(w)
		i, seen := at[k]
		if !seen {
			i = len(out)
			at[k] = i
			out = append(out, Group{})
		}
		out[i].Members = append(out[i].Members, w)
	}
	return out
}

// subjectKey returns what answers see of who asks: its identity, its proxy, what
// of its connections the proxy sees, and what NetworkPolicies select by.
func (m *Mesh) subjectKey() func(*Workload) string {
	network := m.networkKey()
	return func(w *Workload) string {
		return strings.Join([]string{
			fmt.Sprint(len(m.sends(w))), w.namespace, w.account, w.Proxy.Holds.String(), fmt.Sprint(w.pod.HostNetwork, w.Gateway),
			annotations(w, capture.OutboundAnnotations), network(w), m.selecting(w),
		}, "\n")
	}
}

// destinationKey returns what answers see of who is asked: what policies select
// by, its proxy, its ports, and what is captured of them.
func (m *Mesh) destinationKey() func(*Workload) string {
	network := m.networkKey()
	return func(w *Workload) string {
		var applied []string
		if w.Gateway { // Gateways, VirtualServices and Services know it by its labels
			applied = append(applied, w.Ref.String())
		}
		for _, p := range m.policiesOf(w) {
			applied = append(applied, "policy "+p.String())
		}
		for i, p := range m.peers {
			if m.applies(resource.Ref{Namespace: p.Namespace}, p.Spec.GetSelector().GetMatchLabels(), w) {
				applied = append(applied, fmt.Sprint("peer ", i))
			}
		}
		for i, t := range m.tokens {
			if m.selects(t.ref, t.spec, w) {
				applied = append(applied, fmt.Sprint("token ", i))
			}
		}
		for i, o := range m.opaque {
			if m.applies(o.ref, o.match, w) {
				applied = append(applied, fmt.Sprint("opaque ", i))
			}
		}
		for _, s := range m.servicesOf(w) {
			if len(m.sidecars) > 0 || m.hasRule(s) {
				applied = append(applied, "service "+s.ref.Name) // a DestinationRule or a Sidecar may name it
			}
		}
		for _, port := range m.Ports(w) {
			applied = append(applied, fmt.Sprint("port ", port, m.protocolOf(w, port), w.portNames(port)))
		}
		return strings.Join(append(applied,
			w.namespace, w.Proxy.Holds.String(), fmt.Sprint(w.pod.HostNetwork, w.Gateway),
			annotations(w, capture.InboundAnnotations), network(w)), "\n")
	}
}

// selecting returns which DestinationRules and Sidecars select a workload as a client.
func (m *Mesh) selecting(w *Workload) string {
	var b strings.Builder
	for i, d := range m.destination {
		if match := d.spec.GetWorkloadSelector().GetMatchLabels(); d.ref.Namespace == w.namespace && resource.Selects(match, w.labels) {
			fmt.Fprint(&b, "rule ", i, ",")
		}
	}
	for _, s := range m.sidecarOf(w) {
		fmt.Fprint(&b, s.ref, ",")
	}
	return b.String()
}

// hasRule reports whether a DestinationRule is about a Service.
func (m *Mesh) hasRule(s service) bool {
	return slices.ContainsFunc(m.destination, func(d destinationRule) bool { return d.specific(hostOf(s)) >= 0 })
}

// networkKey returns what NetworkPolicies may select pods by.
func (m *Mesh) networkKey() func(*Workload) string {
	keys := map[string]bool{}
	for _, p := range m.networks {
		for _, key := range p.Keys() {
			keys[key] = true
		}
	}
	sorted := slices.Sorted(maps.Keys(keys))
	return func(w *Workload) string {
		var b strings.Builder
		for _, key := range sorted {
			if value, ok := w.labels[key]; ok {
				fmt.Fprintf(&b, "%s=%s,", key, value)
			}
		}
		return b.String()
	}
}

func annotations(w *Workload, names []string) string {
	var b strings.Builder
	for _, name := range names {
		if value, ok := w.pod.Annotations[name]; ok {
			fmt.Fprintf(&b, "%s=%s,", name, value)
		}
	}
	return b.String()
}

// Ports returns the TCP ports of a workload's pods that containers declare or
// Services lead to, in order.
func (m *Mesh) Ports(w *Workload) []int32 {
	var out []int32
	add := func(port int32) {
		if port > 0 && !slices.Contains(out, port) {
			out = append(out, port)
		}
	}
	for _, c := range w.template.AllContainers() {
		for _, p := range c.Ports {
			if cmp.Or(p.Protocol, resource.ProtocolTCP) == resource.ProtocolTCP {
				add(p.ContainerPort)
			}
		}
	}
	for _, s := range m.servicesOf(w) {
		for _, p := range s.Ports {
			if p.TargetPort.StrVal == "" && cmp.Or(p.Protocol, resource.ProtocolTCP) == resource.ProtocolTCP {
				add(cmp.Or(p.TargetPort.IntVal, p.Port))
			}
		}
	}
	slices.Sort(out)
	return out
}
