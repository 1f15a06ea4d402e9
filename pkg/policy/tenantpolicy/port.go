package tenantpolicy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

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
		out = workloadPort{agent, "of KServe's agent, which a batcher or a logger puts in front of the model server"}
	}
	return out, findings
}

func (w *workload) serverPort() (workloadPort, finding.List) {
	containers := w.containers()
	declares := slices.IndexFunc(containers, func(c container) bool { _, ok := c.firstPort(); return ok })
	argues := slices.IndexFunc(containers, func(c container) bool {
		_, declared := c.firstPort()
		_, argued := c.argument()
		return argued && !declared // one that declares a port speaks for itself alone
	})
	if declares >= 0 {
		if _, ok := containers[declares].argument(); ok {
			argues = declares
		}
	}
	var argued model.Port
	if argues >= 0 {
		c := containers[argues]
		value, _ := c.argument()
		port, err := portOf(value)
		if err != nil && declares < 0 {
			return w.defaultPort(), w.portFinding(c.at, "--http_port of container %q is %q, and no container port says what that is: %v", c.Name, value, err)
		}
		argued = port
	}
	switch {
	case declares < 0 && argues < 0:
		return w.defaultPort(), nil
	case declares < 0:
		return workloadPort{argued, fmt.Sprintf("of container %q's --http_port", containers[argues].Name)}, nil
	}
	c := containers[declares]
	declared, _ := c.firstPort()
	out := workloadPort{declared, fmt.Sprintf("of container %q", c.Name)}
	if argued != (model.Port{}) && argued != declared {
		return out, w.portFinding(c.at.Child("ports"), "container %q declares port %s first, and the server of container %q is told to listen on --http_port %s",
			c.Name, declared, containers[argues].Name, argued)
	}
	return out, nil
}

func (w *workload) defaultPort() workloadPort {
	return workloadPort{w.entry.DefaultPort, fmt.Sprintf("that tenant group %q has by default", w.group.Name)}
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
			if p.Protocol != "" && p.Protocol != corev1.ProtocolTCP {
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
	return w.portFinding(w.template.SpecAt, "its policy would admit callers to port %s, %s; the Services before it lead elsewhere: %s",
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
