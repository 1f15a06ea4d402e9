package identity_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const waldurModel = `
  workloads: [
    {name: gitlab-root-actor, namespace: themelio, owner: other, serviceAccountName: gitlab-root-actor, enroll: true, ports: [{port: 3000}],
     callers: [{workload: waldur-gitlab-sync}]},
    {name: waldur-gitlab-sync, namespace: waldur-site-agent-cloud, owner: platform, enroll: true,
     targetRefs: [{kind: Deployment, name: waldur-site-agent-cloud-order}, {kind: Deployment, name: waldur-site-agent-cloud-membership-sync}],
     serviceAccountName: waldur-site-agent-cloud-gitlab-sync,
     roleBindingRefs: [{kind: ClusterRoleBinding, name: waldur-site-agent-cloud}]},
    {name: waldur-report-and-load, namespace: waldur-site-agent-cloud, owner: platform,
     targetRefs: [{kind: Deployment, name: waldur-site-agent-cloud-report}, {kind: Job, name: waldur-site-agent-cloud-load-components}],
     serviceAccountName: waldur-site-agent-cloud}
  ]`

// The platform before the split: DD-0025, section 4 and "ADR-derived technical notes".
const waldurBefore = `
apiVersion: v1
kind: ServiceAccount
metadata: {name: waldur-site-agent-cloud, namespace: waldur-site-agent-cloud}
imagePullSecrets: [{name: registry}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: waldur-site-agent-cloud}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: waldur-site-agent-cloud}
subjects: [{kind: ServiceAccount, name: waldur-site-agent-cloud, namespace: waldur-site-agent-cloud}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: waldur-site-agent-cloud-order, namespace: waldur-site-agent-cloud}
spec: {template: {spec: {serviceAccountName: waldur-site-agent-cloud, containers: [{name: agent, image: registry.example.org/agent:1}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: waldur-site-agent-cloud-membership-sync, namespace: waldur-site-agent-cloud}
spec: {template: {spec: {serviceAccountName: waldur-site-agent-cloud, containers: [{name: agent, image: registry.example.org/agent:1}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: waldur-site-agent-cloud-report, namespace: waldur-site-agent-cloud}
spec: {template: {spec: {serviceAccountName: waldur-site-agent-cloud, containers: [{name: agent, image: registry.example.org/agent:1}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: waldur-site-agent-cloud-load-components, namespace: waldur-site-agent-cloud}
spec: {template: {spec: {serviceAccountName: waldur-site-agent-cloud, containers: [{name: agent, image: registry.example.org/agent:1}]}}}
`

func TestWaldurSplit(t *testing.T) {
	for _, profile := range []string{"open", "permissive", "enforced"} { // identities are in all profiles (DD-0025, section 1)
		t.Run(profile, func(t *testing.T) {
			in := inputOf(t, "platform", waldurModel, "securityProfile: "+profile, waldurBefore)
			plan := identity.Plan(in)
			require.Empty(t, said(plan.Findings))
			assert.Equal(t, []string{
				`create ServiceAccount waldur-site-agent-cloud/waldur-site-agent-cloud-gitlab-sync from workloads/waldur-gitlab-sync {"imagePullSecrets":[{"name":"registry"}]}`,
				`set Deployment waldur-site-agent-cloud/waldur-site-agent-cloud-order spec.template.spec.serviceAccountName "waldur-site-agent-cloud-gitlab-sync"`,
				`set Deployment waldur-site-agent-cloud/waldur-site-agent-cloud-membership-sync spec.template.spec.serviceAccountName "waldur-site-agent-cloud-gitlab-sync"`,
				`set ClusterRoleBinding waldur-site-agent-cloud subjects[-] {"kind":"ServiceAccount","name":"waldur-site-agent-cloud-gitlab-sync","namespace":"waldur-site-agent-cloud"}`,
			}, changes(t, plan))
			requireSettled(t, in, plan)

			// The table of DD-0025, section 4, and its static test 13.
			runsAs := map[string]string{}
			for pod := range in.Resources.PodTemplates() {
				runsAs[pod.Object.Ref().Name] = pod.ServiceAccount()
			}
			assert.Equal(t, map[string]string{
				"waldur-site-agent-cloud-order":           "waldur-site-agent-cloud-gitlab-sync",
				"waldur-site-agent-cloud-membership-sync": "waldur-site-agent-cloud-gitlab-sync",
				"waldur-site-agent-cloud-report":          "waldur-site-agent-cloud",
				"waldur-site-agent-cloud-load-components": "waldur-site-agent-cloud",
			}, runsAs)
			// "Its ClusterRoleBinding contains this new subject", and report and load still need the old one.
			binding := in.Resources.Get(resource.Ref{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRoleBinding", Name: "waldur-site-agent-cloud"})
			var subjects []any
			require.NoError(t, yaml.Unmarshal([]byte(`
- {kind: ServiceAccount, name: waldur-site-agent-cloud, namespace: waldur-site-agent-cloud}
- {kind: ServiceAccount, name: waldur-site-agent-cloud-gitlab-sync, namespace: waldur-site-agent-cloud}
`), &subjects))
			assert.Equal(t, subjects, resource.List(binding.Content(), "subjects"))
		})
	}
}

func TestNewServiceAccountIsOurs(t *testing.T) {
	in := inputOf(t, "platform", waldurModel, "securityProfile: open", waldurBefore)
	created := identity.Plan(in).Create
	require.Len(t, created, 1)
	var want map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(`
apiVersion: v1
kind: ServiceAccount
metadata:
  name: waldur-site-agent-cloud-gitlab-sync
  namespace: waldur-site-agent-cloud
  labels:
    app.kubernetes.io/managed-by: ringfence
    ringfence.dev/owner: platform
    ringfence.dev/model: platform
  annotations:
    ringfence.dev/source: workloads/waldur-gitlab-sync
imagePullSecrets:
- name: registry
`), &want))
	assert.Equal(t, want, created[0].Content())
}

func TestPolicyUnitsLeaveServiceAccounts(t *testing.T) {
	in := inputOf(t, "platform", waldurModel, "securityProfile: open", waldurBefore)
	apply(t, in, identity.Plan(in))
	for _, section := range []string{policy.SectionWorkloads, policy.SectionGateways} {
		plan := policy.Reconcile(in.Resources, policy.OriginOf(in.Scope), section, nil, nil)
		assert.Empty(t, changes(t, plan))
	}
}
