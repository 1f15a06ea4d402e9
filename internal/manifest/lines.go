package manifest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf8"
)

var newline = []byte("\n")

// isBlank reports whether a line holds at most a comment.
func isBlank(line []byte) bool {
	n := indentation(line)
	return n == len(line) || line[n] == '#'
}

// isMark reports whether a line begins with "---" or "...", which end whatever
// YAML text they stand in.
func isMark(line []byte) bool {
	_, ok := cutMark(line)
	return ok
}

// cutMark returns what follows "---" or "..." on its line, without a comment.
func cutMark(line []byte) (rest []byte, ok bool) {
	if !bytes.HasPrefix(line, []byte("---")) && !bytes.HasPrefix(line, []byte("...")) {
		return nil, false
	}
	rest = line[3:]
	if len(rest) > 0 && rest[0] != ' ' && rest[0] != '\t' {
		return nil, false
	}
	rest = bytes.TrimLeft(rest, " \t")
	if len(rest) > 0 && rest[0] == '#' {
		rest = nil
	}
	return rest, true
}

// trimTail returns where text ends without the blank lines and the comments, or
// what looks like them, at its end.
func trimTail(text []byte) int {
	end := 0
	for pos := 0; pos < len(text); {
		line, next := cutLine(text, pos)
		if !isBlank(line) {
			end = next
		}
		pos = next
	}
	return end
}

// trimBlankLines takes the blank lines off the start of text.
func trimBlankLines(text []byte) []byte {
	for len(text) > 0 {
		line, next := cutLine(text, 0)
		if indentation(line) < len(line) {
			break
		}
		text = text[next:]
	}
	return text
}

// checkText refuses what no YAML text may hold. It reports as odd a text with
// bytes that YAML, and nobody else, takes for line breaks or for nothing: such
// a text cannot be cut by lines.
func checkText(data []byte) (odd bool, err error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return false, errors.New("no input: nothing came on standard input; did the build before this fail?")
	}
	for i := 0; i < len(data); {
		if i+8 <= len(data) && isPlainText(binary.LittleEndian.Uint64(data[i:])) {
			i += 8
			continue
		}
		if b := data[i]; b >= ' ' && b < 0x7f || b == '\n' || b == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == '\r':
			odd = odd || i+1 == len(data) || data[i+1] != '\n'
		case r == 0xFEFF && i > 0:
			// The parser may lose the first character of other lines over it:
			// its is_bom looks at the start of its buffer, not where it is.
			return false, errorAt(lineAt(data, i), "a byte order mark (U+FEFF) inside the text, as when files are put together: "+
				`delete it, or write \uFEFF in double quotes`)
		case r == 0x85 || r == 0x2028 || r == 0x2029 || r == 0xFEFF:
			odd = true
		case r == utf8.RuneError && size == 1:
			return false, errorAt(lineAt(data, i), "not UTF-8 text (byte 0x%02x): convert the input to UTF-8", data[i])
		case r < 0xA0 || r == 0xFFFE || r == 0xFFFF:
			return false, errorAt(lineAt(data, i), "a control character (U+%04X), which YAML does not allow: "+
				"write it as an escape in double quotes", r)
		}
		i += size
	}
	return odd, nil
}

// isPlainText reports whether eight bytes are all printable ASCII or line breaks.
// It looks at them at once: the high bit of each byte of a mask answers for it.
func isPlainText(x uint64) bool {
	const (
		low, high = 0x0101010101010101, 0x8080808080808080
	)
	if x&high != 0 {
		return false
	}
	notControl := (x | high) - ' '*low // from ' ' on
	notBreak := (x ^ '\n'*low) + 0x7f*low
	notDelete := (x ^ 0x7f*low) + 0x7f*low // other than 0x7f
	return (notControl|^notBreak)&notDelete&high == high
}

// lineAt returns the number of the line that holds the byte at pos.
func lineAt(data []byte, pos int) int { return 1 + bytes.Count(data[:pos], newline) }
