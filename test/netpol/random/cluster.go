package random

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
)

// Object is an object, or a part of one, as JSON has it.
type Object = map[string]any

// Source is where everything comes from.
type Source struct{ *rand.Rand }

// New returns a source that gives the same for the same seed.
func New(seed uint64) Source { return Source{rand.New(rand.NewPCG(seed, 0))} } //nolint:gosec // wants to be predictable

func (s Source) chance(percent int) bool { return s.IntN(100) < percent }

func pick[T any](s Source, from ...T) T { return from[s.IntN(len(from))] }

// Cluster is what there is in one.
type Cluster struct {
	Namespaces []Namespace
	Pods       []Pod
	// Policies are NetworkPolicies.
	Policies []Object
}

// Namespace with the labels that an API server has of it.
type Namespace struct {
	Name   string
	Labels map[string]string
}

// Pod stands for the pods of one object.
type Pod struct {
	Name, Namespace string
	Labels          map[string]string
	Address         netip.Addr
	Ports           []Port
}

// Port is a container's.
type Port struct {
	Name, Protocol string
	Number         int32
}

// Names returns what the pod's containers call a port.
func (p Pod) Names(number int32, protocol string) []string {
	var out []string
	for _, port := range p.Ports {
		if port.Number == number && port.Protocol == protocol && port.Name != "" {
			out = append(out, port.Name)
		}
	}
	return out
}

// LabelName is the label that an API server gives each namespace.
const LabelName = "kubernetes.io/metadata.name"

// The names that all share. Addresses are those of pods and of whom is outside,
// Numbers and Protocols what is asked about.
var (
	namespaces = []string{"app", "shop", "data"}
	values     = map[string][]string{"app": {"web", "api", "db"}, "tier": {"front", "back"}, "team": {"red", "blue"}}
	podKeys    = []string{"app", "tier"}
	nsKeys     = []string{"team", "tier"}
	portNames  = []string{"http", "grpc", "metrics"}

	Numbers   = []int32{53, 80, 8080, 8081, 9090}
	Protocols = []string{"TCP", "UDP", "SCTP"}
	Addresses = []netip.Addr{
		netip.MustParseAddr("10.0.0.4"), netip.MustParseAddr("10.0.0.9"), netip.MustParseAddr("10.1.2.3"),
		netip.MustParseAddr("203.0.113.9"), netip.MustParseAddr("203.0.113.200"), netip.MustParseAddr("2001:db8::7"), netip.MustParseAddr("2001:db8:1::7"),
	}
)

// NamespaceLabels returns every set of labels that a namespace may have.
func NamespaceLabels(name string) []map[string]string {
	out := []map[string]string{{LabelName: name}}
	for _, key := range nsKeys {
		for _, labels := range out {
			for _, value := range values[key] {
				with := maps.Clone(labels)
				with[key] = value
				out = append(out, with)
			}
		}
	}
	return out
}

// Cluster returns one.
func (s Source) Cluster() Cluster {
	var c Cluster
	for _, name := range namespaces {
		labels := s.labels(nsKeys)
		labels[LabelName] = name
		c.Namespaces = append(c.Namespaces, Namespace{name, labels})
	}
	for i := range 6 {
		c.Pods = append(c.Pods, Pod{
			Name: fmt.Sprintf("pod-%d", i), Namespace: pick(s, namespaces...), Labels: s.labels(podKeys),
			Address: pick(s, Addresses...), Ports: s.ports(),
		})
	}
	for i := range s.IntN(12) {
		c.Policies = append(c.Policies, Object{
			"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy",
			"metadata": Object{"name": fmt.Sprintf("policy-%d", i), "namespace": pick(s, namespaces...)}, "spec": s.spec(),
		})
	}
	return c
}

func (s Source) labels(keys []string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		if s.chance(70) {
			out[key] = pick(s, values[key]...)
		}
	}
	return out
}

// ports returns some with names, which are a pod's own; several may be of one number.
func (s Source) ports() []Port {
	var out []Port
	for _, name := range append([]string{"", ""}, portNames...) {
		if s.chance(50) {
			out = append(out, Port{name, pick(s, Protocols...), pick(s, Numbers...)})
		}
	}
	return out
}
