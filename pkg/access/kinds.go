package access

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"
	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/mtls"
	"github.com/ringfence-dev/ringfence/pkg/access/netpol"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The groups of the kinds that decide.
const (
	groupSecurity   = "security.istio.io"
	groupNetworking = "networking.istio.io"
	groupExtensions = "extensions.istio.io"
	groupNetwork    = "networking.k8s.io"
)

// kind is a kind of object that says something about access.
type kind struct{ group, name string }

// readers take what an object of a kind says, if they can read it.
var readers = map[kind]func(*Mesh, *resource.Object) error{
	{"", "Service"}:                          (*Mesh).readService,
	{groupNetwork, "NetworkPolicy"}:          (*Mesh).readNetworkPolicy,
	{groupSecurity, "AuthorizationPolicy"}:   (*Mesh).readAuthorizationPolicy,
	{groupSecurity, "PeerAuthentication"}:    (*Mesh).readPeerAuthentication,
	{groupSecurity, "RequestAuthentication"}: (*Mesh).readRequestAuthentication,
	{groupNetworking, kindDestinationRule}:   (*Mesh).readDestinationRule,
	{groupNetworking, kindGateway}:           (*Mesh).readGateway,
	{groupNetworking, kindVirtualService}:    (*Mesh).readVirtualService,
	{groupNetworking, "EnvoyFilter"}:         (*Mesh).readEnvoyFilter,
	{groupNetworking, "Sidecar"}:             (*Mesh).readSidecar,
	{groupExtensions, "WasmPlugin"}:          (*Mesh).readWasmPlugin,
}

// Kinds whose effect is elsewhere than where pods take something in.
const (
	kindDestinationRule = "DestinationRule"
	kindGateway         = "Gateway"
	kindSidecar         = "Sidecar"
	kindVirtualService  = "VirtualService"
)

// read takes what an object says about access, if it does.
func (m *Mesh) read(o *resource.Object) error {
	ref := o.Ref()
	reader, ok := readers[kind{ref.Group(), ref.Kind}]
	switch {
	case !ok:
		return nil
	case o.Content() == nil:
		return errContent
	default:
		return reader(m, o)
	}
}

var errContent = errors.New("its text is no object")

// twins hides the objects that others of the same name contradict: a cluster has
// one of them, and which one that is isn't known. Of those that an API server names
// it has all, and where their names begin alike nobody can tell them apart.
func (m *Mesh) twins(set *resource.Set) {
	for o := range set.All() {
		ref, err := o.Ref(), errTwin
		_, decides := readers[kind{ref.Group(), ref.Kind}]
		_, pods := resource.PodKindOf(ref)
		if !decides && !pods || ref.Name != "" && set.Get(ref) != o {
			continue
		}
		if ref.Name == "" {
			err = errGenerated
		}
		for _, twin := range set.Duplicates(ref) {
			if named(o) == named(twin) && !reflect.DeepEqual(o.Content(), twin.Content()) {
				hidden := unread(ref, err)
				if pods {
					hidden.network, hidden.outbound, hidden.match = true, true, labelsOf(o)
				}
				m.hide(o, hidden)
				break
			}
		}
	}
}

var (
	errTwin      = errors.New("the objects hold it twice with different content, and a cluster has one of them")
	errGenerated = errors.New("several objects have its generateName and differ, and nobody can tell them apart")
)

// named returns what an object is called. Of a name that an API server makes up,
// that is what it begins with.
func named(o *resource.Object) resource.Ref {
	ref := o.Ref()
	if ref.Name == "" {
		ref.Name = resource.String(o.Content(), "metadata", "generateName")
	}
	return ref
}

// hide makes an object's effect unknown where it may have one.
func (m *Mesh) hide(o *resource.Object, hidden opaque) {
	hidden.ref = o.Ref()
	m.opaque = append(m.opaque, hidden)
	m.Unjudged = append(m.Unjudged, Unjudged{hidden.ref, hidden.reason})
}

// unread returns what an object that can't be read may change.
func unread(ref resource.Ref, err error) opaque {
	out := opaque{reason: fmt.Sprintf("it can't be read: %v", err)}
	if errors.Is(err, errTwin) || errors.Is(err, errGenerated) {
		out.reason = err.Error()
	}
	switch {
	case ref.Kind == kindGateway, ref.Kind == kindVirtualService:
		out.routes = true
	case ref.Kind == kindDestinationRule:
		out.outbound, out.routes = true, true
	case ref.Kind == kindSidecar:
		out.inbound, out.outbound = true, true
	case ref.Group() == groupNetwork:
		out.network = true
	default:
		out.inbound = true
	}
	return out
}

func (m *Mesh) readService(o *resource.Object) error {
	s := service{ref: o.Ref(), labels: o.Labels()}
	o.ReadInto(&s.ServiceSpec, "spec") // what fails is among the set's unreadable objects
	m.services[s.ref.Namespace] = append(m.services[s.ref.Namespace], s)
	return nil
}

