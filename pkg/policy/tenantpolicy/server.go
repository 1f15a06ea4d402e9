package tenantpolicy

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// What KServe calls its containers and its ports (pkg/constants in kserve).
const (
	containerServer      = "kserve-container"
	containerTransformer = "transformer-container"
	containerAgent       = "agent"
	portAgent            = "agent-port"
	portAgentNumber      = 9081
)

// containerProxy is Istio's own: a template may hold it to adjust what is injected.
const containerProxy = "istio-proxy"

// servers are the fields of a predictor that hold its model server as a
// container: model, and one for each framework from before there was model
// (pkg/apis/serving/v1beta1 in kserve).
var servers = []string{"model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface", "pmml", "lightgbm", "paddle"}

// container is a container with the path of its field.
type container struct {
	at resource.Path
	*resource.Container
}

// containers returns the containers that may take the workload's requests: all
// of a Deployment's, one of an InferenceService's.
func (w *workload) containers() []container {
	var out []container
	t := w.template
	if server, ok := w.modelServer(); ok {
		out = append(out, server)
	}
	for i := range t.Spec.Containers {
		if c := &t.Spec.Containers[i]; c.Name != containerProxy {
			out = append(out, container{t.SpecAt.Child("containers").Index(i), c})
		}
	}
	if !w.isInferenceService() || len(out) == 0 {
		return out
	}
	// A transformer beside the model server stands in front of it; a predictor
	// without a container of the server's name has it first.
	for _, name := range []string{containerTransformer, containerServer} {
		if i := slices.IndexFunc(out, func(c container) bool { return c.Name == name }); i >= 0 {
			return out[i : i+1]
		}
	}
	return out[:1]
}

// modelServer returns the model server that stands beside the predictor's
// containers. What its ServingRuntime says isn't in the object.
func (w *workload) modelServer() (container, bool) {
	if !w.isInferenceService() {
		return container{}, false
	}
	t := w.template
	for _, field := range servers {
		at := t.SpecAt.Child(field)
		if resource.Map(t.Object.Content(), at...) == nil {
			continue
		}
		c := container{at, &resource.Container{}}
		if !t.Object.ReadInto(c.Container, at...) {
			return container{}, false // the set keeps the error
		}
		c.Name = containerServer // KServe's, whatever the object says
		return c, true
	}
	return container{}, false
}

// hasAgent reports whether KServe puts its agent in front of the model server.
func (w *workload) hasAgent() bool {
	if !w.isInferenceService() {
		return false
	}
	predictor := resource.Map(w.template.Object.Content(), w.template.SpecAt...)
	return predictor["batcher"] != nil || predictor["logger"] != nil
}

// complete returns the pod template with the containers that KServe adds, so
// that names of ports mean what they will mean.
func (w *workload) complete() *resource.PodTemplate {
	t := *w.template
	t.Spec.Containers = slices.Clone(t.Spec.Containers)
	if server, ok := w.modelServer(); ok {
		t.Spec.Containers = append(t.Spec.Containers, *server.Container)
	}
	if w.hasAgent() {
		t.Spec.Containers = append(t.Spec.Containers, resource.Container{
			Name: containerAgent, Ports: []resource.ContainerPort{{Name: portAgent, ContainerPort: portAgentNumber}},
		})
	}
	return &t
}

// firstPort returns the container's first TCP port. Policies see no other protocol.
func (c container) firstPort() (model.Port, bool) {
	for _, p := range c.Ports {
		if p.Protocol != "" && p.Protocol != resource.ProtocolTCP {
			continue
		}
		if port, err := model.PortNumber(p.ContainerPort); err == nil {
			return port, true
		}
	}
	return model.Port{}, false
}

// KServe's own servers write it with an underscore, Triton with a dash; a shell's
// command line holds it in the midst of a string.
var httpPort = regexp.MustCompile(`(?:^|\s)--http[_-]port(?:=|\s+)["']?([^\s"';&|]+)`)

// argument returns the value of the server's --http_port. The last one counts.
func (c container) argument() (string, bool) {
	words := slices.Concat(c.Command, c.Args)
	found := httpPort.FindAllStringSubmatch(strings.Join(words, " "), -1)
	if len(found) == 0 {
		return "", false
	}
	return found[len(found)-1][1], true
}
