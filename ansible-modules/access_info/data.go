package accessinfo

import (
	"maps"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
)

// data renders a platform, or what one owner has of it.
type data struct {
	platform *model.Platform
	owner    string // empty for all
}

func (d data) has(owner string) bool { return d.owner == "" || owner == d.owner }

// tool returns what writes an owner's objects.
func (d data) scope(owner string) derive.Scope {
	o, _ := d.platform.Owner(owner) // the model names owners that it has
	return derive.Scope{Platform: d.platform, Owner: o}
}

func (d data) tool(owner string) string { return string(d.scope(owner).Owner.Tool) }

func (d data) gateways() map[string]any {
	out := map[string]any{}
	for _, g := range d.platform.Gateways {
		if !d.has(g.Owner) {
			continue
		}
		value := identity(g.Identity)
		maps.Copy(value, map[string]any{
			"owner": g.Owner, "tool": d.tool(g.Owner), "namespace": g.Namespace, "deployment": g.Deployment, "selector": stringMap(g.Selector),
			"hosts": hosts(g.Hosts), "host_patterns": list(derive.HostPatterns(g)), "routes": routes(g),
			"profile": g.Profile.String(), "absent": g.Absent, "policy": nil,
		})
		if g.HostPolicy && !g.Absent && g.Profile.Enforces() {
			value["policy"] = policy.OriginOf(d.scope(g.Owner)).HostPolicy(g).Content()
		}
		out[g.Name] = value
	}
	return out
}

func routes(g *model.Gateway) []any {
	out := []any{}
	for _, r := range g.Routes {
		out = append(out, map[string]any{
			"api_version": r.Ref.APIVersion, "kind": r.Ref.Kind, "namespace": r.Ref.Namespace, "name": r.Ref.Name,
			"owner": r.Owner, "servers": list(r.Servers), "hosts": hosts(r.Hosts),
		})
	}
	return out
}

func (d data) workloads() map[string]any {
	out := map[string]any{}
	for _, w := range d.platform.Workloads {
		if !d.has(w.Owner) {
			continue
		}
		value := identity(w.Identity)
		callers := []string{}
		for _, p := range derive.Principals(w.Callers) {
			callers = append(callers, p.String())
		}
		maps.Copy(value, map[string]any{
			"owner": w.Owner, "tool": d.tool(w.Owner), "namespace": w.Namespace, "selector": stringMap(w.Selector), "ports": ports(w.Ports),
			"profile": w.Profile.String(), "absent": w.Absent, "enrolled": w.Enrolled(),
			"enforced": w.Protected && !w.Absent && w.Profile.Enforces(), "callers": list(callers),
		})
		out[w.Name] = value
	}
	return out
}

func (d data) edges() []any {
	out := []any{}
	for _, e := range derive.Edges(d.platform) {
		if !d.has(e.To.Owner) {
			continue
		}
		var principals []string
		for _, p := range e.Principals {
			principals = append(principals, p.String())
		}
		out = append(out, map[string]any{
			"from": e.From, "principals": list(principals), "to": e.To.Name, "namespace": e.To.Namespace, "ports": ports(e.Ports),
		})
	}
	return out
}

// accounts lists each ServiceAccount once, with the first entry of the model that has it.
func (d data) accounts() []any {
	out, seen := []any{}, map[string]bool{}
	add := func(i model.Identity, owner, source string, absent bool) {
		p := i.Principal
		if absent || !d.has(owner) || seen[p.String()] {
			return
		}
		seen[p.String()] = true
		out = append(out, map[string]any{
			"namespace": p.Namespace(), "name": p.ServiceAccount(), "principal": p.String(), "owner": owner, "source": source,
		})
	}
	for _, g := range d.platform.Gateways {
		add(g.Identity, g.Owner, policy.SectionGateways+"/"+g.Name, g.Absent)
	}
	for _, w := range d.platform.Workloads {
		add(w.Identity, w.Owner, policy.SectionWorkloads+"/"+w.Name, w.Absent)
	}
	return out
}

func (d data) consumers() []any {
	out := []any{}
	for _, c := range d.platform.Consumers {
		if !d.has(c.Owner) || c.Value == "" {
			continue
		}
		out = append(out, map[string]any{
			"owner": c.Owner, "env": c.Env, "value": c.Value, "source": c.Source, "container": c.Container,
			"kind": c.Target.Kind, "namespace": c.Target.Namespace, "name": c.Target.Name,
		})
	}
	return out
}

func identity(i model.Identity) map[string]any {
	previous := []string{}
	for _, p := range i.Previous {
		previous = append(previous, p.String())
	}
	return map[string]any{
		"service_account": i.Principal.ServiceAccount(), "principal": i.Principal.String(), "previous_principals": list(previous),
	}
}

func hosts(all []model.Host) []any {
	out := []any{}
	for _, h := range all {
		out = append(out, h.String())
	}
	return out
}

func ports(all []model.Port) []any {
	out := []any{}
	for _, p := range all {
		out = append(out, p.String())
	}
	return out
}

func list(all []string) []any {
	out := []any{}
	for _, s := range all {
		out = append(out, s)
	}
	return out
}

func stringMap(m map[string]string) map[string]any {
	out := map[string]any{}
	for key, value := range m {
		out[key] = value
	}
	return out
}
