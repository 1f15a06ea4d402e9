package identity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
)

// renaming is a model in which api trusts web, whose identity is given by fields.
func renaming(fields string) string {
	return `workloads: [
    {name: web, namespace: shop, owner: platform, enroll: true, ` + fields + `},
    {name: api, namespace: shop, owner: platform, serviceAccountName: api, enroll: true, ports: [{port: 3000}], callers: [{workload: web}]}]`
}

const renamingPods = `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {metadata: {labels: {app: web}}, spec: {}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: api, namespace: shop}, spec: {template: {metadata: {labels: {app: api}}, spec: {}}}}
`

const trustsOld = `---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: api-allow-callers, namespace: shop, annotations: {ringfence.dev/source: workloads/api},
  labels: {app.kubernetes.io/managed-by: ringfence, ringfence.dev/owner: platform, ringfence.dev/model: platform}}
spec:
  selector: {matchLabels: {app: api}}
  action: ALLOW
  rules: [{from: [{source: {principals: [cluster.local/ns/shop/sa/old]}}], to: [{operation: {ports: ["3000"]}}]}]
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: old, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: new, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: api, namespace: shop}}
---
` + apiPods

const apiPods = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: api, namespace: shop}, spec: {template: {spec: {serviceAccountName: api}}}}
---
`

const renamedWeb = `error: Deployment shop/web: spec.template.spec.serviceAccountName: its pods run as ServiceAccount shop/old, ` +
	`which AuthorizationPolicy shop/api-allow-callers trusts, and the model now gives workload web the name "new" alone, so that its pods would be refused while they roll out [identity-renamed]; `

func TestRenamed(t *testing.T) {
	const move = `set Deployment shop/web spec.template.spec.serviceAccountName "new"`
	run(t, map[string]testCase{
		"without-transition": {
			reason:    "DD-0025, data model: the policy update precedes an intentional rename",
			model:     renaming("serviceAccountName: new"),
			resources: trustsOld + deployment("shop", "web", "old"),
			findings:  []string{renamedWeb + "add the old name to previousServiceAccountNames, roll out, and drop it in a later step"},
		},
		"policy-leaves-too": {
			reason:      "the cluster has the policy until it is pruned, which kpt does last (DD-0025, rollback)",
			model:       renaming("serviceAccountName: new"),
			environment: "securityProfile: permissive",
			resources:   trustsOld + deployment("shop", "web", "old"),
			findings:    []string{renamedWeb + "add the old name to previousServiceAccountNames, roll out, and drop it in a later step"},
		},
		"another-has-the-old-name": {
			reason: "the model may refuse it as a previous name, so the remedy names the longer way",
			model: `workloads: [
    {name: web, namespace: shop, owner: platform, serviceAccountName: new, enroll: true},
    {name: report, namespace: shop, owner: platform, serviceAccountName: old},
    {name: api, namespace: shop, owner: platform, serviceAccountName: api, enroll: true, ports: [{port: 3000}], callers: [{workload: web}]}]`,
			resources: trustsOld + deployment("shop", "web", "old") + deployment("shop", "report", "old"),
			findings: []string{renamedWeb + `add "old" to previousServiceAccountNames of workload web; where the model refuses that, because it is the identity of workload report too, ` +
				`put the destinations on a lower rung (spec.overrides), rename in a second step, and raise them in a third`},
		},
		"with-transition": {
			reason:    "step one: the policy trusts both, pods move",
			model:     renaming("serviceAccountName: new, previousServiceAccountNames: [old]"),
			resources: trustsOld + deployment("shop", "web", "old"),
			changes:   []string{move},
		},
		"dropped": {
			reason:    "step two: nobody runs under the old one any more",
			model:     renaming("serviceAccountName: new"),
			resources: trustsOld + deployment("shop", "web", "new"),
		},
		"nobody-trusts-it": {
			reason:    "a kustomize build holds no earlier output, and policies of others are theirs to keep",
			model:     renaming("serviceAccountName: new"),
			resources: trustsOld + deployment("shop", "web", "unknown"),
			changes:   []string{move},
		},
		"gateway": {
			reason: "gateways are trusted in the same way",
			model: `
  gateways: [{name: edge, namespace: shop, owner: platform, serviceAccountName: new, hostRefs: [web]}],
  workloads: [{name: api, namespace: shop, owner: platform, serviceAccountName: api, enroll: true, ports: [{port: 3000}], callers: [{gateway: edge}]}]`,
			resources: trustsOld + deployment("shop", "edge", "old"),
			findings: []string{`error: Deployment shop/edge: spec.template.spec.serviceAccountName: its pods run as ServiceAccount shop/old, ` +
				`which AuthorizationPolicy shop/api-allow-callers trusts, and the model now gives gateway edge the name "new" alone, so that its pods would be refused while they roll out ` +
				`[identity-renamed]; add the old name to previousServiceAccountNames, roll out, and drop it in a later step`},
		},
	})
}

// A kpt package goes through a rename: each step is planned on what the last one left.
func TestRenameInSteps(t *testing.T) {
	in := inputOf(t, "platform", renaming("serviceAccountName: old"), "securityProfile: enforced", renamingPods)
	step := func(fields string) policy.Plan {
		t.Helper()
		set := in.Resources
		in = inputOf(t, "platform", renaming(fields), "securityProfile: enforced", "")
		in.Resources = set
		plan := identity.Plan(in)
		if !plan.Findings.Failed() {
			requireSettled(t, in, plan)
			origin, api := policy.OriginOf(in.Scope), in.Workloads[1]
			wanted := []policy.Object{origin.WorkloadPolicy(api, api.Ports)}
			apply(t, in, policy.Reconcile(in.Resources, origin, policy.SectionWorkloads, wanted, nil))
			require.Empty(t, changes(t, identity.Plan(in)), "the policies' unit changes nothing for this one")
		}
		return plan
	}
	const (
		oldFields  = "serviceAccountName: old"
		bothFields = "serviceAccountName: new, previousServiceAccountNames: [old]"
		newFields  = "serviceAccountName: new"
	)
	require.False(t, step(oldFields).Findings.Failed())
	require.True(t, step(newFields).Findings.Failed(), "without a transition")
	require.Equal(t, []string{
		`create ServiceAccount shop/new from workloads/web {}`,
		`set Deployment shop/web spec.template.spec.serviceAccountName "new"`,
	}, changes(t, step(bothFields)))
	require.Equal(t, []string{`remove ServiceAccount shop/old`}, changes(t, step(newFields)))
	require.Equal(t, []string{`create ServiceAccount shop/old from workloads/web {}`,
		`set Deployment shop/web spec.template.spec.serviceAccountName "old"`},
		changes(t, step("serviceAccountName: old, previousServiceAccountNames: [new]")), "and back")
}
