package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"
	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/mtls"
	"github.com/ringfence-dev/ringfence/pkg/access/netpol"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Settings are those of the mesh that its objects don't hold.
type Settings struct {
	// TrustDomain and the aliases by which policies may name it. Default: cluster.local.
	TrustDomain        string
	TrustDomainAliases []string
	// RootNamespace is the one whose policies are the whole mesh's. Default: istio-system.
	RootNamespace string
	// Revision of istiod; empty where the default tag exists.
	Revision string
	// Version of Istio that answers are for, to be printed beside them; empty for the one
	// that they are compared with.
	Version string
}

// Mesh is a set of objects, read for judging; not for use by several at once.
type Mesh struct {
	Settings
	// Workloads are the pods of each object that makes some, in the order of the objects.
	Workloads []*Workload
	// Unjudged are objects that can't be read, or whose effect can't be told offline.
	Unjudged []Unjudged

	namespaces  map[string]map[string]string
	services    map[string][]service // by namespace
	policies    map[string][]policy  // by namespace
	peers       []*mtls.Policy
	tokens      []tokenRule
	networks    []*netpol.Policy
	destination []destinationRule
	sidecars    []sidecar
	gateways    []gateway
	routes      []virtualService
	opaque      []opaque
	targets     map[targetKey]*target
}

// Unjudged is an object that makes answers about what it applies to unknown.
type Unjudged struct {
	Ref    resource.Ref
	Reason string
}

type service struct {
	ref    resource.Ref
	labels map[string]string
	resource.ServiceSpec
}

// policy is an AuthorizationPolicy, and what it names in place of a selector.
type policy struct {
	authz.Policy
	ref resource.Ref
}

// tokenRule is a RequestAuthentication: where none applies, no token counts.
type tokenRule struct {
	ref  resource.Ref
	spec *securityv1beta1.RequestAuthentication
}

type destinationRule struct {
	ref  resource.Ref
	spec *networkingv1alpha3.DestinationRule
}

// opaque is an object that may change what proxies do in ways that nobody can
// tell from it alone; or one that can't be read, of a kind that decides.
type opaque struct {
	ref    resource.Ref
	match  map[string]string
	reason string
	// What it may change: what the network lets through, what proxies take in and what
	// they send, where gateways lead.
	network, inbound, outbound, routes bool
}

// New reads the objects of a set.
func New(set *resource.Set, settings Settings) *Mesh {
	m := Of(slices.Collect(set.All()), settings)
	m.twins(set)
	for _, u := range set.Unreadable() {
		m.Unjudged = append(m.Unjudged, Unjudged{u.Ref, u.Err.Error()})
	}
	return m
}

// Of reads objects that somebody has picked, for whom what is wrong with the
// others is settled elsewhere.
func Of(objects []*resource.Object, settings Settings) *Mesh {
	settings.TrustDomain = cmp.Or(settings.TrustDomain, "cluster.local")
	settings.RootNamespace = cmp.Or(settings.RootNamespace, "istio-system")
	m := &Mesh{
		Settings: settings, namespaces: map[string]map[string]string{}, targets: map[targetKey]*target{},
		services: map[string][]service{}, policies: map[string][]policy{},
	}
	for _, o := range objects {
		if ref := o.Ref(); ref.Kind == "Namespace" && ref.Group() == "" {
			m.namespaces[ref.Name] = o.Labels()
		}
	}
	for _, o := range objects {
		if t := o.PodTemplate(); t != nil {
			m.Workloads = append(m.Workloads, m.workload(t))
		}
		if err := m.read(o); err != nil {
			m.hide(o, unread(o.Ref(), err))
		}
	}
	return m
}

// Named returns the workloads of a name: of a kind, whatever the case of its
// letters, or of any where that is empty.
func (m *Mesh) Named(kind, namespace, name string) []*Workload {
	var out []*Workload
	for _, w := range m.Workloads {
		if w.Ref.Namespace == namespace && w.Ref.Name == name && (kind == "" || strings.EqualFold(kind, w.Ref.Kind)) {
			out = append(out, w)
		}
	}
	return out
}

// Workload returns the pods of "<namespace>/<name>", where one object of that
// name makes some; or of "<kind>/<namespace>/<name>".
func (m *Mesh) Workload(name string) (*Workload, error) {
	var found []*Workload
	for _, w := range m.Workloads {
		plain := w.Ref.Namespace + "/" + w.Ref.Name
		if name == plain || strings.EqualFold(name, w.Ref.Kind+"/"+plain) {
			found = append(found, w)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("no object %q makes pods; there are %s", name, m.names())
	case 1:
		return found[0], nil
	}
	if found[0].Ref.Key() == found[1].Ref.Key() {
		return nil, fmt.Errorf("the objects hold %s twice: leave one of them out", found[0])
	}
	return nil, fmt.Errorf("several objects are called %q: put the kind before it, as in %s/%s", name, found[0].Ref.Kind, name)
}

func (m *Mesh) names() string {
	out := make([]string, 0, len(m.Workloads))
	for _, w := range m.Workloads {
		out = append(out, w.Ref.Namespace+"/"+w.Ref.Name)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}
