// Package workloadidentity is the module workload_identity: who the pods of one
// workload or gateway are in the mesh.
package workloadidentity

import (
	"context"
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/internal/cluster"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
)

// Module is workload_identity.
var Module = ansible.Module{
	Name:    "workload_identity",
	Summary: "Give one workload or gateway its ServiceAccount and its sidecar",
	Description: []string{
		"Brings about what makes the pods of one entry of the model who they are in the mesh: the ServiceAccount, C(serviceAccountName) of the pod templates, " +
			"the subjects of the bindings that the model names, and the label C(sidecar.istio.io/inject) as far as the profile enrolls the workload.",
		"The ServiceAccount is made even before the Deployment is there, so that a role can run this first.",
		"A ServiceAccount inherits imagePullSecrets, and whether it mounts no token, from the one that the pods leave. None is ever removed by this module.",
		"In the profile V(open) the label goes; no policy is touched. Take the policies away first: see O(ringfence.mesh.access_policies#module:state).",
	},
	Options: slices.Concat(
		[]ansible.Option{
			{
				Name: "workload", Type: ansible.String,
				Description: []string{"The workload, by its name in the model. O(owner) must own it."},
			},
			{
				Name: "gateway", Type: ansible.String,
				Description: []string{"The gateway, by its name in the model. O(owner) must own it."},
			},
		},
		ansible.InputOptions, ansible.WriteOptions, ansible.WaitOptions, ansible.ConnectionOptions,
	),
	Rules: ansible.Rules{
		RequiredOneOf:     [][]string{{"workload", "gateway"}},
		MutuallyExclusive: [][]string{{"workload", "gateway"}},
	},
	SeeAlso: []string{"ringfence.mesh.access_policies", "ringfence.mesh.workload_policy"},
	Examples: `- name: Make the ServiceAccount before the Deployment that uses it
  ringfence.mesh.workload_identity:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    owner: mlflow-router
    gateway: istio-ingressgateway-mlflow

- name: Give a workload its identity and, as far as the profile goes, its sidecar
  ringfence.mesh.workload_identity:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    owner: waldur-deploy
    workload: waldur-api
`,
	Returns: ansible.WriteReturns,
	Run:     run,
}

func run(ctx context.Context, call *ansible.Call) (ansible.Result, error) {
	return call.Reconcile(ctx, ansible.Reconciliation{
		Task: func(request model.Request) (cluster.Task, string, error) {
			scope := derive.Scope{Platform: request.Platform, Owner: request.Owner}
			task := cluster.Task{Units: []policy.Unit{identity.Plan, enrollment.Plan}}
			if name := call.String("gateway"); name != "" {
				gateway, err := ansible.OwnGateway(scope, name)
				if err != nil {
					return task, "", err
				}
				task.Scope = scope.Gateway(name)
				if gateway.Absent {
					return task, "environment " + request.Platform.Environment + " doesn't have gateway " + name, nil
				}
				return task, "", nil
			}
			name := call.String("workload")
			workload, err := ansible.OwnWorkload(scope, name)
			if err != nil {
				return task, "", err
			}
			task.Scope = scope.Workload(name)
			if workload.Absent {
				return task, "environment " + request.Platform.Environment + " doesn't have workload " + name, nil
			}
			return task, "", nil
		},
	})
}
