package main

import (
	"go/ast"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
)

const module = "github.com/ringfence-dev/ringfence/"

// symbol is a function, method or variable of a package of ours; a method is
// known by its own name alone.
type symbol struct{ pkg, name string }

// readReports returns the rules that each unit can report: those whose constants
// stand in what its Plan reaches. Methods of one name aren't told apart, so that a
// unit may be said to report what a namesake does.
func readReports(root string, groups []group) (map[string][]finding.ID, error) {
	code := program{root: root, rules: map[string]finding.ID{}, packages: map[string]map[string]*mentions{}}
	for _, g := range groups {
		for _, r := range g.rules {
			code.rules[r.constant] = r.id
		}
	}
	out := map[string][]finding.ID{}
	for _, u := range units {
		plan, err := planOf(root, u.Name)
		if err != nil {
			return nil, err
		}
		if out[u.Name], err = code.reported(plan); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// planOf finds "Plan: hostpolicy.Plan" in a unit's folder.
func planOf(root, unit string) (symbol, error) {
	files, err := parseDir(filepath.Join(root, "functions", unit))
	if err != nil {
		return symbol{}, err
	}
	var out symbol
	for _, file := range files {
		imports := importsOf(file)
		ast.Inspect(file, func(n ast.Node) bool {
			pair, ok := n.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			key, _ := pair.Key.(*ast.Ident)
			value, _ := pair.Value.(*ast.SelectorExpr)
			if key != nil && value != nil && key.Name == "Plan" {
				if from, ok := value.X.(*ast.Ident); ok {
					out = symbol{imports[from.Name], value.Sel.Name}
				}
			}
			return true
		})
	}
	return out, nil
}

// importsOf returns the packages of ours that a file imports, by their names in it.
func importsOf(file *ast.File) map[string]string {
	out := map[string]string{}
	for _, i := range file.Imports {
		name, err := strconv.Unquote(i.Path.Value)
		ours, ok := strings.CutPrefix(name, module)
		switch {
		case err != nil || !ok:
		case i.Name != nil:
			out[i.Name.Name] = ours
		default:
			out[path.Base(ours)] = ours
		}
	}
	return out
}

// program is the code of the units' packages as far as it was asked for.
type program struct {
	root     string
	rules    map[string]finding.ID // by the name of the constant
	packages map[string]map[string]*mentions
}

// mentions are what stands in the declarations of one name.
type mentions struct {
	rules   []finding.ID
	symbols []symbol
}

// reported returns the rules of all that can be reached from a symbol.
func (p program) reported(from symbol) ([]finding.ID, error) {
	var out []finding.ID
	seen := map[symbol]bool{}
	for queue := []symbol{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if seen[at] {
			continue
		}
		seen[at] = true
		declared, err := p.load(at.pkg)
		if err != nil {
			return nil, err
		}
		if m := declared[at.name]; m != nil {
			out = append(out, m.rules...)
			queue = append(queue, m.symbols...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// load reads a package in which rules are judged; those of the input are reported
// before any unit runs.
func (p program) load(pkg string) (map[string]*mentions, error) {
	if !strings.HasPrefix(pkg, "pkg/policy") && pkg != "pkg/verify" {
		return nil, nil
	}
	if declared := p.packages[pkg]; declared != nil {
		return declared, nil
	}
	files, err := parseDir(filepath.Join(p.root, filepath.FromSlash(pkg)))
	if err != nil {
		return nil, err
	}
	declared := map[string]*mentions{}
	p.packages[pkg] = declared
	for _, file := range files {
		imports := importsOf(file)
		for _, decl := range file.Decls {
			for _, name := range names(decl) {
				if declared[name] == nil {
					declared[name] = &mentions{}
				}
				p.read(declared[name], pkg, imports, decl)
			}
		}
	}
	return declared, nil
}

func names(decl ast.Decl) []string {
	var out []string
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		return []string{decl.Name.Name}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			if value, ok := spec.(*ast.ValueSpec); ok {
				for _, name := range value.Names {
					out = append(out, name.Name)
				}
			}
		}
	}
	return out
}

// read gathers what a declaration mentions.
func (p program) read(m *mentions, pkg string, imports map[string]string, decl ast.Decl) {
	ast.Inspect(decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			m.symbols = append(m.symbols, symbol{pkg, n.Name})
		case *ast.SelectorExpr:
			from, ok := n.X.(*ast.Ident)
			if !ok || imports[from.Name] == "" { // a method or a field, of this package or of one that it imports
				for _, imported := range imports {
					if n.Sel.IsExported() {
						m.symbols = append(m.symbols, symbol{imported, n.Sel.Name})
					}
				}
				return true
			}
			if id, known := p.rules[n.Sel.Name]; known && imports[from.Name] == "pkg/finding" {
				m.rules = append(m.rules, id)
			}
			m.symbols = append(m.symbols, symbol{imports[from.Name], n.Sel.Name})
			return false
		}
		return true
	})
}
