// Package gatewayhostpolicy is the module gateway_host_policy: one gateway's whole
// change, in the order in which it can be made while requests come in.
package gatewayhostpolicy

import (
	"context"
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/internal/cluster"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/hostpolicy"
	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
)

// Module is gateway_host_policy.
var Module = ansible.Module{
	Name:    "gateway_host_policy",
	Summary: "Give one ingress gateway its identity, its hosts and its host policy",
	Description: []string{
		"Brings about what the access model derives for one gateway, in this order: its ServiceAccount, C(serviceAccountName) of its Deployment, the rollout, " +
			"the hosts of its Gateway and VirtualService objects, and last the AuthorizationPolicy that admits requests for these hosts alone.",
		"The policy is there in the profile V(enforced) and removed in the others; ServiceAccount and hosts are the same in all of them.",
		"Hosts are written into the objects as they are: other servers, routes and fields stay.",
		"The objects are the same, byte for byte, as those that the function host-policy-generator makes of the same model in a GitOps build.",
	},
	Options: slices.Concat(
		[]ansible.Option{
			{
				Name: "gateway", Type: ansible.String, Required: true, Aliases: []string{"name"},
				Description: []string{"The gateway, by its name in the model. O(owner) must own it."},
			},
			{
				Name: "enabled", Type: ansible.Bool, Default: true,
				Description: []string{
					"Whether the role deploys this gateway here. If it doesn't, the policy is removed and nothing else is done; then the gateway may lack a host.",
				},
			},
			ansible.StateOption,
		},
		ansible.InputOptions, ansible.WriteOptions, ansible.WaitOptions, ansible.ConnectionOptions,
	),
	SeeAlso: []string{"ringfence.mesh.access_policies", "ringfence.mesh.gateway_probe"},
	Examples: `- name: Give the registry's gateway its host policy, as far as the profile goes
  ringfence.mesh.gateway_host_policy:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    owner: image-registry
    gateway: istio-ingressgateway-image-cache

- name: The same, from the variables of the inventory
  ringfence.mesh.gateway_host_policy:
    model: access-model.yaml
    security_profile: "{{ security_profile }}"
    dns: "{{ dns }}"
    owner: image-registry
    gateway: istio-ingressgateway-image-cache
    enabled: "{{ registry_gateway_enabled }}"

- name: Take the policy away at once, whatever the model says
  ringfence.mesh.gateway_host_policy:
    model: access-model.yaml
    owner: image-registry
    gateway: istio-ingressgateway-image-cache
    state: absent
`,
	Returns: ansible.WriteReturns,
	Run:     run,
}

func run(ctx context.Context, call *ansible.Call) (ansible.Result, error) {
	name := call.String("gateway")
	r := ansible.Reconciliation{
		Task: func(request model.Request) (cluster.Task, string, error) {
			scope := derive.Scope{Platform: request.Platform, Owner: request.Owner}
			gateway, err := ansible.OwnGateway(scope, name)
			if err != nil {
				return cluster.Task{}, "", err
			}
			task := cluster.Task{Scope: scope.Gateway(name), Units: []policy.Unit{identity.Plan, hostpolicy.Plan}}
			if gateway.Absent {
				return task, "environment " + request.Platform.Environment + " doesn't have gateway " + name, nil
			}
			return task, "", nil
		},
		Selection: cluster.Selection{Owner: call.String("owner"), Section: policy.SectionGateways, Name: name},
	}
	if !call.Bool("enabled") {
		r.Disabled = "gateway " + name + " is disabled"
	}
	return call.Reconcile(ctx, r)
}
