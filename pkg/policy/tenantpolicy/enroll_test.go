package tenantpolicy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	inject      = "sidecar.istio.io/inject"
	proxyConfig = "proxy.istio.io/config"
	hold        = "holdApplicationUntilProxyStarts: true"
)

func TestPredictorsAreEnrolled(t *testing.T) {
	t.Parallel()
	plan, after := build{}.plan(t, namespaceAlice+sentiment)
	require.Len(t, plan.Edits, 2)
	assert.Equal(t, `spec.predictor.labels["sidecar.istio.io/inject"]`, plan.Edits[0].Path.String())
	assert.Equal(t, `spec.predictor.annotations["proxy.istio.io/config"]`, plan.Edits[1].Path.String())
	predictor := resource.Map(after[1].content, "spec", "predictor")
	assert.Equal(t, map[string]any{inject: "true"}, predictor["labels"])
	assert.Equal(t, map[string]any{proxyConfig: hold}, predictor["annotations"])
}

func TestDeploymentsAreEnrolledWhereTheModelSaysSo(t *testing.T) {
	t.Parallel()
	b := build{model: []edit{{"selectorKeys: [app, component], defaultPort: 8000", "selectorKeys: [app, component], defaultPort: 8000, enroll: true"}}}
	plan, after := b.plan(t, strings.Replace(namespaceAlice, ", istio-injection: enabled", "", 1)+runnerWeb)
	assert.Empty(t, plan.Findings)
	metadata := resource.Map(after[1].content, "spec", "template", "metadata")
	assert.Equal(t, "true", resource.String(metadata, "labels", inject))
	assert.Equal(t, map[string]any{proxyConfig: hold}, metadata["annotations"])
}

func TestAnnotationsOfTheInferenceServiceCount(t *testing.T) {
	t.Parallel()
	with := func(value string) string {
		return namespaceAlice + strings.Replace(sentiment, "namespace: alice", "namespace: alice, annotations: {proxy.istio.io/config: '"+value+"'}", 1)
	}
	plan, _ := build{}.plan(t, with("concurrency: 2"))
	require.Len(t, plan.Edits, 2)
	assert.Equal(t, "concurrency: 2\n"+hold, plan.Edits[1].Value, "the predictor's annotation hides the object's, so it says all that this one said")

	plan, _ = build{}.plan(t, with(hold))
	require.Len(t, plan.Edits, 1)
	assert.Equal(t, "spec.predictor.labels[\"sidecar.istio.io/inject\"]", plan.Edits[0].Path.String())
}

func TestProxyConfigThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ reason, value string }{
		"no-yaml":   {"it can't be merged into", `"{"`},
		"a-list":    {"a ProxyConfig is a mapping", `"- a"`},
		"a-word":    {"a ProxyConfig is a mapping", `"yes please"`},
		"key-twice": {"nobody can say which counts", `"concurrency: 1\nconcurrency: 2\n"`},
		"no-string": {"annotations are strings", `{concurrency: 1}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, predictor(`{annotations: {proxy.istio.io/config: `+test.value+`}, containers: [{name: kserve-container}]}`))
			one(t, plan.Findings, finding.Error, "tenant-proxy-config InferenceService alice/m", `spec.predictor.annotations["proxy.istio.io/config"]`)
		})
	}
}

func TestObstaclesOfEnrolledWorkloads(t *testing.T) {
	t.Parallel()
	custom := `containers: [{name: kserve-container}]}`
	for name, test := range map[string]struct {
		reason, objects string
		build           build
		severity        finding.Severity
		want            string
	}{
		"host-network": {"istio/istio#9002", predictor(`{hostNetwork: true, ` + custom), build{}, finding.Error, "enroll-host-network InferenceService alice/m spec.predictor.hostNetwork"},
		"namespace-disabled": {
			"the webhook passes such a namespace by", strings.Replace(predictor(`{`+custom), "istio-injection: enabled", "istio-injection: disabled", 1), build{},
			finding.Error, "enroll-unreachable InferenceService alice/m",
		},
		"revision": {
			"with a revision and no default tag the label alone does nothing", strings.Replace(predictor(`{`+custom), ", istio-injection: enabled", "", 1),
			build{environment: []edit{{"nativeSidecars: true", "nativeSidecars: true, revision: canary"}}}, finding.Error, `with revision "canary"`,
		},
		"init-containers": {
			"a classic sidecar leaves them without network (istio/istio#23802)", predictor(`{initContainers: [{name: i}], ` + custom),
			build{environment: []edit{{"nativeSidecars: true", "nativeSidecars: false"}}}, finding.Warning, "enroll-init-network InferenceService alice/m spec.predictor.initContainers",
		},
		"label-false":         {"ours takes its place", predictor(`{labels: {sidecar.istio.io/inject: "false"}, ` + custom), build{}, finding.Error, ""},
		"annotation-false":    {"the label counts before it", predictor(`{annotations: {sidecar.istio.io/inject: "false"}, ` + custom), build{}, finding.Error, ""},
		"unlabelled":          {"the label is enough", strings.Replace(predictor(`{`+custom), ", istio-injection: enabled", "", 1), build{}, finding.Error, ""},
		"native-sidecars":     {"they start first", predictor(`{initContainers: [{name: i}], ` + custom), build{}, finding.Warning, ""},
		"excluded-port":       {"the port goes past the proxy", predictor(`{annotations: {traffic.sidecar.istio.io/excludeInboundPorts: "1, 8000"}, ` + custom), build{}, finding.Error, "enroll-port-not-captured InferenceService alice/m"},
		"included-port":       {"only the named ports are captured", predictor(`{annotations: {traffic.sidecar.istio.io/includeInboundPorts: "1"}, ` + custom), build{}, finding.Error, "enroll-port-not-captured InferenceService alice/m"},
		"included-all":        {"all are", predictor(`{annotations: {traffic.sidecar.istio.io/includeInboundPorts: "*"}, ` + custom), build{}, finding.Error, ""},
		"excluded-other-port": {"this one isn't", predictor(`{annotations: {traffic.sidecar.istio.io/excludeInboundPorts: "80"}, ` + custom), build{}, finding.Error, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := test.build.plan(t, test.objects)
			if test.want == "" {
				assert.Empty(t, plan.Findings, test.reason)
				return
			}
			one(t, plan.Findings, test.severity, test.want)
		})
	}
}

func TestInertPolicies(t *testing.T) {
	t.Parallel()
	labels := func(s string) string { return strings.Replace(runnerWeb, "{app: web,", "{"+s+", app: web,", 1) }
	bare := strings.Replace(namespaceAlice, ", istio-injection: enabled", "", 1)
	namespace := func(s string) string {
		return strings.Replace(namespaceAlice, "istio-injection: enabled", s, 1)
	}
	revision := build{environment: []edit{{"nativeSidecars: true", "nativeSidecars: true, revision: canary"}}}
	for name, test := range map[string]struct {
		reason, objects string
		build           build
		want            string
	}{
		"injected-namespace":    {"every pod gets a proxy", namespaceAlice + runnerWeb, build{}, ""},
		"revision-of-namespace": {"every pod gets a proxy", namespace("istio.io/rev: canary") + runnerWeb, revision, ""},
		"labelled-pod":          {"the label is enough", bare + labels(`sidecar.istio.io/inject: "true"`), build{}, ""},
		"revision-of-pod":       {"the revision's webhook looks at it", bare + labels("istio.io/rev: canary"), revision, ""},

		"nothing-asks":       {"DD-0025 §9: inert, and harmless until the runner joins the mesh", bare + runnerWeb, build{}, "neither its pods nor its namespace"},
		"pod-says-false":     {"the pod's label counts", namespaceAlice + labels(`sidecar.istio.io/inject: "false"`), build{}, `the label sidecar.istio.io/inject: "false"`},
		"annotation-false":   {"without a label the annotation counts", namespaceAlice + strings.Replace(runnerWeb, "metadata:\n", "metadata:\n      annotations: {sidecar.istio.io/inject: \"false\"}\n", 1), build{}, `the annotation sidecar.istio.io/inject: "false"`},
		"annotation-true":    {"no webhook looks at it (istio/istio#39006)", bare + strings.Replace(runnerWeb, "metadata:\n", "metadata:\n      annotations: {sidecar.istio.io/inject: \"true\"}\n", 1), build{}, "neither its pods nor its namespace"},
		"namespace-disabled": {"the webhook passes it by", namespace("istio-injection: disabled") + labels(`sidecar.istio.io/inject: "true"`), build{}, `istio-injection: "disabled"`},
		"label-and-revision": {"no default tag", bare + labels(`sidecar.istio.io/inject: "true"`), revision, `with revision "canary"`},
		"host-network":       {"never injected", deployment(`{hostNetwork: true, containers: [{name: r}]}`), build{}, "the node's network"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := test.build.plan(t, test.objects)
			assert.Len(t, plan.Create, 1, "the policy is generated in any case")
			if test.want == "" {
				assert.Empty(t, plan.Findings, test.reason)
				return
			}
			one(t, plan.Findings, finding.Warning, "tenant-policy-inert Deployment alice/web", test.want)
		})
	}
}
