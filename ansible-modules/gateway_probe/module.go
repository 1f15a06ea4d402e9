// Package gatewayprobe is the module gateway_probe: the gateway policy matrix,
// asked of live gateways.
package gatewayprobe

import (
	"slices"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/pkg/probe"
)

// The default of rejected_host is a name that DNS never gives to anybody (RFC 2606).
const defaultRejectedHost = "rejected.invalid"

// Module is gateway_probe.
var Module = ansible.Module{
	Name:    "gateway_probe",
	Summary: "Ask live ingress gateways whether they admit their hosts and deny all others",
	Description: []string{
		"Sends requests to each gateway's own port, past DNS and every proxy before it: one for each host that it serves, one for the host with the port, " +
			"and one for a host that it doesn't serve.",
		"The first two must reach the application or its authentication. A 404 of a gateway without a route, a 426 for HTTP/1.0, any 5xx, and a denial by a policy are failures; " +
			"an application's own 404, 403 or redirect to a login is an answer.",
		"The last must be denied by the gateway itself: a 403 with Envoy's C(RBAC: access denied), and no sign of an answer from behind the gateway. " +
			"A 403 or 404 of the application is a failure, for the request got through. Where the gateway's profile has no host policy, " +
			"it must not be denied so: then a policy of a higher profile would still be alive.",
		"Readiness, metrics and the public URL are checked as told.",
		"Gateways are asked one after the other, and each check is repeated until it has its answer or no retry is left, for a policy takes seconds to reach a gateway. " +
			"All failures are reported together. Nothing is changed, no redirect is followed, and no proxy of the environment is used.",
	},
	Options: slices.Concat([]ansible.Option{gatewaysOption}, requestOptions, inputOptions()),
	Notes: []string{
		"Runs on the host of the task, which must reach the gateways. C(delegate_to: localhost) asks from the controller.",
		"Answers are recognised by Envoy's own texts and by the header C(x-envoy-upstream-service-time). " +
			"A warning says so where a gateway hides the header. A gateway with error pages of its own (C(local_reply_config)) can't be probed.",
		"A C(CUSTOM) policy is judged before the host policy. Where it answers for every host, the host policy stays unproved and the check fails: " +
			"limit it to the gateway's hosts, or send what it wants in O(headers).",
	},
	SeeAlso:  []string{"ringfence.mesh.gateway_host_policy", "ringfence.mesh.access_info"},
	Examples: examples,
	Returns:  returns,
	ReadOnly: true,
	Run:      run,
}

var gatewaysOption = ansible.Option{
	Name: "gateways", Type: ansible.List, Elements: ansible.Dict, Required: true,
	Description: []string{"The gateways, in the order in which they are asked."},
	Options: []ansible.Option{
		{Name: "name", Required: true, Description: []string{"The gateway, by its name in the model where O(model) is given."}},
		{
			Name: "deployed", Type: ansible.Bool, Default: true,
			Description: []string{
				"Whether the gateway is deployed here. One that isn't is recorded as such and not asked, which is no failure.",
				"The same holds for one that the environment lists as absent.",
			},
		},
		{Name: "address", Description: []string{"A node's address or name, or that of a load balancer which passes TCP on. Required unless the gateway isn't deployed."}},
		{Name: "port", Type: ansible.Int, Description: []string{"The NodePort of the gateway's HTTP or HTTPS listener. Required unless the gateway isn't deployed."}},
		{Name: "scheme", Choices: []string{"http", "https"}, Default: "http", Description: []string{"What the port speaks."}},
		{
			Name: "hosts", Type: ansible.List, Elements: ansible.String,
			Description: []string{
				"The hosts that the gateway must admit, in place of the model's. Required without O(model).",
				"A wildcard host is asked for by a name below it: V(probe.example.org) for V(*.example.org).",
			},
		},
		{
			Name: "host_ports", Type: ansible.List, Elements: ansible.Int,
			Description: []string{
				"The ports with which each host must be admitted as well, as in V(host:8443).",
				"The default is O(gateways[].port) for an exact host. For a wildcard host it is what the model lists in C(hostPorts), for no policy admits every port beside a wildcard.",
			},
		},
		{
			Name: "expect_rejection", Type: ansible.Bool,
			Description: []string{
				"Whether a host that the gateway doesn't serve must be denied. If not, it must not be denied by a policy.",
				"The default is O(expect_rejection), else what the gateway's profile in the model says, else whether O(security_profile) is V(enforced), else V(true).",
			},
		},
		{Name: "path", Default: "/", Description: []string{"What is asked for. It may have a query."}},
		{
			Name: "method", Choices: []string{"GET", "OPTIONS"}, Default: "GET",
			Description: []string{"The method. Others change something, or have an answer without a body."},
		},
		{Name: "readiness", Type: ansible.Bool, Default: false, Description: []string{"Whether C(/healthz/ready) of the gateway's proxy is checked as well. It must answer 200."}},
		{Name: "readiness_address", Description: []string{"Where the readiness port is. The default is O(gateways[].address)."}},
		{Name: "readiness_port", Type: ansible.Int, Default: 15021, Description: []string{"The readiness port. On a node it is a NodePort of its own."}},
		{Name: "metrics_address", Description: []string{"Where the metrics port is, mostly a pod. The default is O(gateways[].address)."}},
		{Name: "metrics_port", Type: ansible.Int, Description: []string{"The port of the proxy's metrics, such as 15090. Without it they are not checked. They must be in Prometheus' form."}},
		{Name: "metrics_path", Default: "/stats/prometheus", Description: []string{"The path of the metrics."}},
		{
			Name: "url", Description: []string{
				"The public URL, which is asked for through DNS and whatever stands before the gateway. Without it, it is not checked.",
			},
		},
		{
			Name: "url_status", Type: ansible.List, Elements: ansible.Int,
			Description: []string{"The codes that O(gateways[].url) may answer. Without any, it is judged as the gateway's own hosts are."},
		},
	},
}

