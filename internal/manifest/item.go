package manifest

import (
	"bytes"
	"errors"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Item is one object of a Document.
type Item struct {
	doc  *Document
	ref  resource.Ref
	line int
	text []byte // as read, with the dash of its list entry, or as it will be written
	part int    // its place in doc.parts, -1 for one without text there
	seq  seqStyle

	wrap *yaml.Node  // once parsed: the one-entry list or the document that holds its node
	node *yaml.RNode // once parsed

	hiding  hiding
	openEnd bool // see shape
	changed bool // by Edit or Append
	stale   bool // text is older than node
	removed bool
}

// Ref returns the object's identity, without parsing it.
func (it *Item) Ref() resource.Ref { return it.ref }

// Line returns the line of the input on which the object begins, counted from
// 1; 0 for one that was appended.
func (it *Item) Line() int { return it.line }

// Text returns the object as YAML of its own, as it will be written: without the
// indentation and the dash of a list. It is nil if the object cannot be written,
// which Bytes reports.
func (it *Item) Text() []byte {
	text, err := it.written()
	if err != nil {
		return nil
	}
	if !it.doc.list {
		return text
	}
	if own, ok := dedent(text); ok {
		return own
	}
	node, err := it.Node()
	if err != nil {
		return nil
	}
	text, _ = marshal(node.YNode(), it.seq)
	return text
}

// Node returns the parsed object, with aliases expanded. It is parsed once, at
// the first call. Read it freely; change it through Edit, or it is not written.
func (it *Item) Node() (*yaml.RNode, error) {
	if it.node != nil {
		return it.node, nil
	}
	doc, err := parse(it.text, it.line)
	if err != nil {
		return nil, it.fault(err)
	}
	it.take(doc)
	return it.node, nil
}

// take keeps a parsed document that holds the object.
func (it *Item) take(doc *yaml.Node) {
	it.wrap = doc
	if it.doc.list {
		it.wrap = doc.Content[0]
	}
	it.node = yaml.NewRNode(it.wrap.Content[0])
}

// Edit lets fn change the parsed object. If that leaves it different, it will be
// written anew: comments and the order of keys are kept, blank lines and line
// folding are not. If fn returns an error, the object stays as it was.
func (it *Item) Edit(fn func(*yaml.RNode) error) error {
	node, err := it.Node()
	if err != nil {
		return err
	}
	before := yaml.CopyYNode(node.YNode())
	restore := func() { it.setNode(before) }
	if err := fn(node); err != nil {
		restore()
		return fmt.Errorf("editing %s: %w", it.ref, err)
	}
	if identical(before, node.YNode()) {
		return nil
	}
	ref, err := refOf(node.YNode())
	if err != nil {
		restore()
		return fmt.Errorf("editing %s: %w", it.ref, err)
	}
	it.setNode(node.YNode())
	it.ref, it.changed, it.stale = ref, true, true
	return nil
}

// setNode makes n the object.
func (it *Item) setNode(n *yaml.Node) {
	it.wrap.Content[0] = n
	it.node = yaml.NewRNode(n)
}

// fault names the object in an error about its text.
func (it *Item) fault(err error) error {
	if it.ref.IsZero() {
		return err
	}
	if at, ok := errors.AsType[*lineError](err); ok {
		return errorAt(at.line, "%s (from line %d): %s", it.ref, it.line, at.text)
	}
	return fmt.Errorf("%s (from line %d): %w", it.ref, it.line, err)
}

// addItem makes text, which starts on the given line, an object. It is parsed
// only if the recogniser does not accept it.
func (d *Document) addItem(text []byte, line int) error {
	it := &Item{doc: d, line: line, part: len(d.parts)}
	shape, ok := d.scanner.scan(text, d.list)
	it.ref, it.seq, it.openEnd = shape.ref, shape.seq, shape.openEnd
	ok = ok && !d.isOdd(text)
	end, hasItems := shape.end, shape.hasItems
	if !ok {
		if err := d.scanner.tooDeep(line); err != nil {
			return it.fault(err)
		}
		doc, err := parse(text, line)
		if err != nil {
			return it.fault(err)
		}
		if !d.list && isEmpty(doc) {
			d.add(raw, text)
			return nil
		}
		if end, err = it.parsed(doc, text); err != nil {
			return err
		}
		hasItems = lookup(it.node.YNode(), "items") != nil
	}
	if err := refuseList(it.ref, hasItems); err != nil {
		return it.fault(&lineError{line, err.Error()})
	}
	it.text = text[:end]
	d.items = append(d.items, it)
	d.parts = append(d.parts, part{kind: object, item: it})
	d.add(raw, text[end:])
	return nil
}

// isOdd reports whether text cannot be cut by lines.
func (d *Document) isOdd(text []byte) bool {
	if !d.odd {
		return false
	}
	odd, _ := checkText(text)
	return odd
}

// parsed takes what the parser made of text and returns where the object's own
// text ends.
func (it *Item) parsed(doc *yaml.Node, text []byte) (end int, err error) {
	end = trimTail(text)
	if trimmed, err := parse(text[:end], it.line); err == nil && sameValue(doc, trimmed) {
		doc = trimmed
	} else {
		end = len(text)
	}
	holder := doc // what must hold the object and nothing else
	if it.doc.list && doc != nil {
		holder = doc.Content[0]
	}
	if holder == nil || len(holder.Content) != 1 {
		return 0, errUnusual
	}
	it.take(doc)
	if it.ref, err = refOf(it.node.YNode()); err != nil {
		return 0, it.fault(&lineError{it.line, err.Error()})
	}
	it.seq = sequenceStyle(it.node.YNode())
	it.openEnd = isOpen(text[:end], doc)
	return end, nil
}

// isOpen reports whether a line break after text, which reads as doc, would
// change what it means.
func isOpen(text []byte, doc *yaml.Node) bool {
	if bytes.HasSuffix(text, newline) {
		return false
	}
	longer, err := parse(append(bytes.Clone(text), '\n'), 1)
	return err != nil || !sameValue(longer, doc)
}
