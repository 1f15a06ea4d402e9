package identity_test

import "testing"

func TestTokens(t *testing.T) {
	run(t, map[string]testCase{
		"old-account-refuses": {
			reason: "the split would grant a token that the pods never had",
			model:  web,
			resources: webPods + `---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop}, automountServiceAccountToken: false}`,
			changes: []string{`create ServiceAccount shop/web from workloads/web {"automountServiceAccountToken":false}`, moveWeb},
		},
		"template-refuses": {
			reason: "DD-0025, section 4: automountServiceAccountToken: false remains on the seeder",
			model: `workloads: [{name: seeder, namespace: themelio, owner: platform, serviceAccountName: themelio-seeder,
    targetRefs: [{kind: Job, name: themelio-seeder}]}]`,
			resources: `
apiVersion: batch/v1
kind: Job
metadata: {name: themelio-seeder, namespace: themelio}
spec: {template: {spec: {automountServiceAccountToken: false, imagePullSecrets: [{name: registry}], containers: [{name: seeder, image: registry.example.org/seeder:1}]}}}`,
			changes: []string{
				`create ServiceAccount themelio/themelio-seeder from workloads/seeder {}`,
				`set Job themelio/themelio-seeder spec.template.spec.serviceAccountName "themelio-seeder"`,
			},
		},
		"some-had-one": {
			reason: "one ServiceAccount follows two: who had a token keeps it, who had none gets none",
			model: `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web,
    targetRefs: [{kind: Deployment, name: a}, {kind: Deployment, name: b}]}]`,
			resources: `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: shop}, automountServiceAccountToken: false}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: b, namespace: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}, spec: {template: {spec: {serviceAccountName: a}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: b, namespace: shop}, spec: {template: {spec: {serviceAccountName: b}}}}`,
			changes: []string{
				`create ServiceAccount shop/web from workloads/web {"automountServiceAccountToken":false}`,
				`set Deployment shop/b spec.template.spec.automountServiceAccountToken true`,
				`set Deployment shop/a spec.template.spec.serviceAccountName "web"`,
				`set Deployment shop/b spec.template.spec.serviceAccountName "web"`,
			},
		},
	})
}

func TestAccounts(t *testing.T) {
	run(t, map[string]testCase{
		"shared-by-two": {
			reason: "one ServiceAccount, whose source is the first in the model's order",
			model: `workloads: [{name: zeta, namespace: shop, owner: platform, serviceAccountName: both, targetRefs: [{kind: Deployment, name: a}]},
    {name: alpha, namespace: shop, owner: platform, serviceAccountName: both, targetRefs: [{kind: Deployment, name: b}]}]`,
			resources: `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}, spec: {template: {spec: {serviceAccountName: both}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: b, namespace: shop}, spec: {template: {spec: {serviceAccountName: both}}}}`,
			changes: []string{`create ServiceAccount shop/both from workloads/zeta {}`},
		},
		"shared-with-an-earlier-owner": {
			reason: "two builds that held one ServiceAccount would overwrite each other",
			model: `workloads: [{name: first, namespace: shop, owner: other, serviceAccountName: both},
    {name: web, namespace: shop, owner: platform, serviceAccountName: both}]`,
			resources: webPods,
			changes:   []string{`set Deployment shop/web spec.template.spec.serviceAccountName "both"`},
		},
		"shared-with-who-never-writes": {
			reason: "an External owner's entry makes nothing, nor does one that the environment lacks",
			model: `workloads: [{name: first, namespace: shop, owner: vendor, serviceAccountName: web},
    {name: second, namespace: shop, owner: other, serviceAccountName: web},
    {name: web, namespace: shop, owner: platform, serviceAccountName: web}]`,
			environment: "securityProfile: open, absent: {workloads: [second]}",
			resources: webPods + `---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop}}`,
			changes: []string{createWeb, moveWeb},
		},
		"of-another-owner": {
			reason: "that owner would prune it",
			model:  web,
			resources: webPods + `---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, namespace: shop, labels: {app.kubernetes.io/managed-by: ringfence, ringfence.dev/owner: other, ringfence.dev/model: platform}}`,
			findings: []string{`error: ServiceAccount shop/web: metadata.labels: it belongs to owner "other" of model "platform", and is the identity of an entry of owner "platform" (workloads/web) ` +
				`[object-foreign]; rename or remove it, or hand it over by labelling it as ours`},
		},
		"twice": {
			reason: "nobody knows which one the cluster gets",
			model:  web,
			resources: webPods + `---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}, automountServiceAccountToken: false}`,
			findings: []string{`error: ServiceAccount shop/web: it stands twice in this build, and is the identity of an entry of the model (workloads/web) [object-duplicate]; remove one of the two`},
		},
		"absent": {
			reason:      "nothing is made for what the environment lacks, nor for other owners",
			model:       `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web}, {name: api, namespace: shop, owner: other, serviceAccountName: api}]`,
			environment: "securityProfile: enforced, absent: {workloads: [web]}",
			resources:   webPods,
		},
	})
}
