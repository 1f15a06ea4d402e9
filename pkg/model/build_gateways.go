package model

import (
	"slices"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	hostPolicyGenerated = "Generated"
	hostPolicyNone      = "None"
)

func (b *builder) gatewaySection() {
	seen := map[string]bool{}
	if ns := b.model.spec.GatewayDefaults.Namespace; ns != "" {
		b.namespace(b.model.report, "spec.gatewayDefaults.namespace", ns)
	}
	for i, wire := range b.model.spec.Gateways {
		path := index("spec.gateways", i)
		b.label(b.model.report, path+".name", wire.Name)
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
	g.Profile, g.Absent = b.rung("gateways", g.Name)
	b.ownerRef(path+".owner", g.Owner)
	b.namespace(b.model.report, path+".namespace", g.Namespace)
	b.objectName(path+".deploymentName", g.Deployment)
	b.oneOf(b.model.report, path+".hostPolicy", defaulted(wire.HostPolicy, hostPolicyGenerated), hostPolicyGenerated, hostPolicyNone)
	g.Identity = b.identity(path, g.Namespace, wire.ServiceAccountName, wire.PreviousServiceAccountNames)
	b.gatewayTarget(path, wire, g)
	g.Hosts = b.hosts(path+".hostRefs", wire.HostRefs, g)
	if g.HostPolicy && len(wire.HostRefs) == 0 {
		b.model.report(finding.InputMissing, path+".hostRefs", "gateway %q has a host policy and no host", g.Name)
	}
	for j, n := range wire.HostPorts {
		b.portNumber(index(path+".hostPorts", j), n, func(p Port) { g.HostPorts = append(g.HostPorts, p) })
	}
	if g.HostPolicy && g.TargetRef.IsZero() {
		b.claim(path+".name", "gateways/"+g.Name, resource.Ref{APIVersion: securityV1, Kind: "AuthorizationPolicy", Namespace: g.Namespace, Name: g.Name})
	}
	b.claim(path+".deploymentName", "gateways/"+g.Name, podRef("Deployment", g.Namespace, g.Deployment))
	for j, route := range wire.Routes {
		b.route(index(path+".routes", j), wire, route, g)
	}
	return g
}

func (b *builder) gatewayTarget(path string, wire v1alpha1.Gateway, g *Gateway) {
	switch {
	case wire.TargetRef != nil && wire.Selector != nil:
		b.model.report(finding.InputInvalidValue, path+".targetRef", "it excludes selector: Istio ignores a policy's selector beside a targetRef")
	case wire.TargetRef != nil:
		b.oneOf(b.model.report, path+".targetRef.kind", wire.TargetRef.Kind, "Gateway")
		b.objectName(path+".targetRef.name", wire.TargetRef.Name)
		g.TargetRef = resource.Ref{APIVersion: gatewayAPIv1, Kind: "Gateway", Namespace: g.Namespace, Name: wire.TargetRef.Name}
	default:
		g.Selector = b.matchLabels(path+".selector", wire.Selector, g.Name)
	}
}

// hosts resolves the hostRefs of a gateway. A gateway that this environment doesn't have needs no hosts.
func (b *builder) hosts(path string, refs []string, g *Gateway) []Host {
	var hosts []Host
	for i, ref := range refs {
		b.usedDNS[ref] = true
		found, defined := b.dns[ref]
		if g.Absent {
			continue
		}
		switch {
		case !defined:
			b.env.report(finding.InputMissing, join("spec.dns", ref), "gateway %q needs it (%s of %s) and the environment has no such name",
				g.Name, index(path, i), b.model.object)
		case len(b.env.spec.DNS[ref]) == 0:
			b.env.report(finding.InputMissing, join("spec.dns", ref), "gateway %q needs a host and the list is empty", g.Name)
		}
		for _, host := range found {
			if !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		}
	}
	return hosts
}

func (b *builder) route(path string, gateway v1alpha1.Gateway, wire v1alpha1.Route, g *Gateway) {
	r := Route{
		Ref:     resource.Ref{APIVersion: wire.APIVersion, Kind: wire.Kind, Namespace: wire.Namespace, Name: wire.Name},
		Owner:   defaulted(wire.Owner, g.Owner),
		Servers: wire.Servers,
		Hosts:   g.Hosts,
	}
	b.ownerRef(path+".owner", r.Owner)
	b.oneOf(b.model.report, path+".kind", wire.Kind, "Gateway", "VirtualService")
	if r.Ref.Group() != "networking.istio.io" {
		b.model.report(finding.InputInvalidValue, path+".apiVersion", "%q isn't Istio's: write networking.istio.io/v1", wire.APIVersion)
	}
	b.namespace(b.model.report, path+".namespace", wire.Namespace)
	b.objectName(path+".name", wire.Name)
	if len(wire.Servers) > 0 && wire.Kind != "Gateway" {
		b.model.report(finding.InputInvalidValue, path+".servers", "only a Gateway has servers")
	}
	if len(wire.HostRefs) > 0 {
		for j, ref := range wire.HostRefs {
			if !slices.Contains(gateway.HostRefs, ref) {
				b.model.report(finding.InputUndefined, index(path+".hostRefs", j), "%q is none of the gateway's hostRefs", ref)
			}
		}
		r.Hosts = b.hosts(path+".hostRefs", wire.HostRefs, g)
	}
	source := "gateways/" + g.Name
	if len(wire.Servers) == 0 {
		b.claim(path, source, r.Ref)
	}
	for j, server := range wire.Servers {
		ref := r.Ref
		ref.Name += " server " + server
		b.claim(index(path+".servers", j), source, ref)
	}
	g.Routes = append(g.Routes, r)
}

// matchLabels reads a workload selector; without one, pods are selected by their app label.
func (b *builder) matchLabels(path string, wire *v1alpha1.MatchLabels, name string) map[string]string {
	if wire == nil {
		return map[string]string{"app": name}
	}
	if len(wire.MatchLabels) == 0 {
		b.model.report(finding.InputInvalidValue, path+".matchLabels", "it is empty, so it would select every pod of the namespace")
	}
	for key, value := range wire.MatchLabels {
		b.labelPair(join(path+".matchLabels", key), key, value)
	}
	return wire.MatchLabels
}
