package cluster

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// parallel is how many requests are under way at once.
const parallel = 6

// reading is what a scope's units need of a cluster, and no more: a role may be
// allowed to read a few namespaces alone.
type reading struct {
	lists map[inNamespace]bool
	gets  map[resource.Key]resource.Ref
	// tenants are the groups whose namespaces have to be found first; only in one namespace where it is set.
	tenants   []*model.Tenant
	namespace string
	// labelled is the selector of generated objects to look for in every namespace; empty for none.
	labelled string
}

type inNamespace struct {
	kind      kind
	namespace string
}

func needs(s derive.Scope, namespace string) reading {
	r := reading{lists: map[inNamespace]bool{}, gets: map[resource.Key]resource.Ref{}, namespace: namespace}
	policies := false
	for _, g := range s.Gateways {
		mine := s.Mine(g.Owner)
		for _, route := range g.Routes {
			if !g.Absent && (mine || s.Mine(route.Owner)) {
				r.get(route.Ref)
				r.list(route.Ref.Namespace, authorizationPolicies) // one may name the Gateway
			}
		}
		if !mine {
			continue
		}
		policies = true
		r.list(g.Namespace, authorizationPolicies)
		if !g.Absent && g.TargetRef.IsZero() {
			r.list(g.Namespace, serviceAccounts)
			r.list(g.Namespace, podKinds...)
		}
	}
	for _, w := range s.Workloads {
		if !s.Mine(w.Owner) {
			continue
		}
		policies = true
		r.list(w.Namespace, authorizationPolicies, peerAuthentications)
		if w.Absent {
			continue
		}
		r.list(w.Namespace, serviceAccounts, services)
		r.list(w.Namespace, podKinds...)
		r.get(namespaceRef(w.Namespace))
		for _, ref := range w.RoleBindings {
			r.get(ref)
		}
	}
	for c := range s.MyConsumers() {
		r.get(c.Target)
	}
	for t := range s.MyTenants() {
		r.tenants = append(r.tenants, t)
	}
	if policies { // there a policy may be the whole mesh's
		r.list(s.Istio.RootNamespace, authorizationPolicies)
	}
	return r
}

var (
	authorizationPolicies = mustKind("security.istio.io", "AuthorizationPolicy")
	peerAuthentications   = mustKind("security.istio.io", "PeerAuthentication")
	serviceAccounts       = mustKind("", "ServiceAccount")
	services              = mustKind("", "Service")
	namespaces            = mustKind("", "Namespace")
	pods                  = mustKind("", "Pod")
	podKinds              = kindsOfPods()
)

func mustKind(group, name string) kind {
	k, ok := kindOf(group, name)
	if !ok {
		panic("the table of kinds lacks " + name)
	}
	return k
}

func kindsOfPods() []kind {
	out := make([]kind, 0, len(resource.PodKinds))
	for _, k := range resource.PodKinds {
		out = append(out, mustKind(k.Group, k.Kind))
	}
	return out
}

func namespaceRef(name string) resource.Ref {
	return resource.Ref{APIVersion: "v1", Kind: "Namespace", Name: name}
}

func (r reading) list(namespace string, kinds ...kind) {
	for _, k := range kinds {
		r.lists[inNamespace{k, namespace}] = true
	}
}

func (r reading) get(ref resource.Ref) { r.gets[ref.Key()] = ref }

// read returns the state of a cluster as far as a scope needs it, and what can't be seen.
func read(ctx context.Context, c *Client, r reading) (*state, finding.List, error) {
	found := map[resource.Key]*unstructured.Unstructured{}
	var lock sync.Mutex
	keep := func(o *unstructured.Unstructured) {
		if controlled(o) {
			return
		}
		lock.Lock()
		defer lock.Unlock()
		found[refOf(o).Key()] = o
	}
	if err := r.findTenants(ctx, c, keep); err != nil {
		return nil, nil, err
	}
	unseen, err := r.findLeftovers(ctx, c, keep)
	if err != nil {
		return nil, nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for at := range r.lists {
		group.Go(func() error { return c.list(ctx, at.kind, at.namespace, "", keep) })
	}
	for _, ref := range r.gets {
		k, ok := kindOf(ref.Group(), ref.Kind)
		if ok && r.lists[inNamespace{k, ref.Namespace}] {
			continue
		}
		group.Go(func() error {
			o, err := c.get(ctx, ref)
			if err == nil && o != nil {
				keep(o)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	live := slices.SortedFunc(maps.Values(found), func(a, b *unstructured.Unstructured) int { return refOf(a).Compare(refOf(b)) })
	return newState(live), unseen, nil
}

// findLeftovers looks for generated objects in namespaces that the model has left.
// Where the task may not look everywhere, a warning says so.
func (r reading) findLeftovers(ctx context.Context, c *Client, keep func(*unstructured.Unstructured)) (finding.List, error) {
	if r.labelled == "" {
		return nil, nil
	}
	var unseen finding.List
	for _, k := range []kind{authorizationPolicies, peerAuthentications, serviceAccounts} {
		err := c.list(ctx, k, "", r.labelled, keep)
		if apierrors.IsForbidden(err) {
			unseen.Add(finding.New(finding.PrunePartial, resource.Ref{}, "", "the task's user may not list %s in all namespaces, so that what is left in one that the model no longer names isn't seen", k.plural))
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	return unseen, nil
}

// findTenants lists the namespaces of tenant groups, and adds what is in them to
// what is to be read.
func (r reading) findTenants(ctx context.Context, c *Client, keep func(*unstructured.Unstructured)) error {
	add := func(o *unstructured.Unstructured) {
		keep(o)
		r.list(o.GetName(), authorizationPolicies, services, serviceAccounts)
		r.list(o.GetName(), podKinds...)
	}
	if len(r.tenants) > 0 && r.namespace != "" {
		o, err := c.get(ctx, namespaceRef(r.namespace))
		if err != nil || o == nil {
			return err
		}
		add(o)
		return nil
	}
	for _, t := range r.tenants {
		if err := c.list(ctx, namespaces, "", t.Namespaces.String(), add); err != nil {
			return err
		}
	}
	return nil
}

// controlled reports whether an object is made from the pod template of another
// that Ringfence reads: that one speaks for it.
func controlled(o *unstructured.Unstructured) bool {
	owner := metav1.GetControllerOf(o)
	if owner == nil {
		return false
	}
	_, known := resource.PodKindOf(resource.Ref{APIVersion: owner.APIVersion, Kind: owner.Kind})
	return known && owner.Kind != "Pod"
}

// named returns the policies that the model gives to the scope's entries, on
// whatever rung: those names are theirs even where there is none now.
func named(s derive.Scope) map[resource.Key]bool {
	out := map[resource.Key]bool{}
	for _, g := range s.Gateways {
		if s.Mine(g.Owner) && g.HostPolicy {
			out[policy.AuthorizationPolicyRef(g.Namespace, g.Name).Key()] = true
		}
	}
	for _, w := range s.Workloads {
		if s.Mine(w.Owner) && w.Protected {
			out[policy.AuthorizationPolicyRef(w.Namespace, w.PolicyName).Key()] = true
			out[policy.PeerAuthenticationRef(w.Namespace, w.PeerAuthenticationName).Key()] = true
		}
	}
	return out
}

// entryOf returns the section and name of the model's entry that an object says it is of.
func entryOf(source string) (section, name string) {
	section, name, _ = strings.Cut(source, "/")
	return section, name
}
