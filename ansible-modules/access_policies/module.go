// Package accesspolicies is the module access_policies: everything that one owner
// has in a cluster.
package accesspolicies

import (
	"context"
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/internal/cluster"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
	"github.com/ringfence-dev/ringfence/pkg/policy/hostpolicy"
	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
	"github.com/ringfence-dev/ringfence/pkg/policy/tenantpolicy"
	"github.com/ringfence-dev/ringfence/pkg/policy/workloadpolicy"
)

// Module is access_policies.
var Module = ansible.Module{
	Name:    "access_policies",
	Summary: "Bring about everything that the model derives for one owner",
	Description: []string{
		"Applies an owner's whole set: ServiceAccounts, identities and sidecars of the pod templates, hosts of the routes, and the policies of gateways, workloads and tenants, " +
			"as far as the profile goes. Then it prunes what the owner no longer derives.",
		"Pruned is only what carries the labels of this owner and this model and was written by O(field_manager). Everything else, in the same namespace too, is left alone.",
		"On the way up identities and proxies come before the policies that trust them; on the way down the policies go before the sidecars, with O(propagation_delay) in between.",
		"With O(state=absent) the owner's policies go and nothing else: identities and sidecars stay, so that callers keep their principals. The sidecars go in the profile V(open).",
	},
	Options: slices.Concat(
		[]ansible.Option{ansible.StateOption},
		ansible.InputOptions, ansible.WriteOptions, ansible.WaitOptions, []ansible.Option{ansible.PropagationOption}, ansible.ConnectionOptions,
	),
	SeeAlso: []string{"ringfence.mesh.gateway_host_policy", "ringfence.mesh.workload_policy", "ringfence.mesh.tenant_policy"},
	Examples: `- name: Bring about what the monitoring role owns
  ringfence.mesh.access_policies:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    owner: monitoring

- name: Stop enforcing, in a hurry
  ringfence.mesh.access_policies:
    model: access-model.yaml
    owner: monitoring
    state: absent
`,
	Returns: ansible.WriteReturns,
	Run:     run,
}

// units are in the order in which the functions run.
var units = []policy.Unit{identity.Plan, hostpolicy.Plan, enrollment.Plan, workloadpolicy.Plan, tenantpolicy.Plan}

func run(ctx context.Context, call *ansible.Call) (ansible.Result, error) {
	return call.Reconcile(ctx, ansible.Reconciliation{
		Task: func(request model.Request) (cluster.Task, string, error) {
			return cluster.Task{Scope: derive.Scope{Platform: request.Platform, Owner: request.Owner}, Units: units, Prune: true}, "", nil
		},
		Selection: cluster.Selection{Owner: call.String("owner")},
		Labelled:  true, // tenants' policies are the same in every profile
	})
}
