package parity_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/parity"
)

func version(v string) func(*model.Inventory) { return func(i *model.Inventory) { i.IstioVersion = v } }

// istio is what the charts of 1.31.4 render, cut down to what has a version, and
// what tells Argo CD and Flux to render them.
const istio = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: istiod
  namespace: istio-system
  labels: {helm.sh/chart: istiod-1.31.4, app.kubernetes.io/part-of: istio}
spec:
  template:
    spec:
      containers:
      - {name: discovery, image: "docker.io/istio/pilot:1.31.4-distroless"}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: istio-sidecar-injector
  namespace: istio-system
  labels: {helm.sh/chart: istiod-1.31.4, app.kubernetes.io/part-of: istio}
data:
  values: |
    {"global": {"hub": "docker.io/istio", "proxy": {"image": "proxyv2"}, "tag": "1.31.4"}, "sidecarInjectorWebhook": {"templates": {}}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: istio-cni-node
  namespace: istio-system
  labels: {helm.sh/chart: cni-1.31.4, app.kubernetes.io/part-of: istio}
spec:
  template:
    spec:
      containers:
      - {name: install-cni, image: "registry.example.org:5000/mirror/install-cni:1.31.4@sha256:0123"}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: istio-ingressgateway
  namespace: istio-system
  labels: {helm.sh/chart: gateway-1.31.4, istio: ingressgateway}
spec:
  template:
    spec:
      containers:
      - {name: istio-proxy, image: auto}
---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: standalone, namespace: istio-system}
spec:
  template:
    metadata:
      annotations: {sidecar.istio.io/proxyImage: "docker.io/istio/proxyv2:1.31.4"}
    spec:
      initContainers:
      - {name: istio-init, image: "docker.io/istio/proxyv2:1.31.4"}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: istio-base, namespace: argocd}
spec:
  source:
    repoURL: https://istio-release.storage.googleapis.com/charts
    chart: base
    targetRevision: 1.31.4
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: istiod, namespace: argocd}
spec:
  sources:
  - {repoURL: https://git.example.org/values.git, targetRevision: main, ref: values}
  - repoURL: https://mirror.example.org/charts
    chart: istiod
    targetRevision: 1.31.4
    helm:
      parameters:
      - {name: global.tag, value: 1.31.4-debug}
      - {name: pilot.cpu, value: "2"}
      values: |
        global:
          tag: "1.31.4"
      valuesObject:
        global: {tag: 1.31.4}
---
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: istio-cni, namespace: argocd}
spec:
  template:
    spec:
      source:
        repoURL: https://mirror.example.org/charts
        chart: cni
        targetRevision: v1.31.4
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ingress, namespace: istio-system}
spec:
  chart:
    spec:
      chart: gateway
      version: "1.31.4"
      sourceRef: {kind: HelmRepository, name: charts, namespace: flux-system}
  values:
    image: {tag: 1.31.4}
    more: [{tag: 1.31.4}, {tag: ""}]
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: charts, namespace: flux-system}
spec: {url: https://istio-release.storage.googleapis.com/charts}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: egress, namespace: istio-system}
spec:
  chartRef: {kind: OCIRepository, name: gateway-chart}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: gateway-chart, namespace: istio-system}
spec:
  url: oci://gcr.io/istio-release/charts/gateway
  ref: {tag: 1.31.4}
`

// strangers have Istio's names and are none of its.
const strangers = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: other, namespace: other, labels: {helm.sh/chart: gateway-2.0.0}}
spec:
  template:
    spec:
      containers:
      - {name: a, image: "example.org/proxyv2-exporter:3"}
      - {name: b, image: "example.org/autopilot:3"}
      - {name: c, image: "pilot:3"}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: other, namespace: argocd}
spec: {source: {repoURL: https://charts.example.org, chart: gateway, targetRevision: 2.0.0}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: other, namespace: other}
spec: {chart: {spec: {chart: base, version: 2.0.0, sourceRef: {kind: HelmRepository, name: company}}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: elsewhere, namespace: other}
spec: {chartRef: {kind: OCIRepository, name: gone}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: istio-sidecar-injector-notes, namespace: istio-system}
data: {values: "no JSON"}
`

