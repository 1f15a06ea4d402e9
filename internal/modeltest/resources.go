package modeltest

import (
	"fmt"
	"maps"
	"slices"
)

// resources returns the objects of the first owner's build.
func (g *generator) resources() []object {
	var out []object
	namespaces := map[string]object{"app-0": {}, "app-1": {}}
	for _, gw := range g.gateways {
		if gw.owner == g.owners[0] && !gw.absent {
			out = append(out, g.gatewayObjects(gw)...)
		}
		for _, r := range gw.routes {
			if r.owner == g.owners[0] && !gw.absent {
				out = append(out, g.routeObject(gw, r))
			}
		}
	}
	for _, w := range g.workloads {
		if w.owner == g.owners[0] && !w.absent {
			out = append(out, g.workloadObjects(w)...)
		}
	}
	for _, t := range g.tenants {
		if t.owner == g.owners[0] {
			name := "tenant-" + t.name
			namespaces[name] = object{"group": t.name, "istio-injection": "enabled"}
			out = append(out, g.tenantObjects(t, name)...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(namespaces)) {
		metadata := object{"name": name}
		if len(namespaces[name]) > 0 {
			metadata["labels"] = namespaces[name]
		}
		out = append(out, object{"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})
	}
	for i := range g.IntN(4) {
		out = append(out, g.stranger(i))
	}
	g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func named(version, kind, namespace, name string, body object) object {
	out := object{"apiVersion": version, "kind": kind, "metadata": object{"namespace": namespace, "name": name}}
	maps.Copy(out, body)
	return out
}

func labelsOf(m map[string]string) object {
	out := object{}
	for key, value := range m {
		out[key] = value
	}
	return out
}

// podTemplate returns a template that runs as an account: the model's, or the
// one that its pods ran as before.
func (g *generator) podTemplate(labels object, account, portName string, port int) object {
	container := object{"name": "main", "image": "example.org/image:1", "env": []object{{"name": "MODE", "value": "on"}}}
	if port != 0 {
		entry := object{"containerPort": port}
		if portName != "" {
			entry["name"] = portName
		}
		container["ports"] = []object{entry}
	}
	spec := object{"containers": []object{container}}
	if g.chance(70) {
		spec["serviceAccountName"] = account
	}
	if g.chance(20) {
		spec["initContainers"] = []object{{"name": "wait", "image": "example.org/wait"}}
	}
	return object{"metadata": object{"labels": labels}, "spec": spec}
}

func (g *generator) gatewayObjects(gw *gateway) []object {
	labels := labelsOf(gw.selector)
	labels["team"] = "edge"
	template := g.podTemplate(labels, gw.name+"-service-account", "", 8080)
	template["metadata"] = object{"labels": labels, "annotations": object{"inject.istio.io/templates": "gateway"}}
	labels["sidecar.istio.io/inject"] = "true"
	out := []object{
		named("apps/v1", "Deployment", gw.namespace, gw.name, object{"spec": object{
			"selector": object{"matchLabels": labelsOf(gw.selector)}, "template": template,
		}}),
		named("v1", "Service", gw.namespace, gw.name, object{"spec": object{
			"selector": labelsOf(gw.selector), "ports": []object{{"name": "http", "port": 80, "targetPort": 8080}},
		}}),
	}
	if gw.hostPolicy && g.chance(25) { // what the design replaces
		out = append(out, named("security.istio.io/v1", "AuthorizationPolicy", gw.namespace, gw.name, object{"spec": object{
			"selector": object{"matchLabels": labelsOf(gw.selector)}, "action": "ALLOW", "rules": []object{{}},
		}}))
	}
	return out
}

func (g *generator) routeObject(gw *gateway, r route) object {
	prefix, hosts := "", []string{"placeholder.example.org"}
	if r.kind == "Gateway" {
		prefix = pick(g, []string{"", "", "./", "*/"})
	}
	if gw.wildcard != "" {
		hosts = append(hosts, gw.wildcard)
	}
	for i := range hosts {
		hosts[i] = prefix + hosts[i]
	}
	if r.kind == "Gateway" {
		return named("networking.istio.io/v1", r.kind, r.namespace, r.name, object{"spec": object{
			"selector": labelsOf(gw.selector),
			"servers":  []object{{"port": object{"number": 8080, "name": "http", "protocol": "HTTP"}, "hosts": hosts}},
		}})
	}
	return named("networking.istio.io/v1", r.kind, r.namespace, r.name, object{"spec": object{
		"hosts": hosts, "gateways": []string{r.name},
		"http": []object{{"route": []object{{"destination": object{"host": "web"}}}}},
	}})
}

func (g *generator) workloadObjects(w *workload) []object {
	kinds := w.kinds
	if kinds == nil {
		kinds = []string{"Job"}
	}
	var out []object
	for i, kind := range kinds {
		labels := labelsOf(w.selector)
		labels["version"] = fmt.Sprint("v", i)
		name := w.name
		if w.kinds == nil {
			labels["find"] = w.name
			name += fmt.Sprintf("-%05d", g.IntN(100_000))
		}
		template := g.podTemplate(labels, w.account, w.portName, w.port)
		version, spec := "apps/v1", object{"selector": object{"matchLabels": labelsOf(w.selector)}, "template": template}
		switch kind {
		case "Job":
			version, spec = "batch/v1", object{"template": template}
		case "CronJob":
			version, spec = "batch/v1", object{"schedule": "0 * * * *", "jobTemplate": object{"spec": object{"template": template}}}
		}
		out = append(out, named(version, kind, w.namespace, name, object{"spec": spec}))
	}
	if g.chance(60) {
		target := any(w.port)
		if w.portName != "" {
			target = w.portName
		}
		out = append(out, named("v1", "Service", w.namespace, w.name, object{"spec": object{
			"selector": labelsOf(w.selector), "ports": []object{{"name": "http", "port": 80, "targetPort": target}},
		}}))
	}
	if w.binding {
		out = append(out, named("rbac.authorization.k8s.io/v1", "RoleBinding", w.namespace, "ringfence:"+w.name, object{
			"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reader"},
			"subjects": []object{{"kind": "ServiceAccount", "name": "default", "namespace": w.namespace}},
		}))
	}
	return out
}

func (g *generator) tenantObjects(t *tenant, namespace string) []object {
	var out []object
	if t.deployments {
		for i := range 1 + g.IntN(2) {
			name := fmt.Sprintf("run-%d", i)
			labels := object{"app": name, "runner": "true"}
			out = append(out, named("apps/v1", "Deployment", namespace, name, object{"spec": object{
				"selector": object{"matchLabels": labels}, "template": g.podTemplate(maps.Clone(labels), "default", "", pick(g, []int{0, 8000, 9000})),
			}}))
		}
		out = append(out, named("apps/v1", "Deployment", namespace, "excluded", object{"spec": object{
			"selector": object{"matchLabels": object{"app": "excluded"}},
			"template": g.podTemplate(object{"app": "excluded", "runner": "true"}, "default", "", 8000),
		}}))
	}
	if t.services {
		out = append(out, named("serving.kserve.io/v1beta1", "InferenceService", namespace, "model", object{
			"spec": object{"predictor": object{"containers": []object{{"name": "kserve-container", "image": "example.org/model", "ports": []object{{"containerPort": 8000}}}}}},
		}))
		annotations := object{"serving.kserve.io/deploymentMode": "RawDeployment"}
		out[len(out)-1]["metadata"] = object{"namespace": namespace, "name": "model", "annotations": annotations}
	}
	return out
}

// stranger returns an object that the model doesn't mention.
func (g *generator) stranger(i int) object {
	name := fmt.Sprintf("stranger-%d", i)
	switch g.IntN(4) {
	case 0:
		return named("v1", "ConfigMap", "app-0", name, object{"data": object{"text": "line\nother line\n", "yes": "on", "number": "010"}})
	case 1:
		return named("example.org/v1", "Widget", "app-1", name, object{"spec": object{"list": []any{1, 2.5, true, nil, "x: y"}, "empty": object{}}})
	case 2:
		return named("apps/v1", "Deployment", "elsewhere", name, object{"spec": object{"template": g.podTemplate(object{"app": name}, name, "", 80)}})
	default:
		return named("v1", "Service", "elsewhere", name, object{"spec": object{"selector": object{"app": name}, "ports": []object{{"port": 80}}}})
	}
}
