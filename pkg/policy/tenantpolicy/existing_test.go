package tenantpolicy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
)

func TestExistingPolicies(t *testing.T) {
	t.Parallel()
	policyFor := func(labels, source, spec string) string {
		return "\napiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata:\n  name: web-service-gateway\n  namespace: alice\n  labels: {" + labels +
			"}\n  annotations: {ringfence.dev/source: " + source + "}\nspec: " + spec + "\n---\n"
	}
	const mine = "app.kubernetes.io/managed-by: ringfence, ringfence.dev/owner: tenants, ringfence.dev/model: platform"
	const spec = `{action: ALLOW, rules: [{to: [{operation: {ports: ["1"]}}]}]}`
	for name, test := range map[string]struct {
		reason, objects string
		edits, removals int
		rule            finding.ID
	}{
		"ours-differs": {"it is set to what is derived", namespaceAlice + runnerWeb + policyFor(mine, "tenants/kubeflow-profiles", spec), 1, 0, ""},
		"ours-opened":  {"its rule is replaced, so that it is no finding", namespaceAlice + runnerWeb + policyFor(mine, "tenants/kubeflow-profiles", "{rules: [{}]}"), 1, 0, ""},
		"workload-gone": {
			"a policy never outlives its workload", namespaceAlice + policyFor(mine, "tenants/kubeflow-profiles", spec), 0, 1, "",
		},
		"group-gone": {"the model derives it no longer", namespaceAlice + policyFor(mine, "tenants/former", spec), 0, 1, ""},
		"other-section": {
			"another unit's policy is none of ours", namespaceAlice + policyFor(mine, "workloads/web", spec), 0, 0, "",
		},
		"other-owner": {
			"another owner's build makes and removes it", namespaceAlice + policyFor(strings.Replace(mine, "owner: tenants", "owner: other", 1), "tenants/x", spec), 0, 0, "",
		},
		"adopted":      {"an allow-all of our name is replaced", namespaceAlice + runnerWeb + policyFor("", "none", "{rules: [{}]}"), 5, 0, finding.ObjectAdopted},
		"strangers":    {"someone else's scoped policy isn't overwritten", namespaceAlice + runnerWeb + policyFor("", "none", spec), 0, 0, finding.ObjectForeign},
		"excluded-now": {"an exclusion takes the policy away", namespaceAlice + runnerWeb + policyFor(mine, "tenants/kubeflow-profiles", spec), 0, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := build{}
			if name == "excluded-now" {
				b.model = []edit{{"    workloads:\n", "    exclude: [{kind: Deployment, namespace: alice, name: web}]\n    workloads:\n"}}
			}
			plan, _ := b.plan(t, test.objects)
			assert.Len(t, plan.Edits, test.edits, "%s: %+v", test.reason, plan.Edits)
			assert.Len(t, plan.Remove, test.removals, test.reason)
			assert.Empty(t, plan.Create, test.reason)
			if test.rule == "" {
				assert.Empty(t, plan.Findings, test.reason)
				return
			}
			require.Len(t, plan.Findings, 1, test.reason)
			assert.Equal(t, test.rule, plan.Findings[0].Rule, test.reason)
		})
	}
}
