package model

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// readCallers resolves the callers of workloads, which may name any workload.
func (b *builder) readCallers() {
	for i, wire := range b.model.spec.Workloads {
		w := b.workloads[wire.Name]
		if w == nil || wire.Callers == nil || w.Callers != nil {
			continue
		}
		w.Callers = b.callerList(edge{path: index("spec.workloads", i), to: quoted("workload", w.Name), workload: w}, *wire.Callers)
	}
}

// edge is one caller of a destination.
type edge struct {
	path     string
	to       string
	workload *Workload // the destination; nil where it is a group of tenants
	caller   Caller
}

// callerList reads the callers of a destination.
func (b *builder) callerList(of edge, wires []v1alpha1.Caller) []Caller {
	out := make([]Caller, 0, len(wires))
	seen := map[Caller]bool{}
	for j, wire := range wires {
		at := index(of.path+".callers", j)
		if !exactlyOne(b.model.advise, at, "workload", wire.Workload, "gateway", wire.Gateway, "principal", wire.Principal) {
			continue
		}
		caller, ok := b.caller(at, wire)
		switch {
		case !ok:
		case seen[caller]:
			b.model.advise(finding.InputDuplicateName, at, "remove it", "%s is named already", caller)
		default:
			seen[caller] = true
			out = append(out, caller)
			b.edges = append(b.edges, edge{at, of.to, of.workload, caller})
		}
	}
	return out
}

// caller resolves a caller that has one field.
func (b *builder) caller(path string, wire v1alpha1.Caller) (Caller, bool) {
	switch {
	case wire.Workload != "":
		w := b.workloads[wire.Workload]
		if w == nil {
			b.undefined(b.model.advise, path+".workload", wire.Workload, workloadSection)
		}
		return Caller{Workload: w}, w != nil
	case wire.Gateway != "":
		g := b.gateways[wire.Gateway]
		if g == nil {
			b.undefined(b.model.advise, path+".gateway", wire.Gateway, gatewaySection)
		}
		return Caller{Gateway: g}, g != nil
	}
	p, err := ParsePrincipal(wire.Principal)
	switch {
	case err != nil:
		b.model.report(finding.InputInvalidValue, path+".principal", "%q is no principal: %v", wire.Principal, err)
	case p.TrustDomain() != b.platform.Istio.TrustDomain:
		b.model.report(finding.InputInvalidValue, path+".principal", "%q is of trust domain %q, and the environment's is %q",
			wire.Principal, p.TrustDomain().Name(), b.platform.Istio.TrustDomain.Name())
	default:
		return Caller{Principal: p}, true
	}
	return Caller{}, false
}

var envName = regexp.MustCompile(`^[-._a-zA-Z][-._a-zA-Z0-9]*$`)

// variable is an environment variable of an object.
type variable struct {
	target resource.Ref
	env    string
}

func (b *builder) readConsumers() {
	seen := map[variable]map[string]bool{} // by container; "" is all that have it
	for i, wire := range b.model.spec.Consumers {
		path := index("spec.consumers", i)
		c := &Consumer{
			Owner: wire.Owner, Container: wire.Container, Env: wire.Env,
			Target: podRef(wire.TargetRef.Kind, wire.TargetRef.Namespace, wire.TargetRef.Name),
		}
		b.ownerRef(path+".owner", wire.Owner)
		b.podKind(path+".targetRef.kind", wire.TargetRef.Kind)
		b.namespace(path+".targetRef.namespace", wire.TargetRef.Namespace)
		b.requiredName(path+".targetRef.name", wire.TargetRef.Name)
		if version := wire.TargetRef.APIVersion; version != "" {
			oneOf(b.model.advise, path+".targetRef.apiVersion", version, c.Target.APIVersion)
		}
		if wire.Container != "" {
			b.check(path+".container", wire.Container, "container name", validation.IsDNS1123Label)
		}
		if !envName.MatchString(wire.Env) {
			b.model.report(finding.InputInvalidValue, path+".env", "%q is no name of an environment variable", wire.Env)
		}
		id := variable{c.Target, c.Env}
		if in := seen[id]; in[""] || in[c.Container] || c.Container == "" && len(in) > 0 {
			b.model.advise(finding.InputDuplicateName, path+".env", "remove one of the two, or name a container in both", "an earlier consumer writes %s of %s", c.Env, c.Target)
			continue
		}
		if seen[id] == nil {
			seen[id] = map[string]bool{}
		}
		seen[id][c.Container] = true
		b.consumerTarget(path, wire.ValueFrom, c)
		b.platform.Consumers = append(b.platform.Consumers, c)
	}
}

