package access_test

import "github.com/ringfence-dev/ringfence/pkg/access/authz"

// strangers are pods that nobody's model names, and the gateway that Ansible owns.
const strangers = `
{apiVersion: v1, kind: Pod, metadata: {name: stranger, namespace: themelio, labels: {sidecar.istio.io/inject: "true"}}, spec: {containers: [{name: main}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: outsider, namespace: themelio}, spec: {serviceAccountName: web, containers: [{name: main}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: foreign, namespace: shop, labels: {sidecar.istio.io/inject: "true"}}, spec: {containers: [{name: main}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: neighbour, namespace: profile-bob}, spec: {containers: [{name: main}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: istio-ingressgateway-service, namespace: istio-system}
spec:
  template:
    metadata: {labels: {app: istio-ingressgateway-service}}
    spec: {serviceAccountName: istio-ingressgateway-themelio-service-account, containers: [{name: istio-proxy, args: [proxy, router]}]}
`

// get is an ordinary request, without a token of the mesh.
func get(host, path string) *authz.HTTP {
	return &authz.HTTP{Host: authz.Is(host), Method: authz.Is("GET"), Path: authz.Is(path), Headers: map[string]authz.Text{}, Token: authz.NoToken()}
}
