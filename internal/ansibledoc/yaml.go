package main

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// width is that of the lines of prose. A word longer than that stays whole.
const width = 100

// block is YAML in the making, in the order in which people read documentation.
// The first error stays.
type block struct {
	text strings.Builder
	err  error
}

// key begins a mapping or list.
func (b *block) key(indent int, name string) {
	fmt.Fprintf(&b.text, "%s%s:\n", blanks(indent), name)
}

// value writes a key with a value; multi-line values stand below it.
func (b *block) value(indent int, name string, value any) {
	text := b.encode(value)
	if !strings.Contains(text, "\n") && !isCollection(text) {
		fmt.Fprintf(&b.text, "%s%s: %s\n", blanks(indent), name, text)
		return
	}
	if isLiteral(text) {
		header, rest, _ := strings.Cut(text, "\n")
		fmt.Fprintf(&b.text, "%s%s: %s\n%s\n", blanks(indent), name, header, indented(rest, indent))
		return
	}
	fmt.Fprintf(&b.text, "%s%s:\n%s\n", blanks(indent), name, indented(text, indent+2))
}

// prose writes a key with a list of sentences.
func (b *block) prose(indent int, name string, sentences []string) {
	if len(sentences) == 0 {
		return
	}
	b.key(indent, name)
	for _, sentence := range sentences {
		b.text.WriteString(folded(blanks(indent+2)+"- ", b.encode(sentence), indent+4))
	}
}

// line writes a key with one sentence.
func (b *block) line(indent int, name, sentence string) {
	b.text.WriteString(folded(blanks(indent)+name+": ", b.encode(sentence), indent+2))
}

// encode returns a value as YAML, without a newline at its end.
func (b *block) encode(value any) string {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(value); err != nil && b.err == nil {
		b.err = fmt.Errorf("writing %v: %w", value, err)
	}
	return strings.TrimRight(out.String(), "\n")
}

// isCollection reports whether a line of YAML is a mapping or a list in block style.
func isCollection(line string) bool {
	var node yaml.Node
	if err := yaml.Unmarshal([]byte(line), &node); err != nil || len(node.Content) == 0 {
		return false
	}
	root := node.Content[0]
	return root.Kind != yaml.ScalarNode && root.Style&yaml.FlowStyle == 0
}

func isLiteral(text string) bool { return strings.HasPrefix(text, "|") }

// folded breaks a scalar of one line at blanks: YAML reads each break as a blank
// again, in a plain text as in a quoted one.
func folded(prefix, scalar string, indent int) string {
	var b strings.Builder
	line := prefix
	for i, word := range strings.Split(scalar, " ") {
		switch {
		case i == 0:
			line += word
		case len(line)+1+len(word) > width:
			b.WriteString(line + "\n")
			line = blanks(indent) + word
		default:
			line += " " + word
		}
	}
	return b.String() + line + "\n"
}

func blanks(n int) string { return strings.Repeat(" ", n) }

// indented moves lines to the right; empty ones stay empty.
func indented(text string, indent int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = blanks(indent) + line
		}
	}
	return strings.Join(lines, "\n")
}
