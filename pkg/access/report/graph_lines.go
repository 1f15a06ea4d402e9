package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lines are a graph as languages for drawing want it: every node once, and arrows
// of which those between large groups go through a point in the middle.
type lines struct {
	namespaces []string
	nodes      map[string][]int // by namespace
	arrows     []arrow
	// anyone says that arrows come from everybody, outside that they come from outside
	// of the cluster; joints is how many points there are.
	anyone, outside bool
	joints          int
}

// arrow leads from one name to another: "n1" is a node, "j1" a point in the middle.
type arrow struct {
	from, to, label string
	kind            string // policy, open, unknown, host
}

// few is how many arrows are drawn before a point in the middle saves some.
const few = 12

// lines returns what is to be drawn.
func (g *Graph) lines() lines {
	out := lines{nodes: map[string][]int{}}
	shown := map[int]bool{}
	inside := func(node int) bool { return g.Namespace == "" || g.Nodes[node].Namespace == g.Namespace }
	for i := range g.Nodes {
		if inside(i) {
			shown[i] = true
		}
	}
	for _, e := range g.Edges {
		kind := "policy"
		if e.Answer != "yes" {
			kind = "unknown"
		}
		var here, elsewhere []Port
		for _, p := range g.Servers[e.Servers] {
			if inside(p.Node) {
				here = append(here, p)
			} else {
				elsewhere = append(elsewhere, p)
			}
		}
		if e.Everybody {
			for _, p := range here {
				out.anyone = true
				out.arrows = append(out.arrows, arrow{"anyone", node(p.Node), fmt.Sprint(p.Number), "open"})
			}
			continue
		}
		var all, own []string
		for _, c := range e.Clients {
			for _, n := range g.Clients[c].Nodes {
				all = append(all, node(n))
				if inside(n) {
					own = append(own, node(n))
				}
				if len(here) > 0 || len(elsewhere) > 0 && inside(n) {
					shown[n] = true
				}
			}
			if g.Clients[c].Outside {
				all = append(all, "outside")
				out.outside = out.outside || len(here) > 0
			}
		}
		out.connect(all, here, kind)
		out.connect(own, elsewhere, kind)
		for _, p := range elsewhere {
			shown[p.Node] = shown[p.Node] || len(own) > 0
		}
	}
	g.drawHosts(&out, shown, inside)
	for i := range g.Nodes {
		if shown[i] {
			out.nodes[g.Nodes[i].Namespace] = append(out.nodes[g.Nodes[i].Namespace], i)
		}
	}
	out.namespaces = slices.Sorted(maps.Keys(out.nodes))
	return out
}

// drawHosts adds what gateways let in, and where they lead.
func (g *Graph) drawHosts(out *lines, shown map[int]bool, inside func(int) bool) {
	at := map[string]int{}
	for i, n := range g.Nodes {
		if !n.External {
			at[n.Name] = i
		}
	}
	for i, n := range g.Nodes {
		for _, h := range n.Hosts {
			near := inside(i) || slices.ContainsFunc(h.Leads, func(to string) bool { return inside(at[nameOf(to)]) })
			if h.Answer == "no" || !near {
				continue
			}
			shown[i] = true
			out.outside = true
			kind := "host"
			if h.Answer != "yes" {
				kind = "unknown"
			}
			out.arrows = append(out.arrows, arrow{"outside", node(i), hostName(h, n.Hosts), kind})
			for _, to := range h.Leads {
				name := nameOf(to)
				if a := (arrow{node(i), node(at[name]), to[len(name)+1:], "policy"}); !slices.Contains(out.arrows, a) {
					a.kind = kind
					out.arrows = append(out.arrows, a)
				}
				shown[at[name]] = true
			}
		}
	}
}

// nameOf returns the workload of a port.
func nameOf(port string) string { return port[:strings.LastIndexByte(port, ':')] }

func node(i int) string { return fmt.Sprintf("n%d", i) }

func (l *lines) connect(from []string, to []Port, kind string) {
	if len(from)*len(to) <= max(few, len(from), len(to)) {
		for _, f := range from {
			for _, p := range to {
				l.arrows = append(l.arrows, arrow{f, node(p.Node), fmt.Sprint(p.Number), kind})
			}
		}
		return
	}
	joint := fmt.Sprintf("j%d", l.joints)
	l.joints++
	for _, f := range from {
		l.arrows = append(l.arrows, arrow{f, joint, "", kind})
	}
	for _, p := range to {
		l.arrows = append(l.arrows, arrow{joint, node(p.Node), fmt.Sprint(p.Number), kind})
	}
}

// title is what a node says in a drawing.
func (n Node) title() string {
	_, name, _ := strings.Cut(n.Name, "/")
	switch {
	case n.External:
		return name + " (out of the mesh, unaffected)"
	case n.Gateway:
		return name + " (gateway)"
	case n.Open:
		return name + " (open to everybody)"
	default:
		return name
	}
}

// class is how a node is drawn.
func (n Node) class() string {
	switch {
	case n.External:
		return "external"
	case n.Gateway:
		return "gateway"
	case n.Open:
		return "open"
	case !n.Serves:
		return "client"
	default:
		return "guarded"
	}
}
