// Package workloadpolicy is the module workload_policy: the policies of one destination.
package workloadpolicy

import (
	"context"
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/internal/cluster"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/workloadpolicy"
)

// Module is workload_policy.
var Module = ansible.Module{
	Name:    "workload_policy",
	Summary: "Let the model's callers alone reach one workload",
	Description: []string{
		"Brings about the AuthorizationPolicy and the STRICT PeerAuthentication of one destination: the callers' principals may reach its ports, and nobody else.",
		"Both are there in the profile V(enforced) and removed in the others. A caller that the model no longer has disappears from the policy.",
		"Before anything is enforced the live pods of the callers are looked at: each must have a proxy and run under the identity that the policy trusts.",
		"The objects are the same, byte for byte, as those that the function workload-policy-generator makes of the same model in a GitOps build.",
	},
	Options: slices.Concat(
		[]ansible.Option{
			{
				Name: "workload", Type: ansible.String, Required: true, Aliases: []string{"name"},
				Description: []string{"The destination, by its name in the model. O(owner) must own it."},
			},
			ansible.StateOption,
		},
		ansible.InputOptions, ansible.WriteOptions, ansible.WaitOptions, ansible.ConnectionOptions,
	),
	SeeAlso: []string{"ringfence.mesh.access_policies", "ringfence.mesh.workload_identity"},
	Examples: `- name: Enforce one destination first
  ringfence.mesh.workload_policy:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    owner: waldur-deploy
    workload: waldur-api

- name: Take its policies away at once
  ringfence.mesh.workload_policy:
    model: access-model.yaml
    owner: waldur-deploy
    workload: waldur-api
    state: absent
`,
	Returns: ansible.WriteReturns,
	Run:     run,
}

func run(ctx context.Context, call *ansible.Call) (ansible.Result, error) {
	name := call.String("workload")
	return call.Reconcile(ctx, ansible.Reconciliation{
		Task: func(request model.Request) (cluster.Task, string, error) {
			scope := derive.Scope{Platform: request.Platform, Owner: request.Owner}
			workload, err := ansible.OwnWorkload(scope, name)
			if err != nil {
				return cluster.Task{}, "", err
			}
			task := cluster.Task{Scope: scope.Workload(name), Units: []policy.Unit{workloadpolicy.Plan}}
			switch {
			case workload.Absent:
				return task, "environment " + request.Platform.Environment + " doesn't have workload " + name, nil
			case !workload.Protected:
				return task, "workload " + name + " has no callers in the model, so that it has no policy", nil
			}
			return task, "", nil
		},
		Selection: cluster.Selection{Owner: call.String("owner"), Section: policy.SectionWorkloads, Name: name},
	})
}
