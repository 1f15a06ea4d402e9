package derive

import (
	"iter"
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/model"
)

// Scope is a platform as one owner sees it: the owner's entries are its to make
// and to require, everything else it only refers to.
type Scope struct {
	*model.Platform
	Owner model.Owner
	// Version of Ringfence, where generated objects are to say it; else empty.
	Version string
}

// Mine reports whether an entry's owner is the scope's.
func (s Scope) Mine(owner string) bool { return owner == s.Owner.Name }

// MyGateways yields the owner's gateways that this environment has.
func (s Scope) MyGateways() iter.Seq[*model.Gateway] {
	return filter(s.Gateways, func(g *model.Gateway) bool { return s.Mine(g.Owner) && !g.Absent })
}

// MyWorkloads yields the owner's workloads that this environment has.
func (s Scope) MyWorkloads() iter.Seq[*model.Workload] {
	return filter(s.Workloads, func(w *model.Workload) bool { return s.Mine(w.Owner) && !w.Absent })
}

// MyConsumers yields the owner's consumers that have a value in this environment.
func (s Scope) MyConsumers() iter.Seq[*model.Consumer] {
	return filter(s.Consumers, func(c *model.Consumer) bool { return s.Mine(c.Owner) && c.Value != "" })
}

// MyTenants yields the owner's groups of tenants.
func (s Scope) MyTenants() iter.Seq[*model.Tenant] {
	return filter(s.Tenants, func(t *model.Tenant) bool { return s.Mine(t.Owner) })
}

func filter[T any](all []T, keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, entry := range all {
			if keep(entry) && !yield(entry) {
				return
			}
		}
	}
}

// Principals returns the principals of callers in their order, each once;
// callers that this environment doesn't have are left out. The result may be
// empty: then nobody may call.
func Principals(callers []model.Caller) []model.Principal {
	var out []model.Principal
	for _, c := range callers {
		if c.Absent() {
			continue
		}
		for _, p := range c.Principals() {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// HostPatterns returns what an AuthorizationPolicy's hosts hold for a gateway:
// an exact host with and without a port (any port: a trailing "*" is a prefix
// match), a wildcard alone and with each port that clients may write, because
// "*.x:*" would be a literal suffix and match nothing (istio/istio#39810).
func HostPatterns(g *model.Gateway) []string {
	var out []string
	for _, host := range g.Hosts {
		out = append(out, host.String())
		if !host.IsWildcard() {
			out = append(out, host.String()+":*")
			continue
		}
		for _, port := range g.HostPorts {
			out = append(out, host.String()+":"+port.String())
		}
	}
	return out
}
