package tenantpolicy_test

// The input of most tests.
const environment = `
apiVersion: ringfence.dev/v1alpha1
kind: Environment
metadata: {name: test}
spec:
  tier: staging
  securityProfile: enforced
  istio: {version: "1.29", nativeSidecars: true}
  dns: {service: [service.example.org]}
`

const accessModel = `
apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata: {name: platform}
spec:
  owners:
  - {name: tenants, tool: GitOps}
  - {name: k8s-root-actor, tool: External}
  - {name: themelio-ansible, tool: Ansible}
  gateways:
  - name: istio-ingressgateway-service
    namespace: istio-system
    owner: themelio-ansible
    serviceAccountName: istio-ingressgateway-themelio-service-account
    hostRefs: [service]
  tenants:
  - name: kubeflow-profiles
    owner: tenants
    namespaceSelector: {matchLabels: {app.kubernetes.io/part-of: kubeflow-profile}}
    callers: [{gateway: istio-ingressgateway-service}]
    workloads:
    - {kind: Deployment, selector: {matchLabels: {component: themelio-k8s-deployment-runner}}, selectorKeys: [app, component], defaultPort: 8000}
    - {kind: InferenceService, defaultPort: 8000, enroll: true}
`

// The objects of most tests.
const (
	namespaceAlice = `
apiVersion: v1
kind: Namespace
metadata:
  name: alice
  labels: {app.kubernetes.io/part-of: kubeflow-profile, istio-injection: enabled}
---
`
	runnerWeb = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: alice}
spec:
  template:
    metadata:
      labels: {app: web, component: themelio-k8s-deployment-runner}
    spec:
      containers:
      - name: runner
        ports: [{containerPort: 8000}]
---
`
	sentiment = `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: sentiment, namespace: alice}
spec:
  predictor:
    containers:
    - name: kserve-container
      args: [--model_name=sentiment, --http_port=8000]
---
`
)
