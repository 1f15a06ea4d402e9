package tenantpolicy

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// workload is one tenant workload of the build.
type workload struct {
	group    *model.Tenant
	entry    model.TenantWorkload
	template *resource.PodTemplate
	// namespace is the Namespace object; nil when the build doesn't hold it.
	namespace *resource.Object
	// enroll says that we put it into the mesh.
	enroll bool
}

func (w *workload) isInferenceService() bool {
	return w.template.Kind.Kind == resource.InferenceService
}

// finder gathers the tenant workloads. It reads as few objects as it can: most
// of a build is in no tenant namespace.
type finder struct {
	in       policy.Input
	origin   policy.Origin
	claims   map[resource.Key]*workload // by policy
	warned   map[namespaceIn]bool
	out      found
	findings finding.List
}

// found is what tenants have in the build.
type found struct {
	workloads  []*workload
	namespaces map[string]bool
	// kept are policies of ours that nothing tells to remove.
	kept map[*resource.Object]bool
}

type namespaceIn struct{ group, namespace string }

func find(in policy.Input) (found, finding.List) {
	f := &finder{
		in: in, origin: policy.OriginOf(in.Scope), claims: map[resource.Key]*workload{}, warned: map[namespaceIn]bool{},
		out: found{namespaces: map[string]bool{}, kept: map[*resource.Object]bool{}},
	}
	for group := range in.MyTenants() {
		namespaces := f.namespaces(group)
		for _, entry := range group.Workloads {
			kind, _ := resource.PodKindNamed(entry.Kind) // the model holds known kinds alone
			for _, o := range in.Resources.Kind(kind.Group, kind.Kind) {
				name := o.Ref().Namespace
				if namespace := namespaces[name]; namespace != nil {
					f.take(group, entry, o, namespace)
				} else if in.Namespace(name) == nil {
					f.doubtful(group, entry, o)
				}
			}
		}
	}
	return f.out, f.findings
}

// labelNamespaceName is on every Namespace: the API server puts it there.
const labelNamespaceName = "kubernetes.io/metadata.name"

// namespaces returns the group's Namespace objects by name.
func (f *finder) namespaces(group *model.Tenant) map[string]*resource.Object {
	out := map[string]*resource.Object{}
	for _, o := range f.in.Resources.Kind("", "Namespace") {
		name := o.Ref().Name
		if !mentions(o, group.Namespaces) {
			continue
		}
		set := labels.Set(o.Labels())
		set[labelNamespaceName] = name
		if !group.Namespaces.Matches(set) {
			continue
		}
		if first := f.in.Namespace(name); first != o {
			f.findings.Add(finding.New(finding.ObjectDuplicate, o.Ref(), "", "it stands twice in this build, and its labels say that it is of tenant group %q", group.Name))
		}
		out[name] = o
		f.out.namespaces[name] = true
	}
	return out
}

// mentions reports false only if the selector can't match labels that stand in
// the object. It spares reading the object.
func mentions(o *resource.Object, selector labels.Selector) bool {
	requirements, _ := selector.Requirements()
	for _, r := range requirements {
		if r.Key() == labelNamespaceName {
			continue
		}
		switch r.Operator() {
		case selection.Exists:
			if !o.Mentions(r.Key()) {
				return false
			}
		case selection.Equals, selection.DoubleEquals, selection.In:
			if !o.Mentions(r.Key()) || !slices.ContainsFunc(r.ValuesUnsorted(), o.Mentions) {
				return false
			}
		default: // holds without the label, too
		}
	}
	return true
}

// take adds a workload of a tenant namespace if it is one of the entry's.
func (f *finder) take(group *model.Tenant, entry model.TenantWorkload, o, namespace *resource.Object) {
	t := o.PodTemplate()
	if t == nil || !entry.Selector.Matches(labels.Set(t.Labels)) || excluded(group, t) {
		return // what can't be read is kept as an error of the set
	}
	w := &workload{group: group, entry: entry, template: t, namespace: namespace, enroll: entry.Enroll && writes(f.in)}
	ref := o.Ref()
	key := policy.AuthorizationPolicyRef(ref.Namespace, policy.TenantPolicyName(ref.Name)).Key()
	if other := f.claims[key]; other != nil {
		f.findings.Add(clash(w, other))
		return
	}
	f.claims[key] = w
	f.out.workloads = append(f.out.workloads, w)
	f.out.namespaces[ref.Namespace] = true
}

