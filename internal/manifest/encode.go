package manifest

import (
	"bytes"
	"errors"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// written returns the object's text as it stands in the document, at its
// indentation.
func (it *Item) written() ([]byte, error) {
	if !it.stale && it.text != nil {
		return it.text, nil
	}
	text, err := it.doc.encode(it)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", it.ref, err)
	}
	it.text, it.stale = text, false
	return text, nil
}

// encode writes an object anew. What kyaml writes does not always read back as
// what it was given (comments inside flow style, for one): then the object is
// written once more in the plainest style, without its comments.
func (d *Document) encode(it *Item) ([]byte, error) {
	node := it.wrap.Content[0]
	if _, err := refOf(node); err != nil {
		return nil, err
	}
	if it.changed && (node.Style&yaml.FlowStyle != 0 || it.line == 0) {
		unflow(node)
	}
	text, err := marshal(it.wrap, d.style(it))
	if err == nil && !d.readsAs(text, it.wrap) {
		plain := plainly(it.wrap)
		if text, err = marshal(plain, d.style(it)); err == nil && !d.readsAs(text, plain) {
			err = errors.New("the YAML writer did not write what it was given")
		}
	}
	if err != nil {
		return nil, err
	}
	return indent(text, d.dash), nil
}

// readsAs reports whether text, which was written for n, reads as n. Text that
// the recogniser accepts does: the writer goes wrong in structure, and in what
// tame knows, but folded scalars are not to be trusted.
func (d *Document) readsAs(text []byte, n *yaml.Node) bool {
	if shape, ok := d.scanner.scan(text, d.list); ok && !shape.folded {
		if odd, err := checkText(text); err == nil && !odd {
			return true
		}
	}
	return readsBack(text, n)
}

// readsBack asks the parser whether text reads as n.
func readsBack(text []byte, n *yaml.Node) bool {
	doc, err := parse(text, 1)
	if err != nil || isEmpty(doc) {
		return false
	}
	if n.Kind != yaml.DocumentNode {
		doc = doc.Content[0]
	}
	return sameValue(doc, n)
}

// marshal writes n in kyaml's way.
func marshal(n *yaml.Node, style seqStyle) ([]byte, error) {
	tame(n, false)
	if text, ok := writePlain(n, style); ok {
		return text, nil
	}
	return writeKyaml(n, style)
}

// writeKyaml lets kyaml write n. It turns a panic of the writer into an error.
func writeKyaml(n *yaml.Node, style seqStyle) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = nil, fmt.Errorf("the YAML writer gave up: %v", p)
		}
	}()
	options := yaml.EncoderOptions{SeqIndent: yaml.CompactSequenceStyle}
	if style == wide {
		options.SeqIndent = yaml.WideSequenceStyle
	}
	return yaml.MarshalWithOptions(n, &options)
}

// indent moves text to the right by n columns; empty lines stay empty.
func indent(text []byte, n int) []byte {
	if n == 0 {
		return text
	}
	margin := bytes.Repeat([]byte(" "), n)
	out := make([]byte, 0, len(text)+len(text)/8)
	for pos := 0; pos < len(text); {
		line, next := cutLine(text, pos)
		if len(line) > 0 {
			out = append(out, margin...)
		}
		out = append(out, text[pos:next]...)
		pos = next
	}
	return out
}

// dedent takes the dash off a list entry and its indentation off every line. It
// is not ok where that brings "---" into the first column.
func dedent(text []byte) (out []byte, ok bool) {
	out = make([]byte, 0, len(text))
	margin := -1 // not yet known
	for pos := 0; pos < len(text); {
		line, next := cutLine(text, pos)
		n := indentation(line)
		switch {
		case margin < 0 && isBlank(line): // above the dash
			pos += n
		case margin < 0:
			margin = entryMargin(text[pos:])
			pos += n + 1 + indentation(line[n+1:])
		default:
			if n = min(n, margin); isMark(line[n:]) {
				return nil, false
			}
			pos += n
		}
		out = append(out, text[pos:next]...)
		pos = next
	}
	return out, true
}

// entryMargin returns the column of what stands in a list entry.
func entryMargin(entry []byte) int {
	line, next := cutLine(entry, 0)
	n := indentation(line) + 1
	if rest := line[n:]; !isRest(rest) {
		return n + indentation(rest)
	}
	for next < len(entry) {
		if line, next = cutLine(entry, next); !isBlank(line) {
			return indentation(line)
		}
	}
	return n
}
