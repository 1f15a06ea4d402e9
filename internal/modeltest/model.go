package modeltest

import (
	"fmt"
	"slices"
)

type gateway struct {
	name, namespace, owner string
	hostRefs               []string
	wildcard               string
	previous               []string
	routes                 []route
	hostPolicy, absent     bool
	selector               map[string]string
}

type route struct{ kind, namespace, name, owner string }

type workload struct {
	name, namespace, owner, account string
	previous                        []string
	kinds                           []string // of its targets; none where a selector finds its pod template
	selector                        map[string]string
	enroll, protected               bool
	port                            int
	portName                        string
	callers                         []object
	binding                         bool
	absent, called                  bool
	policyName                      string
}

type tenant struct {
	name, owner string
	callers     []object
	deployments bool
	services    bool
}

type consumer struct {
	of    *workload
	env   string
	value object
}

func (g *generator) makeGateways() {
	for i := range g.IntN(4) {
		gw := &gateway{
			name: fmt.Sprintf("gateway-%d", i), namespace: pick(g, []string{"istio-system", "istio-system", "edge"}), owner: pick(g, g.owners),
			hostPolicy: !g.chance(15),
		}
		gw.selector = map[string]string{"app": gw.name}
		if g.chance(20) {
			gw.selector = map[string]string{"gateway": gw.name, "istio.io/kind": "ingress"}
		}
		gw.hostRefs = some(g, 1+g.IntN(2), g.dns)
		for _, kind := range some(g, g.IntN(3), []string{"Gateway", "VirtualService"}) {
			r := route{kind, fmt.Sprintf("app-%d", g.IntN(2)), fmt.Sprintf("route-%d", i), gw.owner}
			if g.chance(20) {
				r.owner = pick(g, g.owners)
			}
			gw.routes = append(gw.routes, r)
		}
		own := !slices.ContainsFunc(gw.routes, func(r route) bool { return r.owner != gw.owner })
		if len(gw.routes) > 0 && own && g.chance(15) { // a wildcard is one that the routes have
			gw.wildcard = fmt.Sprintf("*.wild-%d.example.org", i)
			g.hosts[gw.name] = []string{gw.wildcard}
			gw.hostRefs = append(gw.hostRefs, gw.name)
		}
		if g.chance(10) {
			gw.previous = []string{gw.name + "-old"}
		}
		g.gateways = append(g.gateways, gw)
	}
}

func (g *generator) makeWorkloads() {
	for i := range 1 + g.IntN(7) {
		w := &workload{
			name: fmt.Sprintf("%s-%d", pick(g, []string{"web", "api", "sync.v2", "job"}), i), namespace: fmt.Sprintf("app-%d", g.IntN(2)),
			owner: pick(g, append([]string{g.owners[0]}, g.owners...)), account: fmt.Sprintf("account-%d", i), kinds: []string{"Deployment"},
			enroll: g.chance(75), port: 3000 + i, binding: g.chance(15),
		}
		w.selector = map[string]string{"app": w.name}
		if g.chance(20) {
			w.selector = map[string]string{"app.kubernetes.io/name": w.name, "tier": "back"}
		}
		switch g.IntN(5) {
		case 0:
			w.kinds = some(g, 1+g.IntN(2), []string{"StatefulSet", "DaemonSet", "CronJob", "Job"})
		case 1:
			w.kinds = nil
		}
		w.protected = w.enroll && g.chance(70)
		if i > 0 && !w.enroll && g.chance(30) && !g.workloads[0].enroll { // nobody trusts either
			w.namespace, w.account = g.workloads[0].namespace, g.workloads[0].account
		}
		if g.chance(10) {
			w.previous = []string{fmt.Sprintf("account-%d-old", i)}
		}
		if g.chance(25) {
			w.portName = "main"
		}
		if g.chance(25) {
			w.policyName = w.name + "-policy"
		}
		g.workloads = append(g.workloads, w)
	}
}

// makeEdges gives destinations their callers: gateways, enrolled workloads and strangers.
func (g *generator) makeEdges() {
	var callers []object
	for _, gw := range g.gateways {
		callers = append(callers, object{"gateway": gw.name})
	}
	for _, w := range g.workloads {
		if w.enroll {
			callers = append(callers, object{"workload": w.name})
		}
	}
	callers = append(callers, object{"principal": g.trustDomain + "/ns/elsewhere/sa/stranger"}, object{"principal": "spiffe://" + g.trustDomain + "/ns/elsewhere/sa/other"})
	for _, w := range g.workloads {
		if !w.protected {
			continue
		}
		w.callers = slices.Concat([]object{}, some(g, g.IntN(4), callers))
		for _, c := range w.callers {
			for _, other := range g.workloads {
				other.called = other.called || c["workload"] == other.name
			}
		}
	}
}

func (g *generator) makeTenants() {
	for i := range g.IntN(3) {
		t := &tenant{name: fmt.Sprintf("group-%d", i), owner: pick(g, g.owners), deployments: g.chance(70), callers: []object{}}
		t.services = !t.deployments || g.chance(50)
		for _, gw := range some(g, g.IntN(3), g.gateways) {
			t.callers = append(t.callers, object{"gateway": gw.name})
		}
		g.tenants = append(g.tenants, t)
	}
}

