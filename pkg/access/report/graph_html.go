package report

import (
	_ "embed" // the page's parts
	"encoding/json"
	"fmt"
	"html"
	"io"
	"strings"
)

var (
	//go:embed assets/graph.html
	page string
	//go:embed assets/graph.css
	style string
	//go:embed assets/graph.js
	script string
)

// HTML writes the graph as one page that asks nobody for anything: it works from a
// file, without a network. It does without html/template: that makes the linker
// keep every method there is, 4 MB of the executable.
func (g *Graph) HTML(w io.Writer) error {
	data, err := json.Marshal(g) // with "<", ">" and "&" escaped, so that nothing in it ends the script
	if err != nil {
		return fmt.Errorf("serialising the graph: %w", err)
	}
	// In one pass: what is filled in isn't searched again.
	fill := strings.NewReplacer(
		"{{style}}", style, "{{script}}", script, "{{graph}}", string(data),
		"{{settings}}", html.EscapeString(g.Settings.String()), "{{unjudged}}", g.unjudged(),
	)
	if _, err := fill.WriteString(w, page); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// unjudged returns the page's list of objects that aren't judged; nothing where all are.
func (g *Graph) unjudged() string {
	if len(g.Unjudged) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<section id=\"unjudged\">\n  <h2>Not judged</h2>\n")
	b.WriteString("  <p>What these objects do isn't known, and neither is any answer that depends on them.</p>\n  <ul>")
	for _, u := range g.Unjudged {
		b.WriteString("<li>" + html.EscapeString(u.String()) + "</li>")
	}
	b.WriteString("</ul>\n</section>\n")
	return b.String()
}
