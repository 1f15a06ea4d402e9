package accessinfo

import (
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

func always(name string, t ansible.Type, description string) ansible.Return {
	return ansible.Return{Name: name, Type: t, Returned: "always", Description: []string{description}}
}

func strings(name, description string) ansible.Return {
	r := always(name, ansible.List, description)
	r.Elements = ansible.String
	return r
}

func dicts(name, description string, contains ...ansible.Return) ansible.Return {
	r := always(name, ansible.List, description)
	r.Elements, r.Contains = ansible.Dict, contains
	return r
}

func dict(name, description string, contains ...ansible.Return) ansible.Return {
	r := always(name, ansible.Dict, description)
	r.Contains = contains
	return r
}

var identityReturns = []ansible.Return{
	always("owner", ansible.String, "Whose it is."),
	always("tool", ansible.String, "What writes the owner's objects: V(Ansible), V(GitOps) or V(External)."),
	always("namespace", ansible.String, "Its namespace."),
	always("service_account", ansible.String, "The ServiceAccount that its pods run as."),
	always("principal", ansible.String, "The principal that policies trust: trust domain, namespace and ServiceAccount."),
	strings("previous_principals", "Principals that a rename is leaving, and that are still trusted."),
	always("selector", ansible.Dict, "The labels by which policies select its pods."),
	always("profile", ansible.String, "Its profile: the environment's, or a lower one of its own."),
	always("absent", ansible.Bool, "Whether the environment doesn't have it."),
}

var returns = []ansible.Return{
	always("model", ansible.String, "The name of the AccessModel."),
	always("environment", ansible.String, "The name of the Environment; V(inventory) where only the inventory speaks."),
	always("profile", ansible.String, "The security profile of the environment."),
	always("trust_domain", ansible.String, "The trust domain of the mesh."),
	dict("gateways", "The gateways by their names.", append(slices.Clip(identityReturns),
		always("deployment", ansible.String, "The name of its Deployment."),
		strings("hosts", "The hosts that it serves."),
		strings("host_patterns", "What its policy admits as the Host of a request: each host with and without a port."),
		dicts("routes", "The Gateway and VirtualService objects that hold its hosts.",
			always("kind", ansible.String, "The kind."), always("namespace", ansible.String, "The namespace."), always("name", ansible.String, "The name."),
			always("api_version", ansible.String, "The API version."), always("owner", ansible.String, "Who writes it."),
			strings("servers", "The servers of a Gateway, by their port names, that it is narrowed to; empty for all."), strings("hosts", "The hosts that it holds.")),
		ansible.Return{Name: "policy", Type: ansible.Dict, Returned: "always", Description: []string{"Its AuthorizationPolicy, whole; null where the profile derives none."}},
	)...),
	dict("workloads", "The workloads by their names.", append(slices.Clip(identityReturns),
		strings("ports", "The workload ports that callers may reach."),
		strings("callers", "The principals that may reach it."),
		always("enrolled", ansible.Bool, "Whether its pods get a sidecar here."),
		always("enforced", ansible.Bool, "Whether its policies apply here."),
	)...),
	dicts("edges", "Who may call whom, where policies are enforced.",
		always("from", ansible.String, "The caller, as the model has it."), strings("principals", "The principals that it shows."),
		always("to", ansible.String, "The destination, by its name in the model."), always("namespace", ansible.String, "The destination's namespace."),
		strings("ports", "The workload ports.")),
	dicts("service_accounts", "The ServiceAccounts that identities need.",
		always("namespace", ansible.String, "The namespace."), always("name", ansible.String, "The name."), always("principal", ansible.String, "Its principal."),
		always("owner", ansible.String, "Whose it is."), always("source", ansible.String, "The model's entry that has it first.")),
	dicts("consumers", "Environment variables that hold a derived value.",
		always("owner", ansible.String, "Whose object it is."), always("kind", ansible.String, "The kind of the object."),
		always("namespace", ansible.String, "The namespace of the object."), always("name", ansible.String, "The name of the object."),
		always("container", ansible.String, "The container; empty where the model names none."),
		always("env", ansible.String, "The variable."), always("value", ansible.String, "What it must hold."), always("source", ansible.String, "What that is derived from.")),
	ansible.FindingsReturn,
}