func (g *generator) makeConsumers() {
	for i, w := range some(g, g.IntN(3), g.workloads) {
		if !slices.Contains(w.kinds, "Deployment") {
			continue
		}
		c := consumer{of: w, env: fmt.Sprintf("VALUE_%d", i)}
		of := pick(g, g.workloads)
		c.value = object{"principalOf": object{"workload": of.name}}
		for _, name := range g.dns {
			if len(g.hosts[name]) == 1 && g.chance(50) {
				c.value = object{"hostRef": name}
			}
		}
		g.consumers = append(g.consumers, c)
	}
}

func (g *generator) modelSpec() object {
	spec := object{"retired": []object{{"apiVersion": "v1", "kind": "ConfigMap", "namespace": "app-0", "name": "leftover"}}}
	list := func(name string, entries []object) {
		if len(entries) > 0 || g.chance(20) {
			spec[name] = slices.Concat([]object{}, entries)
		}
	}
	var owners, gateways, workloads, consumers, tenants []object
	for i, name := range g.owners {
		owners = append(owners, object{"name": name, "tool": g.tools[i]})
	}
	for _, gw := range g.gateways {
		gateways = append(gateways, g.gatewaySpec(gw))
	}
	for _, w := range g.workloads {
		workloads = append(workloads, g.workloadSpec(w))
	}
	for _, c := range g.consumers {
		consumers = append(consumers, object{
			"owner": c.of.owner, "env": c.env, "valueFrom": c.value,
			"targetRef": object{"kind": "Deployment", "namespace": c.of.namespace, "name": c.of.name},
		})
	}
	for _, t := range g.tenants {
		tenants = append(tenants, t.spec())
	}
	spec["owners"] = owners
	list("gateways", gateways)
	list("workloads", workloads)
	list("consumers", consumers)
	list("tenants", tenants)
	return spec
}

func (g *generator) gatewaySpec(gw *gateway) object {
	out := object{"name": gw.name, "owner": gw.owner, "serviceAccountName": gw.name + "-service-account", "hostRefs": gw.hostRefs}
	if gw.namespace != "istio-system" || g.chance(30) {
		out["namespace"] = gw.namespace
	}
	if gw.wildcard != "" {
		out["hostPorts"] = []int{443, 30443}
	}
	if gw.previous != nil {
		out["previousServiceAccountNames"] = gw.previous
	}
	if !gw.hostPolicy {
		out["hostPolicy"] = "None"
	}
	if gw.selector["app"] == "" {
		out["selector"] = object{"matchLabels": gw.selector}
	}
	var routes []object
	for _, r := range gw.routes {
		entry := object{"apiVersion": "networking.istio.io/v1", "kind": r.kind, "namespace": r.namespace, "name": r.name}
		if r.owner != gw.owner {
			entry["owner"] = r.owner
		}
		routes = append(routes, entry)
	}
	if routes != nil {
		out["routes"] = routes
	}
	return out
}

func (g *generator) workloadSpec(w *workload) object {
	out := object{"name": w.name, "namespace": w.namespace, "owner": w.owner, "serviceAccountName": w.account}
	if w.previous != nil {
		out["previousServiceAccountNames"] = w.previous
	}
	if w.enroll || g.chance(50) {
		out["enroll"] = w.enroll
	}
	if w.selector["app"] == "" {
		out["selector"] = object{"matchLabels": w.selector}
	}
	if w.kinds == nil {
		out["podTemplateSelector"] = object{"matchLabels": object{"find": w.name}}
	} else if !slices.Equal(w.kinds, []string{"Deployment"}) || g.chance(30) {
		var refs []object
		for _, kind := range w.kinds {
			refs = append(refs, object{"kind": kind, "name": w.name})
		}
		out["targetRefs"] = refs
	}
	if w.protected {
		out["ports"] = []object{{"port": w.port}}
		if w.portName != "" {
			out["ports"] = []object{{"port": w.portName}}
		}
		out["callers"] = w.callers
		if w.policyName != "" {
			out["policyName"] = w.policyName
		}
	}
	if w.binding {
		out["roleBindingRefs"] = []object{{"kind": "RoleBinding", "name": "ringfence:" + w.name}}
	}
	return out
}

func (t *tenant) spec() object {
	var workloads []object
	if t.deployments {
		workloads = append(workloads, object{
			"kind": "Deployment", "selector": object{"matchLabels": object{"runner": "true"}}, "selectorKeys": []string{"app", "runner"}, "defaultPort": 8000,
		})
	}
	if t.services {
		workloads = append(workloads, object{"kind": "InferenceService", "defaultPort": 8000, "enroll": true})
	}
	return object{
		"name": t.name, "owner": t.owner, "callers": t.callers, "workloads": workloads,
		"namespaceSelector": object{"matchExpressions": []object{{"key": "group", "operator": "In", "values": []string{t.name}}}},
		"exclude":           []object{{"kind": "Deployment", "name": "excluded"}},
	}
}
