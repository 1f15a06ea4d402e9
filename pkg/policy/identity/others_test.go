package identity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
)

// trusting is a model in which api trusts web and the other owner's batch.
const trusting = `
  gateways: [{name: edge, owner: other, serviceAccountName: edge, hostRefs: [web]}],
  workloads: [
    {name: web, namespace: shop, owner: platform, serviceAccountName: web, previousServiceAccountNames: [shop], enroll: true},
    {name: batch, namespace: shop, owner: other, serviceAccountName: batch, enroll: true, targetRefs: [{kind: CronJob, name: batch}]},
    {name: api, namespace: shop, owner: platform, serviceAccountName: api, enroll: true, ports: [{port: 3000}],
     callers: [{workload: web}, {workload: batch}, {principal: cluster.local/ns/shop/sa/outside}]}]`

const trustingPods = previousAccount + trustingRest

const previousAccount = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: shop, namespace: shop}}
---
`

const trustingRest = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: api, namespace: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {spec: {serviceAccountName: web}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: api, namespace: shop}, spec: {template: {spec: {serviceAccountName: api}}}}
---
`

func deployment(namespace, name, account string) string {
	return fmt.Sprintf("{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: %s}, spec: {template: {spec: {serviceAccountName: %s}}}}\n---\n", name, namespace, account)
}

func shared(object, field, account, holder string) string {
	return fmt.Sprintf("error: %s: %s.serviceAccountName: its pods run as ServiceAccount %s, the identity of %s: whoever trusts that would admit them too "+
		"[identity-shared]; give the other workload a ServiceAccount of its own", object, field, account, holder)
}

func TestExclusive(t *testing.T) {
	const moveOld = `set Deployment shop/web spec.template.spec.serviceAccountName "web"`
	run(t, map[string]testCase{
		"stranger-as-a-caller": {
			reason:    "api would admit it",
			model:     trusting,
			resources: trustingPods + deployment("shop", "stranger", "web"),
			findings:  []string{shared("Deployment shop/stranger", "spec.template.spec", "shop/web", "workload web")},
		},
		"stranger-as-a-previous-identity": {
			reason:    "a rename trusts both",
			model:     trusting,
			resources: trustingPods + deployment("shop", "stranger", "shop"),
			findings:  []string{shared("Deployment shop/stranger", "spec.template.spec", "shop/shop", "workload web")},
		},
		"stranger-as-a-gateway": {
			reason: "a gateway's identity is its own, whoever owns it",
			model:  trusting,
			resources: trustingPods + `
{apiVersion: batch/v1, kind: CronJob, metadata: {name: stranger, namespace: istio-system}, spec: {jobTemplate: {spec: {template: {spec: {serviceAccount: edge}}}}}}`,
			findings: []string{shared("CronJob istio-system/stranger", "spec.jobTemplate.spec.template.spec", "istio-system/edge", "gateway edge")},
		},
		"stranger-as-another-owners-caller": {
			reason:    "entries of other owners count as well",
			model:     trusting,
			resources: trustingPods + deployment("shop", "batch", "batch"),
			findings:  []string{shared("Deployment shop/batch", "spec.template.spec", "shop/batch", "workload batch")},
		},
		"stranger-by-default": {
			reason: "pods without serviceAccountName run as default",
			model: `workloads: [
    {name: web, namespace: shop, owner: platform, serviceAccountName: web, previousServiceAccountNames: [default], enroll: true},
    {name: api, namespace: shop, owner: platform, serviceAccountName: api, enroll: true, ports: [{port: 3000}], callers: [{workload: web}]}]`,
			resources: trustingPods + `
{apiVersion: v1, kind: Pod, metadata: {name: stranger, namespace: shop}, spec: {}}`,
			findings: []string{shared("Pod shop/stranger", "spec", "shop/default", "workload web")},
		},
		"target-of-another-owner": {
			reason: "it is who the model says",
			model:  trusting,
			resources: trustingPods + `
{apiVersion: batch/v1, kind: CronJob, metadata: {name: batch, namespace: shop}, spec: {jobTemplate: {spec: {template: {spec: {serviceAccountName: batch}}}}}}`,
		},
		"nobody-trusts-it": {
			reason:    "api is called and calls nobody; the same name elsewhere is another principal; of a bare principal nobody knows who runs under it",
			model:     trusting,
			resources: trustingPods + deployment("shop", "a", "api") + deployment("elsewhere", "b", "web") + deployment("shop", "c", "outside"),
		},
		"moves-away": {
			reason: "what counts is who runs under it once this plan is carried out",
			model:  trusting,
			resources: `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: api, namespace: shop}}
---
` + deployment("shop", "web", "shop") + deployment("shop", "api", "web"),
			changes: []string{`create ServiceAccount shop/shop from workloads/web {}`, moveOld, `set Deployment shop/api spec.template.spec.serviceAccountName "api"`},
		},
		"tenants-trust-it": {
			reason: "callers of tenants are callers",
			model: `
  workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web, enroll: true}],
  tenants: [{name: labs, owner: vendor, namespaceSelector: {matchLabels: {lab: "true"}}, callers: [{workload: web}], workloads: [{kind: InferenceService, defaultPort: 8000}]}]`,
			resources: `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
` + deployment("shop", "web", "web") + deployment("shop", "stranger", "web"),
			findings: []string{shared("Deployment shop/stranger", "spec.template.spec", "shop/web", "workload web")},
		},
		"absent-callers": {
			reason:      "their principals are left out of every policy",
			model:       trusting,
			environment: "securityProfile: enforced, absent: {gateways: [edge], workloads: [web, batch]}",
			resources:   trustingPods + deployment("shop", "stranger", "web") + deployment("istio-system", "stranger", "edge"),
		},
	})
}

