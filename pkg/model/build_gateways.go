package model

import (
	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	hostPolicyGenerated = "Generated"
	hostPolicyNone      = "None"

	kindGateway        = "Gateway"
	kindVirtualService = "VirtualService"
)

func (b *builder) readGateways() {
	seen := map[string]bool{}
	if ns := b.model.spec.GatewayDefaults.Namespace; ns != "" {
		b.namespace("spec.gatewayDefaults.namespace", ns)
	}
	for i, wire := range b.model.spec.Gateways {
		path := index("spec.gateways", i)
		b.label(path+".name", wire.Name)
		if !b.unique(seen, path+".name", wire.Name) {
			continue
		}
		g := b.gateway(path, wire)
		b.gateways[g.Name] = g
		b.platform.Gateways = append(b.platform.Gateways, g)
	}
}

func (b *builder) gateway(path string, wire v1alpha1.Gateway) *Gateway {
	g := &Gateway{
		Name:       wire.Name,
		Namespace:  defaulted(wire.Namespace, defaulted(b.model.spec.GatewayDefaults.Namespace, "istio-system")),
		Owner:      wire.Owner,
		Deployment: defaulted(wire.DeploymentName, wire.Name),
		HostPolicy: wire.HostPolicy != hostPolicyNone,
	}
	g.Profile, g.Absent = b.rung(gatewaySection, g.Name)
	b.ownerRef(path+".owner", g.Owner)
	b.namespace(path+".namespace", g.Namespace)
	b.objectName(path+".deploymentName", wire.DeploymentName)
	oneOf(b.model.advise, path+".hostPolicy", defaulted(wire.HostPolicy, hostPolicyGenerated), hostPolicyGenerated, hostPolicyNone)
	g.Identity = b.identity(path, g.Namespace, wire.ServiceAccountName, wire.PreviousServiceAccountNames)
	b.gatewayTarget(path, wire, g)
	g.Hosts = b.hosts(path+".hostRefs", wire.HostRefs, g)
	if g.HostPolicy && len(wire.HostRefs) == 0 {
		b.model.advise(finding.InputMissing, path+".hostRefs", "name its hosts, or set hostPolicy: None where it is known as an identity alone",
			"it has a host policy and no host")
	}
	for j, n := range once(b.model.advise, path+".hostPorts", wire.HostPorts) {
		b.portNumber(index(path+".hostPorts", j), n, func(p Port) { g.HostPorts = append(g.HostPorts, p) })
	}
	by := entry{kind: "gateway", name: g.Name, owner: g.Owner, path: path, absent: g.Absent, caller: Caller{Gateway: g}}
	b.entries = append(b.entries, by)
	if g.HostPolicy {
		b.claim(path+".name", by, resource.Ref{APIVersion: securityV1, Kind: "AuthorizationPolicy", Namespace: g.Namespace, Name: g.Name})
	}
	b.claim(path+".deploymentName", by, podRef("Deployment", g.Namespace, g.Deployment))
	for j, route := range wire.Routes {
		g.Routes = append(g.Routes, b.route(index(path+".routes", j), by, wire, route))
	}
	return g
}

func (b *builder) gatewayTarget(path string, wire v1alpha1.Gateway, g *Gateway) {
	switch {
	case wire.TargetRef != nil && wire.Selector != nil:
		b.model.advise(finding.InputInvalidValue, path+".targetRef", "remove one of the two", "it stands beside a selector, which Istio then ignores")
	case wire.TargetRef != nil:
		oneOf(b.model.advise, path+".targetRef.kind", wire.TargetRef.Kind, kindGateway)
		b.requiredName(path+".targetRef.name", wire.TargetRef.Name)
		g.TargetRef = resource.Ref{APIVersion: gatewayAPIv1, Kind: kindGateway, Namespace: g.Namespace, Name: wire.TargetRef.Name}
	default:
		g.Selector = b.matchLabels(path+".selector", wire.Selector, g.Name)
	}
}

