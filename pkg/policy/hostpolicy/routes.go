package hostpolicy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const kindGateway = "Gateway"

func hostsField(kind string) string {
	if kind == kindGateway {
		return "spec.servers"
	}
	return "spec.hosts"
}

// planRoutes gives each route of a gateway its hosts. Another owner's route is
// only compared, where it is in the build at all.
func planRoutes(in policy.Input, g *model.Gateway, plan *policy.Plan) {
	for _, route := range g.Routes {
		if len(route.Hosts) == 0 {
			continue // known as an identity alone
		}
		o := in.Resources.Get(route.Ref)
		mine := in.Mine(route.Owner)
		switch {
		case o == nil && mine:
			plan.Findings.Add(finding.New(finding.ObjectMissing, route.Ref, "",
				"the model's gateway %s has it as a route and this build of owner %q doesn't", g.Name, in.Owner.Name))
		case o == nil:
		case !mine:
			plan.Findings.Add(compare(o, route, g)...)
		default:
			for _, twin := range in.Resources.Duplicates(route.Ref) {
				plan.Findings.Add(finding.New(finding.ObjectDuplicate, twin.Ref(), "", "it stands twice in this build"))
			}
			writeRoute(in, g, o, route, plan)
		}
	}
}

func writeRoute(in policy.Input, g *model.Gateway, o *resource.Object, route model.Route, plan *policy.Plan) {
	reason := "hosts of gateway " + g.Name
	if route.Ref.Kind != kindGateway {
		setHosts(o, resource.Path{"spec", "hosts"}, route.Hosts, reason, plan)
		return
	}
	plan.Findings.Add(bound(in, g, o)...)
	servers := resource.List(o.Content(), "spec", "servers")
	if len(servers) == 0 {
		plan.Findings.Add(finding.New(finding.HostServer, o.Ref(), "spec.servers", "it has no servers that could get the hosts of gateway %q", g.Name))
	}
	named := map[string]bool{}
	for i := range servers {
		path := resource.Path{"spec", "servers"}.Index(i)
		name := resource.String(o.Content(), path.Child("port", "name")...)
		if len(route.Servers) > 0 && !slices.Contains(route.Servers, name) {
			continue
		}
		named[name] = true
		setHosts(o, path.Child("hosts"), route.Hosts, reason, plan)
		plan.Findings.Add(passthrough(o, path, g)...)
	}
	for _, name := range route.Servers {
		if !named[name] {
			plan.Findings.Add(finding.New(finding.HostServer, o.Ref(), "spec.servers", "no server has the port name %q that the model's gateway %s names", name, g.Name))
		}
	}
}

// setHosts gives a list its hosts and keeps the namespace prefix that they had.
// A list that says the same already stays as it is, in its order and spelling.
func setHosts(o *resource.Object, path resource.Path, hosts []model.Host, reason string, plan *policy.Plan) {
	current := resource.Strings(o.Content(), path...)
	parsed, prefixes := normalise(current)
	if len(parsed) == len(current) && sameHosts(parsed, hosts) {
		return
	}
	prefix := ""
	switch len(prefixes) {
	case 0:
	case 1:
		prefix = prefixes[0]
	default:
		plan.Findings.Add(finding.New(finding.HostPrefix, o.Ref(), path.String(), "its hosts have different namespace prefixes (%s), so that a new host could get any",
			strings.Join(prefixes, ", ")).WithValues(current, nil))
		return
	}
	out := make([]any, 0, len(hosts))
	for _, host := range hosts {
		if prefix == "" {
			out = append(out, host.String())
		} else {
			out = append(out, prefix+"/"+host.String())
		}
	}
	plan.Set(o, path, out, reason)
}

// normalise returns the hosts of a list that can be read, and the namespace prefixes that they have.
func normalise(hosts []string) ([]model.Host, []string) {
	var (
		out      []model.Host
		prefixes []string
	)
	for _, s := range hosts {
		prefix, host, err := model.ParseGatewayHost(s)
		if !slices.Contains(prefixes, prefix) {
			prefixes = append(prefixes, prefix)
		}
		if err == nil {
			out = append(out, host)
		}
	}
	return out, prefixes
}

func sameHosts(a, b []model.Host) bool {
	covers := func(all, some []model.Host) bool {
		return !slices.ContainsFunc(some, func(h model.Host) bool { return !slices.Contains(all, h) })
	}
	return covers(a, b) && covers(b, a)
}

// currentHosts returns the hosts that a route has as it stands.
func currentHosts(o *resource.Object, route model.Route) []string {
	if route.Ref.Kind != kindGateway {
		return resource.Strings(o.Content(), "spec", "hosts")
	}
	var out []string
	for i := range resource.List(o.Content(), "spec", "servers") {
		path := resource.Path{"spec", "servers"}.Index(i)
		if name := resource.String(o.Content(), path.Child("port", "name")...); len(route.Servers) == 0 || slices.Contains(route.Servers, name) {
			out = append(out, resource.Strings(o.Content(), path.Child("hosts")...)...)
		}
	}
	return out
}

func serves(o *resource.Object, route model.Route, host model.Host) bool {
	hosts, _ := normalise(currentHosts(o, route))
	return slices.Contains(hosts, host)
}

// compare reports another owner's route that serves other hosts than the model
// says. One that takes every host serves ours too.
func compare(o *resource.Object, route model.Route, g *model.Gateway) finding.List {
	current := currentHosts(o, route)
	hosts, _ := normalise(current)
	everything := slices.ContainsFunc(current, func(s string) bool { return s == "*" || strings.HasSuffix(s, "/*") })
	if everything || sameHosts(hosts, route.Hosts) {
		return nil
	}
	return finding.List{finding.New(finding.HostMismatch, o.Ref(), hostsField(route.Ref.Kind),
		"owner %q serves %v for gateway %q and the model says %v", route.Owner, current, g.Name, route.Hosts).WithValues(current, fmt.Sprint(route.Hosts))}
}

// bound reports a Gateway whose selector isn't that of its gateway's pods: its
// servers, and with them the hosts, would be some other gateway's.
func bound(in policy.Input, g *model.Gateway, o *resource.Object) finding.List {
	if g.Selector == nil {
		return nil
	}
	labels := policy.GatewayLabels(in, g)
	selector := resource.StringMap(o.Content(), "spec", "selector")
	if len(selector) == 0 || resource.Selects(selector, labels) {
		return nil // without a selector Istio attaches it to every gateway
	}
	return finding.List{finding.New(finding.RouteUnbound, o.Ref(), "spec.selector",
		"it selects %v and the pods of gateway %q have %v", selector, g.Name, labels).WithValues(selector, g.Selector)}
}

// passthrough reports a server whose traffic a policy of hosts would deny whole.
func passthrough(o *resource.Object, path resource.Path, g *model.Gateway) finding.List {
	if !g.Profile.Enforces() || !g.HostPolicy {
		return nil
	}
	protocol := strings.ToUpper(resource.String(o.Content(), path.Child("port", "protocol")...))
	mode := strings.ToUpper(resource.String(o.Content(), path.Child("tls", "mode")...))
	opaque := protocol == "TCP" || protocol == "MONGO" || protocol == "MYSQL" || mode == "PASSTHROUGH" || mode == "AUTO_PASSTHROUGH" ||
		protocol == "TLS" // TCP inside, also when terminated
	if !opaque {
		return nil
	}
	return finding.List{finding.New(finding.GatewayPassthrough, o.Ref(), path.String(),
		"gateway %q is enforced and this server has no HTTP hosts to match (protocol %s, TLS mode %s)", g.Name, protocol, mode)}
}
