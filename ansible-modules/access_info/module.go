// Package accessinfo is the module access_info: what the model derives, as data
// for the templates of roles.
package accessinfo

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// Module is access_info.
var Module = ansible.Module{
	Name:    "access_info",
	Summary: "Derive hosts, principals, edges and ServiceAccounts from the access model",
	Description: []string{
		"Returns what the access model derives in an environment: the hosts and the principal of each gateway, who may call whom, and which ServiceAccounts there are. " +
			"Roles use it in their templates in place of copies of these values.",
		"It needs no cluster and changes nothing.",
	},
	Options: ansible.UnionOptions("Return only what this owner has. The default is every owner."),
	SeeAlso: []string{"ringfence.mesh.access_policies"},
	Examples: `- name: Derive everything once
  ringfence.mesh.access_info:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
  register: access
  run_once: true

- name: Use a host and a principal in a template of the role
  ansible.builtin.template:
    src: gateway.yaml.j2  # hosts: {{ access.gateways['istio-ingressgateway-mlflow'].hosts | to_json }}
    dest: /etc/kubernetes/gateway.yaml
    mode: "0644"

- name: Name who may call a workload
  ansible.builtin.debug:
    msg: "{{ access.edges | selectattr('to', 'eq', 'web') | map(attribute='principals') | flatten }}"
`,
	Returns:  returns,
	ReadOnly: true,
	Run:      run,
}

func run(_ context.Context, call *ansible.Call) (ansible.Result, error) {
	platform, findings := call.Platform()
	result, err := call.Report(findings)
	if err != nil {
		return result, err
	}
	owner := call.String("owner")
	if _, known := platform.Owner(owner); owner != "" && !known {
		return result, fmt.Errorf("owner: %q is none of the model's owners; there are %v", owner, owners(platform))
	}
	d := data{platform: platform, owner: owner}
	maps.Copy(result.Values, map[string]any{
		"model": platform.Name, "environment": platform.Environment,
		"profile": platform.Profile.String(), "trust_domain": platform.Istio.TrustDomain.Name(),
		"gateways": d.gateways(), "workloads": d.workloads(), "edges": d.edges(),
		"service_accounts": d.accounts(), "consumers": d.consumers(),
	})
	return result, nil
}

func owners(p *model.Platform) []string {
	out := make([]string, 0, len(p.Owners))
	for _, o := range p.Owners {
		out = append(out, o.Name)
	}
	slices.Sort(out)
	return out
}
