package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// group is one const block of the catalogue.
type group struct {
	title string
	rules []rule
}

type rule struct {
	id       finding.ID
	constant string
	finding.Rule
}

// readGroups reads the catalogue's order and headings from its source, and what
// a rule says from the catalogue itself.
func readGroups(root string) ([]group, error) {
	files, err := parseDir(filepath.Join(root, "pkg", "finding"))
	if err != nil {
		return nil, err
	}
	var out []group
	seen := map[finding.ID]bool{}
	for _, file := range files {
		for _, decl := range file.Decls {
			block, ok := decl.(*ast.GenDecl)
			if !ok || block.Tok != token.CONST {
				continue
			}
			g := group{title: strings.TrimSuffix(strings.TrimSpace(block.Doc.Text()), ".")}
			for _, spec := range block.Specs {
				constant, id := constantOf(spec)
				r, known := finding.Catalogue[id]
				if !known {
					continue
				}
				seen[id] = true
				g.rules = append(g.rules, rule{id, constant, r})
			}
			if len(g.rules) > 0 {
				out = append(out, g)
			}
		}
	}
	for id := range finding.Catalogue {
		if !seen[id] {
			return nil, fmt.Errorf("rule %q is no constant of a const block in pkg/finding", id)
		}
	}
	return out, nil
}

// constantOf returns the name and the value of a constant of type ID.
func constantOf(spec ast.Spec) (string, finding.ID) {
	value, ok := spec.(*ast.ValueSpec)
	if !ok || len(value.Names) != 1 || len(value.Values) != 1 {
		return "", ""
	}
	literal, ok := value.Values[0].(*ast.BasicLit)
	if !ok {
		return "", ""
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return "", ""
	}
	return value.Names[0].Name, finding.ID(text)
}

func (s *sources) ruleTables() string {
	var b strings.Builder
	for _, g := range s.groups {
		fmt.Fprintf(&b, "\n## %s\n\n", g.title)
		rows := [][]string{{"rule", "severity", "what holds", "what to do", "source"}}
		for _, r := range g.rules {
			rows = append(rows, []string{
				`<a id="` + string(r.id) + `"></a>` + code(string(r.id)), r.Severity.String(), prose(r.Summary), prose(r.Remedy), link(r.Source),
			})
		}
		b.WriteString(table(rows...))
	}
	return b.String()
}

// link makes a link of a thread that a rule comes from: "istio/istio#39810".
func link(source string) string {
	repository, number, ok := strings.Cut(source, "#")
	if _, err := strconv.Atoi(number); !ok || err != nil || strings.Count(repository, "/") != 1 {
		return prose(source)
	}
	return fmt.Sprintf("[%s](https://github.com/%s/issues/%s)", source, repository, number)
}
