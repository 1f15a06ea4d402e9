package identity_test

import (
	"testing"
)

func TestTemplates(t *testing.T) {
	run(t, map[string]testCase{
		"every-kind": {
			reason: "whatever makes the pods, they are the workload's",
			model: `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web, targetRefs: [
    {kind: Deployment, name: a}, {kind: StatefulSet, name: a}, {kind: DaemonSet, name: a}, {kind: ReplicaSet, name: a},
    {kind: Job, name: a}, {kind: CronJob, name: a}, {kind: Pod, name: a}, {kind: InferenceService, name: a}]}]`,
			resources: `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: shop}, spec: {template: {spec: {}}}}
---
{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a, namespace: shop}, spec: {template: {spec: {}}}}
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a, namespace: shop}, spec: {template: {spec: {}}}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a, namespace: shop}, spec: {template: {spec: {}}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: shop}, spec: {template: {spec: {}}}}
---
{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, namespace: shop}, spec: {jobTemplate: {spec: {template: {spec: {}}}}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {}}
---
{apiVersion: serving.kserve.io/v1beta1, kind: InferenceService, metadata: {name: a, namespace: shop}, spec: {predictor: {}}}`,
			changes: []string{
				`set Deployment shop/a spec.template.spec.serviceAccountName "web"`,
				`set StatefulSet shop/a spec.template.spec.serviceAccountName "web"`,
				`set DaemonSet shop/a spec.template.spec.serviceAccountName "web"`,
				`set ReplicaSet shop/a spec.template.spec.serviceAccountName "web"`,
				`set Job shop/a spec.template.spec.serviceAccountName "web"`,
				`set CronJob shop/a spec.jobTemplate.spec.template.spec.serviceAccountName "web"`,
				`set Pod shop/a spec.serviceAccountName "web"`,
				`set InferenceService shop/a spec.predictor.serviceAccountName "web"`,
			},
		},
		"deprecated-field": {
			reason: "Kubernetes reads it where serviceAccountName is empty; beside one that differs it misleads",
			model: `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web, targetRefs: [
    {kind: Deployment, name: same}, {kind: Deployment, name: differs}, {kind: Deployment, name: beside}]}]`,
			resources: `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: same, namespace: shop}, spec: {template: {spec: {serviceAccount: web}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: differs, namespace: shop}, spec: {template: {spec: {serviceAccount: old}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: beside, namespace: shop}, spec: {template: {spec: {serviceAccount: old, serviceAccountName: web}}}}`,
			changes: []string{
				`set Deployment shop/same spec.template.spec.serviceAccountName "web"`,
				`set Deployment shop/differs spec.template.spec.serviceAccountName "web"`,
				`set Deployment shop/differs spec.template.spec.serviceAccount null`,
				`set Deployment shop/beside spec.template.spec.serviceAccount null`,
			},
		},
		"gateways": {
			reason: "DD-0025, phase 2; of a Gateway API gateway istiod makes both objects",
			model: `gateways: [
    {name: istio-ingressgateway-web, owner: platform, serviceAccountName: istio-ingressgateway-web-service-account, hostRefs: [web]},
    {name: named, owner: platform, deploymentName: other-name, serviceAccountName: named, hostRefs: [web]},
    {name: api, owner: platform, namespace: shop, serviceAccountName: api-istio, targetRef: {kind: Gateway, name: api}, hostRefs: [web]}]`,
			resources: `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: istio-ingressgateway-web, namespace: istio-system}, spec: {template: {spec: {serviceAccountName: istio-ingress, containers: [{name: istio-proxy, image: auto}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: other-name, namespace: istio-system}, spec: {template: {spec: {containers: [{name: istio-proxy, image: auto}]}}}}`,
			changes: []string{
				`create ServiceAccount istio-system/istio-ingressgateway-web-service-account from gateways/istio-ingressgateway-web {}`,
				`create ServiceAccount istio-system/named from gateways/named {}`,
				`set Deployment istio-system/istio-ingressgateway-web spec.template.spec.serviceAccountName "istio-ingressgateway-web-service-account"`,
				`set Deployment istio-system/other-name spec.template.spec.serviceAccountName "named"`,
			},
		},
		"selected-by-labels": {
			reason: "generated names",
			model: `workloads: [{name: seed, namespace: shop, owner: platform, serviceAccountName: seed,
    podTemplateSelector: {matchLabels: {job: seed}}}]`,
			resources: `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: seed, namespace: shop}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: seed-7f3a, namespace: shop}, spec: {template: {metadata: {labels: {job: seed}}, spec: {}}}}
---
{apiVersion: batch/v1, kind: Job, metadata: {name: else-7f3a, namespace: shop}, spec: {template: {metadata: {labels: {job: else}}, spec: {}}}}`,
			changes: []string{`set Job shop/seed-7f3a spec.template.spec.serviceAccountName "seed"`},
		},
		"missing": {
			reason: "an identity for pods that nobody renders identifies nobody",
			model:  web,
			findings: []string{`error: Deployment shop/web: the model's workload web has it and this build of owner "platform" doesn't [object-missing]; ` +
				`add the object to the build, correct the model's reference, or list the entry under spec.absent of the Environment`},
		},
		"claimed-by-two": {
			reason: "pods have one identity",
			model: `workloads: [{name: web, namespace: shop, owner: platform, serviceAccountName: web},
    {name: all, namespace: shop, owner: platform, serviceAccountName: all, podTemplateSelector: {matchLabels: {app: web}}}]`,
			resources: `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {metadata: {labels: {app: web}}, spec: {}}}}`,
			findings: []string{`error: Deployment shop/web: spec.template.spec.serviceAccountName: the model gives its pods to workload web as "web" and to workload all as "all" [identity-ambiguous]; ` +
				`let one of the two name it, by targetRefs or podTemplateSelector, or give both one serviceAccountName`},
		},
	})
}

