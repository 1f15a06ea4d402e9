package profileparity_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
)

// The example platform of this repository, and its overlays as kustomize builds
// them; a test there holds the builds to what kustomize makes.
const (
	exampleModel        = "../../overlays/platform/model/model.yaml"
	exampleEnvironments = "../../overlays/platform/environments"
	exampleBuilds       = "../../test/compositions/testdata"
)

// environmentOf returns the file of an environment, and what an inventory that
// agrees with it says: plain strings, and a name that the model doesn't use.
func environmentOf(tb testing.TB, name string) (file string, inventory map[string]any) {
	tb.Helper()
	file = filepath.Join(exampleEnvironments, name, "environment.yaml")
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	var e v1alpha1.Environment
	require.NoError(tb, yaml.Unmarshal(text, &e))
	dns := map[string]any{"vpn": "vpn." + name + ".example.org"}
	for key, hosts := range e.Spec.DNS {
		require.Len(tb, hosts, 1)
		dns[key] = hosts[0]
	}
	return file, map[string]any{
		"model": exampleModel, "security_profile": e.Spec.SecurityProfile, "dns": dns,
		"trust_domain": e.Spec.Istio.TrustDomain, "istio_version": e.Spec.Istio.Version,
	}
}

// TestAgreesWithTheExample compares each environment with its builds: by its
// Environment and the inventory, and by the inventory alone.
func TestAgreesWithTheExample(t *testing.T) {
	for name, profile := range map[string]string{"local": "open", "dev": "open", "staging-permissive": "permissive", "staging": "enforced", "production": "enforced"} {
		t.Run(name, func(t *testing.T) {
			file, params := environmentOf(t, name)
			params["rendered"] = []string{filepath.Join(exampleBuilds, name)}
			with := maps.Clone(params)
			with["environment"] = file
			both := run(t, with)
			assert.False(t, both.Failed, both.Msg)
			assert.Equal(t, "the inventory and what is rendered agree: "+profile+", 6 workloads, 2 gateways, 4 routes, 2 consumers, 0 images and 0 charts of Istio", both.Msg)
			assert.Equal(t, profile, both.Profile.Rendered)
			assert.Equal(t, profile, both.Profile.Inventory)
			assert.Empty(t, both.Disagreements)
			assert.Empty(t, both.Warnings)
			assert.NotEmpty(t, both.Profile.Evidence)
			assert.Positive(t, both.Checked["principals"])

			alone := run(t, params)
			if name == "local" { // which lacks gateways that an inventory can't say are absent
				assert.True(t, alone.Failed)
				assert.Contains(t, alone.Msg, "dns.registry")
				return
			}
			assert.Equal(t, both, alone)
		})
	}
}

// TestOtherEnvironmentsDisagree gives each environment the builds of another.
func TestOtherEnvironmentsDisagree(t *testing.T) {
	names := []string{"local", "dev", "staging-permissive", "staging", "production"}
	for _, inventory := range names {
		for _, built := range names {
			if built == inventory {
				continue
			}
			t.Run(inventory+"-with-builds-of-"+built, func(t *testing.T) {
				file, params := environmentOf(t, inventory)
				params["environment"], params["rendered"] = file, []string{filepath.Join(exampleBuilds, built)}
				a := run(t, params)
				assert.True(t, a.Failed)
				for _, rule := range []string{"parity-host Gateway themelio/web", "parity-consumer Deployment themelio/k8s-root-actor"} {
					assert.Contains(t, strings.Join(a.disagreements(), "\n"), rule)
				}
			})
		}
	}
}

// istio is what a GitOps repository may hold of Istio itself, at the version of the environments.
const istio = `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: istio-cni-node, namespace: istio-system, labels: {helm.sh/chart: cni-1.31.4, app.kubernetes.io/part-of: istio}}
spec: {template: {spec: {containers: [{name: install-cni, image: docker.io/istio/install-cni:1.31.4}]}}}
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: istiod, namespace: argocd}
spec: {source: {repoURL: https://istio-release.storage.googleapis.com/charts, chart: istiod, targetRevision: 1.31.4}}
`

// mutation is one disagreement with staging.
type mutation struct {
	// file is a build, or what this test adds; from stands in it once. Without to
	// the document with from in it goes.
	file, from, to string
	// params are the inventory's.
	params map[string]any
	want   string
}

