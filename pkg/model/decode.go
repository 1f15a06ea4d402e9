package model

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// Limits of a document, which is written by people: what lies beyond is a
// mistake or an attack.
const (
	maxDepth = 64
	maxNodes = 100_000 // after aliases are expanded
)

// decoder reads a YAML tree into a wire type and reports every problem, each
// with its path and line. yaml.v3's own decoder stops short of that: it takes
// 8000 for a string, null for an empty list, and knows no paths.
type decoder struct {
	*problems
	nodes int
}

// decode reads node, which stands at path, into the value that out points to.
func (d *decoder) decode(node *yaml.Node, path string, out any) {
	d.value(node, path, reflect.ValueOf(out).Elem(), 0)
}

func (d *decoder) value(node *yaml.Node, path string, out reflect.Value, depth int) {
	d.nodes++
	if depth > maxDepth || d.nodes > maxNodes {
		if d.nodes <= maxNodes {
			d.add(finding.InputUnreadable, path, "it nests deeper than %d levels", maxDepth)
		} else if !d.exhausted {
			d.exhausted = true
			d.add(finding.InputUnreadable, path, "the document holds more than %d values once its aliases are expanded", maxNodes)
		}
		return
	}
	if node.Kind == yaml.AliasNode {
		d.value(node.Alias, path, out, depth+1)
		return
	}
	d.lines[path] = node.Line
	if isNull(node) {
		d.add(finding.InputWrongType, path, "it has no value")
		return
	}
	if port, ok := out.Addr().Interface().(*v1alpha1.IntOrString); ok {
		d.intOrString(node, path, port)
		return
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		d.value(node, path, out.Elem(), depth+1)
	case reflect.Struct:
		d.structure(node, path, out, depth)
	case reflect.Map:
		d.mapping(node, path, out, depth)
	case reflect.Slice:
		d.sequence(node, path, out, depth)
	case reflect.String:
		d.str(node, path, out)
	case reflect.Bool:
		if d.scalar(node, path, "true or false", "!!bool") {
			out.SetBool(strings.EqualFold(node.Value, "true"))
		}
	case reflect.Int32:
		if d.scalar(node, path, "a whole number", "!!int") {
			d.integer(node, path, out)
		}
	default:
		panic(fmt.Sprintf("wire type %s at %s: no decoder for its kind", out.Type(), path))
	}
}

func (d *decoder) structure(node *yaml.Node, path string, out reflect.Value, depth int) {
	if node.Kind != yaml.MappingNode {
		d.wrong(node, path, "a mapping")
		return
	}
	fields := fieldsOf(out.Type())
	seen := map[string]bool{}
	d.pairs(node, path, func(key, value *yaml.Node) {
		index, known := fields.index[key.Value]
		if !known {
			d.lines[join(path, key.Value)] = key.Line
			d.unknown(join(path, key.Value), fields.names)
			return
		}
		seen[key.Value] = true
		d.value(value, join(path, key.Value), out.FieldByIndex(index), depth+1)
	})
	for _, name := range fields.required {
		if !seen[name] {
			d.add(finding.InputMissing, join(path, name), "it is required")
		}
	}
}

func (d *decoder) mapping(node *yaml.Node, path string, out reflect.Value, depth int) {
	if node.Kind != yaml.MappingNode {
		d.wrong(node, path, "a mapping")
		return
	}
	out.Set(reflect.MakeMap(out.Type()))
	d.pairs(node, path, func(key, value *yaml.Node) {
		element := reflect.New(out.Type().Elem()).Elem()
		d.value(value, join(path, key.Value), element, depth+1)
		out.SetMapIndex(reflect.ValueOf(key.Value), element)
	})
}

// pairs visits the entries of a mapping whose keys are distinct strings.
func (d *decoder) pairs(node *yaml.Node, path string, visit func(key, value *yaml.Node)) {
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			d.addAt(key.Line, finding.InputWrongType, path, "a key is no plain string")
			continue
		}
		if key.Tag != "!!str" && key.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) == 0 {
			d.addAt(key.Line, finding.InputWrongType, path, "the key %s is %s where a string belongs: quote it: %q", key.Value, tagName(key), key.Value)
			continue
		}
		if line, twice := seen[key.Value]; twice {
			d.addAt(key.Line, finding.InputDuplicateKey, join(path, key.Value), "the key stands twice, first on line %d", line)
			continue
		}
		seen[key.Value] = key.Line
		visit(key, value)
	}
}

