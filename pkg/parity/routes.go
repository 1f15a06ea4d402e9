package parity

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const kindGateway = "Gateway"

// route compares the hosts of a Gateway or a VirtualService.
func (c *checker) route(g *model.Gateway, route model.Route) {
	for _, o := range c.objects(route.Ref, "gateway "+g.Name) {
		c.checked.Routes++
		if route.Ref.Kind != kindGateway {
			c.hosts(o, resource.Path{"spec", "hosts"}, g, route)
			continue
		}
		found := map[string]bool{}
		servers := resource.Path{"spec", "servers"}
		for i := range resource.List(o.Content(), servers...) {
			path := servers.Index(i)
			name := resource.String(o.Content(), path.Child("port", "name")...)
			if len(route.Servers) == 0 || slices.Contains(route.Servers, name) {
				found[name] = true
				c.hosts(o, path.Child("hosts"), g, route)
			}
		}
		for _, name := range route.Servers {
			if !found[name] {
				c.report(o, finding.New(finding.ParityHost, resource.Ref{}, servers.String(),
					"it has no server of the port name %q, and the inventory gives that %s for gateway %q", name, listed(hostNames(route.Hosts)), g.Name).
					WithValues(nil, hostNames(route.Hosts)))
			}
		}
		if len(found) == 0 && len(route.Servers) == 0 {
			c.report(o, finding.New(finding.ParityHost, resource.Ref{}, servers.String(),
				"it has no servers, and the inventory gives gateway %q %s", g.Name, listed(hostNames(route.Hosts))).WithValues(nil, hostNames(route.Hosts)))
		}
	}
}

// hosts compares one list of hosts. The namespace before a Gateway's host is no part of it.
func (c *checker) hosts(o *resource.Object, path resource.Path, g *model.Gateway, route model.Route) {
	current := resource.Strings(o.Content(), path...)
	names := make([]string, 0, len(current))
	for _, host := range current {
		if _, name, prefixed := strings.Cut(host, "/"); prefixed && route.Ref.Kind == kindGateway {
			host = name
		}
		names = append(names, host)
	}
	if !sameHosts(names, route.Hosts) {
		c.report(o, finding.New(finding.ParityHost, resource.Ref{}, path.String(),
			"it serves %s, and the inventory gives gateway %q %s", listed(current), g.Name, listed(hostNames(route.Hosts))).
			WithValues(current, hostNames(route.Hosts)))
	}
}

// sameHosts reports whether names are those of the hosts, in whatever order and spelling.
func sameHosts(names []string, hosts []model.Host) bool {
	found := map[model.Host]bool{}
	for _, name := range names {
		host, err := model.ParseHost(name)
		if err != nil || !slices.Contains(hosts, host) {
			return false
		}
		found[host] = true
	}
	return len(found) == len(hosts)
}

func hostNames(hosts []model.Host) []string {
	out := make([]string, 0, len(hosts))
	for _, host := range hosts {
		out = append(out, host.String())
	}
	return out
}

func listed(names []string) string {
	if len(names) == 0 {
		return "no host"
	}
	return strings.Join(names, ", ")
}
