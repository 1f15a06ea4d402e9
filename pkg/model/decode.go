package model

import (
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// maxValues is how many values a document may hold once its aliases are
// expanded. People write it: what lies beyond is a mistake or an attack.
const maxValues = 100_000

// decoder reads a YAML tree into a wire type and reports every problem, each
// with its path and line. yaml.v3's own decoder stops short of that: it takes
// 8000 for a string, null for an empty list, and knows no paths. It goes as deep
// as the wire type does, however deep the text is.
type decoder struct {
	*problems
	values int
	types  map[reflect.Type]fields
}

// read decodes a document into a wire type.
func read[T any](doc Document) (T, *problems) {
	var out T
	d := decoder{problems: newProblems(doc), types: map[reflect.Type]fields{}}
	d.value(doc.node, "", reflect.ValueOf(&out).Elem())
	return out, d.problems
}

// spend counts values and reports whether there may be so many.
func (d *decoder) spend(n int, path string) bool {
	if d.values > maxValues {
		return false // said before
	}
	if d.values += n; d.values > maxValues {
		d.add(finding.InputUnreadable, path, "", "the document holds more than %d values once its aliases are expanded", maxValues)
		return false
	}
	return true
}

func (d *decoder) value(node *yaml.Node, path string, out reflect.Value) {
	if !d.spend(1, path) {
		return
	}
	node = target(node)
	d.lines[path] = node.Line
	if isNull(node) {
		remedy := ""
		if t := out.Type(); t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Slice {
			remedy = "write [] for an empty list, or remove the key"
		}
		d.add(finding.InputWrongType, path, remedy, "it has no value")
		return
	}
	if port, ok := reflect.TypeAssert[*v1alpha1.IntOrString](out.Addr()); ok {
		d.intOrString(node, path, port)
		return
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		d.value(node, path, out.Elem())
	case reflect.Struct:
		d.structure(node, path, out)
	case reflect.Map:
		d.mapping(node, path, out)
	case reflect.Slice:
		d.sequence(node, path, out)
	case reflect.String:
		d.text(node, path, out)
	case reflect.Bool:
		d.boolean(node, path, out)
	case reflect.Int32:
		d.integer(node, path, out)
	default:
		panic(fmt.Sprintf("wire type %s at %s: no decoder for its kind", out.Type(), path))
	}
}

func (d *decoder) structure(node *yaml.Node, path string, out reflect.Value) {
	if node.Kind != yaml.MappingNode {
		d.wrong(node, path, "a mapping")
		return
	}
	known := d.fieldsOf(out.Type())
	seen := map[string]bool{}
	d.pairs(node, path, func(key, value *yaml.Node) {
		at := join(path, key.Value)
		field, ok := known.byName[key.Value]
		if !ok {
			d.addAt(key.Line, finding.InputUnknownField, at, "", "there is no such field; %s", hint{key.Value, known.names})
			return
		}
		seen[key.Value] = true
		element := out.FieldByIndex(field.index)
		d.value(value, at, element)
		if field.optional && element.Kind() == reflect.String && element.Len() == 0 && !d.said[at] {
			// Mostly a variable that came out empty. The field's default is not what was meant.
			d.add(finding.InputInvalidValue, at, "write a value, or remove the key", "it is empty")
		}
	})
	for _, name := range known.names {
		if !seen[name] && !known.byName[name].optional && !d.unread[path] {
			d.add(finding.InputMissing, join(path, name), "", "it is required")
		}
	}
}

func (d *decoder) mapping(node *yaml.Node, path string, out reflect.Value) {
	if node.Kind != yaml.MappingNode {
		d.wrong(node, path, "a mapping")
		return
	}
	out.Set(reflect.MakeMap(out.Type()))
	d.pairs(node, path, func(key, value *yaml.Node) {
		element := reflect.New(out.Type().Elem()).Elem()
		d.value(value, join(path, key.Value), element)
		out.SetMapIndex(reflect.ValueOf(key.Value), element)
	})
}

// pairs visits the entries of a mapping whose keys are distinct strings.
func (d *decoder) pairs(node *yaml.Node, path string, visit func(key, value *yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := target(node.Content[i]), node.Content[i+1]
		switch line, twice := seen[key.Value]; {
		case key.Kind != yaml.ScalarNode:
			d.addAt(key.Line, finding.InputWrongType, path, "write a plain string", "a key is %s", tagName(key))
		case key.Tag == "!!merge":
			d.addAt(key.Line, finding.InputWrongType, path, "write the keys out", "the key %s merges another mapping into this one, which is not done here", key.Value)
		case misread(key) != "":
			d.addAt(key.Line, finding.InputWrongType, path, fmt.Sprintf("quote it: %q", key.Value), "the key %s is %s, and a string belongs there", key.Value, misread(key))
		case twice && d.file != "":
			d.addAt(key.Line, finding.InputDuplicateKey, join(path, key.Value), "", "the key stands twice, first on line %d", line)
		case twice:
			d.addAt(key.Line, finding.InputDuplicateKey, join(path, key.Value), "", "the key stands twice")
		default:
			seen[key.Value] = key.Line
			visit(key, value)
		}
	}
}

func (d *decoder) sequence(node *yaml.Node, path string, out reflect.Value) {
	if node.Kind != yaml.SequenceNode {
		d.wrong(node, path, "a list")
		return
	}
	if !d.spend(len(node.Content), path) {
		return
	}
	d.values -= len(node.Content) // each counts itself
	out.Set(reflect.MakeSlice(out.Type(), len(node.Content), len(node.Content)))
	for i, element := range node.Content {
		at := index(path, i)
		if name := scalarOf(child(target(element), "name")); name != "" {
			d.names[at] = name
		}
		d.value(element, at, out.Index(i))
	}
}

// fields are the keys that a wire type has, from its json tags.
type fields struct {
	byName map[string]field
	names  []string
}

type field struct {
	index    []int
	optional bool
}

func (d *decoder) fieldsOf(t reflect.Type) fields {
	if known, ok := d.types[t]; ok {
		return known
	}
	out := fields{byName: map[string]field{}}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "" || name == "-" {
			continue
		}
		out.byName[name] = field{f.Index, options == "omitempty" || options == "omitzero"}
		out.names = append(out.names, name)
	}
	d.types[t] = out
	return out
}