// TestMutations makes one disagreement at a time and wants it found, and nothing else.
func TestMutations(t *testing.T) {
	const (
		inject = `spec.template.metadata.labels["sidecar.istio.io/inject"]`
		env    = "spec.template.spec.containers[0].env"
	)
	for name, m := range map[string]mutation{
		"none": {},
		"label-of-a-deployment": {
			file: "themelio.yaml", from: "        app: web\n        sidecar.istio.io/inject: \"true\"", to: "        app: web", want: "parity-profile Deployment themelio/web " + inject,
		},
		"label-of-a-job": {
			file: "themelio.yaml", from: "        app: themelio-seeder\n        sidecar.istio.io/inject: \"true\"", to: "        app: themelio-seeder", want: "parity-profile Job themelio/themelio-seeder " + inject,
		},
		"workload-policy-missing": {file: "themelio.yaml", from: "  name: web-allow-ingress-gateway\n", want: "parity-profile AuthorizationPolicy themelio/web-allow-ingress-gateway"},
		"peer-authentication-missing": {
			file: "themelio.yaml", from: "  name: gitlab-root-actor-strict-mtls\n", want: "parity-profile PeerAuthentication themelio/gitlab-root-actor-strict-mtls",
		},
		"peer-authentication-permissive": {
			file: "themelio.yaml", from: "    mode: STRICT\n  selector:\n    matchLabels:\n      app: web", to: "    mode: PERMISSIVE\n  selector:\n    matchLabels:\n      app: web",
			want: "parity-profile PeerAuthentication themelio/web-strict-mtls",
		},
		"host-policy-missing": {
			file: "argocd.yaml", from: "  name: istio-ingressgateway-argocd\n  namespace: istio-system\nspec:\n  action", want: "parity-profile AuthorizationPolicy istio-system/istio-ingressgateway-argocd",
		},
		"host-policy-open": {
			file: "argocd.yaml", from: "  - to:\n    - operation:\n        hosts:\n        - argocd.staging.example.org\n        - argocd.staging.example.org:*\n", to: "  - {}\n",
			want: "parity-profile AuthorizationPolicy istio-system/istio-ingressgateway-argocd",
		},
		"host-of-a-policy": {
			file: "themelio.yaml", from: "        - web.staging.example.org\n        - web.staging.example.org:*", to: "        - web.example.org\n        - web.example.org:*",
			want: "parity-host AuthorizationPolicy istio-system/istio-ingressgateway-web spec.rules[0].to[0].operation.hosts",
		},
		"host-of-a-gateway": {
			file: "themelio.yaml", from: "  - hosts:\n    - web.staging.example.org", to: "  - hosts:\n    - web.example.org", want: "parity-host Gateway themelio/web spec.servers[0].hosts",
		},
		"host-of-a-virtual-service": {
			file: "argocd.yaml", from: "  - argocd\n  hosts:\n  - argocd.staging", to: "  - argocd\n  hosts:\n  - argocd.production", want: "parity-host VirtualService argocd/argocd spec.hosts",
		},
		"public-host":          {file: "themelio.yaml", from: "value: service.staging.example.org", to: "value: service.example.org", want: "parity-consumer Deployment themelio/k8s-root-actor " + env + "[2].value"},
		"public-host-indirect": {file: "themelio.yaml", from: "value: service.staging.example.org", to: "valueFrom: {configMapKeyRef: {name: themelio-service-routing, key: host}}", want: "parity-consumer Deployment themelio/k8s-root-actor " + env + "[2].valueFrom"},
		"gateway-principal": {
			file: "themelio.yaml", from: "value: cluster.local/ns/istio-system/sa/istio-ingressgateway-themelio-service-account", to: "value: cluster.local/ns/istio-system/sa/istio-ingressgateway-service-account",
			want: "parity-consumer Deployment themelio/k8s-root-actor " + env + "[3].value",
		},
		"trust-domain-of-a-principal": {
			file: "themelio.yaml", from: "- cluster.local/ns/themelio/sa/themelio-seeder", to: "- old.example.org/ns/themelio/sa/themelio-seeder",
			want: "parity-trust-domain AuthorizationPolicy themelio/gitlab-root-actor-allow-callers spec.rules[0].from[0].source.principals[2]",
		},
		"image":         {file: "istio.yaml", from: "install-cni:1.31.4", to: "install-cni:1.31.3", want: "parity-version DaemonSet istio-system/istio-cni-node spec.template.spec.containers[0].image"},
		"image-digest":  {file: "istio.yaml", from: "install-cni:1.31.4", to: "install-cni@sha256:0123", want: "parity-version-unknown DaemonSet istio-system/istio-cni-node spec.template.spec.containers[0].image"},
		"chart-label":   {file: "istio.yaml", from: "cni-1.31.4", to: "cni-1.31.3", want: `parity-version DaemonSet istio-system/istio-cni-node metadata.labels["helm.sh/chart"]`},
		"chart-source":  {file: "istio.yaml", from: "targetRevision: 1.31.4", to: "targetRevision: 1.31.3", want: "parity-version Application argocd/istiod spec.source.targetRevision"},
		"workload-gone": {file: "waldur-site-agent.yaml", from: "  name: waldur-site-agent-cloud-order\n  namespace: waldur-site-agent-cloud\nspec", want: "parity-missing Deployment waldur-site-agent-cloud/waldur-site-agent-cloud-order"},
		"gateway-gone":  {file: "argocd.yaml", from: "inject.istio.io/templates", want: "parity-missing Deployment istio-system/istio-ingressgateway-argocd"},
		"route-gone":    {file: "argocd.yaml", from: "kind: VirtualService", want: "parity-missing VirtualService argocd/argocd"},

		"inventory-public-host":   {params: map[string]any{"dns.service": "service.elsewhere.example.org"}, want: "parity-consumer Deployment themelio/k8s-root-actor " + env + "[2].value"},
		"inventory-chart-version": {params: map[string]any{"istio_chart_version": "1.31.3"}, want: "parity-version istio_chart_version"},
	} {
		t.Run(name, func(t *testing.T) {
			_, params := environmentOf(t, "staging")
			dns, _ := params["dns"].(map[string]any)
			for key, value := range m.params {
				if host, isHost := strings.CutPrefix(key, "dns."); isHost {
					dns[host] = value
				} else {
					params[key] = value
				}
			}
			dir := mutated(t, m)
			params["rendered"] = []string{dir}
			a := run(t, params)
			if m.want == "" {
				assert.False(t, a.Failed, a.Msg)
				assert.Equal(t, 1, a.Checked["images"])
				assert.Equal(t, 2, a.Checked["charts"])
				return
			}
			assert.True(t, a.Failed)
			want := []string{m.want}
			if name == "inventory-chart-version" { // and every chart is compared with it
				want = append(want, "parity-version Application argocd/istiod spec.source.targetRevision", `parity-version DaemonSet istio-system/istio-cni-node metadata.labels["helm.sh/chart"]`)
			}
			require.ElementsMatch(t, want, a.disagreements(), a.Msg)
			assert.Contains(t, a.Msg, "disagree in")
			if d := a.Disagreements[0]; m.to != "" {
				assert.Equal(t, filepath.Join(dir, m.file), d.File)
				assert.Contains(t, a.Msg, d.File)
				assert.Positive(t, d.Line)
				assert.NotNil(t, d.Inventory)
			}
		})
	}
}

// mutated returns a directory with the builds of staging, and one change.
func mutated(tb testing.TB, m mutation) string {
	tb.Helper()
	dir := tb.TempDir()
	texts := map[string]string{"istio.yaml": istio}
	for _, name := range []string{"themelio.yaml", "argocd.yaml", "tenants.yaml", "waldur-site-agent.yaml"} {
		text, err := os.ReadFile(filepath.Join(exampleBuilds, "staging", name))
		require.NoError(tb, err)
		texts[name] = string(text)
	}
	for name, text := range texts {
		if name == m.file {
			require.Equal(tb, 1, strings.Count(text, m.from), "it stands there once")
			if m.to == "" {
				text = dropped(text, m.from)
			} else {
				text = strings.Replace(text, m.from, m.to, 1)
			}
		}
		write(tb, dir, name, text)
	}
	return dir
}

func dropped(text, part string) string {
	var kept []string
	for document := range strings.SplitSeq(text, "\n---\n") {
		if !strings.Contains(document, part) {
			kept = append(kept, document)
		}
	}
	return strings.Join(kept, "\n---\n")
}
