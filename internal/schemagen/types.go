package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"reflect"
	"strconv"
	"strings"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
)

// formats are what "+format=" stands for. They say less than Parse does: what
// they refuse, it refuses.
var formats = map[string]schema{
	"dns-label":            {Pattern: `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, MaxLength: 63},
	"dns-name":             {Pattern: `^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`, MaxLength: 253},
	"label-value":          {Pattern: `^[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?$`, MaxLength: 63},
	"object-path":          {Pattern: `^([A-Za-z]+/)?[a-z0-9]([-a-z0-9]*[a-z0-9])?/[a-z0-9]([-.a-z0-9]*[a-z0-9])?$`},
	"path-segment":         {Pattern: `^[^/%]+$`},
	"environment-variable": {Pattern: `^[-._a-zA-Z][-._a-zA-Z0-9]*$`},
	"trust-domain":         {Pattern: `^[-._a-z0-9]+$`, MaxLength: 255},
	"principal":            {Pattern: `^(spiffe://)?[-._a-z0-9]+/ns/[-a-z0-9]+/sa/[-.a-z0-9]+$`},
	"version":              {Pattern: `^[0-9]+\.[0-9]+(\.[0-9]+)?([-+][-+.0-9A-Za-z]+)?$`},
	"port":                 {Minimum: 1, Maximum: 65535},
}

// types are the declarations of a package by name.
type types map[string]declaration

type declaration struct {
	expression ast.Expr
	comment    *ast.CommentGroup
}

// readTypes reads the type declarations of the package in a folder.
func readTypes(folder fs.FS) (types, error) {
	names, err := fs.Glob(folder, "*.go")
	if err != nil {
		return nil, fmt.Errorf("listing Go files: %w", err)
	}
	out := types{}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, fmt.Errorf("reading %q: %w", name, err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parsing %q: %w", name, err)
		}
		for _, d := range file.Decls {
			general, ok := d.(*ast.GenDecl)
			if !ok || general.Tok != token.TYPE {
				continue
			}
			for _, spec := range general.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					comment := t.Doc
					if comment == nil {
						comment = general.Doc
					}
					out[t.Name.Name] = declaration{t.Type, comment}
				}
			}
		}
	}
	return out, nil
}

// document returns the schema of the documents of one kind.
func (t types) document(kind string) (schema, error) {
	s, err := t.named(kind)
	if err != nil {
		return schema{}, fmt.Errorf("reading type %s: %w", kind, err)
	}
	s.Schema, s.Title = "http://json-schema.org/draft-07/schema#", kind
	for i := range s.Properties {
		switch p := &s.Properties[i]; p.name {
		case "apiVersion":
			p.Const = v1alpha1.APIVersion
		case "kind":
			p.Const = kind
		}
	}
	return s, nil
}

func (t types) named(name string) (schema, error) {
	d, ok := t[name]
	if !ok {
		return schema{}, fmt.Errorf("there is no type %s", name)
	}
	structure, ok := d.expression.(*ast.StructType)
	if !ok {
		return schema{}, fmt.Errorf("type %s is no struct", name)
	}
	if name == "IntOrString" {
		return schema{Type: []string{"integer", "string"}, Minimum: 1, Maximum: 65535, Pattern: `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, MaxLength: 15}, nil
	}
	s := schema{Type: "object", Additional: false}
	if err := t.fields(structure, &s); err != nil {
		return schema{}, fmt.Errorf("reading type %s: %w", name, err)
	}
	err := describe(&s, d.comment)
	return s, err
}

func (t types) fields(structure *ast.StructType, s *schema) error {
	for _, f := range structure.Fields.List {
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		name, option, _ := strings.Cut(tag.Get("json"), ",")
		if len(f.Names) == 0 {
			embedded, err := t.of(f.Type)
			if err != nil {
				return err
			}
			s.Properties = append(s.Properties, embedded.Properties...)
			s.Required = append(s.Required, embedded.Required...)
			continue
		}
		field, err := t.of(f.Type)
		if err != nil {
			return fmt.Errorf("reading field %s: %w", f.Names[0].Name, err)
		}
		if field.Type == "string" && option != "" && !isPointer(f.Type) {
			field.MinLength = 1 // an empty string is refused where a default would take its place
		}
		if err := describe(&field, f.Doc); err != nil {
			return fmt.Errorf("reading field %s: %w", f.Names[0].Name, err)
		}
		s.Properties = append(s.Properties, property{name, field})
		if option == "" {
			s.Required = append(s.Required, name)
		}
	}
	return nil
}

func isPointer(e ast.Expr) bool {
	_, ok := e.(*ast.StarExpr)
	return ok
}

// of returns the schema of a Go type.
func (t types) of(e ast.Expr) (schema, error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return t.of(e.X)
	case *ast.ArrayType:
		items, err := t.of(e.Elt)
		return schema{Type: "array", Items: &items}, err
	case *ast.MapType:
		values, err := t.of(e.Value)
		return schema{Type: "object", Additional: &values}, err
	case *ast.Ident:
		switch e.Name {
		case "string":
			return schema{Type: "string"}, nil
		case "bool":
			return schema{Type: "boolean"}, nil
		case "int32":
			return schema{Type: "integer"}, nil
		}
		return t.named(e.Name)
	}
	return schema{}, fmt.Errorf("no schema for a Go type of this form: %T", e)
}

// describe adds what a comment says: a description, and rules in lines that begin with "+".
// The rules of a list of values are those of its entries.
func describe(s *schema, comment *ast.CommentGroup) error {
	var words []string
	for line := range strings.Lines(comment.Text()) {
		rule, isRule := strings.CutPrefix(strings.TrimSpace(line), "+")
		if !isRule {
			words = append(words, strings.Fields(line)...)
			continue
		}
		if err := s.rule(rule); err != nil {
			return fmt.Errorf("reading rule %q: %w", rule, err)
		}
	}
	s.Description = strings.Join(words, " ")
	if s.Description == "" {
		return errors.New("it has no comment")
	}
	return nil
}

func (s *schema) rule(rule string) error {
	name, value, _ := strings.Cut(rule, "=")
	of := s
	if s.Type == "array" && name != "minItems" {
		of = s.Items
	}
	var err error
	switch name {
	case "enum":
		of.Enum, of.MinLength = strings.Split(value, ";"), 0
	case "format":
		f, ok := formats[value]
		if !ok {
			return errors.New("there is no such format")
		}
		of.Pattern, of.MinLength, of.MaxLength, of.Minimum, of.Maximum = f.Pattern, 0, f.MaxLength, f.Minimum, f.Maximum
	case "minItems":
		of.MinItems, err = strconv.Atoi(value)
	case "minProperties":
		of.MinProperties, err = strconv.Atoi(value)
	case "oneOf":
		for field := range strings.SplitSeq(value, ";") {
			of.OneOf = append(of.OneOf, schema{Required: []string{field}})
		}
	default:
		return errors.New("there is no such rule")
	}
	return err
}
