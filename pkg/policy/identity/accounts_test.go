package identity_test

import "testing"

// web is a workload of the owner's; "image" is what its pods pull.
const web = `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web}]`

const webPods = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {containers: [{name: web, image: registry.example.org/web:1}]}}}
`

const (
	createWeb = `create ServiceAccount shop/web from workloads/web {}`
	moveWeb   = `set Deployment shop/web spec.template.spec.serviceAccountName "web"`
)

const lostWeb = `warning: ServiceAccount shop/default: imagePullSecrets: this build doesn't hold it, so whether it has imagePullSecrets can't be seen, ` +
	`and workload web would be left without them [identity-pull-secrets]; ` +
	`put imagePullSecrets on the pod templates, or add to the build this ServiceAccount or those that replace it (web)`

func TestPullSecrets(t *testing.T) {
	run(t, map[string]testCase{
		"old-account-out-of-sight": {
			reason:    "clusters give pull secrets to default, and a pod of another ServiceAccount doesn't get them",
			model:     web,
			resources: webPods,
			changes:   []string{createWeb, moveWeb},
			findings:  []string{lostWeb},
		},
		"old-account-here-without-secrets": {
			reason: "it says that there are none",
			model:  web,
			resources: webPods + `---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop}}`,
			changes: []string{createWeb, moveWeb},
		},
		"template-has-its-own": {
			reason: "those of the pod replace those of its ServiceAccount",
			model:  web,
			resources: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {imagePullSecrets: [{name: registry}], containers: [{name: web, image: registry.example.org/web:1}]}}}`,
			changes: []string{createWeb, moveWeb},
		},
		"public-images": {
			reason: "nobody needs a secret for them",
			model: `gateways: [{name: edge, owner: platform, serviceAccountName: edge, hostRefs: [web]}],
  workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web}]`,
			resources: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: edge, namespace: istio-system}
spec: {template: {spec: {serviceAccountName: istio-ingress, containers: [{name: istio-proxy, image: docker.io/istio/proxyv2:1.31.4}]}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {initContainers: [{name: wait, image: "busybox:1"}], containers: [{name: web, image: auto}]}}}`,
			changes: []string{
				`create ServiceAccount istio-system/edge from gateways/edge {}`,
				createWeb,
				`set Deployment istio-system/edge spec.template.spec.serviceAccountName "edge"`,
				moveWeb,
			},
		},
		"init-container-from-a-private-registry": {
			reason: "the kubelet pulls all images with the same secrets",
			model:  web,
			resources: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {initContainers: [{name: migrate, image: ghcr.io/example/migrate:1}], containers: [{name: web, image: nginx}]}}}`,
			changes:  []string{createWeb, moveWeb},
			findings: []string{lostWeb},
		},
		"runtime-names-the-image": {
			reason: "an InferenceService without containers runs its ServingRuntime's image, which can't be seen",
			model: `workloads: [{name: llm, namespace: shop, owner: platform, serviceAccountName: llm,
    targetRefs: [{kind: InferenceService, name: llm}]}]`,
			resources: `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: llm, namespace: shop}
spec: {predictor: {model: {modelFormat: {name: huggingface}}}}`,
			changes: []string{
				`create ServiceAccount shop/llm from workloads/llm {}`,
				`set InferenceService shop/llm spec.predictor.serviceAccountName "llm"`,
			},
			findings: []string{`warning: ServiceAccount shop/default: imagePullSecrets: this build doesn't hold it, so whether it has imagePullSecrets can't be seen, ` +
				`and workload llm would be left without them [identity-pull-secrets]; ` +
				`put imagePullSecrets on the pod templates, or add to the build this ServiceAccount or those that replace it (llm)`},
		},
		"one-warning-for-all-that-leave": {
			reason: "what is to be done about default is done once",
			model: `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web},
    {name: api, namespace: shop, owner: platform, serviceAccountName: api}]`,
			resources: webPods + `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: shop}
spec: {template: {spec: {containers: [{name: api, image: registry.example.org/api:1}]}}}`,
			changes: []string{
				createWeb,
				`create ServiceAccount shop/api from workloads/api {}`,
				moveWeb,
				`set Deployment shop/api spec.template.spec.serviceAccountName "api"`,
			},
			findings: []string{`warning: ServiceAccount shop/default: imagePullSecrets: this build doesn't hold it, so whether it has imagePullSecrets can't be seen, ` +
				`and workload web, workload api would be left without them [identity-pull-secrets]; ` +
				`put imagePullSecrets on the pod templates, or add to the build this ServiceAccount or those that replace it (web, api)`},
		},
		"nothing-moves": {
			reason: "the ServiceAccount that the pods have already may be anybody's in the cluster; its secrets stay there",
			model:  web,
			resources: `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {serviceAccountName: web, containers: [{name: web, image: registry.example.org/web:1}]}}}`,
			changes: []string{createWeb},
		},
		"written-by-hand": {
			reason: "its author knows what it needs",
			model:  web,
			resources: webPods + `---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop}, imagePullSecrets: [{name: registry}], automountServiceAccountToken: false}`,
			changes: []string{moveWeb},
		},
		"ours-lacks-one": {
			reason: "a second pod template joins an identity that is ours already",
			model: `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web,
    targetRefs: [{kind: Deployment, name: web}, {kind: CronJob, name: report}]}]`,
			resources: `
apiVersion: v1
kind: ServiceAccount
metadata:
  {name: web, namespace: shop, annotations: {ringfence.dev/source: workloads/shop},
  labels: {app.kubernetes.io/managed-by: ringfence, ringfence.dev/owner: platform, ringfence.dev/model: platform}}
imagePullSecrets: [{name: registry}]
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: old, namespace: shop}, imagePullSecrets: [{name: mirror}, {name: registry}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec: {template: {spec: {serviceAccountName: web, containers: [{name: web, image: registry.example.org/web:1}]}}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec: {jobTemplate: {spec: {template: {spec: {serviceAccountName: old, containers: [{name: web, image: registry.example.org/web:1}]}}}}}`,
			changes: []string{
				`set ServiceAccount shop/web metadata.annotations["ringfence.dev/source"] "workloads/web"`,
				`set ServiceAccount shop/web imagePullSecrets[1] {"name":"mirror"}`,
				`set CronJob shop/report spec.jobTemplate.spec.template.spec.serviceAccountName "web"`,
			},
		},
	})
}

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