// consumerTarget compares a consumer with the entry whose pods its target has, and gives it its value.
func (b *builder) consumerTarget(path string, wire v1alpha1.ConsumerSource, c *Consumer) {
	by, claimed := b.claims[c.Target.Key()]
	if claimed && by.owner != c.Owner {
		b.model.advise(finding.OwnerConflict, path+".owner", "write the one owner of the object in both",
			"%s is of owner %q by %s, and of owner %q here", c.Target, by.owner, by, c.Owner)
	}
	value := b.consumerValue(path+".valueFrom", wire, c, by.absent)
	if !by.absent {
		c.Value = value
	}
}

// consumerValue returns what a consumer gets. An absent one, whose object this
// environment doesn't have, needs no host.
func (b *builder) consumerValue(path string, wire v1alpha1.ConsumerSource, c *Consumer, absent bool) string {
	principalOf := ""
	if wire.PrincipalOf != nil {
		principalOf = "given"
	}
	if !exactlyOne(b.model.advise, path, "hostRef", wire.HostRef, "principalOf", principalOf) {
		return ""
	}
	if wire.HostRef != "" {
		return b.consumerHost(wire.HostRef, c, absent)
	}
	path += ".principalOf"
	of := v1alpha1.Caller{Workload: wire.PrincipalOf.Workload, Gateway: wire.PrincipalOf.Gateway}
	if !exactlyOne(b.model.advise, path, "workload", of.Workload, "gateway", of.Gateway) {
		return ""
	}
	source, ok := b.caller(path, of)
	if !ok {
		return ""
	}
	c.Source = "principal of " + source.String()
	if source.Absent() {
		return ""
	}
	return source.Principals()[0].String()
}

func (b *builder) consumerHost(ref string, c *Consumer, absent bool) string {
	needed, served := b.usedDNS[ref]
	if !served {
		b.usedDNS[ref] = !absent
	}
	c.Source = "host " + ref
	hosts := b.dns[ref]
	switch {
	case absent:
	case len(hosts) == 1 && !hosts[0].IsWildcard():
		return hosts[0].String()
	case len(hosts) > 0:
		b.env.advise(finding.InputInvalidValue, join("spec.dns", ref), "give it one, or let the consumer name another hostRef",
			"%s of %s needs exactly one host that is no wildcard, and gets %v", c.Env, c.Target, hosts)
	case needed || !served: // else its gateways are absent, and there is nothing to point at here
		b.env.advise(finding.InputMissing, join("spec.dns", ref), "add it with one host", "%s of %s needs a host of this name, and the environment has none", c.Env, c.Target)
	}
	return ""
}

func (b *builder) readRetired() {
	for i, wire := range b.model.spec.Retired {
		path := index("spec.retired", i)
		ref := resource.Ref{APIVersion: wire.APIVersion, Kind: wire.Kind, Namespace: wire.Namespace, Name: wire.Name}
		if kind, ok := resource.PodKindNamed(wire.Kind); ok && ref.APIVersion == "" {
			ref.APIVersion = kind.APIVersion()
		}
		if ref.Kind == "" {
			b.model.advise(finding.InputInvalidValue, path+".kind", writeValue, "it is empty")
		}
		if ref.APIVersion == "" {
			b.model.report(finding.InputMissing, path+".apiVersion", "it is required for kind %q", wire.Kind)
		}
		if ref.Namespace != "" {
			b.namespace(path+".namespace", ref.Namespace)
		}
		b.pathName(path+".name", wire.Name)
		if by, claimed := b.claims[ref.Key()]; claimed {
			b.model.advise(finding.OwnerConflict, path, "remove it from one of the two", "%s is retired here, and belongs to %s", ref, by)
		}
		b.platform.Retired = append(b.platform.Retired, ref)
	}
}
