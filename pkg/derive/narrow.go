package derive

import "github.com/ringfence-dev/ringfence/pkg/model"

// elsewhere owns what a narrowed scope leaves out. It is the name of no owner:
// those have no spaces.
const elsewhere = "another task of the owner's"

// Gateway returns the scope in which the owner has this gateway and its routes
// alone; the owner's other entries are as somebody else's, known and not touched.
func (s Scope) Gateway(name string) Scope {
	return s.narrow(func(g *model.Gateway) bool { return g.Name == name }, func(*model.Workload) bool { return false })
}

// Workload returns the scope in which the owner has this workload alone.
func (s Scope) Workload(name string) Scope {
	return s.narrow(func(*model.Gateway) bool { return false }, func(w *model.Workload) bool { return w.Name == name })
}

// TenantGroups returns the scope in which the owner has tenants alone.
func (s Scope) TenantGroups() Scope {
	out := s.narrow(func(*model.Gateway) bool { return false }, func(*model.Workload) bool { return false })
	out.Tenants = s.Tenants
	return out
}

func (s Scope) narrow(gateway func(*model.Gateway) bool, workload func(*model.Workload) bool) Scope {
	p := *s.Platform
	p.Gateways = mapped(s.Gateways, func(g model.Gateway) model.Gateway {
		if s.Mine(g.Owner) && !gateway(&g) {
			g.Owner = elsewhere
		}
		if !gateway(&g) {
			g.Routes = append([]model.Route(nil), g.Routes...)
			for i := range g.Routes {
				if s.Mine(g.Routes[i].Owner) {
					g.Routes[i].Owner = elsewhere
				}
			}
		}
		return g
	})
	p.Workloads = mapped(s.Workloads, func(w model.Workload) model.Workload {
		if s.Mine(w.Owner) && !workload(&w) {
			w.Owner = elsewhere
		}
		return w
	})
	p.Consumers = mapped(s.Consumers, func(c model.Consumer) model.Consumer {
		if s.Mine(c.Owner) {
			c.Owner = elsewhere
		}
		return c
	})
	p.Tenants = mapped(s.Tenants, func(t model.Tenant) model.Tenant {
		if s.Mine(t.Owner) {
			t.Owner = elsewhere
		}
		return t
	})
	return Scope{Platform: &p, Owner: s.Owner}
}

// Disenforced returns the scope in which nothing of the owner's is enforced, and
// everything else is as it was.
func (s Scope) Disenforced() Scope {
	p := *s.Platform
	p.Gateways = mapped(s.Gateways, func(g model.Gateway) model.Gateway {
		if s.Mine(g.Owner) {
			g.Profile = min(g.Profile, model.Permissive)
		}
		return g
	})
	p.Workloads = mapped(s.Workloads, func(w model.Workload) model.Workload {
		if s.Mine(w.Owner) {
			w.Profile = min(w.Profile, model.Permissive)
		}
		return w
	})
	return Scope{Platform: &p, Owner: s.Owner}
}

// mapped returns copies; the originals stay as they are, for others share them.
func mapped[T any](list []*T, change func(T) T) []*T {
	out := make([]*T, 0, len(list))
	for _, entry := range list {
		changed := change(*entry)
		out = append(out, &changed)
	}
	return out
}
