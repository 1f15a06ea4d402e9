package manifest

import (
	"bytes"
	"fmt"
	"slices"
)

// ReadStream reads YAML documents separated by "---", which is what kustomize
// build prints. Documents without content are kept and are no objects. It keeps
// data and does not change it.
func ReadStream(data []byte) (*Document, error) {
	d, err := readStream(data)
	if err != nil {
		return nil, fmt.Errorf("reading YAML stream: %w", err)
	}
	return d, nil
}

func readStream(data []byte) (*Document, error) {
	odd, err := checkText(data)
	if err != nil {
		return nil, err
	}
	d := &Document{data: data, odd: odd}
	for pos, number := 0, 1; pos < len(data); {
		line, next := cutLine(data, pos)
		if text, ok := cutMark(line); ok && line[0] == '-' {
			if len(text) > 0 || d.isOdd(line) {
				return nil, errorAt(number, "text after %q: put it on the next line", "---")
			}
			d.add(mark, data[pos:next])
			pos = next
			number++
		}
		end, ends := documentEnd(data, pos)
		if err := d.cutDocument(data[pos:end], number, ends); err != nil {
			return nil, err
		}
		number += bytes.Count(data[pos:end], newline)
		pos = end
	}
	return d, nil
}

// documentEnd returns where the next "---" stands, and whether lines before it
// begin with "...".
func documentEnd(data []byte, pos int) (end int, ends bool) {
	for pos < len(data) {
		if b := data[pos]; b == '-' || b == '.' {
			if line, _ := cutLine(data, pos); isMark(line) {
				if b == '-' {
					return pos, ends
				}
				ends = true
			}
		}
		i := bytes.IndexByte(data[pos:], '\n')
		if i < 0 {
			return len(data), ends
		}
		pos += i + 1
	}
	return pos, ends
}

// cutDocument takes the text of one document, without its "---"; ends says that it may hold "...".
func (d *Document) cutDocument(text []byte, number int, ends bool) error {
	if d.isOdd(text) {
		// What looks like a comment may hide content.
		return d.addItem(text, number)
	}
	start, first := 0, number
	for start < len(text) {
		line, next := cutLine(text, start)
		if !isBlank(line) {
			break
		}
		start = next
		first++
	}
	d.add(raw, text[:start])
	if start == len(text) {
		return nil
	}
	if text[start] == '%' {
		return errorAt(first, "a YAML directive: delete the line")
	}
	content := text[start:]
	end := len(content)
	if ends {
		end = contentEnd(content)
	}
	if err := d.addItem(content[:end], first); err != nil {
		return err
	}
	d.add(raw, content[end:])
	return nil
}

// contentEnd returns where a "..." ends the content of a document, if nothing
// but blank lines and comments follow it.
func contentEnd(text []byte) int {
	end := len(text)
	for pos := 0; pos < len(text); {
		line, next := cutLine(text, pos)
		switch rest, ok := cutMark(line); {
		case end < len(text) && !isBlank(line):
			return len(text)
		case ok && len(rest) == 0 && pos > 0:
			end = pos
		}
		pos = next
	}
	return end
}

// cutEnd takes the "..." out of what follows an object: there is nothing left
// that it could end.
func cutEnd(text []byte) []byte {
	for pos := 0; pos < len(text); {
		line, next := cutLine(text, pos)
		if isMark(line) {
			return slices.Concat(text[:pos], text[next:])
		}
		pos = next
	}
	return text
}
