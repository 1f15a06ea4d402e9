package model_test

import "testing"

func TestGateways(t *testing.T) {
	const route = "{apiVersion: networking.istio.io/v1, kind: Gateway, namespace: shop, name: web}"
	inner := func(fields string) []edit { return []edit{{"hostRefs: [inner]", "hostRefs: [inner]\n    " + fields}} }
	run(t, map[string]parseCase{
		"owner-undefined": {"a typo", []edit{{"owner: shop", "owner: ship"}}, nil, []string{
			`model.yaml:11: AccessModel platform: spec.gateways[0].owner: gateway "edge": "ship" is none of the model's owners; did you mean "shop"? [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"owner-empty": {"nobody would write its policy", []edit{{"owner: shop", `owner: ""`}}, nil, []string{
			`model.yaml:11: AccessModel platform: spec.gateways[0].owner: gateway "edge": it is empty; there are shop, roles, vendor [input-invalid-value]; write a value`,
		}},
		"owner-missing": {"said once", []edit{{"    owner: shop\n", ""}}, nil, []string{
			`model.yaml:10: AccessModel platform: spec.gateways[0].owner: gateway "edge": it is required [input-missing]; add it`,
		}},
		"name-twice": {"names are unique", []edit{{"name: inner", "name: edge"}}, nil, []string{
			`model.yaml:16: AccessModel platform: spec.gateways[1].name: the name "edge" is taken by an earlier entry [input-duplicate-name]; rename or remove one of the two`,
		}},
		"name-bad": {"it becomes object names", []edit{{"name: inner\n", "name: Inner_gateway\n"}}, nil, []string{
			`model.yaml:16: AccessModel platform: spec.gateways[1].name: "Inner_gateway" is no name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
			`model.yaml:52: AccessModel platform: spec.tenants[0].callers[0].gateway: tenant "labs": "inner" is none of the model's gateways; there are edge, Inner_gateway [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"name-long": {"it becomes a label", []edit{{"name: inner\n", "name: a123456789-123456789-123456789-123456789-123456789-123456789-123\n"}}, nil, []string{
			`model.yaml:16: AccessModel platform: spec.gateways[1].name: "a123456789-123456789-123456789-123456789-123456789-123456789-123" is no name: must be no more than 63 bytes [input-invalid-value]; write a valid value`,
			`model.yaml:52: AccessModel platform: spec.tenants[0].callers[0].gateway: tenant "labs": "inner" is none of the model's gateways; there are edge, a123456789-123456789-123456789-123456789-123456789-123456789-123 [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"namespace-bad": {"a namespace is a DNS label", inner("namespace: istio.system"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].namespace: gateway "inner": "istio.system" is no namespace: must not contain dots [input-invalid-value]; write a valid value`,
		}},
		"host-policy-without-host": {"an enabled gateway without a host", []edit{{"    hostRefs: [inner]\n", ""}}, nil, []string{
			`model.yaml:16: AccessModel platform: spec.gateways[1].hostRefs: gateway "inner": it has a host policy and no host [input-missing]; name its hosts, or set hostPolicy: None where it is known as an identity alone`,
		}},
		"host-policy-unknown": {"the value is a closed list", inner("hostPolicy: none"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].hostPolicy: gateway "inner": "none" is none of Generated, None [input-invalid-value]; write one of them`,
		}},
		"host-policy-none": {"known as an identity alone", []edit{{"    hostRefs: [inner]\n", "    hostPolicy: None\n"}}, nil, nil},
		"host-refs-twice": {"one of them is another's", []edit{{"hostRefs: [inner]", "hostRefs: [inner, inner]"}}, nil, []string{
			`model.yaml:19: AccessModel platform: spec.gateways[1].hostRefs[1]: gateway "inner": it stands in the list already [input-duplicate-name]; remove it`,
		}},
		"target-ref-beside-selector": {"Istio ignores the selector", inner("selector: {matchLabels: {app: x}}\n    targetRef: {kind: Gateway, name: x}"), nil, []string{
			`model.yaml:21: AccessModel platform: spec.gateways[1].targetRef: gateway "inner": it stands beside a selector, which Istio then ignores [input-invalid-value]; remove one of the two`,
		}},
		"target-ref-kind": {"a Service is no gateway", inner("targetRef: {kind: Service, name: x}"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].targetRef.kind: gateway "inner": "Service" isn't known here [input-invalid-value]; write Gateway`,
		}},
		"selector-empty": {"it would select everything", inner("selector: {matchLabels: {}}"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].selector.matchLabels: gateway "inner": it is empty, so it would select every pod of the namespace [input-invalid-value]; select by labels`,
		}},
		"selector-label-bad": {"labels as Kubernetes has them", inner(`selector: {matchLabels: {"a b": "x y", app: inner}}`), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].selector.matchLabels["a b"]: gateway "inner": "a b" is no label key: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
		"selector-of-another": {"edge's pods would admit inner's hosts", inner("selector: {matchLabels: {app: edge}}"), nil, []string{
			`model.yaml:10: AccessModel platform: spec.gateways[0].selector: gateway "edge": its policy would select the pods of gateway "inner" too, and admit there what the model doesn't [input-invalid-value]; tell the labels of the two apart`,
			`model.yaml:20: AccessModel platform: spec.gateways[1].selector: gateway "inner": its policy would select the pods of gateway "edge" too, and admit there what the model doesn't [input-invalid-value]; tell the labels of the two apart`,
		}},
		"selector-of-a-workload": {"istio-system is the root namespace: its policies apply everywhere", inner("selector: {matchLabels: {app: api}}"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].selector: gateway "inner": its policy would select the pods of workload "api" too, and admit there what the model doesn't [input-invalid-value]; tell the labels of the two apart`,
		}},
		"service-account-bad": {"no identity comes of it", []edit{{"inner-service-account", "Inner_Account"}}, nil, []string{
			`model.yaml:18: AccessModel platform: spec.gateways[1].serviceAccountName: gateway "inner": "Inner_Account" is no ServiceAccount name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
		"service-account-of-another": {"a gateway's identity is its own", []edit{{"inner-service-account", "edge-service-account"}}, nil, []string{
			`model.yaml:18: AccessModel platform: spec.gateways[1].serviceAccountName: gateway "inner": cluster.local/ns/istio-system/sa/edge-service-account is the identity of gateway "edge" too, and a gateway's is its own [identity-ambiguous]; give each its own serviceAccountName`,
		}},
		"service-account-default": {"every pod has it", []edit{{"inner-service-account", "default"}}, nil, []string{
			`model.yaml:18: AccessModel platform: spec.gateways[1].serviceAccountName: gateway "inner": it is trusted, and every pod of namespace "istio-system" that names no ServiceAccount runs as default [identity-ambiguous]; give it a ServiceAccount of its own`,
		}},
		"host-ports-bad": {"a policy holds them", inner("hostPorts: [0, 65536, 8443, 8443, 15021]"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].hostPorts[0]: gateway "inner": 0 is no port number: those are 1 to 65535 [input-invalid-value]; write a valid value`,
			`model.yaml:20: AccessModel platform: spec.gateways[1].hostPorts[1]: gateway "inner": 65536 is no port number: those are 1 to 65535 [input-invalid-value]; write a valid value`,
			`model.yaml:20: AccessModel platform: spec.gateways[1].hostPorts[3]: gateway "inner": it stands in the list already [input-duplicate-name]; remove it`,
			`model.yaml:20: AccessModel platform: spec.gateways[1].hostPorts[4]: gateway "inner": 15021 is the proxy's own port, which bypasses every policy [input-invalid-value]; write the port that the container listens on`,
		}},
		"deployment-of-another": {"one object, two entries", inner("deploymentName: edge"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].deploymentName: gateway "inner": Deployment istio-system/edge belongs to gateway "edge" already [owner-conflict]; name it in one of the two entries, or rename the object of one`,
		}},
		"policy-of-a-workload": {"one policy name in one namespace", []edit{{"    ports: [{port: http}]\n", "    ports: [{port: http}]\n    policyName: edge\n"}, {"name: edge\n", "name: edge\n    namespace: shop\n"}}, nil, []string{
			`model.yaml:35: AccessModel platform: spec.workloads[1].policyName: workload "api": AuthorizationPolicy shop/edge belongs to gateway "edge" already [owner-conflict]; name it in one of the two entries, or rename the object of one`,
		}},
		"policy-of-a-target-ref": {"a policy with targetRef has a name, too", append(inner("targetRef: {kind: Gateway, name: x}\n    namespace: shop"), edit{"    ports: [{port: http}]\n", "    ports: [{port: http}]\n    policyName: inner\n"}), nil, []string{
			`model.yaml:36: AccessModel platform: spec.workloads[1].policyName: workload "api": AuthorizationPolicy shop/inner belongs to gateway "inner" already [owner-conflict]; name it in one of the two entries, or rename the object of one`,
		}},
		"route-twice": {"the last one's hosts would stand", inner("routes: [" + route + "]"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].routes[0]: gateway "inner": Gateway shop/web holds the hosts of gateway "edge" already [owner-conflict]; let one of the two have it, or narrow both to servers of their own`,
		}},
		"route-another-version": {"versions are one object", inner("routes: [{apiVersion: networking.istio.io/v1beta1, kind: Gateway, namespace: shop, name: web}]"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].routes[0]: gateway "inner": Gateway shop/web holds the hosts of gateway "edge" already [owner-conflict]; let one of the two have it, or narrow both to servers of their own`,
		}},
		"route-server-of-whole": {"the whole object is edge's", inner("routes: [{apiVersion: networking.istio.io/v1, kind: Gateway, namespace: shop, name: web, servers: [http], owner: shop}]"), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].routes[0]: gateway "inner": Gateway shop/web holds the hosts of gateway "edge" already [owner-conflict]; let one of the two have it, or narrow both to servers of their own`,
		}},
		"route-same-server": {"one server, two gateways", append(inner("routes: [{apiVersion: networking.istio.io/v1, kind: Gateway, namespace: shop, name: web, servers: [https, http], owner: shop}]"), edit{"name: web}", "name: web, servers: [http]}"}), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].routes[0]: gateway "inner": Gateway shop/web holds the hosts of gateway "edge" already [owner-conflict]; let one of the two have it, or narrow both to servers of their own`,
		}},
		"route-other-server": {"each has its own", append(inner("routes: [{apiVersion: networking.istio.io/v1, kind: Gateway, namespace: shop, name: web, servers: [https], owner: shop}]"), edit{"name: web}", "name: web, servers: [http]}"}), nil, nil},
		"route-two-owners": {"an object has one owner", append(inner("routes: [{apiVersion: networking.istio.io/v1, kind: Gateway, namespace: shop, name: web, servers: [https]}]"), edit{"name: web}", "name: web, servers: [http]}"}), nil, []string{
			`model.yaml:20: AccessModel platform: spec.gateways[1].routes[0].owner: gateway "inner": Gateway shop/web is of owner "roles" here, and of owner "shop" in gateway "edge" [owner-conflict]; write the object's one owner in both`,
		}},
		"route-api-version": {"the Gateway API's Gateway is another kind", []edit{{"networking.istio.io/v1,", "gateway.networking.k8s.io/v1,"}}, nil, []string{
			`model.yaml:15: AccessModel platform: spec.gateways[0].routes[0].apiVersion: gateway "edge": "gateway.networking.k8s.io/v1" is none of networking.istio.io/v1, networking.istio.io/v1beta1, networking.istio.io/v1alpha3 [input-invalid-value]; write one of them`,
		}},
		"route-kind": {"hosts stand in these two", []edit{{"kind: Gateway,", "kind: Service,"}}, nil, []string{
			`model.yaml:15: AccessModel platform: spec.gateways[0].routes[0].kind: gateway "edge": "Service" is none of Gateway, VirtualService [input-invalid-value]; write one of them`,
		}},
		"route-servers-of-another": {"a VirtualService has none", []edit{{"kind: Gateway, namespace: shop, name: web}", "kind: VirtualService, namespace: shop, name: web, servers: [http]}"}}, nil, []string{
			`model.yaml:15: AccessModel platform: spec.gateways[0].routes[0].servers: gateway "edge": only a Gateway has servers [input-invalid-value]; remove it`,
		}},
		"route-servers-bad": {"a port name", []edit{{"name: web}", `name: web, servers: ["", http, http]}`}}, nil, []string{
			`model.yaml:15: AccessModel platform: spec.gateways[0].routes[0].servers[0]: gateway "edge": it is empty [input-invalid-value]; write the name of a server's port`,
			`model.yaml:15: AccessModel platform: spec.gateways[0].routes[0].servers[2]: gateway "edge": it stands in the list already [input-duplicate-name]; remove it`,
		}},
		"route-host-refs": {"it narrows", []edit{{"hostRefs: [web]", "hostRefs: [web, inner]"}, {"name: web}", "name: web, hostRefs: [web]}"}}, nil, nil},
		"route-host-refs-of-another": {"it narrows", []edit{{"name: web}", "name: web, hostRefs: [webb]}"}}, nil, []string{
			`model.yaml:15: AccessModel platform: spec.gateways[0].routes[0].hostRefs[0]: gateway "edge": "webb" is none of the gateway's hostRefs; did you mean "web"? [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"hosts-missing": {"an enabled gateway without a host", nil, []edit{{"    inner: [inner.example.org]\n", ""}}, []string{
			`environment.yaml:10: Environment staging: spec.dns.inner: gateway "inner" needs this name, and the environment doesn't have it [input-missing]; add it with the gateway's hosts, or list the gateway in spec.absent.gateways`,
		}},
		"hosts-empty": {"as good as missing", nil, []edit{{"[web.example.org]", "[]"}}, []string{
			`environment.yaml:10: Environment staging: spec.dns.web: gateway "edge" needs a host, and the list is empty [input-missing]; add it`,
		}},
		"hosts-missing-where-absent": {"it needs none, and what points at it neither", nil, []edit{{"    inner: [inner.example.org]\n", ""}, {"absent: {}", "absent: {gateways: [inner]}"}}, nil},
		"hosts-bad": {"each one, and once", nil, []edit{{"[web.example.org]", "[https://web.example.org, web.example.org:8443, web_1.example.org]"}}, []string{
			`environment.yaml:10: Environment staging: spec.dns.web[0]: the host "https://web.example.org" can't be used: it has a scheme [input-host]; write the host name alone`,
			`environment.yaml:10: Environment staging: spec.dns.web[1]: the host "web.example.org:8443" can't be used: it has a port: an exact host admits every port, a wildcard those of hostPorts [input-host]; write the host name alone`,
			`environment.yaml:10: Environment staging: spec.dns.web[2]: the host "web_1.example.org" can't be used: a host name has neither underscores nor spaces [input-host]; write the host name alone`,
		}},
		"hosts-the-same-but-for-case": {"one host", nil, []edit{{"[web.example.org]", "[web.example.org, WEB.example.org.]"}}, []string{
			`environment.yaml:10: Environment staging: spec.dns.web[1]: the host "web.example.org" stands in the list already [input-duplicate-name]; remove it`,
		}},
		"hosts-no-list": {"said once", nil, []edit{{"[web.example.org]", "web.example.org"}}, []string{
			`environment.yaml:10: Environment staging: spec.dns.web: "web.example.org" is a string where a list belongs [input-wrong-type]; make it an entry of a list: ["web.example.org"]`,
		}},
		"hosts-unused": {"nothing reads them", nil, []edit{{"    web:", "    more: [more.example.org]\n    web:"}}, []string{
			`info: environment.yaml:10: Environment staging: spec.dns.more: no hostRef of the model names it [input-unused]; remove it where nothing else reads it`,
		}},
	})
}
