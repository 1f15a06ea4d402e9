package model_test

import "testing"

func TestEnvironment(t *testing.T) {
	spec := func(text string) []edit { return []edit{{"  absent: {}\n", "  " + text + "\n"}} }
	istio := func(fields string) []edit { return []edit{{"trustDomain: cluster.local", fields}} }
	run(t, map[string]parseCase{
		"tier": {"a closed list", nil, []edit{{"tier: staging", "tier: prod"}}, []string{
			`environment.yaml:5: Environment staging: spec.tier: "prod" is none of local, dev, staging, production [input-invalid-value]; write one of them`,
		}},
		"profile-case": {"exactly so", nil, []edit{{"securityProfile: enforced", "securityProfile: Enforced"}}, []string{
			`environment.yaml:6: Environment staging: spec.securityProfile: "Enforced" is no security profile, as open, permissive and enforced are [input-invalid-value]; write open, permissive or enforced`,
		}},
		"profile-missing": {"it is no default", nil, []edit{{"  securityProfile: enforced\n", ""}}, []string{
			`environment.yaml:5: Environment staging: spec.securityProfile: it is required [input-missing]; add it`,
		}},
		"absent-undefined": {"it would be there", nil, spec("absent: {gateways: [inne], workloads: [nothing]}"), []string{
			`environment.yaml:7: Environment staging: spec.absent.gateways[0]: "inne" is none of the model's gateways; did you mean "inner"? [input-undefined-reference]; correct the name, or add the entry`,
			`environment.yaml:7: Environment staging: spec.absent.workloads[0]: "nothing" is none of the model's workloads; there are web, api, batch [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"absent-twice": {"one of them is another's", nil, spec("absent: {gateways: [inner, inner]}"), []string{
			`environment.yaml:7: Environment staging: spec.absent.gateways[1]: it stands in the list already [input-duplicate-name]; remove it`,
		}},
		"absent-null": {"all, or none?", nil, spec("absent:"), []string{
			`environment.yaml:7: Environment staging: spec.absent: it has no value [input-wrong-type]; write a value of the right type, or remove the key`,
		}},
		"override-case": {"exactly so", nil, spec("overrides: [{workload: web, securityProfile: Permissive}]"), []string{
			`environment.yaml:7: Environment staging: spec.overrides[0].securityProfile: "Permissive" is no security profile, as open, permissive and enforced are [input-invalid-value]; write open, permissive or enforced`,
		}},
		"override-upwards": {"an override only lowers", nil, append(spec("overrides: [{workload: web, securityProfile: enforced}, {gateway: edge, securityProfile: permissive}]"), edit{"securityProfile: enforced\n", "securityProfile: permissive\n"}), []string{
			`environment.yaml:7: Environment staging: spec.overrides[0].securityProfile: enforced isn't lower than the environment's own permissive, and an override only lowers [input-invalid-value]; write a lower profile, or remove the override`,
			`environment.yaml:7: Environment staging: spec.overrides[1].securityProfile: permissive isn't lower than the environment's own permissive, and an override only lowers [input-invalid-value]; write a lower profile, or remove the override`,
		}},
		"override-undefined": {"it would hold nothing down", nil, spec("overrides: [{workload: wep, securityProfile: open}, {gateway: web, securityProfile: open}]"), []string{
			`environment.yaml:7: Environment staging: spec.overrides[0].workload: "wep" is none of the model's workloads; did you mean "web"? [input-undefined-reference]; correct the name, or add the entry`,
			`environment.yaml:7: Environment staging: spec.overrides[1].gateway: "web" is none of the model's gateways; there are edge, inner [input-undefined-reference]; correct the name, or add the entry`,
		}},
		"override-twice": {"which one?", nil, spec("overrides: [{workload: api, securityProfile: open}, {workload: api, securityProfile: permissive}]"), []string{
			`environment.yaml:7: Environment staging: spec.overrides[1]: "api" has an override already [input-duplicate-name]; remove one of the two`,
		}},
		"override-both": {"which one?", nil, spec("overrides: [{workload: api, gateway: edge, securityProfile: open}]"), []string{
			`environment.yaml:7: Environment staging: spec.overrides[0]: it has workload and gateway [input-invalid-value]; write one of them alone`,
		}},
		"override-none": {"of what?", nil, spec("overrides: [{securityProfile: open}]"), []string{
			`environment.yaml:7: Environment staging: spec.overrides[0]: it has none of workload, gateway [input-missing]; write one of them`,
		}},
		"trust-domain-id": {"an ID is no trust domain", nil, istio("trustDomain: spiffe://cluster.local/ns/a"), []string{
			`environment.yaml:8: Environment staging: spec.istio.trustDomain: "spiffe://cluster.local/ns/a" is no trust domain: it is an ID in cluster.local [input-invalid-value]; write a valid value`,
		}},
		"trust-domain-case": {"SPIFFE's letters", nil, istio("trustDomain: Cluster.Local"), []string{
			`environment.yaml:8: Environment staging: spec.istio.trustDomain: "Cluster.Local" is no trust domain: trust domain characters are limited to lowercase letters, numbers, dots, dashes, and underscores [input-invalid-value]; write a valid value`,
		}},
		"trust-domain-empty": {"a variable came out empty", nil, istio(`trustDomain: ""`), []string{
			`environment.yaml:8: Environment staging: spec.istio.trustDomain: it is empty [input-invalid-value]; write a value, or remove the key`,
		}},
		"trust-domain-wildcard": {"it would be no domain", nil, istio(`trustDomain: "*"`), []string{
			`environment.yaml:8: Environment staging: spec.istio.trustDomain: "*" is no trust domain: trust domain characters are limited to lowercase letters, numbers, dots, dashes, and underscores [input-invalid-value]; write a valid value`,
		}},
		"aliases": {"each one", nil, istio("trustDomainAliases: [old.local, old.local, cluster.local, a/b]"), []string{
			`environment.yaml:8: Environment staging: spec.istio.trustDomainAliases[1]: it stands in the list already [input-duplicate-name]; remove it`,
			`environment.yaml:8: Environment staging: spec.istio.trustDomainAliases[2]: "cluster.local" is the trust domain itself, and no alias of it [input-duplicate-name]; remove it`,
			`environment.yaml:8: Environment staging: spec.istio.trustDomainAliases[3]: "a/b" is no trust domain: trust domain characters are limited to lowercase letters, numbers, dots, dashes, and underscores [input-invalid-value]; write a valid value`,
		}},
		"version-unquoted": {"1.30 would be 1.3", nil, []edit{{"version: 1.31.4", "version: 1.30"}}, []string{
			`environment.yaml:8: Environment staging: spec.istio.version: "1.30" is a number where a string belongs [input-wrong-type]; quote it: "1.30"`,
		}},
		"version": {"no version", nil, []edit{{"version: 1.31.4", "version: latest"}}, []string{
			`environment.yaml:8: Environment staging: spec.istio.version: "latest" is no version such as 1.31.4 [input-invalid-value]; write a valid value`,
		}},
		"revision-empty": {"the default tag exists", nil, istio(`revision: ""`), nil},
		"revision": {"it names objects", nil, istio("revision: 1.31"), []string{
			`environment.yaml:8: Environment staging: spec.istio.revision: "1.31" is a number where a string belongs [input-wrong-type]; quote it: "1.31"`,
		}},
		"revision-quoted": {"it names objects", nil, istio("revision: '1.31'"), []string{
			`environment.yaml:8: Environment staging: spec.istio.revision: "1.31" is no revision: must not contain dots [input-invalid-value]; write a valid value`,
		}},
		"root-namespace": {"no namespace", nil, istio("rootNamespace: Istio"), []string{
			`environment.yaml:8: Environment staging: spec.istio.rootNamespace: "Istio" is no namespace: a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character [input-invalid-value]; write a valid value`,
		}},
		"dns-name-a-boolean": {"Ansible reads true", nil, []edit{{"    web:", "    on: []\n    web:"}}, []string{
			`environment.yaml:10: Environment staging: spec.dns: the key on is a boolean to some readers of YAML, and a string belongs there [input-wrong-type]; quote it: "on"`,
		}},
		"dns-null": {"none, or which?", nil, []edit{{"[web.example.org]", ""}}, []string{
			`environment.yaml:10: Environment staging: spec.dns.web: it has no value [input-wrong-type]; write [] for an empty list, or remove the key`,
		}},
		"principal-of-other-domain": {"principals are of the environment's", []edit{{"{workload: web}", "{principal: cluster.local/ns/a/sa/b}"}}, istio("trustDomain: mesh.example"), []string{
			`model.yaml:34: AccessModel platform: spec.workloads[1].callers[0].principal: workload "api": "cluster.local/ns/a/sa/b" is of trust domain "cluster.local", and the environment's is "mesh.example" [input-invalid-value]; write a valid value`,
		}},
	})
}
