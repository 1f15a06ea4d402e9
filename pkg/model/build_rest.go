package model

import (
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// callers resolves the callers of workloads, which may name any workload.
func (b *builder) callers() {
	for i, wire := range b.model.spec.Workloads {
		w := b.workloads[wire.Name]
		if w == nil || wire.Callers == nil || w.Callers != nil {
			continue
		}
		w.Callers = b.callerList(index("spec.workloads", i)+".callers", *wire.Callers)
	}
}

func (b *builder) callerList(path string, wires []v1alpha1.Caller) []Caller {
	out := make([]Caller, 0, len(wires))
	for j, wire := range wires {
		caller, ok := b.caller(index(path, j), wire)
		switch {
		case !ok:
		case slices.ContainsFunc(out, func(c Caller) bool { return c == caller }):
			b.model.report(finding.InputDuplicateName, index(path, j), "%s is named already", caller)
		default:
			out = append(out, caller)
		}
	}
	return out
}

func (b *builder) caller(path string, wire v1alpha1.Caller) (Caller, bool) {
	set := 0
	for _, value := range []string{wire.Workload, wire.Gateway, wire.Principal} {
		if value != "" {
			set++
		}
	}
	switch {
	case set != 1:
		b.model.report(finding.InputInvalidValue, path, "it has %d of workload, gateway and principal: write one", set)
	case wire.Workload != "":
		if w := b.workloads[wire.Workload]; w != nil {
			return Caller{Workload: w}, true
		}
		b.model.report(finding.InputUndefined, path+".workload", "%q is none of spec.workloads", wire.Workload)
	case wire.Gateway != "":
		if g := b.gateways[wire.Gateway]; g != nil {
			return Caller{Gateway: g}, true
		}
		b.model.report(finding.InputUndefined, path+".gateway", "%q is none of spec.gateways", wire.Gateway)
	default:
		p, err := ParsePrincipal(wire.Principal)
		switch {
		case err != nil:
			b.model.report(finding.InputInvalidValue, path+".principal", "%q is no principal: %v", wire.Principal, err)
		case p.TrustDomain() != b.platform.Istio.TrustDomain:
			b.model.report(finding.InputInvalidValue, path+".principal", "%q isn't of the environment's trust domain %q",
				wire.Principal, b.platform.Istio.TrustDomain.Name())
		default:
			return Caller{Principal: p}, true
		}
	}
	return Caller{}, false
}

var envName = regexp.MustCompile(`^[-._a-zA-Z][-._a-zA-Z0-9]*$`)

func (b *builder) consumers() {
	seen := map[string]bool{}
	for i, wire := range b.model.spec.Consumers {
		path := index("spec.consumers", i)
		b.ownerRef(path+".owner", wire.Owner)
		b.podKind(path+".targetRef.kind", wire.TargetRef.Kind)
		b.namespace(b.model.report, path+".targetRef.namespace", wire.TargetRef.Namespace)
		b.objectName(path+".targetRef.name", wire.TargetRef.Name)
		if !envName.MatchString(wire.Env) {
			b.model.report(finding.InputInvalidValue, path+".env", "%q is no name of an environment variable", wire.Env)
		}
		c := &Consumer{
			Owner: wire.Owner, Container: wire.Container, Env: wire.Env,
			Target: podRef(wire.TargetRef.Kind, wire.TargetRef.Namespace, wire.TargetRef.Name),
		}
		if !b.unique(seen, path+".env", c.Target.String()+" "+c.Container+" "+c.Env) {
			continue
		}
		b.consumerValue(path+".valueFrom", wire.ValueFrom, c)
		b.platform.Consumers = append(b.platform.Consumers, c)
	}
}

func (b *builder) consumerValue(path string, wire v1alpha1.ConsumerSource, c *Consumer) {
	switch {
	case (wire.HostRef == "") == (wire.PrincipalOf == nil):
		b.model.report(finding.InputInvalidValue, path, "it has %s: write one of hostRef and principalOf", map[bool]string{true: "none", false: "both"}[wire.HostRef == ""])
	case wire.HostRef != "":
		b.usedDNS[wire.HostRef] = true
		c.Source = "host " + wire.HostRef
		hosts, defined := b.dns[wire.HostRef]
		switch {
		case len(hosts) == 1 && !hosts[0].IsWildcard():
			c.Value = hosts[0].String()
		case !defined && b.onlyAbsent(wire.HostRef): // there is nothing to point at here
		case !defined:
			b.env.report(finding.InputMissing, join("spec.dns", wire.HostRef), "%s of %s needs it (%s of %s) and the environment has no such name",
				c.Env, c.Target, path, b.model.object)
		default:
			b.env.report(finding.InputInvalidValue, join("spec.dns", wire.HostRef), "%s of %s needs exactly one host that is no wildcard; there are %d", c.Env, c.Target, len(b.env.spec.DNS[wire.HostRef]))
		}
	default:
		caller, ok := b.caller(path+".principalOf", v1alpha1.Caller{Workload: wire.PrincipalOf.Workload, Gateway: wire.PrincipalOf.Gateway})
		if !ok {
			return
		}
		c.Source = "principal of " + caller.String()
		if !caller.Absent() {
			c.Value = caller.Principals()[0].String()
		}
	}
}

// onlyAbsent reports whether gateways that serve a hostRef exist and this environment has none of them.
func (b *builder) onlyAbsent(ref string) bool {
	found := false
	for _, wire := range b.model.spec.Gateways {
		if g := b.gateways[wire.Name]; g != nil && slices.Contains(wire.HostRefs, ref) {
			if !g.Absent {
				return false
			}
			found = true
		}
	}
	return found
}

func (b *builder) retired() {
	for i, wire := range b.model.spec.Retired {
		path := index("spec.retired", i)
		ref := resource.Ref{APIVersion: wire.APIVersion, Kind: wire.Kind, Namespace: wire.Namespace, Name: wire.Name}
		if kind, ok := resource.PodKindNamed(wire.Kind); ok && ref.APIVersion == "" {
			ref.APIVersion = kind.APIVersion()
		}
		if ref.APIVersion == "" {
			b.model.report(finding.InputMissing, path+".apiVersion", "it is required for kind %q", wire.Kind)
		}
		b.objectName(path+".name", wire.Name)
		b.platform.Retired = append(b.platform.Retired, ref)
	}
}

func (b *builder) tenants() {
	seen := map[string]bool{}
	for i, wire := range b.model.spec.Tenants {
		path := index("spec.tenants", i)
		b.label(b.model.report, path+".name", wire.Name)
		if !b.unique(seen, path+".name", wire.Name) {
			continue
		}
		b.ownerRef(path+".owner", wire.Owner)
		t := &Tenant{
			Name: wire.Name, Owner: wire.Owner,
			Namespaces: b.selector(path+".namespaceSelector", wire.NamespaceSelector),
			Callers:    b.callerList(path+".callers", wire.Callers),
		}
		if t.Namespaces.Empty() {
			b.model.report(finding.InputInvalidValue, path+".namespaceSelector", "it is empty, so it would select every namespace")
		}
		kinds := map[string]bool{}
		for j, workload := range wire.Workloads {
			t.Workloads = append(t.Workloads, b.tenantWorkload(index(path+".workloads", j), workload, kinds))
		}
		for j, exclusion := range wire.Exclude {
			at := index(path+".exclude", j)
			if same(exclusion, v1alpha1.TenantExclusion{}) {
				b.model.report(finding.InputInvalidValue, at, "it is empty, so it would exclude every workload")
			}
			t.Exclude = append(t.Exclude, TenantExclusion{
				Kind: exclusion.Kind, Namespace: exclusion.Namespace, Name: exclusion.Name,
				Selector: b.selector(at+".selector", exclusion.Selector),
			})
		}
		b.platform.Tenants = append(b.platform.Tenants, t)
	}
}

func (b *builder) tenantWorkload(path string, wire v1alpha1.TenantWorkload, kinds map[string]bool) TenantWorkload {
	b.oneOf(b.model.report, path+".kind", wire.Kind, "Deployment", resource.InferenceService)
	w := TenantWorkload{Kind: wire.Kind, Selector: b.selector(path+".selector", wire.Selector), SelectorKeys: wire.SelectorKeys, Enroll: wire.Enroll}
	b.portNumber(path+".defaultPort", wire.DefaultPort, func(p Port) { w.DefaultPort = p })
	isService := wire.Kind == resource.InferenceService
	switch {
	case isService && len(wire.SelectorKeys) > 0:
		b.model.report(finding.InputInvalidValue, path+".selectorKeys", "an InferenceService's policy selects by the labels that KServe sets")
	case !isService && len(wire.SelectorKeys) == 0:
		b.model.report(finding.InputMissing, path+".selectorKeys", "without keys the policy would select every pod of the namespace")
	}
	if kinds[wire.Kind] && w.Selector.Empty() {
		b.model.report(finding.InputInvalidValue, path+".selector", "a second entry of kind %s needs a selector", wire.Kind)
	}
	kinds[wire.Kind] = true
	return w
}

// selector reads a LabelSelector as Kubernetes does; an empty one selects everything.
func (b *builder) selector(path string, wire v1alpha1.LabelSelector) labels.Selector {
	out := labels.NewSelector()
	add := func(path, key string, op selection.Operator, values []string) {
		requirement, err := labels.NewRequirement(key, op, values)
		if err != nil {
			b.model.report(finding.InputInvalidValue, path, "%v", err)
			return
		}
		out = out.Add(*requirement)
	}
	for key, value := range wire.MatchLabels {
		add(join(path+".matchLabels", key), key, selection.Equals, []string{value})
	}
	operators := map[string]selection.Operator{
		"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist,
	}
	for i, e := range wire.MatchExpressions {
		at := index(path+".matchExpressions", i)
		operator, ok := operators[e.Operator]
		if !ok {
			b.oneOf(b.model.report, at+".operator", e.Operator, "In", "NotIn", "Exists", "DoesNotExist")
			continue
		}
		add(at, e.Key, operator, e.Values)
	}
	return out
}

func (b *builder) labelPair(path, key, value string) {
	check(b.model.report, path, key, "label key", validation.IsQualifiedName)
	check(b.model.report, path, value, "label value", validation.IsValidLabelValue)
}