var requestOptions = []ansible.Option{
	{
		Name: "expect_rejection", Type: ansible.Bool,
		Description: []string{"What O(gateways[].expect_rejection) is where a gateway doesn't say it."},
	},
	{Name: "rejected_host", Default: defaultRejectedHost, Description: []string{"The host that no gateway serves."}},
	{
		Name: "headers", Type: ansible.Dict, Secret: true,
		Description: []string{
			"Headers of the requests to gateways and public URLs, such as credentials; readiness and metrics are asked without them.",
			"Their values are masked in all output, and with them no part of an answer is shown but Envoy's own texts.",
		},
	},
	{Name: "timeout", Type: ansible.Float, Default: 5.0, Description: []string{"The seconds that one attempt may take."}},
	{
		Name: "retries", Type: ansible.Int, Default: 5,
		Description: []string{"How often a check is repeated after an answer that isn't the wanted one."},
	},
	{Name: "delay", Type: ansible.Float, Default: 2.0, Description: []string{"The seconds before each repetition."}},
	{
		Name: "successes", Type: ansible.Int, Default: 1,
		Description: []string{
			"How many attempts in a row must have the wanted answer.",
			"Each is a connection of its own: with more of them, a gateway of several pods has passed only once all that were met have the policy.",
		},
	},
	{Name: "validate_certs", Type: ansible.Bool, Default: true, Description: []string{"Whether certificates are verified. The name in the handshake is the host that the gateway serves."}},
	{
		Name: "server_names", Type: ansible.List, Elements: ansible.String, Default: probe.DefaultServers,
		Description: []string{"What the gateways' proxies call themselves in the C(Server) header. A denial by a server of another name is not the gateway's."},
	},
}

// inputOptions are those of the model, which this module can do without.
func inputOptions() []ansible.Option {
	out := ansible.UnionOptions("The owner whose gateways these must be. The default is any.")
	for i := range out {
		if out[i].Name == "model" {
			out[i].Required = false
			out[i].Description = append(slices.Clone(out[i].Description),
				"With it, hosts, profiles and absent gateways come from the model. Without it, each gateway needs its O(gateways[].hosts).")
		}
	}
	return out
}

const examples = `- name: Probe the registry's gateway after its policy was changed
  ringfence.mesh.gateway_probe:
    model: access-model.yaml
    environment: "environments/{{ env }}.yaml"
    gateways:
      - name: istio-ingressgateway-image-cache
        address: "{{ groups['kube_node'][0] }}"
        port: 30083
        url: "https://{{ dns.registry }}/v2/"
        url_status: [200, 401]
  delegate_to: localhost

- name: Probe without a model, with readiness and metrics
  ringfence.mesh.gateway_probe:
    gateways:
      - name: istio-ingressgateway-grafana
        deployed: "{{ grafana_gateway_enabled }}"
        address: 10.0.0.11
        port: 30084
        hosts: ["{{ dns.grafana }}"]
        readiness: true
        readiness_port: 30121
        metrics_address: "{{ grafana_gateway_pod_ip }}"
        metrics_port: 15090
    security_profile: "{{ security_profile }}"
    retries: 10
    successes: 3
  register: probed

- name: Keep the evidence
  ansible.builtin.copy:
    content: "{{ probed.gateways | to_nice_json }}"
    dest: "evidence/{{ env }}-gateways.json"
    mode: "0644"
  delegate_to: localhost
`
