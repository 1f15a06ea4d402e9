package manifest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Bytes returns the document's text: the input itself while nothing changed,
// else the input with nothing but the changes in it. The result is not to be
// modified.
func (d *Document) Bytes() ([]byte, error) {
	pieces, err := d.pieces()
	if err != nil {
		return nil, err
	}
	if len(pieces) == 1 {
		return pieces[0], nil
	}
	return slices.Concat(pieces...), nil
}

// WriteTo writes what Bytes returns, without a copy of it; nothing where that fails.
func (d *Document) WriteTo(w io.Writer) (int64, error) {
	pieces, err := d.pieces()
	if err != nil {
		return 0, err
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	var written int64
	for _, piece := range pieces {
		n, err := buffered.Write(piece)
		written += int64(n)
		if err != nil {
			return written, fmt.Errorf("writing: %w", err)
		}
	}
	if err := buffered.Flush(); err != nil {
		return written - int64(buffered.Buffered()), fmt.Errorf("writing: %w", err)
	}
	return written, nil
}

// pieces returns the document's text as stretches of the input and what is new
// between them.
func (d *Document) pieces() ([][]byte, error) {
	if !d.changed() {
		return [][]byte{d.data}, nil
	}
	out := &output{}
	var err error
	if d.whole != nil {
		err = d.writeWhole(out)
	} else {
		err = d.writeParts(out)
	}
	if err != nil {
		return nil, fmt.Errorf("writing: %w", err)
	}
	return out.pieces, nil
}

func (d *Document) writeParts(out *output) error {
	at := d.appendAt()
	for i, p := range d.parts {
		switch p.kind {
		case object:
			if err := d.writeItem(out, p.item); err != nil {
				return err
			}
		case itemsKey:
			out.add(itemsLine(p.text, len(d.items), len(d.Items())))
		case resultsAt:
			text, err := d.resultsText(p.text)
			if err != nil {
				return err
			}
			out.add(text)
		default:
			d.addBetween(out, p.text)
		}
		if i != at {
			continue
		}
		for _, it := range d.added {
			if err := d.writeItem(out, it); err != nil {
				return err
			}
		}
	}
	return nil
}

// appendAt returns the part that appended objects follow: a list's last object
// or its key items, a stream's last line.
func (d *Document) appendAt() int {
	at := len(d.parts) - 1
	for d.list && d.parts[at].kind != object && d.parts[at].kind != itemsKey {
		at--
	}
	return at
}

func (d *Document) writeItem(out *output, it *Item) error {
	if it.removed {
		out.loose = true
		return nil
	}
	if it.openEnd && (d.grows() || d.results != nil) {
		if _, err := it.Node(); err != nil {
			return err
		}
		it.stale = true
	}
	text, err := it.written()
	if err != nil {
		return err
	}
	if it.part < 0 && !d.list && out.needsMark() {
		out.add([]byte("---\n"))
	}
	out.add(text)
	out.object, out.loose = text, it.changed
	return nil
}

// itemsLine returns the line of the key items, as it must be for a number of
// objects where it was read with another one.
func itemsLine(text []byte, before, now int) []byte {
	if len(text) == 0 && now > 0 {
		return []byte("items:\n")
	}
	line, _ := cutLine(text, 0)
	if len(line) == 0 {
		return nil
	}
	_, rest, _ := splitKey(line)
	key, comment := line[:len(line)-len(rest)], "\n"
	if i := bytes.IndexByte(rest, '#'); i >= 0 {
		comment = " " + string(rest[i:]) + "\n"
	}
	switch {
	case now == 0 && before > 0:
		return []byte(string(key) + " []" + comment)
	case now > 0 && !isRest(rest):
		return []byte(string(key) + comment)
	}
	return text
}

// resultsText returns the key results with its value, which was read as text.
func (d *Document) resultsText(text []byte) ([]byte, error) {
	switch {
	case !d.setResults:
		return text, nil
	case d.results == nil:
		return nil, nil
	}
	style := compact
	if d.dash > 0 {
		style = wide
	}
	return marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Value: "results"}, d.results.YNode(),
	}}, style)
}

// output gathers text and sees to it that each piece starts on a line of its
// own.
type output struct {
	pieces [][]byte
	object []byte // what was written last, where that is an object
	loose  bool   // what follows did not follow it in the input
}

func (o *output) add(text []byte) {
	if len(text) == 0 {
		return
	}
	if last := o.last(); len(last) > 0 && last[len(last)-1] != '\n' {
		o.pieces = append(o.pieces, newline)
	}
	if last := o.last(); follows(last, text) {
		o.pieces[len(o.pieces)-1] = last[:len(last)+len(text)]
	} else {
		o.pieces = append(o.pieces, text)
	}
	if len(bytes.TrimSpace(text)) > 0 {
		o.object = nil
	}
}

func (o *output) last() []byte {
	if len(o.pieces) == 0 {
		return nil
	}
	return o.pieces[len(o.pieces)-1]
}

// follows reports whether text lies behind last in memory, as in the input.
func follows(last, text []byte) bool {
	n := len(last)
	return n > 0 && cap(last)-n >= len(text) && &last[:n+1][n] == &text[0]
}

// addBetween adds what stood between two objects. A blank line or an indented
// comment that comes to follow another object than it did would become a part
// of a block scalar at that object's end.
func (d *Document) addBetween(out *output, text []byte) {
	line, _ := cutLine(text, 0)
	n := indentation(line)
	if out.loose && out.object != nil && (n == len(line) || n > d.dash) && d.endsInBlock(out.object) {
		text = trimBlankLines(text)
		text = text[max(0, indentation(text)-d.dash):]
	}
	out.add(text)
}

// endsInBlock reports whether a block scalar may stand at the end of text.
func (d *Document) endsInBlock(text []byte) bool {
	shape, ok := d.scanner.scan(text, d.list)
	return !ok || shape.blockEnd
}

// needsMark reports whether a document that follows needs a "---" first.
func (o *output) needsMark() bool {
	for _, piece := range slices.Backward(o.pieces) {
		if text := bytes.TrimSpace(piece); len(text) > 0 {
			line := text[bytes.LastIndexByte(text, '\n')+1:]
			return line[0] != '-' || !isMark(line)
		}
	}
	return false
}