func ours(name, source string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ServiceAccount, metadata: {name: %s, namespace: shop, annotations: {ringfence.dev/source: %s},"+
		" labels: {app.kubernetes.io/managed-by: ringfence, ringfence.dev/owner: platform, ringfence.dev/model: platform}}}\n---\n", name, source)
}

func TestStaleAccounts(t *testing.T) {
	run(t, map[string]testCase{
		"no-entry-any-more": {
			reason:    "nobody runs under it",
			model:     trusting,
			resources: trustingPods + ours("gone", "workloads/gone"),
			changes:   []string{"remove ServiceAccount shop/gone"},
		},
		"of-an-absent-entry": {
			reason:      "what the environment lacks is not rendered",
			model:       `workloads: [{name: gone, namespace: shop, owner: platform, serviceAccountName: gone}]`,
			environment: "securityProfile: open, absent: {workloads: [gone]}",
			resources:   ours("gone", "workloads/gone"),
			changes:     []string{"remove ServiceAccount shop/gone"},
		},
		"left-by-this-plan": {
			reason: "the last pods that ran under it move away",
			model:  `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web}]`,
			resources: `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
` + ours("gone", "workloads/web") + deployment("shop", "web", "gone"),
			changes: []string{`set Deployment shop/web spec.template.spec.serviceAccountName "web"`, "remove ServiceAccount shop/gone"},
		},
		"in-use": {
			reason:    "a pod template without its ServiceAccount starts no pod",
			model:     trusting,
			resources: trustingPods + ours("gone", "workloads/gone") + deployment("shop", "old", "gone"),
		},
		"previous": {
			reason:    "old pods run under it until they have rolled out",
			model:     trusting,
			resources: trustingRest + ours("shop", "workloads/web"),
		},
		"not-of-ours": {
			reason: "somebody else's, or another unit's",
			model:  trusting,
			resources: trustingPods + `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: gone, namespace: shop}}
---
` + ours("tenant", "tenants/labs") + strings.ReplaceAll(ours("theirs", "workloads/theirs"), "owner: platform", "owner: other"),
		},
	})
}

func BenchmarkPlan(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("%d-pod-templates", n), func(b *testing.B) {
			var pods strings.Builder
			pods.WriteString(trustingPods)
			for i := range n {
				pods.WriteString(deployment("shop", fmt.Sprintf("other-%d", i), fmt.Sprintf("other-%d", i)))
			}
			in := inputOf(b, "platform", trusting, "securityProfile: enforced", pods.String())
			for b.Loop() {
				for o := range in.Resources.All() {
					o.Reload() // what is measured is the reading of every pod template
				}
				require.Empty(b, identity.Plan(in).Findings)
			}
		})
	}
}
