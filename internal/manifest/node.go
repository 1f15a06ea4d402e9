package manifest

import (
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// isEmpty reports whether a document holds nothing or null.
func isEmpty(doc *yaml.Node) bool {
	return doc == nil || len(doc.Content) == 0 || isNull(doc.Content[0])
}

func isNull(n *yaml.Node) bool {
	return n.Kind == 0 || n.Kind == yaml.ScalarNode && n.ShortTag() == yaml.NodeTagNull
}

// sameValue reports whether a and b mean the same, however they are written.
func sameValue(a, b *yaml.Node) bool {
	switch {
	case a == nil || b == nil:
		return a == b
	case isNull(a) || isNull(b):
		return isNull(a) && isNull(b)
	case a.Kind != b.Kind || a.Value != b.Value || a.ShortTag() != b.ShortTag() || len(a.Content) != len(b.Content):
		return false
	}
	for i := range a.Content {
		if !sameValue(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// identical reports whether a and b are written alike, too.
func identical(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Style != b.Style || a.Tag != b.Tag || a.Value != b.Value ||
		a.Anchor != b.Anchor || a.Alias != b.Alias || a.HeadComment != b.HeadComment ||
		a.LineComment != b.LineComment || a.FootComment != b.FootComment || len(a.Content) != len(b.Content) {
		return false
	}
	for i := range a.Content {
		if !identical(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}

// plainly returns a copy of n without comments and without the styles that it
// was written in: what kyaml cannot fail to write.
func plainly(n *yaml.Node) *yaml.Node {
	c := *n
	c.Style &= yaml.TaggedStyle
	c.HeadComment, c.LineComment, c.FootComment = "", "", ""
	if c.Kind == yaml.ScalarNode && n.ShortTag() == yaml.NodeTagString {
		c.Tag, c.Style = yaml.NodeTagString, yaml.DoubleQuotedStyle
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, child := range n.Content {
		c.Content[i] = plainly(child)
	}
	return &c
}

// unflow gives n and all below it block style.
func unflow(n *yaml.Node) {
	n.Style &^= yaml.FlowStyle
	for _, child := range n.Content {
		unflow(child)
	}
}

// tame changes how n is written where the YAML writer would write something
// else: an empty null in flow style becomes a string there, folded scalars gain
// line breaks, a block scalar that begins with a tab cannot be read, and one with
// line breaks that only YAML knows reads as another.
func tame(n *yaml.Node, flow bool) {
	if flow && n.Value == "" && isNull(n) {
		n.Value = "null"
	}
	if v := n.Value; n.Style&yaml.FoldedStyle != 0 &&
		(strings.Contains(v, "\n ") || strings.Contains(v, "\n\t") || strings.HasSuffix(v, "\n\n")) {
		n.Style ^= yaml.FoldedStyle | yaml.LiteralStyle
	}
	if strings.HasPrefix(n.Value, "\t") && strings.Contains(n.Value, "\n") || strings.ContainsAny(n.Value, "\r\u0085\u2028\u2029\ufeff") {
		n.Style = n.Style&yaml.TaggedStyle | yaml.DoubleQuotedStyle
	}
	for _, child := range n.Content {
		tame(child, flow || n.Style&yaml.FlowStyle != 0)
	}
}
