package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/model"
)

func TestDocuments(t *testing.T) {
	const head = "apiVersion: ringfence.dev/v1alpha1\nkind: "
	cases := map[string]struct {
		reason, text string
		findings     []string
	}{
		"malformed": {"the line is YAML's own", head + "AccessModel\nmetadata: {name: a\nspec: {}\n", []string{
			`model.yaml:3: it is no YAML: did not find expected ',' or '}' [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"tab": {"YAML indents by spaces", head + "AccessModel\nspec:\n\towners: []\n", []string{
			`model.yaml:4: it is no YAML: found character that cannot start any token [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"not-utf-8": {"no text", head + "AccessModel\nmetadata: {name: \xff}\n", []string{
			`model.yaml: it is no YAML: invalid leading UTF-8 octet [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"nul": {"no text", head + "AccessModel\nmetadata: {name: \"a\x00\"}\n", []string{
			`model.yaml: it is no YAML: control characters are not allowed [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"unknown-anchor": {"it stands for nothing", head + "AccessModel\nmetadata: *a\n", []string{
			`model.yaml: it is no YAML: unknown anchor 'a' referenced [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"too-large": {"people don't write that much", "# " + strings.Repeat("x", model.MaxDocumentBytes), []string{
			`model.yaml: it has more than the 1048576 bytes that a model document may have [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"empty": {"a file that is there by mistake", "", []string{
			`model.yaml: it holds no document [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"comments": {"as good as empty", "# nothing\n---\n# nothing\n", []string{
			`model.yaml: it holds no document [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"scalar": {"no document of ours", "AccessModel\n", []string{
			`model.yaml:1: it is a string; only AccessModel, AccessTest, Environment and Ringfence of ringfence.dev/v1alpha1 belong here [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"list": {"no document of ours", "[" + head + "AccessModel]", []string{
			`model.yaml:2: it is no YAML: did not find expected ',' or ']' [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"no-kind": {"nothing says what it is", "apiVersion: ringfence.dev/v1alpha1\n", []string{
			`model.yaml:1: it has the apiVersion "ringfence.dev/v1alpha1" and the kind ""; only AccessModel, AccessTest, Environment and Ringfence of ringfence.dev/v1alpha1 belong here [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"no-version": {"nothing says what it is", "kind: AccessModel\n", []string{
			`model.yaml:1: AccessModel (no name): it has the apiVersion "" and the kind "AccessModel"; only AccessModel, AccessTest, Environment and Ringfence of ringfence.dev/v1alpha1 belong here [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"other-kind": {"it is there by mistake", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", []string{
			`model.yaml:1: ConfigMap a: it is a ConfigMap of v1; only AccessModel, AccessTest, Environment and Ringfence of ringfence.dev/v1alpha1 belong here [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"other-version": {"a newer Ringfence's", "apiVersion: ringfence.dev/v2\nkind: AccessModel\nmetadata: {name: a}\n", []string{
			`model.yaml:1: AccessModel a: this version of Ringfence doesn't read apiVersion "ringfence.dev/v2"; it reads ringfence.dev/v1alpha1 [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"misspelt-kind": {"a typo", head + "Accessmodel\nmetadata: {name: a}\n", []string{
			`model.yaml:1: Accessmodel a: there is no kind "Accessmodel" in ringfence.dev/v1alpha1; did you mean "AccessModel"? [input-unreadable]; mend the text, or take it out of the input`,
		}},
		"several": {"a file may hold both, and empty ones between", head + "AccessModel\nmetadata: {name: a}\n---\n---\n# nothing\n---\n" + head + "Environment\nmetadata: {name: b}\n", nil},
		"one-of-several": {"the others are read", head + "AccessModel\n---\nkind: ConfigMap\napiVersion: v1\n---\n" + head + "Environment\n", []string{
			`model.yaml:4: ConfigMap (no name): it is a ConfigMap of v1; only AccessModel, AccessTest, Environment and Ringfence of ringfence.dev/v1alpha1 belong here [input-unreadable]; mend the text, or take it out of the input`,
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, findings := model.ParseDocuments("model.yaml", []byte(c.text))
			check(t, c.reason, c.findings, findings)
			_, findings = model.ParseDocuments("", []byte(c.text))
			for _, f := range findings {
				require.Zero(t, f.Line, "no one can open a text without a file")
			}
		})
	}
	docs, _ := model.ParseDocuments("model.yaml", []byte(cases["several"].text))
	require.Len(t, docs, 2)
	require.Equal(t, "Environment b", docs[1].Ref.String())
	docs, _ = model.ParseDocuments("model.yaml", []byte(cases["one-of-several"].text))
	require.Len(t, docs, 2)
}

func TestDecode(t *testing.T) {
	owners := func(text string) []edit { return []edit{{"  - {name: shop, tool: GitOps}", "  - " + text}} }
	run(t, map[string]parseCase{
		"unknown-field": {"a typo", []edit{{"serviceAccountName: web", "servicAccountName: web"}}, nil, []string{
			`model.yaml:21: AccessModel platform: spec.workloads[0].serviceAccountName: workload "web": it is required [input-missing]; add it`,
			`model.yaml:24: AccessModel platform: spec.workloads[0].servicAccountName: workload "web": there is no such field; did you mean "serviceAccountName"? [input-unknown-field]; correct its spelling, or remove it`,
		}},
		"unknown-field-unlike": {"nothing like it", []edit{{"serviceAccountName: web", "serviceAccountName: web\n    xyz: 1"}}, nil, []string{
			`model.yaml:25: AccessModel platform: spec.workloads[0].xyz: workload "web": there is no such field; there are name, namespace, owner, targetRefs, podTemplateSelector, selector, serviceAccountName, previousServiceAccountNames, roleBindingRefs, enroll, ports, callers, policyName, peerAuthenticationName [input-unknown-field]; correct its spelling, or remove it`,
		}},
		"unknown-field-on-top": {"a document has four", []edit{{"spec:", "status: {}\nspec:"}}, nil, []string{
			`model.yaml:4: AccessModel platform: status: there is no such field; there are apiVersion, kind, metadata, spec [input-unknown-field]; correct its spelling, or remove it`,
		}},
		"duplicate-key": {"which one?", []edit{{"serviceAccountName: web", "serviceAccountName: web\n    serviceAccountName: api"}}, nil, []string{
			`model.yaml:25: AccessModel platform: spec.workloads[0].serviceAccountName: workload "web": the key stands twice, first on line 24 [input-duplicate-key]; remove one of the two`,
		}},
		"duplicate-of-a-list": {"which one?", []edit{{"    callers: [{gateway: edge}]", "    callers: [{gateway: edge}]\n    callers: []"}}, nil, []string{
			`model.yaml:28: AccessModel platform: spec.workloads[0].callers: workload "web": the key stands twice, first on line 27 [input-duplicate-key]; remove one of the two`,
		}},
		"duplicate-by-alias": {"an alias is the key that it stands for", []edit{{"name: shop, tool: GitOps", "&key name: shop, tool: GitOps, *key : roles"}}, nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: the key stands twice, first on line 6 [input-duplicate-key]; remove one of the two`,
		}},
		"merge-key": {"written out it reads the same to everybody", []edit{{"{name: roles, tool", "{<<: {name: roles}, tool"}}, nil, []string{
			`model.yaml:7: AccessModel platform: spec.owners[1]: the key << merges another mapping into this one, which is not done here [input-wrong-type]; write the keys out`,
		}},
		"key-a-list": {"no name", owners("{[name]: shop, name: shop, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0]: a key is a list [input-wrong-type]; write a plain string`,
		}},
		"key-a-number": {"no name", owners("{1: shop, name: shop, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0]: the key 1 is a number, and a string belongs there [input-wrong-type]; quote it: "1"`,
		}},
		"key-null": {"no name", owners("{~: shop, name: shop, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0]: the key ~ is no value, and a string belongs there [input-wrong-type]; quote it: "~"`,
		}},
		"name-a-number": {"a name that looks like a number", owners("{name: 8000, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: "8000" is a number where a string belongs [input-wrong-type]; quote it: "8000"`,
		}},
		"name-a-float": {"a name that looks like a number", owners("{name: 1e3, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: "1e3" is a number where a string belongs [input-wrong-type]; quote it: "1e3"`,
		}},
		"name-a-boolean": {"a name that looks like a boolean", owners("{name: true, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: "true" is a boolean where a string belongs [input-wrong-type]; quote it: "true"`,
		}},
		"name-y": {"Ansible reads true", owners("{name: y, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: "y" is a boolean to some readers of YAML where a string belongs [input-wrong-type]; quote it: "y"`,
		}},
		"name-Off": {"Ansible reads false", owners("{name: Off, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: "Off" is a boolean to some readers of YAML where a string belongs [input-wrong-type]; quote it: "Off"`,
		}},
		"name-a-date": {"a name that looks like a date", owners("{name: 2024-01-02, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: "2024-01-02" is a date where a string belongs [input-wrong-type]; quote it: "2024-01-02"`,
		}},
		"name-null": {"a name that looks like null", owners("{name: ~, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: it has no value [input-wrong-type]; write a value of the right type, or remove the key`,
		}},
		"name-tagged": {"a tag of another tool", owners("{name: !vault x, tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: "x" is of type !vault where a string belongs [input-wrong-type]; quote it: "x"`,
		}},
		"name-a-list": {"one name", owners("{name: [shop], tool: GitOps}"), nil, []string{
			`model.yaml:6: AccessModel platform: spec.owners[0].name: it is a list where a string belongs [input-wrong-type]; write a value of the right type, or remove the key`,
		}},
		"entry-null": {"an entry without content", []edit{{"  - {name: vendor", "  -\n  - {name: vendor"}}, nil, []string{
			`model.yaml:8: AccessModel platform: spec.owners[2]: it has no value [input-wrong-type]; write a value of the right type, or remove the key`,
		}},
		"entry-a-string": {"owners have a tool", []edit{{"  - {name: vendor", "  - gone\n  - {name: vendor"}}, nil, []string{
			`model.yaml:8: AccessModel platform: spec.owners[2]: "gone" is a string where a mapping belongs [input-wrong-type]; write a value of the right type, or remove the key`,
		}},
		"list-a-mapping": {"a list of entries", []edit{{"  retired:\n  - {", "  retired:\n    {"}}, nil, []string{
			`model.yaml:47: AccessModel platform: spec.retired: it is a mapping where a list belongs [input-wrong-type]; write a value of the right type, or remove the key`,
		}},
		"mapping-a-list": {"labels are a mapping", []edit{{`{matchLabels: {lab: "true"}}`, "{matchLabels: [lab]}"}}, nil, []string{
			`model.yaml:51: AccessModel platform: spec.tenants[0].namespaceSelector.matchLabels: tenant "labs": it is a list where a mapping belongs [input-wrong-type]; write a value of the right type, or remove the key`,
		}},
		"spec-null": {"nothing in it", nil, []edit{{"spec:", "spec:\nmore:"}}, []string{
			`environment.yaml:4: Environment staging: spec: it has no value [input-wrong-type]; write a value of the right type, or remove the key`,
			`environment.yaml:5: Environment staging: more: there is no such field; there are apiVersion, kind, metadata, spec [input-unknown-field]; correct its spelling, or remove it`,
		}},
		"alias": {"people may write them", []edit{{"name: shop, tool: GitOps", "name: &s shop, tool: &t GitOps"}, {"{name: roles, tool: Ansible}", "{name: roles, tool: *t}"}}, nil, nil},
		"several-at-once": {"one run tells all", []edit{{"owner: shop", "owner: ship"}, {"port: 3000", "port: 0"}, {"kind: Job", "kind: Jib"}}, []edit{{"tier: staging", "tear: staging"}}, []string{
			`environment.yaml:5: Environment staging: spec.tear: there is no such field; there are tier, securityProfile, overrides, absent, istio, dns [input-unknown-field]; correct its spelling, or remove it`,
			`environment.yaml:5: Environment staging: spec.tier: it is required [input-missing]; add it`,
			`model.yaml:11: AccessModel platform: spec.gateways[0].owner: gateway "edge": "ship" is none of the model's owners; did you mean "shop"? [input-undefined-reference]; correct the name, or add the entry`,
			`model.yaml:26: AccessModel platform: spec.workloads[0].ports[0].port: workload "web": 0 is no port number: those are 1 to 65535 [input-invalid-value]; write a valid value`,
			`model.yaml:38: AccessModel platform: spec.workloads[2].targetRefs[0].kind: workload "batch": "Jib" is no kind with a pod template that is known here; those are Deployment, StatefulSet, DaemonSet, ReplicaSet, Job, CronJob, Pod, InferenceService [input-invalid-value]; write a valid value`,
		}},
	})
}

// Texts that would be large once expanded, or deep, are refused in little time.
func TestLimits(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("a: &a [" + strings.Repeat("x, ", 10) + "]\n")
	for i := 'b'; i < 'k'; i++ {
		bomb.WriteString(string(i) + ": &" + string(i) + " [" + strings.Repeat("*"+string(i-1)+", ", 10) + "]\n")
	}
	list := strings.Repeat("{workload: web}, ", 30_000)
	cases := map[string]struct {
		reason   string
		model    []edit
		contains string
	}{
		"alias-bomb":      {"fields that nobody reads aren't expanded", []edit{{"spec:\n", bomb.String() + "spec:\n"}}, "model.yaml:13: AccessModel platform: j: there is no such field; there are apiVersion, kind, metadata, spec"},
		"alias-bomb-read": {"values count each time that they are read", []edit{{"callers: [{gateway: edge}]", "callers: &c [" + list + "]"}, {"callers: [{workload: web}, {workload: batch}]", "callers: *c"}}, "model.yaml:27: AccessModel platform: spec.workloads[1].callers["},
		"alias-of-itself": {"it has no end", []edit{{"[{name: agent}]", "[&e {selector: {matchExpressions: [*e]}}]"}}, "model.yaml:55: AccessModel platform: spec.tenants[0].exclude[0].selector.matchExpressions[0].selector: tenant \"labs\": there is no such field; there are key, operator, values"},
		"nested":          {"YAML's own limit", []edit{{"owner: shop", "owner: " + strings.Repeat("[", 20_000)}}, "model.yaml:11: it is no YAML: exceeded max depth of 10000"},
		"nested-less":     {"we go no deeper than the fields do", []edit{{"owner: shop", "owner: " + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000)}}, "model.yaml:11: AccessModel platform: spec.gateways[0].owner: gateway \"edge\": it is a list where a string belongs"},
		"long-list":       {"more than people write", []edit{{"    exclude: [{name: agent}]", "    exclude: [" + strings.Repeat("{},", 200_000) + "]"}}, "model.yaml:55: AccessModel platform: spec.tenants[0].exclude: tenant \"labs\": the document holds more than 100000 values once its aliases are expanded"},
		"long-value":      {"it is no name, and nobody reads it", []edit{{"owner: shop", "owner: " + strings.Repeat("é", 100_000)}}, "model.yaml:11: AccessModel platform: spec.gateways[0].owner: gateway \"edge\": \"éééé"},
		"long-key":        {"YAML's own limit", []edit{{"owner: shop", "owner: shop\n    " + strings.Repeat("é", 100_000) + ": 1"}}, "model.yaml:12: it is no YAML: could not find expected ':'"},
		"many-problems":   {"nobody reads them", []edit{{"owners:", "owners:\n" + strings.Repeat("  - {nam: x}\n", 10_000)}}, "model.yaml: AccessModel platform: it has more problems than the 1000 that are listed"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, findings := parse(t, edited(t, modelText, c.model), []byte(environmentText))
			require.LessOrEqual(t, len(findings), 1001)
			found := false
			for _, line := range said(findings) {
				require.Less(t, len(line), 1000)
				found = found || strings.HasPrefix(line, c.contains)
			}
			require.True(t, found, c.reason)
		})
	}
}
