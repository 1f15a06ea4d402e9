package model

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

func (d *decoder) text(node *yaml.Node, path string, out reflect.Value) {
	if misread(node) != "" {
		d.wrong(node, path, "a string")
		return
	}
	out.SetString(node.Value)
}

func (d *decoder) boolean(node *yaml.Node, path string, out reflect.Value) {
	value := strings.ToLower(node.Value)
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!bool" || value != "true" && value != "false" {
		d.wrong(node, path, "a boolean")
		return
	}
	out.SetBool(value == "true")
}

// integer reads a port number. 010 is 8 to YAML 1.1, which kustomize writes, so
// that only the plain decimal notation is clear.
func (d *decoder) integer(node *yaml.Node, path string, out reflect.Value) {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!int" {
		d.wrong(node, path, "a whole number")
		return
	}
	n, err := strconv.ParseInt(node.Value, 10, 32)
	if err != nil || strconv.FormatInt(n, 10) != node.Value {
		d.add(finding.InputWrongType, path, "write a number from 1 to 65535 in plain decimal notation", "%s is no port number", node.Value)
		return
	}
	out.SetInt(n)
}

func (d *decoder) intOrString(node *yaml.Node, path string, out *v1alpha1.IntOrString) {
	switch {
	case node.Kind == yaml.ScalarNode && node.ShortTag() == "!!int":
		d.integer(node, path, reflect.ValueOf(&out.Int).Elem())
	case node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str":
		d.wrong(node, path, "a port number or a port name")
	case node.Value == "":
		d.add(finding.InputInvalidValue, path, "write a port number or a port name", "it is empty")
	default:
		d.text(node, path, reflect.ValueOf(&out.Str).Elem())
	}
}

// wrong says that a node isn't what belongs there, and how it would be.
func (d *decoder) wrong(node *yaml.Node, path, want string) {
	is, remedy := misread(node), ""
	if is == "" {
		is = "a string"
	}
	if node.Kind != yaml.ScalarNode {
		d.add(finding.InputWrongType, path, "", "it is %s where %s belongs", is, want)
		return
	}
	switch want {
	case "a string":
		remedy = fmt.Sprintf("quote it: %q", node.Value)
	case "a list":
		remedy = fmt.Sprintf("make it an entry of a list: [%q]", node.Value)
	case "a boolean":
		d.add(finding.InputWrongType, path, "write true or false, without quotes", "%q is neither true nor false", node.Value)
		return
	}
	d.add(finding.InputWrongType, path, remedy, "%q is %s where %s belongs", node.Value, is, want)
}

// yaml11Booleans are strings to us and booleans to readers of YAML 1.1, Ansible's among them.
var yaml11Booleans = []string{"y", "n", "yes", "no", "on", "off"}

const quotedStyles = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// misread says what a node is where it is no string to every reader of YAML;
// for a string it is empty.
func misread(node *yaml.Node) string {
	if node.Kind != yaml.ScalarNode || node.ShortTag() != "!!str" {
		return tagName(node)
	}
	if node.Style&quotedStyles == 0 && slices.Contains(yaml11Booleans, strings.ToLower(node.Value)) {
		return "a boolean to some readers of YAML"
	}
	return ""
}

func tagName(node *yaml.Node) string {
	switch tag := node.ShortTag(); tag {
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
		return "of type " + tag
	}
}

func isNull(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null"
}

// target returns the node that an alias stands for, or the node itself.
func target(node *yaml.Node) *yaml.Node {
	if node != nil && node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

// child returns the value of a key of a mapping, or nil.
func child(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if target(node.Content[i]).Value == key {
			return target(node.Content[i+1])
		}
	}
	return nil
}

// scalarOf returns the text of a scalar, or "".
func scalarOf(node *yaml.Node) string {
	if node == nil || node.Kind != yaml.ScalarNode {
		return ""
	}
	return node.Value
}
