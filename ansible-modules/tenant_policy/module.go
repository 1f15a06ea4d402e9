// Package tenantpolicy is the module tenant_policy: the policies of workloads that
// tenants run.
package tenantpolicy

import (
	"context"
	"fmt"
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/internal/cluster"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/tenantpolicy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Module is tenant_policy.
var Module = ansible.Module{
	Name:    "tenant_policy",
	Summary: "Let the service gateway alone reach what tenants run",
	Description: []string{
		"Brings about one AuthorizationPolicy for each Deployment and InferenceService that the model's tenant groups select in a namespace: " +
			"the group's callers may reach the workload's port. It is the same in every profile.",
		"Each policy is the dependent of its workload (an ownerReference), so that it goes with it. " +
			"A run over a namespace also removes policies of this owner whose workload is gone.",
		"But for the ownerReference the objects are the same, byte for byte, as those that the function tenant-policy-generator makes of the same model in a GitOps build.",
	},
	Options: slices.Concat(
		[]ansible.Option{
			{
				Name: "namespace", Type: ansible.String,
				Description: []string{"The namespace to look at. The default is every namespace that the owner's tenant groups select."},
			},
			{
				Name: "name", Type: ansible.String,
				Description: []string{"The workload whose policy this task is about, in O(namespace). The default is all of them."},
			},
			{
				Name: "kind", Type: ansible.String, Default: "Deployment", Choices: []string{"Deployment", resource.InferenceService},
				Description: []string{"The kind of O(name)."},
			},
			ansible.StateOption,
		},
		ansible.InputOptions, ansible.WriteOptions, ansible.ConnectionOptions,
	),
	SeeAlso: []string{"ringfence.mesh.access_policies"},
	Examples: `- name: Give what a tenant runs its policies, and remove those of what is gone
  ringfence.mesh.tenant_policy:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    owner: tenants
    namespace: "{{ profile_namespace }}"

- name: Give one InferenceService its policy as soon as it is there
  ringfence.mesh.tenant_policy:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    owner: tenants
    namespace: "{{ profile_namespace }}"
    kind: InferenceService
    name: "{{ model_name }}"
`,
	Returns: ansible.WriteReturns,
	Run:     run,
}

func run(ctx context.Context, call *ansible.Call) (ansible.Result, error) {
	namespace := call.String("namespace")
	var only resource.Key
	if name := call.String("name"); name != "" {
		if namespace == "" {
			return ansible.Result{}, fmt.Errorf("name: %q is a workload of some namespace, and none is given; add namespace", name)
		}
		kind, _ := resource.PodKindNamed(call.String("kind"))
		only = resource.Key{Group: kind.Group, Kind: kind.Kind, Namespace: namespace, Name: name}
	}
	selection := cluster.Selection{Owner: call.String("owner"), Section: policy.SectionTenants, Namespace: namespace, Only: only}
	return call.Reconcile(ctx, ansible.Reconciliation{
		Task: func(request model.Request) (cluster.Task, string, error) {
			scope := derive.Scope{Platform: request.Platform, Owner: request.Owner}
			var groups int
			for range scope.MyTenants() {
				groups++
			}
			if groups == 0 {
				return cluster.Task{}, "", fmt.Errorf("owner: the model has no tenant group of owner %q", request.Owner.Name)
			}
			return cluster.Task{Scope: scope.TenantGroups(), Units: []policy.Unit{tenantpolicy.Plan}, Namespace: namespace, Only: only}, "", nil
		},
		Selection: selection,
		Labelled:  true,
	})
}
