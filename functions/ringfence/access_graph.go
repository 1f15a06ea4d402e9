package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/spelling"
	"github.com/ringfence-dev/ringfence/pkg/access/report"
)

const accessGraphUsage = `Draws who reaches what: workloads by namespace, the hosts of gateways, and what is outside.
What nobody protects looks different from what policies admit. The page of -o html needs
no network and no server; a person can filter it, search it, and ask each workload.

Exit status: 0 all objects are judged, 1 the input is wrong, 2 the command line is, 3 an
object wasn't judged.

Example:
  ringfence access graph -o html rendered/ > access.html
  ringfence access graph --namespace shop rendered/   # Mermaid, for a merge request or a wiki
  ringfence access graph -o dot rendered/ | dot -Tsvg > access.svg`

func accessGraph(args []string, s krm.Streams) int {
	set := pflag.NewFlagSet("graph", pflag.ContinueOnError)
	output := set.StringP("output", "o", "mermaid", "mermaid, dot or html")
	namespace := set.String("namespace", "", "namespace to draw, with those who reach it and whom it reaches")
	f := meshFlagsOf(set)
	if status, ok := accessFlags(set, accessGraphUsage, args, s); !ok {
		return status
	}
	if err := f.chosen(*output, "mermaid", "dot", "html"); err != nil {
		return f.misuse(s, "%v", err)
	}
	j, status, ok := f.open(set.Args(), s)
	if !ok {
		return status
	}
	graph := report.GraphOf(j.mesh, slices.Collect(j.set.All()), *namespace)
	j.locate(graph.Unjudged)
	if err := hasNamespace(graph, *namespace); err != nil {
		return f.fail(s, err)
	}
	var err error
	switch *output {
	case "dot":
		err = graph.DOT(s.Out)
	case "html":
		err = graph.HTML(s.Out)
	default:
		err = graph.Mermaid(s.Out)
	}
	if err != nil {
		return f.fail(s, err)
	}
	if n := graph.Omitted(); n > 0 {
		_, _ = fmt.Fprintf(s.Err, "ringfence access graph: note: %d groups of ports have too many clients to draw them: ask ringfence access matrix\n", n)
	}
	unjudged(s, set.Name(), graph.Unjudged)
	if len(graph.Unjudged) > 0 {
		return uncertain
	}
	return succeeded
}

func hasNamespace(g *report.Graph, namespace string) error {
	known := map[string]bool{"": true}
	for _, n := range g.Nodes {
		known[n.Namespace] = true
	}
	if known[namespace] {
		return nil
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(known)), func(name string) bool { return name == "" })
	return fmt.Errorf("no object of namespace %q makes pods%s; there are %s", namespace, spelling.DidYouMean(namespace, names), strings.Join(names, ", "))
}
