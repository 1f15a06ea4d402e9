package report

import (
	_ "embed" // the page's parts
	"fmt"
	"html/template"
	"io"
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
// file, without a network.
func (g *Graph) HTML(w io.Writer) error {
	t, err := template.New("graph").Parse(page)
	if err != nil {
		return fmt.Errorf("reading the page: %w", err)
	}
	err = t.Execute(w, map[string]any{
		"Style": template.CSS(style), "Script": template.JS(script), //nolint:gosec // both are ours, and hold nothing of anybody's objects
		"Settings": g.Settings.String(), "Unjudged": g.Unjudged, "Graph": g,
	})
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
