package parity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/parity"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

func profileIs(profile string) func(*model.Inventory) {
	return func(i *model.Inventory) { i.SecurityProfile = profile }
}

// The documents that enforcement adds, and the labels that enrollment does.
var (
	policies = []edit{
		without("{name: gw, namespace: istio-system}\nspec:\n  selector"), without("web-allow-callers"), without("web-strict-mtls"), without("api-allow-callers"), without("api-strict-mtls"),
	}
	labels = []edit{
		{`{app: web, sidecar.istio.io/inject: "true"}`, "{app: web}"}, {`{app: api, sidecar.istio.io/inject: "true"}`, "{app: api}"}, {`{app: seed, sidecar.istio.io/inject: "true"}`, "{app: seed}"},
	}
)

const (
	injectLabel = `spec.template.metadata.labels["sidecar.istio.io/inject"]`
	cronLabel   = `spec.jobTemplate.spec.template.metadata.labels["sidecar.istio.io/inject"]`
)

func TestProfile(t *testing.T) {
	everyPolicy := []string{
		"parity-profile AuthorizationPolicy istio-system/gw", "parity-profile AuthorizationPolicy app/web-allow-callers", "parity-profile PeerAuthentication app/web-strict-mtls",
		"parity-profile AuthorizationPolicy app/api-allow-callers", "parity-profile PeerAuthentication app/api-strict-mtls",
	}
	everyLabel := []string{
		"parity-profile Deployment app/web " + injectLabel, "parity-profile Deployment app/api " + injectLabel, "parity-profile CronJob app/seed " + cronLabel,
	}
	check(t, map[string]testCase{
		"enforced-agrees":   {},
		"permissive-agrees": {inventory: profileIs("permissive"), rendered: policies, profile: "permissive"},
		"open-agrees":       {inventory: profileIs("open"), rendered: append(append([]edit{}, policies...), labels...), profile: "open"},

		"enforced-but-permissive-is-rendered": {
			reason: "the enforcement component is left out", rendered: policies, profile: "permissive", want: everyPolicy,
			says: []string{`security_profile is enforced, and no rendered file holds this policy of workload "web"`},
		},
		"enforced-but-open-is-rendered": {
			rendered: append(append([]edit{}, policies...), labels...), profile: "open", want: append(append([]string{}, everyPolicy...), everyLabel...),
		},
		"permissive-but-enforced-is-rendered": {
			reason: "after a rollback by the inventory alone, GitOps still enforces", inventory: profileIs("permissive"), want: everyPolicy,
			says: []string{`security_profile is permissive, and this policy of workload "api" refuses plaintext`},
		},
		"open-but-permissive-is-rendered": {
			inventory: profileIs("open"), rendered: policies, profile: "permissive", want: everyLabel,
			says: []string{`security_profile is open, and the pods of workload "seed" ask for a sidecar`},
		},
		"one-label-missing": {
			reason: "no profile makes this", rendered: labels[:1], profile: parity.Mixed, want: []string{"parity-profile Deployment app/web " + injectLabel},
		},
		"one-label-false": {
			rendered: []edit{{`{app: web, sidecar.istio.io/inject: "true"}`, `{app: web, sidecar.istio.io/inject: "false"}`}}, profile: parity.Mixed,
			want: []string{"parity-profile Deployment app/web " + injectLabel},
		},
		"one-label-is-no-text": {
			reason: "an API server refuses a label that is a truth value", rendered: []edit{{`{app: web, sidecar.istio.io/inject: "true"}`, `{app: web, sidecar.istio.io/inject: true}`}},
			profile: parity.Mixed, want: []string{"parity-profile Deployment app/web " + injectLabel},
		},
		"by-revision": {
			reason:   "the label of a revision asks for a sidecar, too",
			rendered: []edit{{`{app: web, sidecar.istio.io/inject: "true"}`, `{app: web, istio.io/rev: canary}`}},
		},
		"by-namespace": {
			reason: "whatever the pods say, the namespace enrolls them", inventory: profileIs("open"), profile: parity.Mixed,
			rendered: append(append([]edit{{"metadata: {name: app}", "metadata: {name: app, labels: {istio-injection: enabled}}"}}, policies...),
				labels[0], labels[1], edit{`{app: seed, sidecar.istio.io/inject: "true"}`, `{app: seed, sidecar.istio.io/inject: "false"}`}),
			want: []string{`parity-profile Namespace app metadata.labels.istio-injection`},
			says: []string{"the namespace gives every pod a sidecar"},
		},
		"by-a-revision-of-the-namespace": {
			rendered: []edit{labels[0], {"metadata: {name: app}", "metadata: {name: app, labels: {istio.io/rev: canary}}"}},
		},
		"not-enrolled-by-the-model": {
			reason: "whom the model doesn't enroll tells nothing", rendered: []edit{{"labels: {app: report}", `labels: {app: report, sidecar.istio.io/inject: "true"}`}},
		},
		"one-policy-missing": {
			rendered: []edit{without("api-strict-mtls")}, profile: parity.Mixed, want: []string{"parity-profile PeerAuthentication app/api-strict-mtls"},
		},
		"one-policy-left-over": {
			inventory: profileIs("permissive"), rendered: policies[:4], profile: parity.Mixed, want: []string{"parity-profile PeerAuthentication app/api-strict-mtls"},
		},
		"peer-not-strict": {
			rendered: []edit{{"{matchLabels: {app: web}}\n  mtls: {mode: STRICT}", "{matchLabels: {app: web}}\n  mtls: {mode: PERMISSIVE}"}}, profile: parity.Mixed,
			want: []string{"parity-profile PeerAuthentication app/web-strict-mtls"}, says: []string{"accepts plaintext"},
		},
		"peer-with-a-port-left-open": {
			rendered: []edit{{"{matchLabels: {app: web}}\n  mtls: {mode: STRICT}", "{matchLabels: {app: web}}\n  mtls: {mode: STRICT}\n  portLevelMtls: {\"3000\": {mode: DISABLE}}"}},
			profile:  parity.Mixed, want: []string{"parity-profile PeerAuthentication app/web-strict-mtls"},
		},
		"policy-is-a-dry-run": {
			reason:   "Istio only logs what it would do",
			rendered: []edit{{"{name: web-allow-callers, namespace: app}", "{name: web-allow-callers, namespace: app, annotations: {istio.io/dry-run: \"true\"}}"}},
			profile:  parity.Mixed, want: []string{"parity-profile AuthorizationPolicy app/web-allow-callers"}, says: []string{"is a dry run"},
		},
		"policy-has-another-action": {
			rendered: []edit{{"{matchLabels: {app: gw}}\n  rules", "{matchLabels: {app: gw}}\n  action: AUDIT\n  rules"}}, profile: parity.Mixed,
			want: []string{"parity-profile AuthorizationPolicy istio-system/gw"}, says: []string{"has the action AUDIT"},
		},
		"gateway-policy-admits-everything": {
			reason:   "the empty rule of before",
			rendered: []edit{{"  - to:\n    - operation:\n        hosts: [web.example.org, \"web.example.org:*\"]", "  - {}"}}, profile: parity.Mixed,
			want: []string{"parity-profile AuthorizationPolicy istio-system/gw"}, says: []string{"admits every request"},
		},
		"gateway-policy-of-before-in-open": {
			reason: "it admits every request, as if there were none", inventory: profileIs("open"), profile: "open",
			rendered: append(append([]edit{{"  - to:\n    - operation:\n        hosts: [web.example.org, \"web.example.org:*\"]", "  - {}"}}, policies[1:]...), labels...),
		},
		"policies-of-other-names": {
			reason: "what refuses requests does so under any name", inventory: profileIs("permissive"), rendered: policies, profile: "enforced",
			add: `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: other-hosts, namespace: istio-system}
spec: {selector: {matchLabels: {app: gw}}, rules: [{to: [{operation: {hosts: [web.example.org]}}]}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: other-web, namespace: app}
spec: {selector: {matchLabels: {app: web}}, rules: [{from: [{source: {namespaces: [app]}}]}]}
---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: other-web, namespace: app}
spec: {selector: {matchLabels: {app: web}}, mtls: {mode: STRICT}}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: api-of-before, namespace: app, labels: {app.kubernetes.io/managed-by: ringfence, ringfence.dev/owner: app, ringfence.dev/model: platform}, annotations: {ringfence.dev/source: workloads/api}}
spec: {selector: {matchLabels: {app: moved}}, rules: []}
---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: api-strict-mtls}
spec: {selector: {matchLabels: {app: api}}, mtls: {mode: STRICT}}
`,
			want: []string{
				"parity-profile AuthorizationPolicy istio-system/other-hosts", "parity-profile AuthorizationPolicy app/other-web", "parity-profile PeerAuthentication app/other-web",
				"parity-profile AuthorizationPolicy app/api-of-before", "parity-profile PeerAuthentication api-strict-mtls",
			},
		},
		"policies-that-are-no-profile's": {
			reason: "CUSTOM and DENY, another gateway's policy, what constrains no hosts, what names nobody's pods, and what admits everybody are there in every profile", inventory: profileIs("permissive"), rendered: policies, profile: "permissive",
			add: `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: ext-authz, namespace: istio-system}
spec: {selector: {matchLabels: {app: gw}}, action: CUSTOM, provider: {name: oauth2}, rules: [{to: [{operation: {hosts: [web.example.org]}}]}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: global-deny-all, namespace: istio-system}
spec: {}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: service, namespace: istio-system}
spec: {selector: {matchLabels: {app: gw}}, rules: [{to: [{operation: {hosts: [service.example.org]}}]}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: tokens, namespace: istio-system}
spec: {selector: {matchLabels: {app: gw}}, rules: [{from: [{source: {requestPrincipals: ["*"]}}]}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: deny-metrics, namespace: app}
spec: {selector: {matchLabels: {app: web}}, action: DENY, rules: [{to: [{operation: {ports: ["15090"]}}]}]}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: web-everything, namespace: app}
spec: {selector: {matchLabels: {app: web}}, rules: [{}]}
---
apiVersion: security.istio.io/v1
kind: PeerAuthentication
metadata: {name: default, namespace: app}
spec: {mtls: {mode: STRICT}}
`,
		},
		"policy-can't-be-read": {
			reason:   "what it does nobody can say, and it isn't missing either",
			rendered: []edit{{"{name: web-allow-callers, namespace: app}\nspec:\n  selector", "{name: web-allow-callers, namespace: app}\nspec:\n  selecter"}},
			want:     []string{"object-unreadable AuthorizationPolicy app/web-allow-callers spec"}, says: []string{"rendered.yaml:"},
		},
		"override-agrees": {
			reason: "a canary is held back", environment: "  overrides: [{workload: web, securityProfile: permissive}, {gateway: gw, securityProfile: open}]\n  securityProfile: enforced\n",
			rendered: policies[:3],
		},
		"override-isn't-rendered": {
			environment: "  overrides: [{workload: web, securityProfile: open}, {workload: api, securityProfile: open}]\n  securityProfile: enforced\n", rendered: append(append([]edit{}, policies[1:]...), labels[1]), profile: parity.Mixed,
			want: []string{"parity-profile Deployment app/web " + injectLabel}, says: []string{"security_profile is enforced and workload web is held at open, and the pods"},
		},
		"absent-agrees": {
			environment: "  absent: {workloads: [web, api]}\n  securityProfile: enforced\n",
			rendered:    append(append([]edit{}, policies[1:]...), without("metadata: {name: web, namespace: app}\nspec:\n  template"), without("metadata: {name: api, namespace: app}")),
		},
		"nothing-tells": {
			reason: "what the model doesn't enroll is the same in every profile", options: parity.Options{Owners: []string{"jobs"}},
			model: []edit{{"    serviceAccountName: seed\n    enroll: true", "    serviceAccountName: seed\n    enroll: false"}}, rendered: labels[2:], profile: parity.Unknown,
		},
		"two-profiles-alike": {
			reason: "gateways have nothing in permissive that they haven't in open", options: parity.Options{Owners: []string{"app"}}, rendered: policies[:1], profile: "open or permissive",
			model: []edit{
				{"    enroll: true\n    ports: [{port: 3000}]\n    callers: [{gateway: gw}]", "    enroll: false"},
				{"    enroll: true\n    ports: [{port: 3000}]\n    callers: [{workload: web}]", "    enroll: false"},
			},
			want: []string{"parity-profile AuthorizationPolicy istio-system/gw"},
		},
	})
}

