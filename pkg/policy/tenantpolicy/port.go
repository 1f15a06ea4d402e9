package tenantpolicy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// workloadPort is the port on which a workload takes requests, and what says so.
type workloadPort struct {
	model.Port
	from string
}

// port returns the workload's port: the first container port, else the argument
// --http_port, else the model's default. Behind KServe's agent it is the agent's.
func (w *workload) port() (workloadPort, finding.List) {
	out, findings := w.serverPort()
	if w.hasAgent() {
		agent, _ := model.PortNumber(portAgentNumber)
		out = workloadPort{agent, "the port of KServe's agent, which a batcher or a logger puts in front of the model server"}
	}
	return out, findings
}

func (w *workload) serverPort() (workloadPort, finding.List) {
	var declaring, told *container
	containers := w.containers()
	for i := range containers {
		c := &containers[i]
		_, declares := c.firstPort()
		_, argues := c.argument()
		if declares && declaring == nil {
			declaring = c
		}
		if argues && told == nil && (!declares || declaring == c) { // a later one that declares a port speaks for itself alone
			told = c
		}
	}
	if told == nil && declaring == nil {
		return w.defaultPort(), nil
	}
	var argued model.Port
	if told != nil {
		value, _ := told.argument()
		port, err := portOf(value)
		if err != nil && declaring == nil {
			return w.defaultPort(), w.portFinding(told.at, "--http_port of container %q is %q, which is no port number, and no container declares a port", told.Name, value)
		}
		argued = port // none where it can't be read: what is declared counts
	}
	if declaring == nil {
		return workloadPort{argued, fmt.Sprintf("the --http_port of container %q", told.Name)}, nil
	}
	declared, _ := declaring.firstPort()
	out := workloadPort{declared, fmt.Sprintf("the first containerPort of container %q", declaring.Name)}
	if argued != (model.Port{}) && argued != declared {
		return out, w.portFinding(declaring.at.Child("ports"), "container %q declares port %s first, and container %q is told to serve --http_port %s",
			declaring.Name, declared, told.Name, argued)
	}
	return out, nil
}

func (w *workload) defaultPort() workloadPort {
	return workloadPort{w.entry.DefaultPort, fmt.Sprintf("the defaultPort of tenant group %q", w.group.Name)}
}

func portOf(value string) (model.Port, error) {
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil {
		return model.Port{}, fmt.Errorf("reading %q as a number: %w", value, err)
	}
	return model.PortNumber(int32(n))
}

func (w *workload) portFinding(at resource.Path, format string, args ...any) finding.List {
	return finding.List{finding.New(finding.TenantPort, w.template.Object.Ref(), at.String(), format, args...)}
}

// served reports a port that none of the Services before the workload leads to,
// and a mode in which no request reaches the server's port.
func (w *workload) served(port workloadPort, services []policy.Service) finding.List {
	if mode := w.template.Object.Annotations()[annotationMode]; w.isInferenceService() && slices.Contains(otherModes, mode) {
		return finding.List{finding.New(finding.TenantDeploymentMode, w.template.Object.Ref(), resource.Path{"metadata", "annotations", annotationMode}.String(),
			"its policy admits callers to port %s, and with mode %s requests reach a proxy of KServe's on a port of its own, through pods of its own", port, mode).
			WithValues(mode, "RawDeployment")}
	}
	t := w.complete()
	_, runtime := w.modelServer()
	var leads []string
	for _, s := range services {
		for _, p := range s.Ports {
			if p.Protocol != "" && p.Protocol != resource.ProtocolTCP {
				continue
			}
			targets := policy.ServiceTargets(t, p)
			switch {
			case slices.Contains(targets, port.Port):
				return nil
			case len(targets) == 0 && runtime: // the ServingRuntime may have a port of this name
				return nil
			case len(targets) == 0:
				leads = append(leads, fmt.Sprintf("%s to port %q, which no container has", s.Object.Ref(), p.TargetPort.StrVal))
			default:
				leads = append(leads, fmt.Sprintf("%s to %s", s.Object.Ref(), joined(targets)))
			}
		}
	}
	if len(leads) == 0 {
		return nil
	}
	return w.portFinding(w.template.SpecAt, "its policy would admit callers to port %s (%s), and the Services before it lead elsewhere: %s",
		port, port.from, strings.Join(leads, ", "))
}

// annotationMode says how KServe deploys an InferenceService. In the other modes
// than plain Deployments, Knative's queue-proxy (8012) or ModelMesh's pods stand
// before the server.
const annotationMode = "serving.kserve.io/deploymentMode"

var otherModes = []string{"Serverless", "Knative", "ModelMesh"}

func joined(ports []model.Port) string {
	out := make([]string, 0, len(ports))
	for _, p := range ports {
		out = append(out, p.String())
	}
	return strings.Join(out, " and ")
}
