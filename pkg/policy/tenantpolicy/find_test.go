package tenantpolicy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
)

func created(plan policy.Plan) []string {
	out := []string{}
	for _, o := range plan.Create {
		out = append(out, o.Ref.Namespace+"/"+o.Ref.Name)
	}
	return out
}

func TestWhichWorkloads(t *testing.T) {
	t.Parallel()
	exclude := func(s string) []edit {
		return []edit{{"    workloads:\n", "    exclude: [" + s + "]\n    workloads:\n"}}
	}
	byName := []edit{{"{matchLabels: {app.kubernetes.io/part-of: kubeflow-profile}}", "{matchExpressions: [{key: kubernetes.io/metadata.name, operator: In, values: [alice, bob]}]}"}}
	byKey := []edit{{"{matchLabels: {app.kubernetes.io/part-of: kubeflow-profile}}", "{matchExpressions: [{key: app.kubernetes.io/part-of, operator: Exists}]}"}}
	for name, test := range map[string]struct {
		reason, objects string
		model           []edit
		want            []string
	}{
		"selected":              {"it is a runner", namespaceAlice + runnerWeb, nil, []string{"alice/web-service-gateway"}},
		"template-labels-count": {"the pods' labels are the template's", namespaceAlice + strings.Replace(runnerWeb, "component: themelio", "component: x-themelio", 1), nil, nil},
		"other-namespace":       {"its Namespace says that it is no tenant's", strings.Replace(namespaceAlice, "kubeflow-profile", "platform", 1) + runnerWeb, nil, nil},
		"other-kind":            {"slurm-job's launchers are Jobs", namespaceAlice + strings.NewReplacer("kind: Deployment", "kind: Job", "apps/v1", "batch/v1").Replace(runnerWeb), nil, nil},
		"excluded-by-name":      {"the model says so", namespaceAlice + runnerWeb, exclude("{kind: Deployment, name: web}"), nil},
		"excluded-by-labels":    {"the model says so", namespaceAlice + runnerWeb, exclude("{selector: {matchLabels: {app: web}}}"), nil},
		"excluded-otherwise":    {"all fields must hold", namespaceAlice + runnerWeb, exclude("{kind: Deployment, namespace: bob, name: web}, {kind: InferenceService, name: web}"), []string{"alice/web-service-gateway"}},
		"namespaces-by-name":    {"the API server adds this label to each Namespace", "\napiVersion: v1\nkind: Namespace\nmetadata: {name: alice, labels: {istio-injection: enabled}}\n---\n" + runnerWeb, byName, []string{"alice/web-service-gateway"}},
		"namespaces-by-key":     {"any value", namespaceAlice + runnerWeb + "\napiVersion: v1\nkind: Namespace\nmetadata: {name: bob}\n---\n" + strings.Replace(runnerWeb, "namespace: alice", "namespace: bob", 1), byKey, []string{"alice/web-service-gateway"}},
		"older-version":         {"one object, whatever the version of its API", namespaceAlice + strings.Replace(runnerWeb, "apps/v1", "apps/v1beta2", 1), nil, []string{"alice/web-service-gateway"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{model: test.model}.plan(t, test.objects)
			assert.Empty(t, plan.Findings, test.reason)
			assert.ElementsMatch(t, test.want, created(plan), test.reason)
		})
	}
}

func TestClashes(t *testing.T) {
	t.Parallel()
	second := `
    - {kind: Deployment, selector: {matchLabels: {app: web}}, selectorKeys: [app], defaultPort: 9000}
    - {kind: InferenceService`
	group := `  - name: second
    owner: tenants
    namespaceSelector: {matchLabels: {istio-injection: enabled}}
    callers: []
    workloads: [{kind: Deployment, selectorKeys: [app], defaultPort: 8000}]
  tenants:
`
	for name, test := range map[string]struct {
		reason, objects string
		model           []edit
		want            []string
	}{
		"two-kinds": {
			"both want <name>-service-gateway", namespaceAlice + runnerWeb + strings.ReplaceAll(sentiment, "sentiment", "web"), nil,
			[]string{"tenant-policy-clash InferenceService alice/web metadata.name", "Deployment alice/web", "web-service-gateway"},
		},
		"two-entries": {
			"which port and labels would count?", namespaceAlice + runnerWeb, []edit{{"\n    - {kind: InferenceService", second}},
			[]string{"tenant-policy-clash Deployment alice/web", `two entries of kind Deployment of tenant group "kubeflow-profiles"`},
		},
		"two-groups": {
			"which callers would count?", namespaceAlice + runnerWeb, []edit{{"  tenants:\n", "  tenants:\n" + strings.TrimSuffix(group, "  tenants:\n")}},
			[]string{"tenant-policy-clash Deployment alice/web", `"second" and "kubeflow-profiles"`},
		},
		"twice": {"one of them is a mistake", namespaceAlice + runnerWeb + runnerWeb, nil, []string{"object-duplicate Deployment alice/web"}},
		"namespace-twice": {
			"which labels would count?", "\napiVersion: v1\nkind: Namespace\nmetadata: {name: alice}\n---\n" + namespaceAlice + runnerWeb, nil, []string{"object-duplicate Namespace alice"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{model: test.model}.plan(t, test.objects)
			one(t, plan.Findings, finding.Error, test.want...)
		})
	}
}

