package manifest

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// ReadList reads a ResourceList (config.kubernetes.io/v1), which is what a KRM
// function gets on standard input. It keeps data and does not change it.
func ReadList(data []byte) (*Document, error) {
	d, err := readList(data)
	if err != nil {
		return nil, fmt.Errorf("reading resource list: %w", err)
	}
	return d, nil
}

func readList(data []byte) (*Document, error) {
	odd, err := checkText(data)
	if err != nil {
		return nil, err
	}
	d := &Document{data: data, list: true}
	if !odd {
		if err = d.cutList(); err == nil {
			return d, nil
		}
	}
	d, wholeErr := readWhole(data)
	switch {
	case wholeErr == nil:
		return d, nil
	case err != nil && !errors.Is(err, errUnusual):
		// The fault inside one object, with its name.
		return nil, err
	}
	return nil, wholeErr
}

// errUnusual says that a list's frame takes the parser.
var errUnusual = errors.New("unusual text")

// cutList cuts d.data along the lines of a block mapping at column 0. An error
// is final only if the whole list cannot be parsed either.
func (d *Document) cutList() error {
	data, pos := d.data, headEnd(d.data)
	d.add(raw, data[:pos])
	number := lineAt(data, pos)
	first, ref, seen := number, resource.Ref{}, make(map[string]int)
	for pos < len(data) {
		line, next := cutLine(data, pos)
		if isMark(line) {
			break
		}
		key, rest, ok := splitKey(line)
		if !ok || line[0] == ' ' {
			return errUnusual
		}
		if before, twice := seen[string(key)]; twice {
			return errorAt(number, "the key %q stands twice in the list, first on line %d: keep one of them", key, before)
		}
		seen[string(key)] = number
		end := frameEnd(data, next)
		var err error
		if string(key) == "items" {
			err = d.cutItems(data[pos:end], rest, number)
		} else {
			err = d.cutFrame(string(key), data[pos:end], len(line)-len(rest), number, &ref)
		}
		if err != nil {
			return err
		}
		number += bytes.Count(data[pos:end], newline)
		pos = end
	}
	if len(seen) == 0 {
		return errUnusual
	}
	if seen["items"] == 0 {
		d.add(itemsKey, nil)
	}
	if seen["results"] == 0 {
		d.add(resultsAt, nil)
	}
	d.add(raw, data[pos:])
	if err := checkTail(data[pos:], number); err != nil {
		return err
	}
	return checkList(ref, first)
}

// headEnd returns where the first key stands, after comments and a "---".
func headEnd(data []byte) int {
	pos := 0
	for marked := false; pos < len(data); {
		line, next := cutLine(data, pos)
		if text, ok := cutMark(line); ok && line[0] == '-' && len(text) == 0 && !marked {
			marked = true
		} else if !isBlank(line) {
			break
		}
		pos = next
	}
	return pos
}

// checkList refuses what is no ResourceList of the version that this package
// knows. Older versions hold results of another shape.
func checkList(ref resource.Ref, line int) error {
	if ref.Kind == listKind && ref.APIVersion == listAPIVersion {
		return nil
	}
	return errorAt(line, "found apiVersion %q, kind %q; wanted %q, %q: "+
		"plain objects go to `ringfence render`; an older list comes from a kustomize or kpt to upgrade",
		ref.APIVersion, ref.Kind, listAPIVersion, listKind)
}

// checkTail refuses content after the end of the list.
func checkTail(tail []byte, number int) error {
	for pos := 0; pos < len(tail); number++ {
		line, next := cutLine(tail, pos)
		if text, ok := cutMark(line); (!ok || len(text) > 0) && !isBlank(line) {
			return errorAt(number, "another document begins: one %s is wanted", listKind)
		}
		pos = next
	}
	return nil
}

// frameEnd returns where the next key of the frame starts, or what ends the
// frame.
func frameEnd(data []byte, pos int) int {
	for pos < len(data) {
		line, next := cutLine(data, pos)
		if len(line) > 0 && line[0] != ' ' && line[0] != '#' && !isDash(line) {
			return pos
		}
		pos = next
	}
	return pos
}

// cutFrame takes a key of the list other than items, with its value.
func (d *Document) cutFrame(key string, text []byte, value, number int, ref *resource.Ref) error {
	shape, ok := d.scanner.scan(text, false)
	if !ok {
		if err := d.scanner.tooDeep(number); err != nil {
			return err
		}
		doc, err := parse(text, number)
		if err != nil {
			return err
		}
		if isEmpty(doc) || len(doc.Content[0].Content) != 2 || doc.Content[0].Content[0].Value != key {
			return errUnusual
		}
		if shape.ref, err = refOf(doc.Content[0]); err != nil {
			return errorAt(number, "%v", err)
		}
		shape.end = trimTail(text)
		if again, err := parse(text[:shape.end], number); err != nil || !sameValue(doc, again) {
			shape.end = len(text)
		}
		shape.openEnd = isOpen(text, doc)
	}
	if shape.openEnd {
		return errUnusual
	}
	switch key {
	case "apiVersion":
		ref.APIVersion = shape.ref.APIVersion
	case "kind":
		ref.Kind = shape.ref.Kind
	case "functionConfig":
		d.config = valueText(text[value:shape.end])
	case "results":
		d.add(resultsAt, text[:shape.end])
		d.add(raw, text[shape.end:])
		return nil
	}
	d.add(raw, text)
	return nil
}

// cutItems takes the key items, with rest after its colon, and its objects.
func (d *Document) cutItems(text, rest []byte, number int) error {
	_, pos := cutLine(text, 0)
	d.add(itemsKey, text[:pos])
	if !isRest(rest) && !isEmptyList(rest) {
		return errUnusual
	}
	start, dash := -1, -1
	gap := pos
	number++
	first := number // line number of start
	for ; pos < len(text); number++ {
		line, next := cutLine(text, pos)
		n := indentation(line)
		if isBlank(line) {
			pos = next
			continue
		}
		switch begins := isDash(line[n:]); {
		case start < 0 && begins && isRest(rest):
			dash = n
			d.add(raw, text[gap:pos])
			start, first = pos, number
		case n == dash && begins:
			if err := d.addItem(text[start:pos], first); err != nil {
				return err
			}
			start, first = pos, number
		case n <= dash || start < 0:
			return errUnusual
		}
		pos = next
	}
	d.dash = max(dash, 0)
	if start < 0 {
		d.add(raw, text[gap:])
		return nil
	}
	return d.addItem(text[start:], first)
}

// valueText returns the text of a value, nil where that is null.
func valueText(text []byte) []byte {
	text = trimBlankLines(text)
	for pos := 0; pos < len(text); {
		line, next := cutLine(text, pos)
		if plain, _, ok := cutPlain(line); !isBlank(line) && (!ok || !isPlainNull(bytes.TrimSpace(plain))) {
			return text
		}
		pos = next
	}
	return nil
}

// isEmptyList reports whether rest, after the colon of items, says that there
// are none.
func isEmptyList(rest []byte) bool {
	text, _, ok := cutPlain(rest)
	text = bytes.TrimLeft(text, " ")
	return ok && (string(text) == "[]" || isPlainNull(text))
}