func TestMissing(t *testing.T) {
	check(t, map[string]testCase{
		"one-workload": {
			reason: "its policies are there, so that it is missing alone", rendered: []edit{without("metadata: {name: web, namespace: app}\nspec:\n  template")},
			want: []string{"parity-missing Deployment app/web"}, says: []string{"the model's workload web has it and no rendered file does"},
		},
		"consumer-and-workload": {
			reason: "one object, said once", rendered: []edit{without("metadata: {name: api, namespace: app}")}, want: []string{"parity-missing Deployment app/api"},
		},
		"workload-and-its-policies": {
			reason:   "with the whole application not rendered, its policies say nothing more",
			rendered: append([]edit{without("metadata: {name: web, namespace: app}\nspec:\n  template")}, policies[1:3]...),
			want:     []string{"parity-missing Deployment app/web"},
		},
		"in-another-namespace": {
			rendered: []edit{{"metadata: {name: report, namespace: app}", "metadata: {name: report, namespace: moved}"}},
			want:     []string{"parity-missing Deployment app/report"}, says: []string{`it is there in namespace "moved": give it "app"`},
		},
		"without-namespace": {
			rendered: []edit{{"metadata: {name: report, namespace: app}", "metadata: {name: report}"}},
			want:     []string{"parity-missing Deployment app/report"}, says: []string{`it is there without a namespace: give it "app"`},
		},
		"gateway": {rendered: []edit{without("inject.istio.io/templates")}, want: []string{"parity-missing Deployment istio-system/gw"}},
		"routes": {
			rendered: []edit{without("kind: Gateway"), without("kind: VirtualService")},
			want:     []string{"parity-missing Gateway app/web", "parity-missing VirtualService app/web"},
		},
		"selected-by-labels": {
			model: []edit{{"targetRefs: [{kind: Deployment, name: report}]", "podTemplateSelector: {matchLabels: {role: batch}}\n    selector: {matchLabels: {role: batch}}"}},
			want:  []string{"parity-missing pod template app/role=batch"},
		},
		"selected-by-labels-agrees": {
			model: []edit{{"targetRefs: [{kind: Deployment, name: report}]", "podTemplateSelector: {matchLabels: {app: report}}\n    selector: {matchLabels: {app: report}}"}},
		},
		"other-owners-aside": {
			reason: "one application's files are given", options: parity.Options{Owners: []string{"app"}}, rendered: []edit{without("kind: CronJob"), without("app: report")},
		},
		"unreadable-template": {
			rendered: []edit{{"labels: {app: report}\n    spec:\n", "labels: {app: report}\n    spec: nothing\n    x:\n"}},
			want:     []string{"object-unreadable Deployment app/report"},
		},
		"unreadable-template-of-a-consumer": {
			rendered: []edit{{"labels: {app: api, sidecar.istio.io/inject: \"true\"}\n    spec:\n", "labels: {app: api}\n    spec: nothing\n    x:\n"}},
			want:     []string{"object-unreadable Deployment app/api"},
		},
		"gateway-api": {
			reason: "istiod makes its pods, so that its Gateway stands for them",
			model:  []edit{{"    serviceAccountName: gw\n", "    serviceAccountName: gw\n    targetRef: {kind: Gateway, name: gw}\n"}},
			want:   []string{"parity-missing Gateway istio-system/gw"},
		},
		"unknown-owner": {
			options: parity.Options{Owners: []string{"ap"}}, profile: parity.Unknown, want: []string{"input-undefined-reference owners"}, says: []string{`["app" "jobs"]`},
		},
		"owner-of-another-tool": {options: parity.Options{Owners: []string{"infra"}}, profile: parity.Unknown, want: []string{"owner-tool owners"}},
		"nothing-to-compare": {
			reason: "to prove nothing is no success", environment: "  absent: {workloads: [seed, report]}\n  securityProfile: enforced\n", options: parity.Options{Owners: []string{"jobs"}},
			profile: parity.Unknown, want: []string{"parity-nothing rendered"},
		},
	})
}