func (d *decoder) sequence(node *yaml.Node, path string, out reflect.Value, depth int) {
	if node.Kind != yaml.SequenceNode {
		d.wrong(node, path, "a list")
		return
	}
	out.Set(reflect.MakeSlice(out.Type(), len(node.Content), len(node.Content)))
	for i, element := range node.Content {
		d.value(element, index(path, i), out.Index(i), depth+1)
	}
}

// yaml11Booleans are strings to us and booleans to readers of YAML 1.1, Ansible's among them.
var yaml11Booleans = []string{"y", "n", "yes", "no", "on", "off"}

func (d *decoder) str(node *yaml.Node, path string, out reflect.Value) {
	if !d.scalar(node, path, "a string", "!!str") {
		return
	}
	plain := node.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0
	if plain && slices.Contains(yaml11Booleans, strings.ToLower(node.Value)) {
		d.add(finding.InputWrongType, path, "%s is a boolean to some readers of YAML: quote it: %q", node.Value, node.Value)
		return
	}
	out.SetString(node.Value)
}

func (d *decoder) integer(node *yaml.Node, path string, out reflect.Value) {
	n, err := strconv.ParseInt(node.Value, 10, 64)
	if err != nil || n < math.MinInt32 || n > math.MaxInt32 {
		d.add(finding.InputWrongType, path, "%s is no whole number of a port's size in decimal notation", node.Value)
		return
	}
	out.SetInt(n)
}

func (d *decoder) intOrString(node *yaml.Node, path string, out *v1alpha1.IntOrString) {
	switch {
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!int":
		d.integer(node, path, reflect.ValueOf(&out.Int).Elem())
	case d.scalar(node, path, "a port number or a port name", "!!str"):
		out.Str = node.Value
	}
}

// scalar reports whether node is a scalar of the tag, and says so if it isn't.
func (d *decoder) scalar(node *yaml.Node, path, want, tag string) bool {
	if node.Kind == yaml.ScalarNode && node.ShortTag() == tag {
		return true
	}
	d.wrong(node, path, want)
	return false
}

func (d *decoder) wrong(node *yaml.Node, path, want string) {
	switch {
	case node.Kind != yaml.ScalarNode:
		d.add(finding.InputWrongType, path, "it is %s where %s belongs", tagName(node), want)
	case want == "a string":
		d.add(finding.InputWrongType, path, "%s is %s where a string belongs: quote it: %q", node.Value, tagName(node), node.Value)
	default:
		d.add(finding.InputWrongType, path, "%q is %s where %s belongs", node.Value, tagName(node), want)
	}
}

func (d *decoder) unknown(path string, known []string) {
	d.add(finding.InputUnknownField, path, "there is no such field; there are %s", strings.Join(known, ", "))
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

func tagName(node *yaml.Node) string {
	switch node.ShortTag() {
	case "!!map":
		return "a mapping"
	case "!!seq":
		return "a list"
	case "!!int", "!!float":
		return "a number"
	case "!!bool":
		return "a boolean"
	case "!!timestamp":
		return "a date"
	case "!!str":
		return "a string"
	case "!!null":
		return "no value"
	default:
		return "of type " + node.ShortTag()
	}
}

// fields are the keys that a wire type has, from its json tags.
type fields struct {
	index    map[string][]int
	names    []string
	required []string
}

func fieldsOf(t reflect.Type) fields {
	out := fields{index: map[string][]int{}}
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous || name == "" || name == "-" {
			continue
		}
		out.index[name] = field.Index
		out.names = append(out.names, name)
		if !strings.Contains(options, "omitempty") {
			out.required = append(out.required, name)
		}
	}
	return out
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	if strings.ContainsAny(name, ".[]/") {
		return path + "[" + strconv.Quote(name) + "]"
	}
	return path + "." + name
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