func TestVersions(t *testing.T) {
	add := func(edits ...edit) string { return edited(t, istio, edits) }
	const (
		istiod = "Deployment istio-system/istiod"
		image  = "spec.template.spec.containers[0].image"
		label  = `metadata.labels["helm.sh/chart"]`
	)
	cases := map[string]testCase{
		"agree":                {add: istio},
		"strangers":            {add: strangers},
		"nothing-rendered":     {},
		"inventory-of-variant": {inventory: version("1.31.4-distroless"), add: istio},
		"chart-version-alone":  {inventory: version(""), options: parity.Options{ChartVersion: "1.31.4"}, add: istio},
		"chart-version-differs": {
			reason: "they are to be one, whatever is rendered", options: parity.Options{ChartVersion: "1.31.3"},
			want: []string{"parity-version istio_chart_version"}, says: []string{`it is "1.31.3" and istio_version is "1.31.4"`},
		},
		"nobody-says": {
			reason: "then they must agree among themselves", inventory: version(""), add: istio,
			want: []string{"parity-version-unknown istio_version"},
		},
		"nobody-says-and-they-differ": {
			inventory: version(""), add: add(edit{"mirror/install-cni:1.31.4", "mirror/install-cni:1.30.1"}),
			want: []string{"parity-version-unknown istio_version", "parity-version DaemonSet istio-system/istio-cni-node " + image},
			says: []string{`and that of image docker.io/istio/pilot:1.31.4-distroless in Deployment istio-system/istiod is "1.31.4"`},
		},
		"inventory-is-ahead": {
			reason: "all of them, each chart once in a file", inventory: version("1.32.0"), add: istio,
			want: []string{
				"parity-version " + istiod + " " + image, "parity-version " + istiod + " " + label,
				"parity-version ConfigMap istio-system/istio-sidecar-injector data.values.global.tag",
				"parity-version DaemonSet istio-system/istio-cni-node " + image, "parity-version DaemonSet istio-system/istio-cni-node " + label,
				"parity-version Deployment istio-system/istio-ingressgateway " + label,
				`parity-version Rollout istio-system/standalone spec.template.metadata.annotations["sidecar.istio.io/proxyImage"]`,
				"parity-version Rollout istio-system/standalone spec.template.spec.initContainers[0].image",
				"parity-version Application argocd/istio-base spec.source.targetRevision",
				"parity-version Application argocd/istiod spec.sources[1].targetRevision",
				"parity-version Application argocd/istiod spec.sources[1].helm.parameters[0].value",
				"parity-version Application argocd/istiod spec.sources[1].helm.values",
				"parity-version Application argocd/istiod spec.sources[1].helm.valuesObject.global.tag",
				"parity-version ApplicationSet argocd/istio-cni spec.template.spec.source.targetRevision",
				"parity-version HelmRelease istio-system/ingress spec.chart.spec.version",
				"parity-version HelmRelease istio-system/ingress spec.values.image.tag",
				"parity-version HelmRelease istio-system/ingress spec.values.more[0].tag",
				"parity-version OCIRepository istio-system/gateway-chart spec.ref.tag",
			},
			says: []string{`chart istiod is of version "1.31.4", and the inventory's istio_version is "1.32.0"`},
		},
		"charts-ahead-of-images": {
			reason: "every image is right, and every chart", options: parity.Options{ChartVersion: "1.32.0"},
			add:  "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: istiod, namespace: istio-system, labels: {helm.sh/chart: istiod-1.32.0}}\nspec: {template: {spec: {containers: [{image: docker.io/istio/pilot:1.31.4}]}}}\n",
			want: []string{"parity-version istio_chart_version"},
		},
		"pre-release": {
			reason: "it is another version", add: add(edit{"istio/pilot:1.31.4-distroless", "istio/pilot:1.31.4-rc.0"}), want: []string{"parity-version " + istiod + " " + image},
		},
		"build-in-a-label": {
			inventory: version("1.31.4+company.1"), options: parity.Options{},
			add: "apiVersion: v1\nkind: Service\nmetadata: {name: istiod, namespace: istio-system, labels: {helm.sh/chart: istiod-1.31.4_company.1}}\n",
		},
		"digest-alone": {
			add: add(edit{"install-cni:1.31.4@sha256", "install-cni@sha256"}), want: []string{"parity-version-unknown DaemonSet istio-system/istio-cni-node " + image},
			says: []string{"has a digest and no tag"},
		},
		"no-tag":    {add: add(edit{"istio/pilot:1.31.4-distroless", "istio/pilot"}), want: []string{"parity-version-unknown " + istiod + " " + image}},
		"empty-tag": {add: add(edit{"istio/pilot:1.31.4-distroless", "istio/pilot:"}), want: []string{"parity-version-unknown " + istiod + " " + image}},
		"latest":    {add: add(edit{"istio/pilot:1.31.4-distroless", "istio/pilot:latest"}), want: []string{"parity-version " + istiod + " " + image}},
		"proxy-image-in-the-injector": {
			add:  add(edit{`"image": "proxyv2"`, `"image": "docker.io/istio/proxyv2:1.30.0"`}),
			want: []string{"parity-version ConfigMap istio-system/istio-sidecar-injector data.values.global.proxy.image"},
		},
		"range-of-charts": {
			add: add(edit{"chart: base\n    targetRevision: 1.31.4", "chart: base\n    targetRevision: 1.31.x"}), want: []string{"parity-version-unknown Application argocd/istio-base spec.source.targetRevision"},
			says: []string{`chart base has the version "1.31.x", which may become any of several`},
		},
		"number-as-a-version": {
			add: add(edit{"chart: base\n    targetRevision: 1.31.4", "chart: base\n    targetRevision: 1.31"}), want: []string{"parity-version-unknown Application argocd/istio-base spec.source.targetRevision"},
		},
		"numbers-as-tags": {
			add:  add(edit{"more: [{tag: 1.31.4}, {tag: \"\"}]", "more: [{tag: 1.31}, {tag: 2}]"}),
			want: []string{"parity-version HelmRelease istio-system/ingress spec.values.more[0].tag", "parity-version HelmRelease istio-system/ingress spec.values.more[1].tag"},
			says: []string{`is of version "1.31"`, `is of version "2"`},
		},
		"nobody-says-and-nothing-tells": {
			inventory: version(""), add: "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\nspec: {containers: [{image: \"docker.io/istio/proxyv2@sha256:0123\"}]}\n",
			want: []string{"parity-version-unknown Pod x/a spec.containers[0].image"},
		},
		"no-chart-version": {
			add: add(edit{"      chart: gateway\n      version: \"1.31.4\"", "      chart: gateway"}), want: []string{"parity-version-unknown HelmRelease istio-system/ingress spec.chart.spec.version"},
		},
		"digest-of-a-chart": {
			add: add(edit{"ref: {tag: 1.31.4}", "ref: {tag: 1.31.4, digest: 'sha256:0123'}"}), want: []string{"parity-version-unknown OCIRepository istio-system/gateway-chart spec.ref.digest"},
		},
		"mirror-is-istio's": {
			reason: "where istiod comes from, cni is Istio's", add: add(edit{"targetRevision: v1.31.4", "targetRevision: 1.30.9"}),
			want: []string{"parity-version ApplicationSet argocd/istio-cni spec.template.spec.source.targetRevision"},
		},
		"tag-in-values": {
			add: add(edit{`tag: "1.31.4"`, "tag: 1.30.9 # held back"}), want: []string{"parity-version Application argocd/istiod spec.sources[1].helm.values"},
		},
	}
	for name, c := range cases {
		if c.inventory == nil {
			c.inventory = version("1.31.4")
			cases[name] = c
		}
	}
	check(t, cases)
}

// TestVersionsAreCounted checks that every place in which a version stands is one that is compared.
func TestVersionsAreCounted(t *testing.T) {
	c := testCase{inventory: version("1.31.4"), add: istio}
	report := parity.Check(c.platform(t), c.set(t), parity.Options{})
	assert.Equal(t, strings.Count(istio, "1.31.4")-1, report.Checked.Images+report.Checked.Charts, "the label of chart istiod stands twice")
}