// TestNothingRendered checks that an empty set is no agreement.
func TestNothingRendered(t *testing.T) {
	report := parity.Check(testCase{}.platform(t), resource.NewSet(), parity.Options{})
	assert.True(t, report.Findings.Failed())
	assert.Equal(t, parity.Unknown, report.Profile.Rendered)
}

// live is an object of no file.
type live struct{ resource.Source }

func TestObjectsOfNoFile(t *testing.T) {
	set := resource.NewSet()
	for o := range (testCase{rendered: labels[:1]}).set(t).All() {
		set.Add(live{o.Source})
	}
	report := parity.Check(testCase{}.platform(t), set, parity.Options{})
	require.Len(t, report.Findings, 1)
	assert.Empty(t, report.Findings[0].File)
	assert.Equal(t, "Deployment app/web", report.Findings[0].Object.String())
}

func TestEvidenceSaysWhere(t *testing.T) {
	report := parity.Check(testCase{}.platform(t), testCase{}.set(t), parity.Options{})
	require.Len(t, report.Profile.Evidence, 8)
	web := report.Profile.Evidence[0]
	assert.Equal(t, "workload web", web.Entry)
	assert.Equal(t, parity.Enrollment, web.Aspect)
	assert.True(t, web.Holds)
	assert.Equal(t, injectLabel, web.Field)
	assert.Regexp(t, `/rendered\.yaml$`, web.File)
	assert.Equal(t, 19, web.Line)
	last := report.Profile.Evidence[7]
	assert.Equal(t, "gateway gw", last.Entry)
	assert.Equal(t, parity.Enforcement, last.Aspect)
	assert.Equal(t, "AuthorizationPolicy istio-system/gw", last.Object.String())
	assert.Equal(t, parity.Checked{Workloads: 4, Gateways: 1, Routes: 2, HostPolicies: 1, Consumers: 2, Principals: 2}, report.Checked)
}
