package access

import (
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
	opaque      []opaque
	targets     map[targetKey]*target
}

// Unjudged is an object that makes answers about what it applies to unknown.
type Unjudged struct {
	Ref    resource.Ref
	Reason string
}

type service struct {
	ref resource.Ref
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
}

// The groups of Istio's kinds.
const (
	groupSecurity   = "security.istio.io"
	groupNetworking = "networking.istio.io"
	groupExtensions = "extensions.istio.io"
)

// New reads the objects of a set.
func New(set *resource.Set, settings Settings) *Mesh {
	if settings.TrustDomain == "" {
		settings.TrustDomain = "cluster.local"
	}
	if settings.RootNamespace == "" {
		settings.RootNamespace = "istio-system"
	}
	m := &Mesh{
		Settings: settings, namespaces: map[string]map[string]string{}, targets: map[targetKey]*target{},
		services: map[string][]service{}, policies: map[string][]policy{},
	}
	for _, o := range set.Kind("", "Namespace") {
		m.namespaces[o.Ref().Name] = o.Labels()
	}
	for t := range set.PodTemplates() {
		m.Workloads = append(m.Workloads, m.workload(t))
	}
	for o := range set.All() {
		if err := m.read(o); err != nil {
			m.hide(o, nil, fmt.Sprintf("it can't be read: %v", err))
		}
	}
	for _, u := range set.Unreadable() {
		m.Unjudged = append(m.Unjudged, Unjudged{u.Ref, u.Err.Error()})
	}
	return m
}

// read takes what an object says about access, if it does.
func (m *Mesh) read(o *resource.Object) error {
	ref := o.Ref()
	switch group, kind := ref.Group(), ref.Kind; {
	case group == "" && kind == "Service":
		s := service{ref: ref}
		o.ReadInto(&s.ServiceSpec, "spec")
		m.services[ref.Namespace] = append(m.services[ref.Namespace], s)
	case group == "networking.k8s.io" && kind == "NetworkPolicy":
		var spec netpol.Spec
		if err := strict(o, &spec); err != nil {
			return err
		}
		p, err := netpol.New(ref.Namespace, ref.Name, spec)
		if err != nil {
			return err
		}
		m.networks = append(m.networks, p)
	case group == groupSecurity && kind == "AuthorizationPolicy":
		p := policy{authz.Policy{Namespace: ref.Namespace, Name: ref.Name, DryRun: isTrue(o.Annotations()["istio.io/dry-run"]), Spec: &securityv1beta1.AuthorizationPolicy{}}, ref}
		if err := message(o, p.Spec); err != nil {
			return err
		}
		m.policies[ref.Namespace] = append(m.policies[ref.Namespace], p)
	case group == groupSecurity && kind == "PeerAuthentication":
		created, _ := resource.Field(o.Content(), "metadata", "creationTimestamp")
		text, _ := created.(string)
		p := &mtls.Policy{Namespace: ref.Namespace, Name: ref.Name, Created: text, Spec: &securityv1beta1.PeerAuthentication{}}
		if err := message(o, p.Spec); err != nil {
			return err
		}
		m.peers = append(m.peers, p)
	case group == groupSecurity && kind == "RequestAuthentication":
		r := tokenRule{ref, &securityv1beta1.RequestAuthentication{}}
		if err := message(o, r.spec); err != nil {
			return err
		}
		m.tokens = append(m.tokens, r)
	case group == groupNetworking && kind == "DestinationRule":
		d := destinationRule{ref, &networkingv1alpha3.DestinationRule{}}
		if err := message(o, d.spec); err != nil {
			return err
		}
		m.destination = append(m.destination, d)
	case group == groupNetworking && kind == "EnvoyFilter":
		m.hide(o, resource.StringMap(o.Content(), "spec", "workloadSelector", "labels"), "it changes what proxies do")
	case group == groupExtensions && kind == "WasmPlugin":
		m.hide(o, resource.StringMap(o.Content(), "spec", "selector", "matchLabels"), "it runs code in proxies")
	case group == groupNetworking && kind == "Sidecar" && len(resource.List(o.Content(), "spec", "ingress")) > 0:
		m.hide(o, resource.StringMap(o.Content(), "spec", "workloadSelector", "labels"), "it changes which ports proxies listen on")
	}
	return nil
}

// hide makes an object's effect unknown on the pods that it may apply to.
func (m *Mesh) hide(o *resource.Object, match map[string]string, reason string) {
	m.opaque = append(m.opaque, opaque{o.Ref(), match, reason})
	m.Unjudged = append(m.Unjudged, Unjudged{o.Ref(), reason})
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
	default:
		return nil, fmt.Errorf("several objects are called %q: put the kind before it, as in %s/%s", name, found[0].Ref.Kind, name)
	}
}

func (m *Mesh) names() string {
	out := make([]string, 0, len(m.Workloads))
	for _, w := range m.Workloads {
		out = append(out, w.Ref.Namespace+"/"+w.Ref.Name)
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

func isTrue(text string) bool {
	return slices.Contains([]string{"1", "t", "T", "TRUE", "true", "True"}, text) // strconv.ParseBool's
}
