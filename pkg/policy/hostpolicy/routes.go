package hostpolicy

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"

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
			plan.Findings.Add(in.Missing(route.Ref, "gateway "+g.Name))
		case o == nil:
		case !mine:
			for _, o := range in.Resources.Named(route.Ref) {
				plan.Findings.Add(compare(o, route, g)...)
			}
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
// A list that says the same already stays as it is, in its order and spelling. A
// wildcard is never new to it (DD-0025, section 3).
func setHosts(o *resource.Object, path resource.Path, hosts []model.Host, reason string, plan *policy.Plan) {
	current := resource.Strings(o.Content(), path...)
	parsed, prefixes := normalise(current)
	if len(parsed) == len(current) && sameHosts(parsed, hosts) {
		return
	}
	for _, host := range hosts {
		if host.IsWildcard() && !slices.Contains(parsed, host) {
			plan.Findings.Add(finding.New(finding.HostWildcard, o.Ref(), path.String(), "the model would put %q here, and it doesn't use that wildcard", host).WithValues(current, nil))
		}
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
	in := func(hosts []model.Host) func(model.Host) bool {
		return func(h model.Host) bool { return slices.Contains(hosts, h) }
	}
	return all(a, in(b)) && all(b, in(a))
}

func all[T any](list []T, holds func(T) bool) bool {
	return !slices.ContainsFunc(list, func(entry T) bool { return !holds(entry) })
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

// compare reports another owner's route that doesn't serve the model's hosts, or
// serves some that the policy denies. A wildcard there, such as Kubeflow's "*",
// serves ours too.
func compare(o *resource.Object, route model.Route, g *model.Gateway) finding.List {
	current := currentHosts(o, route)
	hosts, _ := normalise(current)
	if slices.ContainsFunc(current, func(s string) bool { return s == "*" || strings.HasSuffix(s, "/*") }) {
		return nil
	}
	served := func(h model.Host) bool {
		return slices.ContainsFunc(hosts, func(c model.Host) bool { return c.Covers(h) })
	}
	meant := func(c model.Host) bool {
		return slices.ContainsFunc(route.Hosts, func(h model.Host) bool { return h.Covers(c) || c.Covers(h) })
	}
	if all(route.Hosts, served) && all(hosts, meant) {
		return nil
	}
	return finding.List{finding.New(finding.HostMismatch, o.Ref(), hostsField(route.Ref.Kind),
		"owner %q serves %s for gateway %q and the model says %s", route.Owner, strings.Join(current, ", "), g.Name, strings.Join(names(route.Hosts), ", ")).WithValues(current, names(route.Hosts))}
}

// bound reports a Gateway whose selector isn't that of its gateway's pods: its
// servers, and with them the hosts, would be some other gateway's.
func bound(in policy.Input, g *model.Gateway, o *resource.Object) finding.List {
	if g.Selector == nil {
		return nil
	}
	selector := resource.StringMap(o.Content(), "spec", "selector")
	pods := policy.GatewayLabels(in, g, selector)
	if len(selector) == 0 || resource.Selects(selector, pods) {
		return nil // without a selector Istio attaches it to every gateway
	}
	if in.Resources.Get(policy.DeploymentRef(g.Namespace, g.Deployment)) == nil && !contradict(selector, pods) {
		return nil // its pods are rendered elsewhere and may have more labels than the model says
	}
	return finding.List{finding.New(finding.RouteUnbound, o.Ref(), "spec.selector",
		"it selects %s and the pods of gateway %q have %s", labels.Set(selector), g.Name, labels.Set(pods)).WithValues(selector, g.Selector)}
}

func contradict(selector, pods map[string]string) bool {
	for key, value := range selector {
		if got, known := pods[key]; known && got != value {
			return true
		}
	}
	return false
}

// passthrough reports a server whose traffic a policy of hosts would deny whole.
func passthrough(o *resource.Object, path resource.Path, g *model.Gateway) finding.List {
	if !g.Profile.Enforces() || !g.HostPolicy {
		return nil
	}
	protocol := strings.ToUpper(resource.String(o.Content(), path.Child("port", "protocol")...))
	mode := strings.ToUpper(resource.String(o.Content(), path.Child("tls", "mode")...))
	if slices.Contains(httpProtocols, protocol) && !strings.HasSuffix(mode, "PASSTHROUGH") {
		return nil
	}
	return finding.List{finding.New(finding.GatewayPassthrough, o.Ref(), path.String(),
		"gateway %q is enforced and this server has no HTTP hosts to match (protocol %q, TLS mode %q)", g.Name, protocol, mode)}
}

// httpProtocols are those in which the proxy of a Gateway sees requests. TLS is
// none, terminated or not: what is inside is TCP.
var httpProtocols = []string{"HTTP", "HTTPS", "HTTP2", "GRPC", "GRPC-WEB"}

func names(hosts []model.Host) []string {
	out := make([]string, 0, len(hosts))
	for _, host := range hosts {
		out = append(out, host.String())
	}
	return out
}
