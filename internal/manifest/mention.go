package manifest

import (
	"bytes"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Mentions reports whether a key or a scalar of the object may contain s. It is
// false only when none does, and it parses nothing: escapes, folded lines and
// comments can make it true without need. Numbers and dates count as they are
// written.
func (it *Item) Mentions(s string) bool {
	if it.node != nil {
		return nodeMentions(it.node.YNode(), s)
	}
	return textMentions(it.text, s, it.hides)
}

// hides is hasHiding of the text, which doesn't change while it is looked at: an
// object that was parsed is searched as that.
func (it *Item) hides() bool {
	if it.hiding == unasked {
		it.hiding = nowhere
		if hasHiding(it.text) {
			it.hiding = somewhere
		}
	}
	return it.hiding == somewhere
}

// hiding says whether the text of an object was searched for hiding places, and has one.
type hiding int8

const (
	unasked hiding = iota
	nowhere
	somewhere
)

func nodeMentions(n *yaml.Node, s string) bool {
	if n.Kind == yaml.ScalarNode && strings.Contains(n.Value, s) || n.ShortTag() == "!!binary" {
		return true
	}
	for _, child := range n.Content {
		if nodeMentions(child, s) {
			return true
		}
	}
	return false
}

// textMentions searches the text for every run of s that YAML writes in one way
// only, unless by code point. Spaces, line breaks, quotes, backslashes and what
// is no ASCII may be folded or escaped, so they are no part of a run.
func textMentions(text []byte, s string, hides func() bool) bool {
	for s != "" {
		n := 0
		for n < len(s) && writtenAsIs(s[n]) {
			n++
		}
		if n > 0 && !bytes.Contains(text, []byte(s[:n])) && !hides() {
			return false
		}
		s = s[min(n+1, len(s)):]
	}
	return true
}

func writtenAsIs(b byte) bool {
	return b > ' ' && b < 0x7f && b != '\'' && b != '"' && b != '\\'
}

// hasHiding reports whether text holds an escape that can stand for a character
// written as is, or that joins two lines.
func hasHiding(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return false
		}
		if i+1 == len(text) || strings.IndexByte("xuU\r\n", text[i+1]) >= 0 {
			return true
		}
		text = text[i+1:]
	}
}
