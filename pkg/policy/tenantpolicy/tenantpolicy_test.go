package tenantpolicy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy/tenantpolicy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The two policies of DD-0025, section 9: name, namespace and spec are its own,
// with <deployment-name>, <inferenceservice-name>, <tenant> and the port filled in.
const (
	policyOfDeployment = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata:
  name: web-service-gateway
  namespace: alice
spec:
  selector:
    matchLabels:
      app: web
      component: themelio-k8s-deployment-runner
  action: ALLOW
  rules:
    - from:
        - source:
            principals:
              - cluster.local/ns/istio-system/sa/istio-ingressgateway-themelio-service-account
      to:
        - operation:
            ports:
              - "8000"
`
	policyOfInferenceService = `
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata:
  name: sentiment-service-gateway
  namespace: alice
spec:
  selector:
    matchLabels:
      serving.kserve.io/inferenceservice: sentiment
      component: predictor
  action: ALLOW
  rules:
    - from:
        - source:
            principals:
              - cluster.local/ns/istio-system/sa/istio-ingressgateway-themelio-service-account
      to:
        - operation:
            ports:
              - "8000"
`
)

// ours adds the labels and the annotation that generated objects have.
func ours(t *testing.T, text string) map[string]any {
	t.Helper()
	var value map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &value))
	metadata := resource.Map(value, "metadata")
	metadata["labels"] = map[string]any{
		"app.kubernetes.io/managed-by": "ringfence", "ringfence.dev/owner": "tenants", "ringfence.dev/model": "platform",
	}
	metadata["annotations"] = map[string]any{"ringfence.dev/source": "tenants/kubeflow-profiles"}
	return asJSON(t, value)
}

func TestPoliciesOfTheDesignDocument(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reason, objects, want string
	}{
		"deployment":        {"DD-0025 §9, the deployment runner", namespaceAlice + runnerWeb, policyOfDeployment},
		"inference-service": {"DD-0025 §9, the KServe predictor", namespaceAlice + sentiment, policyOfInferenceService},
	} {
		for _, profile := range []string{"open", "permissive", "enforced"} {
			t.Run(name+"/"+profile, func(t *testing.T) {
				t.Parallel()
				b := build{environment: []edit{{"enforced", profile}}}
				plan, _ := b.plan(t, test.objects)
				assert.Empty(t, plan.Findings, test.reason)
				require.Len(t, plan.Create, 1, test.reason)
				assert.Equal(t, ours(t, test.want), asJSON(t, plan.Create[0].Content()), test.reason)
			})
		}
	}
}

func TestAbsentCallersLeaveAPolicyThatAdmitsNobody(t *testing.T) {
	t.Parallel()
	b := build{environment: []edit{{"dns:", "absent: {gateways: [istio-ingressgateway-service]}\n  dns:"}}}
	plan, _ := b.plan(t, namespaceAlice+runnerWeb)
	require.Len(t, plan.Create, 1)
	spec := resource.Map(plan.Create[0].Body, "spec")
	assert.Equal(t, "ALLOW", spec["action"])
	assert.NotContains(t, spec, "rules", "an ALLOW policy without rules admits nobody, one with a rule without from everybody")
}

func TestSelector(t *testing.T) {
	t.Parallel()
	twin := strings.ReplaceAll(runnerWeb, "name: web,", "name: web2,")
	for name, test := range map[string]struct {
		reason, objects string
		severity        finding.Severity
		want            []string
	}{
		"missing-key": {
			"a policy by the other keys alone would select other pods", namespaceAlice + strings.Replace(runnerWeb, "{app: web, ", "{", 1),
			finding.Error, []string{"tenant-selector-key Deployment alice/web spec.template.metadata.labels.app:", `label "app"`},
		},
		"other-pod-of-another-kind": {
			"the policy admits the gateway to it too", namespaceAlice + runnerWeb + strings.NewReplacer("kind: Deployment", "kind: StatefulSet", "name: web,", "name: db,").Replace(runnerWeb),
			finding.Warning, []string{"policy-selects-others Deployment alice/web", "StatefulSet alice/db"},
		},
		"same-labels-elsewhere": {
			"a policy holds in its own namespace", namespaceAlice + runnerWeb + strings.ReplaceAll(twin, "namespace: alice", "namespace: bob") + strings.ReplaceAll(namespaceAlice, "name: alice", "name: bob"),
			finding.Warning, nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, test.objects)
			if test.want == nil {
				assert.Empty(t, plan.Findings, test.reason)
				return
			}
			one(t, plan.Findings, test.severity, test.want...)
		})
	}

	t.Run("twins", func(t *testing.T) {
		t.Parallel()
		plan, _ := build{}.plan(t, namespaceAlice+runnerWeb+twin)
		lines := said(plan.Findings, finding.Warning)
		require.Len(t, lines, 2, "each policy selects the other's pods")
		assert.Contains(t, lines[0], "Deployment alice/web2 too")
		assert.Contains(t, lines[1], "Deployment alice/web too")
		assert.Len(t, plan.Create, 2)
	})
}

func TestExternalOwnersAreJudgedAndNeverWritten(t *testing.T) {
	t.Parallel()
	b := build{owner: "k8s-root-actor", model: []edit{{"    owner: tenants\n", "    owner: k8s-root-actor\n"}}}
	plan, _ := b.plan(t, namespaceAlice+runnerWeb+sentiment)
	assert.True(t, plan.Empty(), "%+v", plan)
	assert.Empty(t, plan.Findings)

	plan, _ = b.plan(t, strings.Replace(namespaceAlice, ", istio-injection: enabled", "", 1)+sentiment+`
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: sentiment-service-gateway, namespace: alice}
spec: {rules: [{}]}
`)
	assert.True(t, plan.Empty(), "%+v", plan)
	one(t, plan.Findings, finding.Warning, "tenant-policy-inert InferenceService alice/sentiment", "everybody can reach it")
	one(t, plan.Findings, finding.Error, "tenant-unconstrained AuthorizationPolicy alice/sentiment-service-gateway spec.rules[0]")
}

func TestMostOfABuildIsNotRead(t *testing.T) {
	t.Parallel()
	var stream strings.Builder
	stream.WriteString(namespaceAlice + runnerWeb)
	for i := range 200 {
		fmt.Fprintf(&stream, "\napiVersion: v1\nkind: Namespace\nmetadata: {name: other%d}\n---\n", i)
		other := strings.NewReplacer("name: web,", fmt.Sprintf("name: web%d,", i), "namespace: alice", fmt.Sprintf("namespace: other%d", i%300)).Replace(runnerWeb)
		stream.WriteString(other)
		stream.WriteString(strings.NewReplacer("name: web", "name: elsewhere", "namespace: alice", fmt.Sprintf("namespace: nowhere%d", i), "themelio-k8s-deployment-runner", "x").Replace(runnerWeb))
	}
	sources := objects(t, stream.String())
	plan := tenantpolicy.Plan(build{}.input(t, setOf(sources)))
	assert.Empty(t, plan.Findings)
	assert.Len(t, plan.Create, 1)
	read := 0
	for _, s := range sources {
		read += s.reads
	}
	assert.Equal(t, 2, read, "the tenant's namespace and its workload alone")
}

func TestOrderIsTheBuilds(t *testing.T) {
	t.Parallel()
	stream := namespaceAlice + sentiment + strings.ReplaceAll(runnerWeb, "web", "b") + strings.ReplaceAll(runnerWeb, "web", "a")
	var want []resource.Ref
	for range 20 {
		plan, _ := build{}.plan(t, stream)
		var got []resource.Ref
		for _, o := range plan.Create {
			got = append(got, o.Ref)
		}
		if want == nil {
			want = got
		}
		require.Equal(t, want, got)
	}
	require.Len(t, want, 3)
	assert.Equal(t, "b-service-gateway", want[0].Name, "the model's first entry is first")
}
