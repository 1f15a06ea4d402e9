package tenantpolicy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// deployment is a runner with the given pod spec; predictor an InferenceService
// with the given predictor.
func deployment(spec string) string {
	return namespaceAlice + `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: alice}
spec:
  template:
    metadata: {labels: {app: web, component: themelio-k8s-deployment-runner}}
    spec: ` + spec + "\n---\n"
}

func predictor(spec string) string {
	return namespaceAlice + `
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: m, namespace: alice}
spec:
  predictor: ` + spec + "\n---\n"
}

func service(name, selector, ports string) string {
	return "\napiVersion: v1\nkind: Service\nmetadata: {name: " + name + ", namespace: alice}\nspec: {selector: {" + selector + "}, ports: [" + ports + "]}\n---\n"
}

// admitted returns the one port of the one policy that a plan creates.
func admitted(t *testing.T, plan policy.Plan) string {
	t.Helper()
	require.Len(t, plan.Create, 1)
	ports := resource.Strings(plan.Create[0].Content(), "spec", "rules", "0", "to", "0", "operation", "ports")
	require.Len(t, ports, 1)
	return ports[0]
}

func TestPort(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ reason, objects, want string }{
		"first-container-port":    {"DD-0025 §9: the configured port", deployment(`{containers: [{name: r, ports: [{containerPort: 9000}, {containerPort: 9001}]}]}`), "9000"},
		"first-that-declares":     {"a container without ports says nothing", deployment(`{containers: [{name: a}, {name: b, ports: [{containerPort: 9000}]}]}`), "9000"},
		"udp-is-no-port":          {"policies see TCP alone", deployment(`{containers: [{name: r, ports: [{containerPort: 53, protocol: UDP}, {containerPort: 9000, protocol: TCP}]}]}`), "9000"},
		"istio-proxy":             {"a template may hold it to adjust what is injected", deployment(`{containers: [{name: istio-proxy, ports: [{containerPort: 15090}]}, {name: r, ports: [{containerPort: 9000}]}]}`), "9000"},
		"argument":                {"nothing is declared", deployment(`{containers: [{name: r, args: [--http_port=9000]}]}`), "9000"},
		"argument-two-words":      {"as argparse reads it", deployment(`{containers: [{name: r, command: [serve, --http_port, "9000"]}]}`), "9000"},
		"argument-in-a-shell":     {"the whole command line is one string", deployment(`{containers: [{name: r, command: [sh, -c], args: ["exec serve --http_port=9000; true"]}]}`), "9000"},
		"argument-with-a-dash":    {"as Triton has it", deployment(`{containers: [{name: r, args: [--http-port=9000]}]}`), "9000"},
		"last-argument":           {"the last one counts", deployment(`{containers: [{name: r, args: [--http_port=1, --http_port=9000]}]}`), "9000"},
		"other-argument":          {"it isn't --http_port", deployment(`{containers: [{name: r, args: [--no--http_port=1, --xhttp_port=2, --http_port]}]}`), "8000"},
		"sidecar-with-argument":   {"a container that declares its own port speaks for itself", deployment(`{containers: [{name: r, ports: [{containerPort: 9000}]}, {name: s, args: [--http_port=1], ports: [{containerPort: 1}]}]}`), "9000"},
		"default":                 {"DD-0025 §9: or 8000", deployment(`{containers: [{name: r}]}`), "8000"},
		"agree":                   {"both say the same", deployment(`{containers: [{name: r, args: [--http_port=9000], ports: [{containerPort: 9000}]}]}`), "9000"},
		"argument-of-environment": {"the declared port stands where the argument can't be read", deployment(`{containers: [{name: r, args: [--http_port=$(PORT)], ports: [{containerPort: 9000}]}]}`), "9000"},

		"custom-predictor":     {"kserve-container is the model server", predictor(`{containers: [{name: other, ports: [{containerPort: 1}]}, {name: kserve-container, ports: [{containerPort: 9000}]}]}`), "9000"},
		"unnamed-predictor":    {"without one of that name it is the first", predictor(`{containers: [{name: a, args: [--http_port=9000]}, {name: b, ports: [{containerPort: 1}]}]}`), "9000"},
		"model":                {"KServe's present form", predictor(`{model: {modelFormat: {name: sklearn}, args: [--http_port=9000]}}`), "9000"},
		"model-with-ports":     {"the model is a container", predictor(`{model: {modelFormat: {name: sklearn}, ports: [{containerPort: 9000}]}, containers: [{name: x, ports: [{containerPort: 1}]}]}`), "9000"},
		"framework":            {"KServe's older form", predictor(`{sklearn: {storageUri: "gs://x", ports: [{containerPort: 9000}]}}`), "9000"},
		"transformer-in-front": {"KServe's Service leads to a transformer beside the model server", predictor(`{model: {ports: [{containerPort: 1}]}, containers: [{name: transformer-container, ports: [{containerPort: 9000}]}]}`), "9000"},
		"predictor-default":    {"its ServingRuntime isn't in the object", predictor(`{model: {modelFormat: {name: sklearn}}}`), "8000"},
		"batcher":              {"KServe's agent stands in front", predictor(`{batcher: {maxBatchSize: 8}, model: {ports: [{containerPort: 9000}]}}`), "9081"},
		"logger":               {"KServe's agent stands in front", predictor(`{logger: {mode: all}, containers: [{name: kserve-container}]}`), "9081"},
		"empty-logger":         {"an empty one is one", predictor(`{logger: {}, containers: [{name: kserve-container}]}`), "9081"},
		"no-logger":            {"null is none", predictor(`{logger: null, containers: [{name: kserve-container}]}`), "8000"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, test.objects)
			assert.Empty(t, plan.Findings, test.reason)
			assert.Equal(t, test.want, admitted(t, plan), test.reason)
		})
	}
}

