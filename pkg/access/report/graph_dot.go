package report

import (
	"fmt"
	"io"
	"strings"
)

// DOT writes the graph for Graphviz.
func (g *Graph) DOT(w io.Writer) error {
	var b strings.Builder
	l := g.lines()
	fmt.Fprintf(&b, "// %s\ndigraph access {\n  rankdir=LR;\n  node [shape=box];\n", g.Settings)
	styles := map[string]string{
		"guarded": `color="#15803d"`, "open": `color="#b45309", style=dashed`, "gateway": `color="#1d4ed8", penwidth=2`, "client": `color="#6b7280"`, "external": `color="#6b7280", style=dotted`,
		"policy": "", "host": "penwidth=2", "unknown": "style=dotted",
	}
	for i, namespace := range l.namespaces {
		fmt.Fprintf(&b, "  subgraph cluster_%d {\n    label=%s;\n", i, quotedDOT(namespace))
		for _, n := range l.nodes[namespace] {
			fmt.Fprintf(&b, "    %s [label=%s, %s];\n", node(n), quotedDOT(g.Nodes[n].title()), styles[g.Nodes[n].class()])
		}
		b.WriteString("  }\n")
	}
	if l.outside {
		b.WriteString("  outside [shape=ellipse];\n")
	}
	if l.anyone {
		b.WriteString("  anyone [shape=ellipse, label=everybody];\n")
	}
	for i := range l.joints {
		fmt.Fprintf(&b, "  j%d [shape=point];\n", i)
	}
	for _, a := range l.arrows {
		label := a.label
		if a.kind == "unknown" {
			label = strings.TrimSpace("unknown " + label)
		}
		fmt.Fprintf(&b, "  %s -> %s [%s];\n", a.from, a.to, strings.Trim("label="+quotedDOT(label)+", "+styles[a.kind], ", "))
	}
	b.WriteString("}\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing DOT: %w", err)
	}
	return nil
}

func quotedDOT(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(text) + `"`
}
