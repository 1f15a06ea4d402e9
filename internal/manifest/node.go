package manifest

import "sigs.k8s.io/kustomize/kyaml/yaml"

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