func TestNamespacesThatTheBuildDoesNotHold(t *testing.T) {
	t.Parallel()
	made := func(source, port string) string {
		return `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata:
  name: web-service-gateway
  namespace: alice
  labels: {app.kubernetes.io/managed-by: ringfence, ringfence.dev/owner: tenants, ringfence.dev/model: platform}
  annotations: {ringfence.dev/source: ` + source + `}
spec:
  action: ALLOW
  selector: {matchLabels: {app: web, component: themelio-k8s-deployment-runner}}
  rules:
  - from: [{source: {principals: [cluster.local/ns/istio-system/sa/istio-ingressgateway-themelio-service-account]}}]
    to: [{operation: {ports: ["` + port + `"]}}]
---
`
	}
	web2 := strings.ReplaceAll(runnerWeb, "web", "web2")
	for name, test := range map[string]struct {
		reason, objects          string
		model                    []edit
		warnings                 int
		creates, edits, removals int
	}{
		"no-policy":     {"nothing tells whether it is a tenant's", runnerWeb, nil, 1, 0, 0, 0},
		"one-a-space":   {"one finding a namespace says it", runnerWeb + web2, nil, 1, 0, 0, 0},
		"other-labels":  {"it is no workload of the group in any namespace", strings.Replace(runnerWeb, "themelio-k8s", "x", 1), nil, 0, 0, 0, 0},
		"mentions-only": {"the pods' labels are the template's", strings.NewReplacer("component: themelio-k8s-deployment-runner", "app2: x", "name: web,", "name: web, labels: {component: themelio-k8s-deployment-runner},").Replace(runnerWeb), nil, 0, 0, 0, 0},
		"kept":          {"taking it away would open the workload, or lock the gateway out", runnerWeb + made("tenants/kubeflow-profiles", "8000"), nil, 1, 0, 0, 0},
		"kept-in-any-order": {
			"the other workload was warned about first", web2 + runnerWeb + made("tenants/kubeflow-profiles", "8000"), nil, 1, 0, 0, 0,
		},
		"kept-up-to-date":  {"what is kept is what the model derives", runnerWeb + made("tenants/kubeflow-profiles", "1"), nil, 1, 0, 1, 0},
		"group-renamed":    {"it is still the workload's", runnerWeb + made("tenants/former", "8000"), nil, 1, 0, 1, 0},
		"of-another-group": {"it may have moved to this one: nothing tells", runnerWeb + made("tenants/others", "8000"), []edit{{"  tenants:\n", "  tenants:\n  - {name: others, owner: tenants, namespaceSelector: {matchLabels: {x: z}}, callers: [], workloads: [{kind: Deployment, selector: {matchLabels: {app: other}}, selectorKeys: [app], defaultPort: 1}]}\n"}}, 1, 0, 0, 0},
		"two-groups-alike": {"the one that made it keeps it", runnerWeb + made("tenants/kubeflow-profiles", "8000"), []edit{{"  tenants:\n", "  tenants:\n  - {name: others, owner: tenants, namespaceSelector: {matchLabels: {x: z}}, callers: [], workloads: [{kind: Deployment, selector: {matchLabels: {app: web}}, selectorKeys: [app], defaultPort: 1}]}\n"}}, 2, 0, 0, 0},
		"workload-gone":    {"a policy never outlives its workload", web2 + made("tenants/kubeflow-profiles", "8000"), nil, 1, 0, 0, 1},
		"excluded":         {"an exclusion holds in any namespace", runnerWeb + made("tenants/kubeflow-profiles", "8000"), []edit{{"    workloads:\n", "    exclude: [{name: web}]\n    workloads:\n"}}, 0, 0, 0, 1},
		"no-tenants-space": {"the Namespace tells", strings.Replace(namespaceAlice, "kubeflow-profile", "x", 1) + runnerWeb + made("tenants/kubeflow-profiles", "8000"), nil, 0, 0, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{model: test.model}.plan(t, test.objects)
			assert.Len(t, plan.Create, test.creates, test.reason)
			assert.Len(t, plan.Edits, test.edits, "%s: %+v", test.reason, plan.Edits)
			assert.Len(t, plan.Remove, test.removals, test.reason)
			lines := said(plan.Findings, finding.Warning)
			require.Len(t, lines, test.warnings, test.reason)
			assert.Len(t, plan.Findings, test.warnings, test.reason)
			for _, line := range lines {
				assert.Contains(t, line, "tenant-namespace-unknown Deployment alice/")
				assert.Contains(t, line, `its namespace "alice" isn't in this build`)
			}
		})
	}
}

func TestInferenceServiceWhoseNamespaceIsUnknown(t *testing.T) {
	t.Parallel()
	plan, _ := build{}.plan(t, sentiment)
	one(t, plan.Findings, finding.Warning, "tenant-namespace-unknown InferenceService alice/sentiment")
	assert.True(t, plan.Empty(), "nothing is written where nothing tells")
}

func TestWorkloadThatNamesNoNamespace(t *testing.T) {
	t.Parallel()
	plan, _ := build{}.plan(t, namespaceAlice+strings.Replace(runnerWeb, ", namespace: alice", "", 1))
	one(t, plan.Findings, finding.Warning, "tenant-namespace-unknown Deployment web", "names no namespace")
	require.Contains(t, plan.Findings[0].Remedy, "set its namespace")
	assert.True(t, plan.Empty())
}
