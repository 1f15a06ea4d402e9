// Package profileparity is the module profile_parity: what the inventory says of
// an environment against what GitOps renders for it.
package profileparity

import (
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

// The parameters beside the input's.
const (
	paramOwner        = "owner"
	paramOwners       = "owners"
	paramRendered     = "rendered"
	paramVersion      = "istio_version"
	paramChartVersion = "istio_chart_version"
	paramStrict       = "strict"
)

// Module is profile_parity.
var Module = ansible.Module{
	Name:    "profile_parity",
	Summary: "Compare the inventory with what GitOps renders",
	Description: []string{
		"GitOps can't read an inventory, so that both hold the security profile, the hosts and Istio's version of an environment. " +
			"This module reads the manifests that GitOps renders, lists every value in which the two disagree, and fails where there is one.",
		"The profile is inferred from what is rendered: from the labels that ask for a sidecar, the ALLOW policies and the STRICT PeerAuthentications of the model's workloads, and the host policies of its gateways. " +
			"Who wrote them doesn't matter. Entries that the environment holds at a lower profile, or doesn't have, are judged by that.",
		"Compared are also the hosts of Gateways, VirtualServices and gateway policies, environment variables such as C(SERVICE_PUBLIC_HOST) and C(SERVICE_GATEWAY_PRINCIPAL), " +
			"the trust domain in principals, and the versions of Istio's images and charts.",
		"What the model gives to an owner of GitOps and no rendered file holds is listed too, for nothing shows that it agrees.",
	},
	Options:  options(),
	Notes:    notes,
	SeeAlso:  []string{"ringfence.mesh.access_info", "ringfence.mesh.access_policies"},
	Examples: examples,
	Returns:  returns,
	ReadOnly: true,
	Run:      run,
}

var notes = []string{
	"Whether each generated object is right to the letter, C(ringfence verify) says. This module compares values alone.",
	"Charts are known by the label C(helm.sh/chart) of what they rendered, by the sources of Argo CD's Applications and ApplicationSets, and by Flux's HelmReleases with their HelmRepositories and OCIRepositories, where those are rendered, too.",
}

// descriptions are of the input's options that mean more here: where other modules
// warn, this one fails.
var descriptions = map[string][]string{
	"security_profile": {"The profile of the environment, as the inventory has it.", "Where O(environment) says something else, that is a disagreement like others."},
	"dns": {
		"Host names by the names that the model's hostRefs use, as the inventory has them: each a string or a list of strings. Entries that the model doesn't use are ignored.",
		"Where O(environment) says something else, that is a disagreement like others.",
	},
	"trust_domain": {
		"The trust domain of the mesh, as the inventory has it. The default is that of O(environment), else V(cluster.local).",
		"Where O(environment) says something else, that is a disagreement like others.",
	},
}

func options() []ansible.Option {
	input := slices.DeleteFunc(ansible.UnionOptions(""), func(o ansible.Option) bool { return o.Name == paramOwner })
	for i := range input {
		if description, own := descriptions[input[i].Name]; own {
			input[i].Description = description
		}
	}
	return append(input,
		ansible.Option{
			Name: paramRendered, Type: ansible.List, Elements: ansible.Path, Required: true,
			Description: []string{
				"The rendered manifests of one environment: files, or directories that are searched for C(*.yaml), C(*.yml) and C(*.json).",
				"They are read on the host of the task. Kustomizations, documents of Ringfence, and files and directories whose names begin with a dot are passed over; any other file must hold manifests.",
				"A file may have 64 MiB, and all of them 512 MiB.",
			},
		},
		ansible.Option{
			Name: paramOwners, Type: ansible.List, Elements: ansible.String,
			Description: []string{"Compare the entries of these owners alone. Their tool must be GitOps. The default is every owner whose tool it is."},
		},
		ansible.Option{
			Name:        paramVersion,
			Description: []string{"The version of Istio's images, as the inventory has it. The default is that of O(environment).", "Where O(environment) says something else, that is a disagreement like others."},
		},
		ansible.Option{
			Name:        paramChartVersion,
			Description: []string{"The version of Istio's charts. The default is O(istio_version). Another one is a disagreement of its own."},
		},
	)
}

const examples = `- name: Compare the inventory with what GitOps renders
  ringfence.mesh.profile_parity:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    security_profile: "{{ security_profile }}"
    dns: "{{ dns }}"
    istio_version: "{{ istio_version }}"
    istio_chart_version: "{{ istio_chart_version | default(istio_version) }}"
    rendered:
      - "rendered/{{ env }}"
  delegate_to: localhost
  run_once: true

- name: Compare one application, and go on whatever comes of it
  ringfence.mesh.profile_parity:
    model: access-model.yaml
    security_profile: "{{ security_profile }}"
    dns: "{{ dns }}"
    rendered:
      - "rendered/{{ env }}/themelio.yaml"
    owners:
      - themelio
  register: parity
  ignore_errors: true
  delegate_to: localhost
  run_once: true

- name: List what disagrees
  ansible.builtin.debug:
    msg: "{{ parity.disagreements | map(attribute='message') }}"
`