// hosts resolves the hostRefs of a gateway. A gateway that this environment doesn't have needs no hosts.
func (b *builder) hosts(path string, refs []string, g *Gateway) []Host {
	var hosts []Host
	seen := map[Host]bool{}
	for _, ref := range once(b.model.advise, path, refs) {
		b.usedDNS[ref] = b.usedDNS[ref] || !g.Absent
		found, defined := b.dns[ref]
		if g.Absent {
			continue
		}
		switch {
		case !defined:
			b.env.advise(finding.InputMissing, join("spec.dns", ref), "add it with the gateway's hosts, or list the gateway in spec.absent.gateways",
				"gateway %q needs this name, and the environment doesn't have it", g.Name)
		case len(found) == 0:
			b.env.report(finding.InputMissing, join("spec.dns", ref), "gateway %q needs a host, and the list is empty", g.Name)
		}
		for _, host := range found {
			if !seen[host] {
				seen[host] = true
				hosts = append(hosts, host)
			}
		}
	}
	return hosts
}

func (b *builder) route(path string, by entry, gateway v1alpha1.Gateway, wire v1alpha1.Route) Route {
	g := by.caller.Gateway
	r := Route{
		Ref:   resource.Ref{APIVersion: wire.APIVersion, Kind: wire.Kind, Namespace: wire.Namespace, Name: wire.Name},
		Owner: defaulted(wire.Owner, g.Owner),
		Hosts: g.Hosts,
	}
	if wire.Owner != "" {
		b.ownerRef(path+".owner", r.Owner)
	}
	oneOf(b.model.advise, path+".apiVersion", wire.APIVersion, "networking.istio.io/v1", "networking.istio.io/v1beta1", "networking.istio.io/v1alpha3")
	oneOf(b.model.advise, path+".kind", wire.Kind, kindGateway, kindVirtualService)
	b.namespace(path+".namespace", wire.Namespace)
	b.requiredName(path+".name", wire.Name)
	for j, server := range once(b.model.advise, path+".servers", wire.Servers) {
		if server == "" {
			b.model.advise(finding.InputInvalidValue, index(path+".servers", j), "write the name of a server's port", "it is empty")
		}
		r.Servers = append(r.Servers, server)
	}
	if len(wire.Servers) > 0 && wire.Kind != kindGateway {
		b.model.advise(finding.InputInvalidValue, path+".servers", "remove it", "only a Gateway has servers")
	}
	if len(wire.HostRefs) > 0 {
		r.Hosts = b.hosts(path+".hostRefs", b.narrowed(path+".hostRefs", wire.HostRefs, gateway.HostRefs), g)
	}
	b.claimRoute(path, by, r)
	return r
}

// narrowed returns the hostRefs of a route that are its gateway's.
func (b *builder) narrowed(path string, refs, gateway []string) []string {
	known := map[string]bool{}
	for _, ref := range gateway {
		known[ref] = true
	}
	var out []string
	for j, ref := range refs {
		if known[ref] {
			out = append(out, ref)
		} else {
			b.model.report(finding.InputUndefined, index(path, j), "%q is none of the gateway's hostRefs; %s", ref, hint{ref, gateway})
		}
	}
	return out
}

// routeClaim is an object that holds hosts, and which gateways' each of its servers holds; "" is all of them.
type routeClaim struct {
	owner   string
	by      entry
	servers map[string]bool
}

// claimRoute records that an object, or some of its servers, hold a gateway's
// hosts. What two gateways wrote would hold the hosts of the one that came last.
func (b *builder) claimRoute(path string, by entry, r Route) {
	claimed := b.routes[r.Ref.Key()]
	if claimed == nil {
		claimed = &routeClaim{r.Owner, by, map[string]bool{}}
		b.routes[r.Ref.Key()] = claimed
	}
	servers := r.Servers
	if len(servers) == 0 {
		servers = []string{""}
	}
	twice := claimed.servers[""] || servers[0] == "" && len(claimed.servers) > 0
	for _, server := range servers {
		twice = twice || claimed.servers[server]
		claimed.servers[server] = true
	}
	switch {
	case twice:
		b.model.advise(finding.OwnerConflict, path, "let one of the two have it, or narrow both to servers of their own", "%s holds the hosts of %s already", r.Ref, claimed.by)
	case claimed.owner != r.Owner:
		b.model.advise(finding.OwnerConflict, path+".owner", "write the object's one owner in both", "%s is of owner %q here, and of owner %q in %s", r.Ref, r.Owner, claimed.owner, claimed.by)
	}
}
