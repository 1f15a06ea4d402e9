package model_test

import "testing"

func TestWorkloads(t *testing.T) {
	web := func(fields string) []edit {
		return []edit{{"    serviceAccountName: web\n", "    serviceAccountName: web\n    " + fields + "\n"}}
	}
	batch := func(fields string) []edit {
		return []edit{{"    serviceAccountName: batch\n", "    serviceAccountName: batch\n    " + fields + "\n"}}
	}
	callers := func(list string) []edit {
		return []edit{{"callers: [{workload: web}, {workload: batch}]", "callers: " + list}}
	}
	run(t, map[string]parseCase{
		"owner-empty": {"nobody would write its policy", []edit{{"namespace: shop\n    owner: shop", "namespace: shop\n    owner: \"\""}}, nil, []string{
			`model.yaml:23: AccessModel platform: spec.workloads[0].owner: workload "web": it is empty; there are shop, roles, vendor [input-invalid-value]; write a value`,
		}},
		"name-empty": {"nothing could refer to it", []edit{{"- name: batch", `- name: ""`}, {", {workload: batch}", ""}}, nil, []string{
			`model.yaml:35: AccessModel platform: spec.workloads[2].name: it is empty [input-invalid-value]; write a value`,
		}},
		"name-twice": {"names are unique", []edit{{"- name: batch", `- name: web`}}, nil, []string{
			`model.yaml:35: AccessModel platform: spec.workloads[2].name: the name "web" is taken by an earlier entry [input-duplicate-name]; rename or remove one of the two`,
		}},
		"namespace-empty": {"its identity has one", []edit{{"namespace: shop\n    owner", "namespace: \"\"\n    owner"}}, nil, []string{
			`model.yaml:22: AccessModel platform: spec.workloads[0].namespace: workload "web": it is empty [input-invalid-value]; write a value`,
		}},
		"root-namespace": {"Istio ignores the PeerAuthentication", []edit{{"- name: web\n    namespace: shop", "- name: web\n    namespace: istio-system"}}, nil, []string{
			`model.yaml:22: AccessModel platform: spec.workloads[0].namespace: workload "web": "istio-system" is the mesh's root namespace, where Istio ignores a PeerAuthentication that has a selector [input-invalid-value]; move the workload to a namespace of its own, or remove callers`,
		}},
		"target-kind": {"it holds no pod template", []edit{{"kind: Job", "kind: Jobs"}}, nil, []string{
			`model.yaml:38: AccessModel platform: spec.workloads[2].targetRefs[0].kind: workload "batch": "Jobs" is no kind with a pod template that is known here; those are Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob, Pod, InferenceService [input-invalid-value]; write a valid value`,
		}},
		"target-of-another": {"one object, two entries", []edit{{"{kind: Job, name: batch}", "{kind: Deployment, name: api}"}}, nil, []string{
			`model.yaml:38: AccessModel platform: spec.workloads[2].targetRefs[0]: workload "batch": Deployment shop/api belongs to workload "api" already [owner-conflict]; name it in one of the two entries, or rename the object of one`,
		}},
		"target-twice": {"one of them is another's", []edit{{"[{kind: Job, name: batch}]", "[{kind: Job, name: batch}, {kind: Job, name: batch}]"}}, nil, []string{
			`model.yaml:38: AccessModel platform: spec.workloads[2].targetRefs[1]: workload "batch": it stands in the list already [input-duplicate-name]; remove it`,
		}},
		"target-name-templated": {"a variable came out empty", []edit{{"{kind: Job, name: batch}", `{kind: Job, name: ""}`}}, nil, []string{
			`model.yaml:38: AccessModel platform: spec.workloads[2].targetRefs[0].name: workload "batch": it is empty [input-invalid-value]; write a value`,
		}},
		"pod-selector-beside-targets": {"two answers to one question", batch("podTemplateSelector: {matchLabels: {app: x}}"), nil, []string{
			`model.yaml:40: AccessModel platform: spec.workloads[2].podTemplateSelector: workload "batch": it stands beside targetRefs [input-invalid-value]; remove one of the two`,
		}},
		"pod-selector-empty": {"it would select everything", []edit{{"targetRefs: [{kind: Job, name: batch}]", "podTemplateSelector: {}"}}, nil, []string{
			`model.yaml:38: AccessModel platform: spec.workloads[2].podTemplateSelector: workload "batch": it is empty, so it would select every pod template of the namespace [input-invalid-value]; select by labels`,
		}},
		"selector-of-another": {"api's pods would admit web's callers", web("selector: {matchLabels: {app: api}}"), nil, []string{
			`model.yaml:25: AccessModel platform: spec.workloads[0].selector: workload "web": its policy would select the pods of workload "api" too, and admit there what the model doesn't [input-invalid-value]; tell the labels of the two apart`,
			`model.yaml:29: AccessModel platform: spec.workloads[1].selector: workload "api": its policy would select the pods of workload "web" too, and admit there what the model doesn't [input-invalid-value]; tell the labels of the two apart`,
		}},
		"selector-wider-than-another's": {"api's pods have this label as well", append(web("selector: {matchLabels: {team: shop}}"), edit{"    serviceAccountName: api\n", "    serviceAccountName: api\n    selector: {matchLabels: {app: api, team: shop}}\n"}), nil, []string{
			`model.yaml:25: AccessModel platform: spec.workloads[0].selector: workload "web": its policy would select the pods of workload "api" too, and admit there what the model doesn't [input-invalid-value]; tell the labels of the two apart`,
		}},
		"selector-elsewhere": {"another namespace's pods", append(web("selector: {matchLabels: {app: api}}"), edit{"- name: web\n    namespace: shop", "- name: web\n    namespace: front"}), nil, nil},
		"enroll-quoted": {"a string is no boolean", []edit{{"enroll: true", `enroll: "true"`}}, nil, []string{
			`model.yaml:25: AccessModel platform: spec.workloads[0].enroll: workload "web": "true" is neither true nor false [input-wrong-type]; write true or false, without quotes`,
		}},
		"enroll-yaml-1.1": {"yes is no boolean of ours", []edit{{"enroll: true", "enroll: yes"}}, nil, []string{
			`model.yaml:25: AccessModel platform: spec.workloads[0].enroll: workload "web": "yes" is neither true nor false [input-wrong-type]; write true or false, without quotes`,
		}},
		"enroll-tagged": {"a tag makes no boolean of it", []edit{{"enroll: true", "enroll: !!bool yes"}}, nil, []string{
			`model.yaml:25: AccessModel platform: spec.workloads[0].enroll: workload "web": "yes" is neither true nor false [input-wrong-type]; write true or false, without quotes`,
		}},
		"not-enrolled-with-callers": {"nothing would hold its policy", []edit{{"    enroll: true\n    ports: [{port: 3000}]", "    ports: [{port: 3000}]"}}, nil, []string{
			`model.yaml:21: AccessModel platform: spec.workloads[0].enroll: workload "web": it has callers, and no sidecar that would hold its policy [destination-not-enrolled]; set enroll: true, or remove callers`,
		}},
		"ports-missing": {"callers of what", []edit{{"    ports: [{port: 3000}]\n", ""}}, nil, []string{
			`model.yaml:21: AccessModel platform: spec.workloads[0].ports: workload "web": it has callers and no port that they may reach [input-missing]; write the ports that its containers listen on`,
		}},
		"ports-bad": {"each one", []edit{{"[{port: 3000}]", `[{port: 0}, {port: 15090}, {port: 70000}, {port: "8080"}, {port: Http}, {port: y}, {port: 010}, {port: 3000.0}, {port: ""}, {port: null}, {}]`}}, nil, []string{
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[0].port: workload "web": 0 is no port number: those are 1 to 65535 [input-invalid-value]; write a valid value`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[10].port: workload "web": it is required [input-missing]; add it`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[1].port: workload "web": 15090 is the proxy's own port, which bypasses every policy [input-invalid-value]; write the port that the container listens on`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[2].port: workload "web": 70000 is no port number: those are 1 to 65535 [input-invalid-value]; write a valid value`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[3].port: workload "web": "8080" is a number in quotes, and no port name [input-invalid-value]; write a valid value`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[4].port: workload "web": "Http" is no port name: must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-) [input-invalid-value]; write a valid value`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[5].port: workload "web": "y" is a boolean to some readers of YAML where a string belongs [input-wrong-type]; quote it: "y"`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[6].port: workload "web": 010 is no port number [input-wrong-type]; write a number from 1 to 65535 in plain decimal notation`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[7].port: workload "web": "3000.0" is a number where a port number or a port name belongs [input-wrong-type]; write a value of the right type, or remove the key`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[8].port: workload "web": it is empty [input-invalid-value]; write a port number or a port name`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[9].port: workload "web": it has no value [input-wrong-type]; write a value of the right type, or remove the key`,
		}},
		"ports-twice": {"one of them is another's", []edit{{"[{port: 3000}]", "[{port: 3000}, {port: 3000}]"}}, nil, []string{
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[1]: workload "web": it stands in the list already [input-duplicate-name]; remove it`,
		}},
		"service-account-default": {"every pod has it", []edit{{"serviceAccountName: web", "serviceAccountName: default"}}, nil, []string{
			`model.yaml:24: AccessModel platform: spec.workloads[0].serviceAccountName: workload "web": it is trusted, and every pod of namespace "shop" that names no ServiceAccount runs as default [identity-ambiguous]; give it a ServiceAccount of its own`,
		}},
		"service-account-default-alone": {"nobody trusts it", append(callers("[{workload: web}]"), edit{"serviceAccountName: batch", "serviceAccountName: default"}), nil, nil},
		"identity-shared": {"whoever trusts batch trusts web as well", append(callers("[{workload: batch}]"), edit{"serviceAccountName: batch", "serviceAccountName: web"}), nil, []string{
			`model.yaml:39: AccessModel platform: spec.workloads[2].serviceAccountName: cluster.local/ns/shop/sa/web is the identity of workload "web" too, and who trusts it trusts both; but workload "batch" is a caller of workload "api", and workload "web" of nobody [identity-ambiguous]; give each its own serviceAccountName`,
		}},
		"identity-shared-alike": {"the same destinations trust both", []edit{{"serviceAccountName: batch", "serviceAccountName: web"}}, nil, nil},
		"identity-shared-with-previous": {"a rename trusts the old name, which is another's", append(callers("[{workload: batch}]"), batch("previousServiceAccountNames: [first, web]")...), nil, []string{
			`model.yaml:40: AccessModel platform: spec.workloads[2].previousServiceAccountNames[1]: cluster.local/ns/shop/sa/web is the identity of workload "web" too, and who trusts it trusts both; but workload "batch" is a caller of workload "api", and workload "web" of nobody [identity-ambiguous]; give each its own serviceAccountName`,
		}},
		"previous-is-current": {"no rename", batch("previousServiceAccountNames: [batch]"), nil, []string{
			`model.yaml:40: AccessModel platform: spec.workloads[2].previousServiceAccountNames[0]: workload "batch": "batch" is its serviceAccountName [input-duplicate-name]; remove it`,
		}},
		"previous-bad": {"each one", batch("previousServiceAccountNames: [old, old, Old]"), nil, []string{
			`model.yaml:40: AccessModel platform: spec.workloads[2].previousServiceAccountNames[1]: workload "batch": it stands in the list already [input-duplicate-name]; remove it`,
			`model.yaml:40: AccessModel platform: spec.workloads[2].previousServiceAccountNames[2]: workload "batch": "Old" is no ServiceAccount name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
		"policy-names-taken": {"one name in one namespace", web("policyName: api-allow-callers\n    peerAuthenticationName: api-strict-mtls"), nil, []string{
			`model.yaml:30: AccessModel platform: spec.workloads[1].peerAuthenticationName: workload "api": PeerAuthentication shop/api-strict-mtls belongs to workload "web" already [owner-conflict]; name it in one of the two entries, or rename the object of one`,
			`model.yaml:30: AccessModel platform: spec.workloads[1].policyName: workload "api": AuthorizationPolicy shop/api-allow-callers belongs to workload "web" already [owner-conflict]; name it in one of the two entries, or rename the object of one`,
		}},
		"policy-name-empty": {"a variable came out empty", web(`policyName: ""`), nil, []string{
			`model.yaml:25: AccessModel platform: spec.workloads[0].policyName: workload "web": it is empty [input-invalid-value]; write a value, or remove the key`,
		}},
		"binding-kind": {"those two are bindings", batch("roleBindingRefs: [{kind: Role, name: x}]"), nil, []string{
			`model.yaml:40: AccessModel platform: spec.workloads[2].roleBindingRefs[0].kind: workload "batch": "Role" is none of RoleBinding, ClusterRoleBinding [input-invalid-value]; write one of them`,
		}},
		"binding-name": {"RBAC's names may have colons", batch("roleBindingRefs: [{kind: RoleBinding, name: 'system:x'}, {kind: ClusterRoleBinding, name: a/b}, {kind: RoleBinding, name: ''}]"), nil, []string{
			`model.yaml:40: AccessModel platform: spec.workloads[2].roleBindingRefs[1].name: workload "batch": "a/b" is no object name: may not contain '/' [input-invalid-value]; write a valid value`,
			`model.yaml:40: AccessModel platform: spec.workloads[2].roleBindingRefs[2].name: workload "batch": it is empty [input-invalid-value]; write a value`,
		}},
		"callers-null": {"no policy, or one for nobody?", callers(""), nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers: workload "api": it has no value [input-wrong-type]; write [] for an empty list, or remove the key`,
		}},
		"callers-none": {"nobody", callers("[]"), nil, nil},
		"callers-undefined": {"typos", callers("[{workload: wep}, {gateway: x}]"), nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[0].workload: workload "api": "wep" is none of the model's workloads; did you mean "web"? [input-undefined-reference]; correct the name, or add the entry`,
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[1].gateway: workload "api": "x" is none of the model's gateways; there are edge, inner [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"caller-twice": {"one of them is another's", callers("[{workload: web}, {workload: web}]"), nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[1]: workload "api": workload web is named already [input-duplicate-name]; remove it`,
		}},
		"caller-empty": {"who?", callers("[{}]"), nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[0]: workload "api": it has none of workload, gateway, principal [input-missing]; write one of them`,
		}},
		"caller-empty-value": {"a variable came out empty", callers(`[{workload: ""}]`), nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[0].workload: workload "api": it is empty [input-invalid-value]; write a value, or remove the key`,
		}},
		"caller-two": {"one or both?", callers("[{workload: web, gateway: edge}]"), nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[0]: workload "api": it has workload and gateway [input-invalid-value]; write one of them alone`,
		}},
		"caller-principals": {"each one", callers("[{principal: '*'}, {principal: cluster.local/ns/shop}, {principal: cluster.local/ns/shop/sa/*}, {principal: other.example/ns/shop/sa/x}, {principal: cluster.local/ns/shop/sa/X}, {principal: spiffe://cluster.local/ns/vendor/sa/x}]"), nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[0].principal: workload "api": "*" is no principal: it is no SPIFFE ID: trust domain characters are limited to lowercase letters, numbers, dots, dashes, and underscores [input-invalid-value]; write a valid value`,
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[1].principal: workload "api": "cluster.local/ns/shop" is no principal: it isn't of Istio's form, cluster.local/ns/<namespace>/sa/<ServiceAccount> [input-invalid-value]; write a valid value`,
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[2].principal: workload "api": "cluster.local/ns/shop/sa/*" is no principal: it is no SPIFFE ID: path segment characters are limited to letters, numbers, dots, dashes, and underscores [input-invalid-value]; write a valid value`,
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[3].principal: workload "api": "other.example/ns/shop/sa/x" is of trust domain "other.example", and the environment's is "cluster.local" [input-invalid-value]; write a valid value`,
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[4].principal: workload "api": "cluster.local/ns/shop/sa/X" is no principal: "X" is no ServiceAccount name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
		"caller-principal-of-an-entry": {"its absence and enrollment would go unseen", callers("[{principal: cluster.local/ns/shop/sa/web}]"), nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[0].principal: workload "api": it is the identity of workload "web" [input-invalid-value]; write workload: web`,
		}},
		"caller-not-enrolled": {"each one", []edit{{"    serviceAccountName: batch\n    enroll: true", "    serviceAccountName: batch"}}, nil, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[1]: workload "api" is enforced, and its caller "batch" would have no identity: its enroll is false [caller-not-enrolled]; enroll the caller first, or hold the destination on a lower rung with an override`,
		}},
		"caller-below": {"on an override's rung it has no sidecar", nil, []edit{{"absent: {}", "overrides: [{workload: batch, securityProfile: open}]"}}, []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[1]: workload "api" is enforced, and its caller "batch" would have no identity: it is open [caller-not-enrolled]; enroll the caller first, or hold the destination on a lower rung with an override`,
		}},
		"caller-below-of-a-lower-one": {"nothing is enforced there", nil, []edit{{"absent: {}", "overrides: [{workload: batch, securityProfile: open}, {workload: api, securityProfile: permissive}]"}}, nil},
		"callers-absent":              {"its policy admits nobody", nil, []edit{{"absent: {}", "absent: {workloads: [web, batch], gateways: [edge]}"}}, nil},
	})
}

func TestConsumers(t *testing.T) {
	consumer := func(fields string) []edit {
		return []edit{{"    env: PUBLIC_HOST\n", "    env: PUBLIC_HOST\n    " + fields + "\n"}}
	}
	value := func(v string) []edit { return []edit{{"valueFrom: {hostRef: inner}", "valueFrom: " + v}} }
	run(t, map[string]parseCase{
		"owner": {"the workload's owner is shop", []edit{{"- owner: shop", "- owner: roles"}}, nil, []string{
			`model.yaml:42: AccessModel platform: spec.consumers[0].owner: Deployment shop/api is of owner "shop" by workload "api", and of owner "roles" here [owner-conflict]; write the one owner of the object in both`,
		}},
		"target-kind": {"it has no containers", []edit{{"{kind: Deployment, namespace", "{kind: Service, namespace"}}, nil, []string{
			`model.yaml:43: AccessModel platform: spec.consumers[0].targetRef.kind: "Service" is no kind with a pod template that is known here; those are Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob, Pod, InferenceService [input-invalid-value]; write a valid value`,
		}},
		"target-version": {"it isn't read", []edit{{"{kind: Deployment, namespace", "{apiVersion: extensions/v1beta1, kind: Deployment, namespace"}}, nil, []string{
			`model.yaml:43: AccessModel platform: spec.consumers[0].targetRef.apiVersion: "extensions/v1beta1" isn't known here [input-invalid-value]; write apps/v1`,
		}},
		"env": {"no variable", []edit{{"env: PUBLIC_HOST", "env: 1ST"}}, nil, []string{
			`model.yaml:44: AccessModel platform: spec.consumers[0].env: "1ST" is no name of an environment variable [input-invalid-value]; write a valid value`,
		}},
		"container": {"no container", consumer("container: A_B"), nil, []string{
			`model.yaml:45: AccessModel platform: spec.consumers[0].container: "A_B" is no container name: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
		"twice": {"the last one would stand", []edit{{"  retired:", "  - {owner: shop, targetRef: {kind: Deployment, namespace: shop, name: api}, env: PUBLIC_HOST, valueFrom: {hostRef: web}}\n  retired:"}}, nil, []string{
			`model.yaml:46: AccessModel platform: spec.consumers[1].env: an earlier consumer writes PUBLIC_HOST of Deployment shop/api [input-duplicate-name]; remove one of the two, or name a container in both`,
		}},
		"twice-by-container": {"all containers that have it, and one of them", []edit{{"  retired:", "  - {owner: shop, targetRef: {kind: Deployment, namespace: shop, name: api}, container: main, env: PUBLIC_HOST, valueFrom: {hostRef: web}}\n  retired:"}}, nil, []string{
			`model.yaml:46: AccessModel platform: spec.consumers[1].env: an earlier consumer writes PUBLIC_HOST of Deployment shop/api [input-duplicate-name]; remove one of the two, or name a container in both`,
		}},
		"once-in-each-container": {"each has its own", []edit{{"  - owner: shop\n    targetRef", "  - container: side\n    owner: shop\n    targetRef"}, {"  retired:", "  - {owner: shop, targetRef: {kind: Deployment, namespace: shop, name: api}, container: main, env: PUBLIC_HOST, valueFrom: {hostRef: web}}\n  retired:"}}, nil, nil},
		"no-value": {"of what?", value("{}"), nil, []string{
			`model.yaml:45: AccessModel platform: spec.consumers[0].valueFrom: it has none of hostRef, principalOf [input-missing]; write one of them`,
		}},
		"two-values": {"of which?", value("{hostRef: inner, principalOf: {workload: web}}"), nil, []string{
			`model.yaml:45: AccessModel platform: spec.consumers[0].valueFrom: it has hostRef and principalOf [input-invalid-value]; write one of them alone`,
		}},
		"principal-of": {"of whom?", value("{principalOf: {}}"), nil, []string{
			`model.yaml:45: AccessModel platform: spec.consumers[0].valueFrom.principalOf: it has none of workload, gateway [input-missing]; write one of them`,
		}},
		"undefined": {"a typo", value("{principalOf: {gateway: ege}}"), nil, []string{
			`model.yaml:45: AccessModel platform: spec.consumers[0].valueFrom.principalOf.gateway: "ege" is none of the model's gateways; did you mean "edge"? [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"no-such-host-where-absent": {"there is no object to write to", value("{hostRef: outer}"), []edit{{"absent: {}", "absent: {workloads: [api]}"}}, nil},
		"no-such-host-of-absent":    {"its only gateway isn't there either", nil, []edit{{"absent: {}", "absent: {gateways: [inner]}"}, {"[inner.example.org]", "[]"}}, nil},
		"no-such-host": {"nothing to write", value("{hostRef: outer}"), nil, []string{
			`environment.yaml:10: Environment staging: spec.dns.outer: PUBLIC_HOST of Deployment shop/api needs a host of this name, and the environment has none [input-missing]; add it with one host`,
		}},
		"several-hosts": {"which one?", nil, []edit{{"[inner.example.org]", "[inner.example.org, more.example.org]"}}, []string{
			`environment.yaml:11: Environment staging: spec.dns.inner: PUBLIC_HOST of Deployment shop/api needs exactly one host that is no wildcard, and gets [inner.example.org more.example.org] [input-invalid-value]; give it one, or let the consumer name another hostRef`,
		}},
		"wildcard-host": {"no address", nil, []edit{{"[inner.example.org]", "['*.example.org']"}}, []string{
			`environment.yaml:11: Environment staging: spec.dns.inner: PUBLIC_HOST of Deployment shop/api needs exactly one host that is no wildcard, and gets [*.example.org] [input-invalid-value]; give it one, or let the consumer name another hostRef`,
		}},
		"retired-target": {"gone and needed", []edit{{"{apiVersion: v1, kind: ConfigMap, namespace: shop, name: old}", "{kind: Deployment, namespace: shop, name: web}"}}, nil, []string{
			`model.yaml:47: AccessModel platform: spec.retired[0]: Deployment shop/web is retired here, and belongs to workload "web" [owner-conflict]; remove it from one of the two`,
		}},
		"retired-version": {"its group is not known here", []edit{{"{apiVersion: v1, kind: ConfigMap", "{kind: ConfigMap"}}, nil, []string{
			`model.yaml:47: AccessModel platform: spec.retired[0].apiVersion: it is required for kind "ConfigMap" [input-missing]; add it`,
		}},
		"retired-bad": {"names nothing", []edit{{"{apiVersion: v1, kind: ConfigMap, namespace: shop, name: old}", `{apiVersion: v1, kind: "", namespace: A, name: ""}`}}, nil, []string{
			`model.yaml:47: AccessModel platform: spec.retired[0].kind: it is empty [input-invalid-value]; write a value`,
			`model.yaml:47: AccessModel platform: spec.retired[0].name: it is empty [input-invalid-value]; write a value`,
			`model.yaml:47: AccessModel platform: spec.retired[0].namespace: "A" is no namespace: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
	})
}
