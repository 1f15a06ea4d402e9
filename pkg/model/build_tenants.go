package model

import (
	"iter"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

func (b *builder) readTenants() {
	seen := map[string]bool{}
	taken := map[tenantKind]map[string]string{}
	for i, wire := range b.model.spec.Tenants {
		path := index("spec.tenants", i)
		b.label(path+".name", wire.Name)
		if !b.unique(seen, path+".name", wire.Name) {
			continue
		}
		b.ownerRef(path+".owner", wire.Owner)
		t := &Tenant{
			Name: wire.Name, Owner: wire.Owner,
			Namespaces: b.selector(path+".namespaceSelector", wire.NamespaceSelector),
			Callers:    b.callerList(edge{path: path, to: quoted("tenant", wire.Name)}, wire.Callers),
		}
		if t.Namespaces.Empty() {
			b.model.advise(finding.InputInvalidValue, path+".namespaceSelector", writeLabels, "it is empty, so it would select every namespace")
		}
		if len(wire.Workloads) == 0 {
			b.model.advise(finding.InputMissing, path+".workloads", "list the kinds of workload, or remove the group", "it is empty, so that nothing in these namespaces would get a policy")
		}
		for j, workload := range wire.Workloads {
			at := index(path+".workloads", j)
			w := b.tenantWorkload(at, workload)
			b.apart(at, t, w, taken)
			t.Workloads = append(t.Workloads, w)
		}
		for j, exclusion := range wire.Exclude {
			t.Exclude = append(t.Exclude, b.exclusion(index(path+".exclude", j), exclusion))
		}
		b.platform.Tenants = append(b.platform.Tenants, t)
	}
}

func (b *builder) tenantWorkload(path string, wire v1alpha1.TenantWorkload) TenantWorkload {
	oneOf(b.model.advise, path+".kind", wire.Kind, "Deployment", resource.InferenceService)
	w := TenantWorkload{Kind: wire.Kind, Selector: b.selector(path+".selector", wire.Selector), Enroll: wire.Enroll}
	for k, key := range once(b.model.advise, path+".selectorKeys", wire.SelectorKeys) {
		b.check(index(path+".selectorKeys", k), key, "label key", validation.IsQualifiedName)
		w.SelectorKeys = append(w.SelectorKeys, key)
	}
	b.portNumber(path+".defaultPort", wire.DefaultPort, func(p Port) { w.DefaultPort = p })
	isService := wire.Kind == resource.InferenceService
	switch {
	case isService && len(wire.SelectorKeys) > 0:
		b.model.advise(finding.InputInvalidValue, path+".selectorKeys", "remove it", "the policy of an InferenceService selects by the labels that KServe sets")
	case !isService && len(wire.SelectorKeys) == 0:
		b.model.advise(finding.InputMissing, path+".selectorKeys", "name the labels that tell its pods apart", "without keys the policy would select every pod of the namespace")
	}
	return w
}

// tenantKind is a kind of workload in the namespaces of a group.
type tenantKind struct{ namespaces, kind string }

// apart reports two entries for the same workloads: which one's callers and
// ports would hold is no one's to say. Selectors that differ may still overlap;
// that is seen where the workloads are.
func (b *builder) apart(path string, t *Tenant, w TenantWorkload, taken map[tenantKind]map[string]string) {
	kind, mine := tenantKind{t.Namespaces.String(), w.Kind}, w.Selector.String()
	others := taken[kind] // group by selector; "" selects all
	if others == nil {
		others = map[string]string{}
		taken[kind] = others
	}
	group, twice := others[mine]
	if !twice {
		group, twice = others[""]
	}
	if !twice && mine == "" && len(others) > 0 {
		group, twice = slices.Min(slices.Collect(maps.Values(others))), true
	}
	if twice {
		b.model.advise(finding.InputDuplicateName, path+".selector", "tell the two selectors apart, or remove one of the entries",
			"an earlier entry for kind %s in these namespaces, of %s, selects the same ones", w.Kind, quoted("tenant", group))
	}
	others[mine] = t.Name
}

func (b *builder) exclusion(path string, wire v1alpha1.TenantExclusion) TenantExclusion {
	e := TenantExclusion{Kind: wire.Kind, Namespace: wire.Namespace, Name: wire.Name, Selector: b.selector(path+".selector", wire.Selector)}
	if e.Kind != "" {
		oneOf(b.model.advise, path+".kind", e.Kind, "Deployment", resource.InferenceService)
	}
	if e.Namespace != "" {
		b.namespace(path+".namespace", e.Namespace)
	}
	b.objectName(path+".name", e.Name)
	if e.Kind == "" && e.Namespace == "" && e.Name == "" && e.Selector.Empty() {
		b.model.advise(finding.InputInvalidValue, path, "say what to exclude, or remove the entry", "it is empty, so it would exclude every workload")
	}
	return e
}

// selector reads a LabelSelector as Kubernetes does; an empty one selects everything.
func (b *builder) selector(path string, wire v1alpha1.LabelSelector) labels.Selector {
	var requirements []labels.Requirement
	add := func(path, key string, operator selection.Operator, values []string) {
		b.check(path, key, "label key", validation.IsQualifiedName)
		for _, value := range values {
			b.check(path, value, "label value", validation.IsValidLabelValue)
		}
		if requirement, err := labels.NewRequirement(key, operator, values); err == nil {
			requirements = append(requirements, *requirement)
		}
	}
	for key, value := range sorted(wire.MatchLabels) {
		add(join(path+".matchLabels", key), key, selection.Equals, []string{value})
	}
	for i, e := range wire.MatchExpressions {
		at := index(path+".matchExpressions", i)
		operator, known := map[string]selection.Operator{
			"In": selection.In, "NotIn": selection.NotIn, "Exists": selection.Exists, "DoesNotExist": selection.DoesNotExist,
		}[e.Operator]
		needsValues := operator == selection.In || operator == selection.NotIn
		switch {
		case !known:
			oneOf(b.model.advise, at+".operator", e.Operator, "In", "NotIn", "Exists", "DoesNotExist")
		case needsValues && len(e.Values) == 0:
			b.model.advise(finding.InputMissing, at+".values", "add them", "the operator %s needs values", e.Operator)
		case !needsValues && len(e.Values) > 0:
			b.model.advise(finding.InputInvalidValue, at+".values", "remove them", "the operator %s takes no values", e.Operator)
		default:
			add(at, e.Key, operator, e.Values)
		}
	}
	return labels.NewSelector().Add(requirements...)
}

// sorted yields the entries of a mapping by their keys.
func sorted(m map[string]string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
