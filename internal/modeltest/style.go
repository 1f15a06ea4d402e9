package modeltest

import (
	"bytes"
	"fmt"

	"gopkg.in/yaml.v3"
)

// document writes a document of ours.
func (g *generator) document(kind, name string, spec object) string {
	metadata := object{"name": name}
	if g.chance(50) {
		metadata["annotations"] = object{"config.kubernetes.io/local-config": "true"}
	}
	return g.text(object{"apiVersion": "ringfence.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec})
}

// stream writes documents one after another.
func (g *generator) stream(objects []object) string {
	var b bytes.Buffer
	for i, o := range objects {
		if i > 0 {
			b.WriteString(pick(g, []string{"---\n", "---\n", "--- # next\n", "\n---\n\n"}))
		}
		b.WriteString(g.text(o))
	}
	return b.String()
}

// text writes one value in a style of its own.
func (g *generator) text(value any) string {
	var node yaml.Node
	if err := node.Encode(value); err != nil {
		panic(fmt.Sprintf("a value of ours can't be written: %v", err))
	}
	g.restyle(&node, 0)
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2 + 2*g.IntN(2))
	if err := encoder.Encode(&node); err != nil {
		panic(fmt.Sprintf("a value of ours can't be written: %v", err))
	}
	return b.String()
}

// restyle shuffles the keys of mappings, and varies flow and block style,
// quotes and comments. None of that changes what the text says.
func (g *generator) restyle(node *yaml.Node, depth int) {
	if node.Kind == yaml.ScalarNode {
		if node.Tag == "!!str" && node.Style == 0 && g.chance(20) {
			node.Style = pick(g, []yaml.Style{yaml.SingleQuotedStyle, yaml.DoubleQuotedStyle})
		}
		return
	}
	if c := node.Content; node.Kind == yaml.MappingNode {
		g.Shuffle(len(c)/2, func(i, j int) {
			c[2*i], c[2*i+1], c[2*j], c[2*j+1] = c[2*j], c[2*j+1], c[2*i], c[2*i+1]
		})
	}
	if depth > 1 && g.chance(15) {
		node.Style = yaml.FlowStyle
		return // comments don't survive in there
	}
	for i, child := range node.Content {
		if g.chance(4) && (node.Kind == yaml.SequenceNode || i%2 == 0) {
			child.HeadComment = "# " + pick(g, []string{"Why this is so.", "Mind: x: {y}", "- no entry"})
		}
		g.restyle(child, depth+1)
	}
}
