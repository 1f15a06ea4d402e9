package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// ContainerPorts returns the numbers that a workload port stands for in a pod
// template: itself, or those of the container ports of its name.
func ContainerPorts(t *resource.PodTemplate, port model.Port) []model.Port {
	if port.Name() == "" {
		return []model.Port{port}
	}
	var out []model.Port
	for _, c := range t.AllContainers() {
		for _, p := range c.Ports {
			if p.Name != port.Name() {
				continue
			}
			if number, err := model.PortNumber(p.ContainerPort); err == nil && !slices.Contains(out, number) {
				out = append(out, number)
			}
		}
	}
	return out
}

// ResolvePorts turns a workload's ports into numbers, and checks each against
// what the pod templates and the Services before them declare. A policy's port
// that no container listens on matches nothing in silence (istio/istio#49098);
// mostly it is a Service port, which the finding then says.
func (in Input) ResolvePorts(w *model.Workload, templates []*resource.PodTemplate) ([]model.Port, finding.List) {
	var (
		out      []model.Port
		findings finding.List
	)
	for _, port := range w.Ports {
		for _, t := range templates {
			numbers := ContainerPorts(t, port)
			if port.Name() != "" && len(numbers) == 0 {
				findings.Add(finding.New(finding.PortUnknown, t.Object.Ref(), t.SpecAt.Child("containers").String(),
					"port %q of workload %q is the name of none of its container ports", port, w.Name))
			}
			if port.Name() == "" {
				findings.Add(in.checkPort(w, t, port)...)
			}
			for _, number := range numbers {
				if !slices.Contains(out, number) {
					out = append(out, number)
				}
			}
		}
	}
	return out, findings
}

func (in Input) checkPort(w *model.Workload, t *resource.PodTemplate, port model.Port) finding.List {
	var declared []string
	for _, c := range t.AllContainers() {
		for _, p := range c.Ports {
			if p.ContainerPort == port.Number() {
				return nil
			}
			declared = append(declared, strconv.Itoa(int(p.ContainerPort)))
		}
	}
	targets, byService := in.serviceTargets(t, port)
	f := finding.New(finding.PortUnknown, t.Object.Ref(), t.SpecAt.Child("containers").String(), "")
	switch {
	case byService != "":
		f.Message = fmt.Sprintf("port %s of workload %q is a port of %s; policies see the workload port", port, w.Name, byService)
		return finding.List{f.WithRemedy("write the workload port in the model: %s", listed(targets))}
	case len(declared) > 0:
		f.Message = fmt.Sprintf("port %s of workload %q is none of its container ports: %s", port, w.Name, listed(declared))
		return finding.List{f}
	case len(targets) > 0 && !slices.Contains(targets, port.String()):
		f.Message = fmt.Sprintf("port %s of workload %q is no targetPort of the Services before it: %s", port, w.Name, listed(targets))
		return finding.List{f}
	}
	return nil // nothing declares ports, so that nothing disagrees
}

// serviceTargets returns the numeric targetPorts of the Services that select a
// pod template. When port is no such one and only a Service's own port, it
// returns what is behind that and which Service it is.
func (in Input) serviceTargets(t *resource.PodTemplate, port model.Port) (targets []string, service string) {
	var behind []string
	for _, s := range in.ServicesOf(t) {
		for _, p := range s.Ports {
			for _, number := range ServiceTargets(t, p) {
				targets = append(targets, number.String())
				if p.Port == port.Number() {
					behind, service = append(behind, number.String()), s.Object.Ref().String()
				}
			}
		}
	}
	if service == "" || slices.Contains(targets, port.String()) {
		return targets, ""
	}
	return behind, service
}

// ServiceTargets returns the numbers that a Service port leads to in a pod
// template: its targetPort, by number or by name, or the port itself.
func ServiceTargets(t *resource.PodTemplate, p resource.ServicePort) []model.Port {
	target, err := model.PortNumber(cmp.Or(p.TargetPort.IntVal, p.Port))
	if name := p.TargetPort.StrVal; name != "" {
		target, err = model.PortName(name)
	}
	if err != nil {
		return nil // the API server would refuse the Service
	}
	return ContainerPorts(t, target)
}

// Service is a Service of the build.
type Service struct {
	Object *resource.Object
	resource.ServiceSpec
}

// ServicesOf returns the Services of the build that select a pod template's pods.
func (in Input) ServicesOf(t *resource.PodTemplate) []Service {
	var out []Service
	for _, o := range in.Resources.Kind("", "Service") {
		if o.Ref().Namespace != t.Object.Ref().Namespace {
			continue
		}
		s := Service{Object: o}
		if o.ReadInto(&s.ServiceSpec, "spec") && resource.Selects(s.Selector, t.Labels) {
			out = append(out, s)
		}
	}
	return out
}
