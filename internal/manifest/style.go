package manifest

import "sigs.k8s.io/kustomize/kyaml/yaml"

// seqStyle is how a sequence is indented below its key.
type seqStyle int

const (
	unknown seqStyle = iota
	compact          // dashes under the key's first letter
	wide             // dashes indented
)

// sequenceStyle returns the style of the first block sequence below a key in n.
func sequenceStyle(n *yaml.Node) seqStyle {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && len(child.Content) > 0 &&
			child.Kind == yaml.SequenceNode && child.Style&yaml.FlowStyle == 0 {
			if child.Column > n.Content[i-1].Column {
				return wide
			}
			return compact
		}
		if style := sequenceStyle(child); style != unknown {
			return style
		}
	}
	return unknown
}

// style returns how to indent the sequences of it: as they are, else as the
// other objects' are, else as the list's own entries are.
func (d *Document) style(it *Item) seqStyle {
	if it.seq != unknown {
		return it.seq
	}
	for _, other := range d.items {
		if other.seq != unknown {
			return other.seq
		}
	}
	if d.dash > 0 {
		return wide
	}
	return compact
}