func TestBindings(t *testing.T) {
	const bound = `workloads: [
    {name: web, namespace: shop, owner: platform, serviceAccountName: web, roleBindingRefs: [{kind: RoleBinding, name: read}, {kind: ClusterRoleBinding, name: watch}]},
    {name: api, namespace: shop, owner: platform, serviceAccountName: api, roleBindingRefs: [{kind: RoleBinding, name: read}]}]`
	const pods = `
{apiVersion: v1, kind: ServiceAccount, metadata: {name: web, namespace: shop}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: api, namespace: shop}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {template: {spec: {serviceAccountName: web}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: api, namespace: shop}, spec: {template: {spec: {serviceAccountName: api}}}}
---
`
	run(t, map[string]testCase{
		"two-in-one-binding": {
			reason: "both are added after what is there; the same name in another namespace is somebody else",
			model:  bound,
			resources: pods + `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: read, namespace: shop}
subjects: [{kind: Group, name: people, apiGroup: rbac.authorization.k8s.io}, {kind: ServiceAccount, name: web, namespace: elsewhere}]
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: watch}}`,
			changes: []string{
				`set RoleBinding shop/read subjects[-] {"kind":"ServiceAccount","name":"web","namespace":"shop"}`,
				`set ClusterRoleBinding watch subjects[-] {"kind":"ServiceAccount","name":"web","namespace":"shop"}`,
				`set RoleBinding shop/read subjects[-] {"kind":"ServiceAccount","name":"api","namespace":"shop"}`,
			},
		},
		"not-in-this-build": {
			reason: "the pods would lose rights that the model says they have",
			model:  bound,
			resources: pods + `
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: read, namespace: elsewhere}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: watch}, subjects: [{kind: ServiceAccount, name: web, namespace: shop}]}`,
			findings: []string{
				`error: RoleBinding shop/read: the model's workload web names it under roleBindingRefs and this build of owner "platform" doesn't hold it [identity-binding]; add the binding to the build, or correct roleBindingRefs`,
				`error: RoleBinding shop/read: the model's workload api names it under roleBindingRefs and this build of owner "platform" doesn't hold it [identity-binding]; add the binding to the build, or correct roleBindingRefs`,
			},
		},
	})
}
