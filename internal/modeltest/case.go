// Package modeltest makes random inputs for property tests: an AccessModel and
// an Environment that are valid, and the build of one owner to go with them.
package modeltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Case is one random input. Every text is YAML, in many styles of writing it.
type Case struct {
	// Model and Environment are one document each, and valid.
	Model, Environment string
	// Owner is one of the model's, of the tool GitOps.
	Owner string
	// Components are those that the owner's build includes in this environment.
	Components []string
	// Resources are the documents of the owner's build before any function ran:
	// what the model says that it holds, and some that it doesn't mention.
	Resources string
}

// Random returns the case that r leads to. The same seed gives the same case.
func Random(r *rand.Rand) Case {
	g := generator{Rand: r}
	g.generate()
	return Case{
		Model:       g.document("AccessModel", "platform", g.modelSpec()),
		Environment: g.document("Environment", "random", g.environmentSpec()),
		Owner:       g.owners[0],
		Components:  g.components(),
		Resources:   g.stream(g.resources()),
	}
}

// object is a mapping of a document.
type object = map[string]any

type generator struct {
	*rand.Rand
	profile            string
	trustDomain        string
	owners, tools      []string
	dns                []string
	hosts              map[string][]string
	gateways           []*gateway
	workloads          []*workload
	tenants            []*tenant
	consumers          []consumer
	absentG, absentW   []string
	overrides          []object
	profileOf          map[*workload]string
	overriddenGateways map[string]bool
}

// chance reports true in n of a hundred cases.
func (g *generator) chance(n int) bool { return g.IntN(100) < n }

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// some returns up to n distinct entries, in a random order.
func some[T any](g *generator, n int, from []T) []T {
	out := slices.Clone(from)
	g.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out[:min(n, len(out))]
}

func (g *generator) generate() {
	g.profile = pick(g, []string{"open", "permissive", "enforced", "enforced"})
	g.trustDomain = pick(g, []string{"cluster.local", "cluster.local", "mesh.example"})
	for i := range 2 + g.IntN(3) {
		g.owners = append(g.owners, fmt.Sprintf("owner-%d", i))
		g.tools = append(g.tools, pick(g, []string{"GitOps", "Ansible", "External"}))
	}
	g.tools[0] = "GitOps"
	g.hosts = map[string][]string{}
	for i := range 1 + g.IntN(5) {
		name := pick(g, []string{"web", "mlflow_ui", "x.y", "Git"}) + fmt.Sprint(i)
		g.dns = append(g.dns, name)
		for j := range 1 + g.IntN(2) {
			g.hosts[name] = append(g.hosts[name], g.spelling(fmt.Sprintf("h%d-%d.example.org", i, j)))
		}
	}
	g.makeGateways()
	g.makeWorkloads()
	g.makeEdges()
	g.makeEnvironment()
	g.makeTenants()
	g.makeConsumers()
}

// makeEnvironment says what is absent and what is held on a lower rung, so that
// whom an enforced destination trusts keeps its proxy.
func (g *generator) makeEnvironment() {
	g.profileOf = map[*workload]string{}
	g.overriddenGateways = map[string]bool{}
	for _, w := range g.workloads {
		g.profileOf[w] = g.profile
		if w.absent = g.chance(10); w.absent {
			g.absentW = append(g.absentW, w.name)
		}
	}
	for _, gw := range g.gateways {
		if gw.absent = g.chance(10); gw.absent {
			g.absentG = append(g.absentG, gw.name)
		}
		if g.profile != "open" && g.chance(10) {
			g.overriddenGateways[gw.name] = true
			g.overrides = append(g.overrides, object{"gateway": gw.name, "securityProfile": "open"})
		}
	}
	lower := map[string][]string{"permissive": {"open"}, "enforced": {"open", "permissive"}}[g.profile]
	for _, w := range g.workloads {
		if len(lower) == 0 || !g.chance(15) {
			continue
		}
		rung := pick(g, lower)
		if rung == "open" && g.profile == "enforced" && w.called {
			rung = "permissive"
		}
		g.profileOf[w] = rung
		g.overrides = append(g.overrides, object{"workload": w.name, "securityProfile": rung})
	}
}

// components returns what the ladder asks the owner's build for.
func (g *generator) components() []string {
	out := []string{"security-baseline"}
	if g.profile != "open" {
		out = append(out, "security-enrollment")
	}
	if g.profile == "enforced" {
		out = append(out, "security-enforcement")
	}
	if slices.ContainsFunc(g.tenants, func(t *tenant) bool { return t.owner == g.owners[0] }) {
		out = append(out, "tenant-policies")
	}
	return out
}

func (g *generator) environmentSpec() object {
	spec := object{
		"tier": pick(g, []string{"local", "dev", "staging"}), "securityProfile": g.profile,
		"istio": object{"version": "1.31.4", "trustDomain": g.trustDomain, "nativeSidecars": true},
		"dns":   g.dnsSpec(),
	}
	if len(g.overrides) > 0 {
		spec["overrides"] = g.overrides
	}
	absent := object{}
	if len(g.absentG) > 0 {
		absent["gateways"] = g.absentG
	}
	if len(g.absentW) > 0 || g.chance(20) {
		absent["workloads"] = slices.Concat([]string{}, g.absentW)
	}
	if len(absent) > 0 {
		spec["absent"] = absent
	}
	return spec
}

// spelling writes a host as people do: in capitals, with a dot, in their own letters.
func (g *generator) spelling(host string) string {
	switch g.IntN(6) {
	case 0:
		return strings.ToUpper(host)
	case 1:
		return host + "."
	case 2:
		return "bücher." + host
	default:
		return host
	}
}

func (g *generator) dnsSpec() object {
	out := object{}
	for name, hosts := range g.hosts {
		out[name] = hosts
	}
	if g.chance(20) {
		out["unused"] = []string{"Bücher.Example."}
	}
	return out
}
