package identity_test

import "testing"

// web is a workload of the owner's that nobody trusts.
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
				`set ServiceAccount shop/web imagePullSecrets[-] {"name":"mirror"}`,
				`set CronJob shop/report spec.jobTemplate.spec.template.spec.serviceAccountName "web"`,
			},
		},
	})
}