// clash says why two workloads want one policy.
func clash(w, other *workload) finding.Finding {
	ref, otherRef := w.template.Object.Ref(), other.template.Object.Ref()
	switch {
	case w.template != other.template && ref.Key() == otherRef.Key():
		return finding.New(finding.ObjectDuplicate, ref, "", "it stands twice in this build")
	case w.template != other.template:
		return finding.New(finding.TenantPolicyClash, ref, "metadata.name", "%s wants the policy %q as well", otherRef, policy.TenantPolicyName(ref.Name))
	case w.group != other.group:
		return finding.New(finding.TenantPolicyClash, ref, "", "tenant groups %q and %q both give it a policy", other.group.Name, w.group.Name)
	default:
		return finding.New(finding.TenantPolicyClash, ref, "", "two entries of kind %s of tenant group %q select it", w.entry.Kind, w.group.Name)
	}
}

func excluded(group *model.Tenant, t *resource.PodTemplate) bool {
	ref := t.Object.Ref()
	is := func(wanted, got string) bool { return wanted == "" || wanted == got }
	for _, e := range group.Exclude {
		if is(e.Kind, ref.Kind) && is(e.Namespace, ref.Namespace) && is(e.Name, ref.Name) && e.Selector.Matches(labels.Set(t.Labels)) {
			return true
		}
	}
	return false
}

// doubtful looks at a workload whose Namespace object isn't in the build, so
// that nothing tells whether it is a tenant's. It gets no policy; but one that
// it has is kept up to date: taking it away would open the workload to
// everybody, or lock the gateway out.
func (f *finder) doubtful(group *model.Tenant, entry model.TenantWorkload, o *resource.Object) {
	at := namespaceIn{group.Name, o.Ref().Namespace}
	has, its := f.policyOf(group, o.Ref())
	// KServe adds labels that the object doesn't mention.
	unlike := entry.Kind != resource.InferenceService && !mentions(o, entry.Selector)
	if unlike || f.warned[at] && has == nil {
		return // one finding a namespace says it
	}
	t := o.PodTemplate()
	if t == nil || !entry.Selector.Matches(labels.Set(t.Labels)) || excluded(group, t) {
		return
	}
	if !f.warned[at] {
		f.warned[at] = true
		f.findings.Add(f.unknown(group, o.Ref()))
	}
	switch {
	case its:
		f.take(group, entry, o, nil)
	case has != nil:
		f.out.kept[has] = true // its own group brings it up to date, if that has the workload
	}
}

func (f *finder) unknown(group *model.Tenant, ref resource.Ref) finding.Finding {
	if ref.Namespace == "" {
		return finding.New(finding.TenantNamespace, ref, "metadata.namespace",
			"it looks like a workload of tenant group %q and names no namespace, so it gets no policy", group.Name).
			WithRemedy("set its namespace before this function runs")
	}
	return finding.New(finding.TenantNamespace, ref, "metadata.namespace",
		"it looks like a workload of tenant group %q; its namespace %q isn't in %s, so nothing tells: it gets no policy, and one that it has is kept", group.Name, ref.Namespace, f.in.Place())
}

// policyOf returns the policy of ours that a workload has, nil for none, and
// whether it is this group's, now or under a former name.
func (f *finder) policyOf(group *model.Tenant, ref resource.Ref) (o *resource.Object, its bool) {
	o = f.in.Resources.Get(policy.AuthorizationPolicyRef(ref.Namespace, policy.TenantPolicyName(ref.Name)))
	if o == nil || !f.origin.Made(o) {
		return nil, false
	}
	source := o.Annotations()[v1alpha1.AnnotationSource]
	if !strings.HasPrefix(source, policy.SectionTenants+"/") {
		return nil, false
	}
	return o, !slices.ContainsFunc(f.in.Tenants, func(other *model.Tenant) bool {
		return other != group && source == policy.SectionTenants+"/"+other.Name
	})
}
