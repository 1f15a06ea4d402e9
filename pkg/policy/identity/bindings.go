package identity

import (
	"fmt"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// binding is a RoleBinding or ClusterRoleBinding with the subjects that it is to have.
type binding struct {
	Subjects []resource.Subject `json:"subjects"`
}

func (b *binding) has(at account) bool {
	for _, s := range b.Subjects {
		if s.Kind == kindServiceAccount && s.Namespace == at.namespace && s.Name == at.name {
			return true
		}
	}
	return false
}

// place names where a binding was looked for.
func place(in policy.Input) string {
	if in.Cluster {
		return in.Place()
	}
	return fmt.Sprintf("%s of owner %q", in.Place(), in.Owner.Name)
}

// planBindings adds the entries' ServiceAccounts to the subjects of the bindings
// that the model names. Old subjects stay: other pods may still run as them.
func planBindings(in policy.Input, entries []entry) policy.Plan {
	var plan policy.Plan
	read := map[*resource.Object]*binding{} // one may be named by several entries
	for _, e := range entries {
		at := accountOf(e.identity.Principal)
		for _, ref := range e.bindings {
			o := in.Resources.Get(ref)
			if o == nil {
				plan.Findings.Add(finding.New(finding.IdentityBinding, ref, "", "the model's %s names it under roleBindingRefs and %s doesn't hold it", e.name, place(in)))
				continue
			}
			b := read[o]
			if b == nil {
				b = &binding{}
				read[o] = b
				for _, twin := range in.Resources.Duplicates(ref) {
					plan.Findings.Add(finding.New(finding.ObjectDuplicate, twin.Ref(), "", "it stands twice in this build"))
				}
				if !o.ReadInto(b) {
					continue // the set keeps the error, and so the run fails
				}
			}
			if b.has(at) {
				continue
			}
			plan.Set(o, resource.Path{"subjects", resource.Append},
				map[string]any{"kind": kindServiceAccount, "name": at.name, "namespace": at.namespace}, "identity of "+e.name)
			b.Subjects = append(b.Subjects, resource.Subject{Kind: kindServiceAccount, Namespace: at.namespace, Name: at.name})
		}
	}
	return plan
}