func (m *Mesh) readNetworkPolicy(o *resource.Object) error {
	var spec netpol.Spec
	if err := strict(o, &spec); err != nil {
		return err
	}
	p, err := netpol.New(o.Ref().Namespace, o.Ref().Name, spec)
	if err != nil {
		return err
	}
	m.networks = append(m.networks, p)
	return nil
}

func (m *Mesh) readAuthorizationPolicy(o *resource.Object) error {
	ref := o.Ref()
	p := policy{authz.Policy{
		Namespace: ref.Namespace, Name: ref.Name, DryRun: isTrue(o.Annotations()["istio.io/dry-run"]),
		Spec: &securityv1beta1.AuthorizationPolicy{},
	}, ref}
	if err := message(o, p.Spec); err != nil {
		return err
	}
	m.policies[ref.Namespace] = append(m.policies[ref.Namespace], p)
	return nil
}

func (m *Mesh) readPeerAuthentication(o *resource.Object) error {
	p := &mtls.Policy{
		Namespace: o.Ref().Namespace, Name: o.Ref().Name,
		Created: resource.String(o.Content(), "metadata", "creationTimestamp"), Spec: &securityv1beta1.PeerAuthentication{},
	}
	if err := message(o, p.Spec); err != nil {
		return err
	}
	m.peers = append(m.peers, p)
	return nil
}

func (m *Mesh) readRequestAuthentication(o *resource.Object) error {
	r := tokenRule{o.Ref(), &securityv1beta1.RequestAuthentication{}}
	if err := message(o, r.spec); err != nil {
		return err
	}
	m.tokens = append(m.tokens, r)
	return nil
}

func (m *Mesh) readDestinationRule(o *resource.Object) error {
	d := destinationRule{o.Ref(), &networkingv1alpha3.DestinationRule{}}
	if err := message(o, d.spec); err != nil {
		return err
	}
	m.destination = append(m.destination, d)
	return nil
}

func (m *Mesh) readGateway(o *resource.Object) error {
	g := gateway{o.Ref(), &networkingv1alpha3.Gateway{}}
	if err := message(o, g.spec); err != nil {
		return err
	}
	m.gateways = append(m.gateways, g)
	return nil
}

func (m *Mesh) readVirtualService(o *resource.Object) error {
	v := virtualService{o.Ref(), &networkingv1alpha3.VirtualService{}}
	if err := message(o, v.spec); err != nil {
		return err
	}
	m.routes = append(m.routes, v)
	return nil
}

// readEnvoyFilter hides what the patches may change: those of one context change
// one direction, and those that name none change both.
func (m *Mesh) readEnvoyFilter(o *resource.Object) error {
	hidden := opaque{match: resource.StringMap(o.Content(), "spec", "workloadSelector", "labels"), reason: "it changes what proxies do"}
	for _, entry := range resource.List(o.Content(), "spec", "configPatches") {
		patch, _ := entry.(map[string]any)
		context := resource.String(patch, "match", "context")
		hidden.inbound = hidden.inbound || context != "SIDECAR_OUTBOUND"
		hidden.outbound = hidden.outbound || context != "SIDECAR_INBOUND"
	}
	if hidden.inbound || hidden.outbound {
		hidden.routes = hidden.inbound
		m.hide(o, hidden)
	}
	return nil
}

func (m *Mesh) readSidecar(o *resource.Object) error {
	spec := &networkingv1alpha3.Sidecar{}
	if err := message(o, spec); err != nil {
		return err
	}
	match := spec.GetWorkloadSelector().GetLabels()
	if len(spec.GetIngress()) > 0 {
		m.hide(o, opaque{match: match, inbound: true, reason: "it changes which ports proxies listen on"})
	}
	s := sidecar{ref: o.Ref(), match: match}
	for _, egress := range spec.GetEgress() {
		s.hosts = append(s.hosts, egress.GetHosts()...)
	}
	m.sidecars = append(m.sidecars, s)
	return nil
}

// readWasmPlugin hides what the plugin may do with what pods take in, unless it is for what they send alone.
func (m *Mesh) readWasmPlugin(o *resource.Object) error {
	hidden := opaque{match: resource.StringMap(o.Content(), "spec", "selector", "matchLabels"), reason: "it runs code in proxies"}
	matches := resource.List(o.Content(), "spec", "match")
	hidden.inbound, hidden.outbound = len(matches) == 0, len(matches) == 0
	for _, entry := range matches {
		match, _ := entry.(map[string]any)
		mode := resource.String(match, "mode")
		hidden.inbound = hidden.inbound || mode != "CLIENT"
		hidden.outbound = hidden.outbound || mode != "SERVER"
	}
	m.hide(o, hidden)
	return nil
}

func isTrue(text string) bool {
	return slices.Contains([]string{"1", "t", "T", "TRUE", "true", "True"}, text) // strconv.ParseBool's
}

// labelsOf returns the labels of the pods that an object makes; none where they can't be read.
func labelsOf(o *resource.Object) map[string]string {
	if t := o.PodTemplate(); t != nil {
		return t.Labels
	}
	return nil
}
