package report

import (
	"fmt"
	"io"
	"strings"
)

// Mermaid writes the graph as a flowchart, as merge requests and wikis draw it.
func (g *Graph) Mermaid(w io.Writer) error {
	var b strings.Builder
	l := g.lines()
	fmt.Fprintf(&b, "%%%% %s\nflowchart LR\n", g.Settings)
	for i, namespace := range l.namespaces {
		fmt.Fprintf(&b, "  subgraph s%d[\"%s\"]\n", i, quotedMermaid(namespace))
		for _, n := range l.nodes[namespace] {
			fmt.Fprintf(&b, "    %s[\"%s\"]:::%s\n", node(n), quotedMermaid(g.Nodes[n].title()), g.Nodes[n].class())
		}
		b.WriteString("  end\n")
	}
	if l.outside {
		b.WriteString("  outside((\"outside\"))\n")
	}
	if l.anyone {
		b.WriteString("  anyone((\"everybody\"))\n")
	}
	for i := range l.joints {
		fmt.Fprintf(&b, "  j%d((\" \"))\n", i)
	}
	for _, a := range l.arrows {
		line := map[string]string{"policy": "-->", "host": "==>", "open": "-.->", "unknown": "-.->"}[a.kind]
		label := a.label
		if a.kind == "unknown" {
			label = strings.TrimSpace("unknown " + label)
		}
		if label != "" {
			line += "|\"" + quotedMermaid(label) + "\"|"
		}
		fmt.Fprintf(&b, "  %s %s %s\n", a.from, line, a.to)
	}
	b.WriteString("  classDef guarded stroke:#15803d,stroke-width:2px\n")
	b.WriteString("  classDef open stroke:#b45309,stroke-width:2px,stroke-dasharray:5 3\n")
	b.WriteString("  classDef client stroke:#6b7280\n")
	b.WriteString("  classDef gateway stroke:#1d4ed8,stroke-width:3px\n")
	b.WriteString("  classDef external stroke:#6b7280,stroke-dasharray:2 2\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing Mermaid: %w", err)
	}
	return nil
}

var mermaid = strings.NewReplacer(`"`, "#quot;", "#", "#35;", "<", "#lt;", ">", "#gt;", "\n", " ", "`", "#96;")

func quotedMermaid(text string) string { return mermaid.Replace(text) }
