package manifest

import (
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// writePlain writes n as kyaml does, byte for byte, in a fraction of its time. It
// knows what kustomize prints and what functions generate: block style, one-line
// scalars, no comments. It is not ok where n holds anything else; a fuzz test
// compares it with kyaml.
func writePlain(n *yaml.Node, style seqStyle) (text []byte, ok bool) {
	w := plainWriter{wide: style == wide}
	if n.Kind == yaml.DocumentNode {
		if len(n.Content) != 1 || isMarked(n) {
			return nil, false
		}
		n = n.Content[0]
	}
	ok = len(n.Content) > 0 && w.collection(n, 0)
	return w.out, ok
}

type plainWriter struct {
	out  []byte
	wide bool
}

// mapping writes the entries of n at a column; the first stands where the writer is.
func (w *plainWriter) mapping(n *yaml.Node, column int) bool {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if i > 0 {
			w.margin(column)
		}
		key, value := n.Content[i], n.Content[i+1]
		if key.Value == "" || len(key.Value) > maxPlainKey || !w.scalar(key) {
			return false
		}
		w.out = append(w.out, ':')
		if len(value.Content) == 0 {
			w.out = append(w.out, ' ')
			if !w.leaf(value) {
				return false
			}
			continue
		}
		w.out = append(w.out, '\n')
		below := column + 2
		if value.Kind == yaml.SequenceNode && !w.wide {
			below = column
		}
		w.margin(below)
		if !w.collection(value, below) {
			return false
		}
	}
	return true
}

// maxPlainKey is shorter than the keys that kyaml writes with a question mark.
const maxPlainKey = 100

func (w *plainWriter) sequence(n *yaml.Node, column int) bool {
	for i, entry := range n.Content {
		if i > 0 {
			w.margin(column)
		}
		w.out = append(w.out, "- "...)
		switch {
		case len(entry.Content) == 0:
			if !w.leaf(entry) {
				return false
			}
		case entry.Kind != yaml.MappingNode || !w.collection(entry, column+2):
			return false
		}
	}
	return true
}

func (w *plainWriter) collection(n *yaml.Node, column int) bool {
	if !isBlockStyle(n) {
		return false
	}
	if n.Kind == yaml.MappingNode {
		return w.mapping(n, column)
	}
	return w.sequence(n, column)
}

// leaf writes a scalar or an empty collection, to the end of its line.
func (w *plainWriter) leaf(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.ScalarNode:
		if !w.scalar(n) {
			return false
		}
	case isMarked(n) || n.Style&^yaml.FlowStyle != 0:
		return false
	case n.Kind == yaml.MappingNode && hasTag(n, yaml.NodeTagMap):
		w.out = append(w.out, "{}"...)
	case n.Kind == yaml.SequenceNode && hasTag(n, yaml.NodeTagSeq):
		w.out = append(w.out, "[]"...)
	default:
		return false
	}
	w.out = append(w.out, '\n')
	return true
}

func (w *plainWriter) scalar(n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || isMarked(n) {
		return false
	}
	quote := ""
	switch {
	case n.Style == 0:
		if !isPlainScalar(n) {
			return false
		}
	case n.Tag != yaml.NodeTagString:
		return false
	case n.Style == yaml.DoubleQuotedStyle && isOneLine(n.Value, `"\`):
		quote = `"`
	case n.Style == yaml.SingleQuotedStyle && n.Value != "" && strings.TrimSpace(n.Value) == n.Value && isOneLine(n.Value, "'"):
		quote = "'"
	default:
		return false
	}
	w.out = append(w.out, quote...)
	w.out = append(w.out, n.Value...)
	w.out = append(w.out, quote...)
	return true
}

func (w *plainWriter) margin(column int) {
	for range column {
		w.out = append(w.out, ' ')
	}
}

// isBlockStyle reports whether a collection is written over several lines, and nothing about it is.
func isBlockStyle(n *yaml.Node) bool {
	return n.Style == 0 && !isMarked(n) && (n.Kind == yaml.MappingNode && hasTag(n, yaml.NodeTagMap) ||
		n.Kind == yaml.SequenceNode && hasTag(n, yaml.NodeTagSeq))
}

func hasTag(n *yaml.Node, tag string) bool { return n.Tag == tag || n.Tag == "" }

// isMarked reports whether an anchor or a comment is written with n.
func isMarked(n *yaml.Node) bool {
	return n.Anchor != "" || n.HeadComment != "" || n.LineComment != "" || n.FootComment != ""
}

// isOneLine reports whether s is printable ASCII without any of the bytes.
func isOneLine(s, without string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] >= 0x7f || strings.IndexByte(without, s[i]) >= 0 {
			return false
		}
	}
	return true
}

// isPlainScalar reports whether a scalar without quotes is certain to be written
// as it is: one that begins with a letter, a digit, a slash or the dashes of a
// flag, and that reads as what its tag says.
func isPlainScalar(n *yaml.Node) bool {
	s := n.Value
	if s == "" || s[len(s)-1] == ' ' || s[len(s)-1] == ':' {
		return false
	}
	for i := range len(s) {
		switch b := s[i]; {
		case isWordByte(b) || b == '/':
		case i == 0 && (b != '-' || len(s) < 3 || s[1] != '-' || !isWordByte(s[2])):
			return false
		case b == ':' && s[i+1] == ' ':
			return false
		case strings.IndexByte(":-_.=+@, ()$", b) < 0:
			return false
		}
	}
	if n.Tag == yaml.NodeTagString && isPlainString([]byte(s)) {
		return true // without asking the parser
	}
	read := yaml.Node{Kind: yaml.ScalarNode, Value: s}
	return read.ShortTag() == n.Tag
}

func isWordByte(b byte) bool {
	return 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9'
}