func TestPortDisagrees(t *testing.T) {
	t.Parallel()
	web, m := "app: web", "serving.kserve.io/inferenceservice: m, component: predictor"
	for name, test := range map[string]struct {
		reason, objects string
		want            []string
	}{
		"argument": {
			"the server doesn't listen where the container says", deployment(`{containers: [{name: r, args: [--http_port=9000], ports: [{containerPort: 8000}]}]}`),
			[]string{"spec.template.spec.containers[0].ports:", `container "r" declares port 8000`, "--http_port 9000"},
		},
		"argument-of-another": {
			"one of the two takes the requests, and nobody can say which", deployment(`{containers: [{name: a, args: [--http_port=9000]}, {name: b, ports: [{containerPort: 8000}]}]}`),
			[]string{"containers[1].ports:", `container "b" declares port 8000`, `container "a"`},
		},
		"unreadable": {"the default would be a guess", deployment(`{containers: [{name: r, args: [--http_port=$(PORT)]}]}`), []string{`"$(PORT)"`, "no port number"}},
		"too-large":  {"no such port", deployment(`{containers: [{name: r, args: [--http_port=70000]}]}`), []string{`"70000"`}},
		"predictor": {
			"the same for a model server", predictor(`{model: {args: [--http_port, "9000"], ports: [{containerPort: 8080}]}}`),
			[]string{"InferenceService alice/m spec.predictor.model.ports:", "8080", "9000"},
		},
		"service-number": {
			"the Service leads elsewhere", deployment(`{containers: [{name: r}]}`) + service("s", web, `{port: 80, targetPort: 9000}`),
			[]string{"port 8000 (the defaultPort of tenant group \"kubeflow-profiles\")", "Service alice/s to 9000"},
		},
		"service-without-target": {"targetPort is port where it is absent", deployment(`{containers: [{name: r}]}`) + service("s", web, `{port: 80}`), []string{"Service alice/s to 80"}},
		"service-name": {
			"the name is another port's", deployment(`{containers: [{name: r, ports: [{containerPort: 8000}, {name: admin, containerPort: 9000}]}]}`) + service("s", web, `{port: 80, targetPort: admin}`),
			[]string{`port 8000 (the first containerPort of container "r")`, "Service alice/s to 9000"},
		},
		"service-unknown-name": {"no container has it", deployment(`{containers: [{name: r, ports: [{containerPort: 8000}]}]}`) + service("s", web, `{port: 80, targetPort: http}`), []string{`port "http", which no container has`}},
		"several-services": {
			"all are named", deployment(`{containers: [{name: r}]}`) + service("s1", web, `{port: 80, targetPort: 1}, {port: 81, targetPort: 2}`) + service("s2", web, `{port: 80, targetPort: 3}`),
			[]string{"Service alice/s1 to 1, Service alice/s1 to 2, Service alice/s2 to 3"},
		},
		"service-past-the-agent": {
			"requests would go past the logger, and be denied", predictor(`{logger: {}, containers: [{name: kserve-container, ports: [{containerPort: 8000}]}]}`) + service("s", m, `{port: 80, targetPort: 8000}`),
			[]string{"port 9081 (the port of KServe's agent", "Service alice/s to 8000"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, test.objects)
			one(t, plan.Findings, finding.Error, append(test.want, "tenant-port ")...)
		})
	}
}

