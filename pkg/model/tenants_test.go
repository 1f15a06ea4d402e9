package model_test

import "testing"

func TestTenants(t *testing.T) {
	const entry = "{kind: Deployment, selectorKeys: [app], defaultPort: 8000}"
	workloads := func(list string) []edit { return []edit{{"    - " + entry, "    - " + list}} }
	group := func(fields string) []edit {
		return []edit{{"    exclude: [{name: agent}]\n", "    exclude: [{name: agent}]\n  - " + fields + "\n"}}
	}
	exclude := func(list string) []edit { return []edit{{"exclude: [{name: agent}]", "exclude: " + list}} }
	run(t, map[string]parseCase{
		"name-twice": {"names are unique", group("{name: labs, owner: vendor, namespaceSelector: {matchLabels: {a: b}}, callers: [], workloads: [" + entry + "]}"), nil, []string{
			`model.yaml:56: AccessModel platform: spec.tenants[1].name: the name "labs" is taken by an earlier entry [input-duplicate-name]; rename or remove one of the two`,
		}},
		"namespaces-all": {"the platform's among them", []edit{{`{matchLabels: {lab: "true"}}`, "{}"}}, nil, []string{
			`model.yaml:51: AccessModel platform: spec.tenants[0].namespaceSelector: tenant "labs": it is empty, so it would select every namespace [input-invalid-value]; select by labels`,
		}},
		"namespaces-unquoted": {"a label's value is a string", []edit{{`lab: "true"`, "lab: true"}}, nil, []string{
			`model.yaml:51: AccessModel platform: spec.tenants[0].namespaceSelector.matchLabels.lab: tenant "labs": "true" is a boolean where a string belongs [input-wrong-type]; quote it: "true"`,
		}},
		"callers-missing": {"nobody is written []", []edit{{"    callers: [{gateway: inner}]\n", ""}}, nil, []string{
			`model.yaml:49: AccessModel platform: spec.tenants[0].callers: tenant "labs": it is required [input-missing]; add it`,
		}},
		"caller-not-enrolled": {"tenants' policies hold in every profile", append([]edit{{"callers: [{gateway: inner}]", "callers: [{workload: batch}]"}, {"    serviceAccountName: batch\n    enroll: true", "    serviceAccountName: batch"}}, edit{", {workload: batch}", ""}), nil, []string{
			`model.yaml:51: AccessModel platform: spec.tenants[0].callers[0]: tenant "labs": the caller "batch" would have no identity: its enroll is false [caller-not-enrolled]; enroll the caller first, or hold the destination on a lower rung with an override`,
		}},
		"caller-enrolled-later": {"its proxy comes with the permissive rung", []edit{{"callers: [{gateway: inner}]", "callers: [{workload: batch}]"}}, []edit{{"securityProfile: enforced", "securityProfile: open"}}, nil},
		"workloads-none": {"nothing would get a policy", []edit{{"    workloads:\n    - " + entry, "    workloads: []"}}, nil, []string{
			`model.yaml:53: AccessModel platform: spec.tenants[0].workloads: tenant "labs": it is empty, so that nothing in these namespaces would get a policy [input-missing]; list the kinds of workload, or remove the group`,
		}},
		"kind": {"those two are known", workloads("{kind: StatefulSet, selectorKeys: [app], defaultPort: 8000}"), nil, []string{
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].kind: tenant "labs": "StatefulSet" is none of Deployment, InferenceService [input-invalid-value]; write one of them`,
		}},
		"port": {"the proxy's own", workloads("{kind: Deployment, selectorKeys: [app], defaultPort: 15021}"), nil, []string{
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].defaultPort: tenant "labs": 15021 is the proxy's own port, which bypasses every policy [input-invalid-value]; write the port that the container listens on`,
		}},
		"keys-missing": {"the policy would select everything", workloads("{kind: Deployment, defaultPort: 8000}"), nil, []string{
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selectorKeys: tenant "labs": without keys the policy would select every pod of the namespace [input-missing]; name the labels that tell its pods apart`,
		}},
		"keys-bad": {"label keys", workloads("{kind: Deployment, selectorKeys: [app, app, a b], defaultPort: 8000}"), nil, []string{
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selectorKeys[1]: tenant "labs": it stands in the list already [input-duplicate-name]; remove it`,
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selectorKeys[2]: tenant "labs": "a b" is no label key: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
		"keys-of-KServe": {"KServe sets them", workloads("{kind: InferenceService, selectorKeys: [app], defaultPort: 8000}"), nil, []string{
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selectorKeys: tenant "labs": the policy of an InferenceService selects by the labels that KServe sets [input-invalid-value]; remove it`,
		}},
		"two-entries-for-all": {"which one holds?", workloads(entry + "\n    - " + entry), nil, []string{
			`model.yaml:55: AccessModel platform: spec.tenants[0].workloads[1].selector: an earlier entry for kind Deployment in these namespaces, of tenant "labs", selects the same ones [input-duplicate-name]; tell the two selectors apart, or remove one of the entries`,
		}},
		"an-entry-within-another": {"which one holds?", workloads(entry + "\n    - {kind: Deployment, selector: {matchLabels: {a: b}}, selectorKeys: [app], defaultPort: 9000}"), nil, []string{
			`model.yaml:55: AccessModel platform: spec.tenants[0].workloads[1].selector: an earlier entry for kind Deployment in these namespaces, of tenant "labs", selects the same ones [input-duplicate-name]; tell the two selectors apart, or remove one of the entries`,
		}},
		"an-entry-around-another": {"which one holds?", workloads("{kind: Deployment, selector: {matchLabels: {a: b}}, selectorKeys: [app], defaultPort: 9000}\n    - " + entry), nil, []string{
			`model.yaml:55: AccessModel platform: spec.tenants[0].workloads[1].selector: an earlier entry for kind Deployment in these namespaces, of tenant "labs", selects the same ones [input-duplicate-name]; tell the two selectors apart, or remove one of the entries`,
		}},
		"two-entries-apart":        {"each has its own", workloads("{kind: Deployment, selector: {matchLabels: {a: b}}, selectorKeys: [app], defaultPort: 9000}\n    - {kind: Deployment, selector: {matchLabels: {a: c}}, selectorKeys: [app], defaultPort: 9000}"), nil, nil},
		"two-groups-of-namespaces": {"which one's callers?", group(`{name: more, owner: vendor, namespaceSelector: {matchExpressions: [{key: lab, operator: In, values: ["true"]}]}, callers: [], workloads: [` + entry + "]}"), nil, nil},
		"two-groups-alike": {"which one's callers?", group(`{name: more, owner: vendor, namespaceSelector: {matchLabels: {lab: "true"}}, callers: [], workloads: [` + entry + "]}"), nil, []string{
			`model.yaml:56: AccessModel platform: spec.tenants[1].workloads[0].selector: tenant "more": an earlier entry for kind Deployment in these namespaces, of tenant "labs", selects the same ones [input-duplicate-name]; tell the two selectors apart, or remove one of the entries`,
		}},
		"two-groups-by-kind": {"each has its own", group(`{name: more, owner: vendor, namespaceSelector: {matchLabels: {lab: "true"}}, callers: [], workloads: [{kind: InferenceService, defaultPort: 8000}]}`), nil, nil},
		"exclude-all": {"an exclusion has content", exclude("[{}]"), nil, []string{
			`model.yaml:55: AccessModel platform: spec.tenants[0].exclude[0]: tenant "labs": it is empty, so it would exclude every workload [input-invalid-value]; say what to exclude, or remove the entry`,
		}},
		"exclude-all-by-selector": {"an empty selector is none", exclude("[{selector: {matchLabels: {}}}]"), nil, []string{
			`model.yaml:55: AccessModel platform: spec.tenants[0].exclude[0]: tenant "labs": it is empty, so it would exclude every workload [input-invalid-value]; say what to exclude, or remove the entry`,
		}},
		"exclude-a-variable": {"a variable came out empty, and all Deployments with it", exclude(`[{kind: Deployment, name: ""}]`), nil, []string{
			`model.yaml:55: AccessModel platform: spec.tenants[0].exclude[0].name: tenant "labs": it is empty [input-invalid-value]; write a value, or remove the key`,
		}},
		"exclude-bad": {"it would exclude nothing", exclude("[{kind: deployment, namespace: A, name: B}]"), nil, []string{
			`model.yaml:55: AccessModel platform: spec.tenants[0].exclude[0].kind: tenant "labs": "deployment" is none of Deployment, InferenceService [input-invalid-value]; write one of them`,
			`model.yaml:55: AccessModel platform: spec.tenants[0].exclude[0].name: tenant "labs": "B" is no object name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
			`model.yaml:55: AccessModel platform: spec.tenants[0].exclude[0].namespace: tenant "labs": "A" is no namespace: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
		"selector-bad": {"as Kubernetes has it", workloads("{kind: Deployment, selectorKeys: [app], defaultPort: 8000, selector: {matchExpressions: [{key: a, operator: in, values: [b]}, {key: a, operator: In}, {key: a, operator: Exists, values: [b]}, {key: a b, operator: Exists}, {key: a, operator: NotIn, values: [b c]}]}}"), nil, []string{
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selector.matchExpressions[0].operator: tenant "labs": "in" is none of In, NotIn, Exists, DoesNotExist [input-invalid-value]; write one of them`,
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selector.matchExpressions[1].values: tenant "labs": the operator In needs values [input-missing]; add them`,
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selector.matchExpressions[2].values: tenant "labs": the operator Exists takes no values [input-invalid-value]; remove them`,
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selector.matchExpressions[3]: tenant "labs": "a b" is no label key: name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
			`model.yaml:54: AccessModel platform: spec.tenants[0].workloads[0].selector.matchExpressions[4]: tenant "labs": "b c" is no label value: a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
	})
}
