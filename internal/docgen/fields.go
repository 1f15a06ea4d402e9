package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// wireType is a struct of api/v1alpha1.
type wireType struct {
	oneOf  []string
	fields []wireField
}

type wireField struct {
	name, typ string
	// of is the struct that the field holds, or holds several of.
	of       string
	enum     []string
	required bool
	doc      string
}

// readTypes reads the wire types from their source: docstrings and markers
// ("+enum=a;b") are where their meaning is written down.
func readTypes(root string) (map[string]wireType, error) {
	files, err := parseDir(filepath.Join(root, "api", "v1alpha1"))
	if err != nil {
		return nil, err
	}
	out := map[string]wireType{}
	for _, file := range files {
		for _, decl := range file.Decls {
			general, ok := decl.(*ast.GenDecl)
			if !ok || general.Tok != token.TYPE {
				continue
			}
			for _, spec := range general.Specs {
				named, ok := spec.(*ast.TypeSpec)
				if !ok {
					continue
				}
				structure, ok := named.Type.(*ast.StructType)
				if !ok {
					continue
				}
				_, markers := splitDoc(general.Doc.Text() + named.Doc.Text())
				out[named.Name.Name] = wireType{oneOf: markers["oneOf"], fields: fieldsOf(structure)}
			}
		}
	}
	return out, nil
}

func fieldsOf(structure *ast.StructType) []wireField {
	var out []wireField
	for _, field := range structure.Fields.List {
		if field.Tag == nil || len(field.Names) == 0 {
			continue // embedded: apiVersion and kind
		}
		name, options, _ := strings.Cut(reflect.StructTag(strings.Trim(field.Tag.Value, "`")).Get("json"), ",")
		if name == "-" {
			continue
		}
		doc, markers := splitDoc(field.Doc.Text())
		typ, of := typeName(field.Type)
		out = append(out, wireField{
			name: name, typ: typ, of: of, doc: doc, enum: markers["enum"],
			required: !strings.Contains(options, "omit"),
		})
	}
	return out
}

// splitDoc returns a docstring without its markers, and the markers.
func splitDoc(text string) (string, map[string][]string) {
	var lines []string
	markers := map[string][]string{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if marker, ok := strings.CutPrefix(line, "+"); ok {
			name, value, _ := strings.Cut(marker, "=")
			markers[name] = strings.Split(value, ";")
			continue
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, " "), markers
}

// typeName says in YAML's words what a field holds, and which struct of ours.
func typeName(e ast.Expr) (typ, of string) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ArrayType:
		typ, of = typeName(e.Elt)
		return "list of " + typ, of
	case *ast.MapType:
		key, _ := typeName(e.Key)
		value, of := typeName(e.Value)
		return "map of " + key + " to " + value, of
	case *ast.Ident:
		switch e.Name {
		case "string":
			return "string", ""
		case "bool":
			return "boolean", ""
		case "int32":
			return "integer", ""
		case "IntOrString":
			return "integer or string", ""
		}
		return e.Name, e.Name
	default:
		return "value", ""
	}
}

// fieldTable renders the fields of one type. Where the page has a heading for a
// type, its name is a link to it.
func (s *sources) fieldTable(name string) (string, error) {
	t, ok := s.types[name]
	if !ok {
		return "", fmt.Errorf("there is no type %q in api/v1alpha1", name)
	}
	rows := [][]string{{"field", "type", "meaning"}}
	for _, f := range t.fields {
		typ := f.typ
		if f.of != "" {
			typ = strings.Replace(typ, f.of, fmt.Sprintf("[%s](#%s)", f.of, strings.ToLower(f.of)), 1)
		}
		if f.required {
			typ += ", required"
		}
		meaning := prose(f.doc)
		if len(f.enum) > 0 {
			values := make([]string, 0, len(f.enum))
			for _, v := range f.enum {
				values = append(values, code(v))
			}
			meaning += " One of " + strings.Join(values, ", ") + "."
		}
		rows = append(rows, []string{code(f.name), typ, meaning})
	}
	out := table(rows...)
	if len(t.oneOf) > 0 {
		out += "\nExactly one of " + code(strings.Join(t.oneOf, "`, `")) + " is given.\n"
	}
	return out, nil
}

// parseDir parses the Go files of a folder, tests aside.
func parseDir(dir string) ([]*ast.File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("looking for Go files: %w", err)
	}
	var out []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parsing Go: %w", err)
		}
		out = append(out, file)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there are no Go files in %s", dir)
	}
	return out, nil
}