func TestServicesAgree(t *testing.T) {
	t.Parallel()
	web, m := "app: web", "serving.kserve.io/inferenceservice: m, component: predictor"
	named := `{containers: [{name: r, ports: [{name: http, containerPort: 9000}]}]}`
	for name, test := range map[string]struct{ reason, objects, want string }{
		"number":           {"it is the port", deployment(named) + service("s", web, `{port: 80, targetPort: 9000}`), "9000"},
		"name":             {"the container has that name", deployment(named) + service("s", web, `{port: 80, targetPort: http}`), "9000"},
		"one-of-its-ports": {"requests through the other are denied, as they should be", deployment(named) + service("s", web, `{name: a, port: 81, targetPort: 1}, {name: b, port: 80, targetPort: http}`), "9000"},
		"one-of-several":   {"a second Service may serve metrics", deployment(named) + service("s1", web, `{port: 81, targetPort: 1}`) + service("s2", web, `{port: 80, targetPort: http}`), "9000"},
		"udp":              {"policies see TCP alone", deployment(named) + service("s", web, `{port: 53, protocol: UDP}`), "9000"},
		"others":           {"it selects other pods", deployment(named) + service("s", "app: other", `{port: 80, targetPort: 1}`), "9000"},
		"no-selector":      {"it selects no pods", deployment(named) + "\napiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: alice}\nspec: {ports: [{port: 1}]}\n---\n", "9000"},
		"predictor":        {"by KServe's labels", predictor(`{containers: [{name: kserve-container}]}`) + service("s", m, `{port: 80, targetPort: 8000}`), "8000"},
		"model-name":       {"the model's port has that name", predictor(`{model: {ports: [{name: h2c, containerPort: 9000}]}}`) + service("s", m, `{port: 80, targetPort: h2c}`), "9000"},
		"runtime-name":     {"a ServingRuntime may have a port of that name", predictor(`{model: {modelFormat: {name: x}}}`) + service("s", m, `{port: 80, targetPort: http1}`), "8000"},
		"agent-name":       {"KServe's agent has that name", predictor(`{logger: {}, containers: [{name: kserve-container}]}`) + service("s", m, `{port: 80, targetPort: agent-port}`), "9081"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, test.objects)
			assert.Empty(t, plan.Findings, test.reason)
			assert.Equal(t, test.want, admitted(t, plan), test.reason)
		})
	}
}

func TestDeploymentModes(t *testing.T) {
	t.Parallel()
	for mode, warned := range map[string]bool{"RawDeployment": false, "Standard": false, "Serverless": true, "Knative": true, "ModelMesh": true} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			plan, _ := build{}.plan(t, namespaceAlice+strings.Replace(sentiment, "namespace: alice", "namespace: alice, annotations: {serving.kserve.io/deploymentMode: "+mode+"}", 1))
			if !warned {
				assert.Empty(t, plan.Findings)
				return
			}
			one(t, plan.Findings, finding.Warning, "tenant-deployment-mode InferenceService alice/sentiment", "with mode "+mode)
		})
	}
}
