package manifest

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// value takes a value from its first byte on; nothing but itself may stand on
// the rest of the line.
func (s *scanner) value(c []byte) bool {
	switch c[0] {
	case '"', '\'':
		return s.quoted(c)
	case '|', '>':
		s.giveUpField()
		return s.blockScalar(c)
	case '[', '{':
		s.giveUpField()
		rest, ok := s.flow(c, len(s.stack))
		return ok && isRest(rest)
	}
	return startsPlain(c) && s.plainScalar(c)
}

func (s *scanner) plainScalar(c []byte) bool {
	text, more, ok := cutPlain(c)
	if !ok {
		return false
	}
	s.plain = more
	if s.field == nil {
		return true
	}
	switch {
	case isPlainString(text):
		*s.field = string(text)
	case isPlainNull(text):
	default:
		s.unsure = true
	}
	return true
}

// continuePlain takes a further line of a plain scalar.
func (s *scanner) continuePlain(c []byte) bool {
	s.giveUpField()
	_, more, ok := cutPlain(c)
	s.plain = more
	return ok
}

// quoted takes a quoted scalar, over several lines where it has them.
func (s *scanner) quoted(c []byte) bool {
	quote, start := c[0], s.eol-len(c)+1
	raw, exact := true, true // as written between the quotes; on one line
	for i := start; ; {
		for i < s.eol {
			switch b := s.text[i]; {
			case b == '\\' && quote == '"':
				n := escapeLen(s.text[i+1 : s.eol])
				if n < 0 {
					return false
				}
				i += 1 + n
				raw = false
			case b != quote:
				i++
			case quote == '\'' && i+1 < s.eol && s.text[i+1] == '\'':
				i += 2
				raw = false
			default:
				s.giveQuoted(s.text[start:i], raw && exact)
				return isRest(s.text[i+1 : s.eol])
			}
		}
		// The next line.
		exact = false
		if s.next >= len(s.text) {
			return false
		}
		line, next := cutLine(s.text, s.next)
		n := indentation(line)
		if n < len(line) && n <= s.top().indent || bytes.IndexByte(line, '\t') >= 0 {
			return false
		}
		i = s.next + n
		s.next, s.eol = next, s.next+len(line)
	}
}

func (s *scanner) giveQuoted(text []byte, exact bool) {
	if s.field == nil {
		return
	}
	if !exact {
		s.unsure = true
		return
	}
	*s.field = string(text)
}

// escapeLen returns how many bytes after a backslash belong to its escape, 0 at
// the end of a line, -1 where it is no escape of YAML's.
func escapeLen(c []byte) int {
	if len(c) == 0 {
		return 0
	}
	var digits int
	switch c[0] {
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		if strings.IndexByte(`0abtnvfre "'\N_LP`, c[0]) < 0 {
			return -1
		}
		return 1
	}
	if len(c) < 1+digits {
		return -1
	}
	r, err := strconv.ParseUint(string(c[1:1+digits]), 16, 32)
	if err != nil || r > utf8.MaxRune || 0xD800 <= r && r <= 0xDFFF {
		return -1
	}
	return 1 + digits
}

// cutPlain returns the text of a plain scalar on one line and whether further
// lines may continue it. It is not ok where the line holds a colon that would
// make it a key.
func cutPlain(c []byte) (text []byte, more, ok bool) {
	more = true
	for i := 0; ; {
		j := bytes.IndexByte(c[i:], '#')
		if j < 0 {
			break
		}
		i += j
		if i > 0 && c[i-1] == ' ' {
			c, more = c[:i], false
			break
		}
		i++
	}
	if _, found := findColon(c); found {
		return nil, false, false
	}
	return bytes.TrimRight(c, " "), more, true
}

// findColon returns where the colon stands that ends a plain key.
func findColon(c []byte) (int, bool) {
	for i := 0; ; i++ {
		j := bytes.IndexByte(c[i:], ':')
		if j < 0 {
			return 0, false
		}
		if i += j; i+1 == len(c) || c[i+1] == ' ' {
			return i, true
		}
	}
}

// splitKey splits "key: rest" and takes the quotes off key. Keys that need more
// than that (escapes, tags, collections) are none of its business.
func splitKey(c []byte) (key, rest []byte, ok bool) {
	if c[0] == '"' || c[0] == '\'' {
		end := 1 + bytes.IndexByte(c[1:], c[0])
		if end == 0 || end+1 == len(c) || c[end+1] != ':' || end+2 < len(c) && c[end+2] != ' ' {
			return nil, nil, false
		}
		key = c[1:end]
		return key, c[end+2:], bytes.IndexByte(key, '\\') < 0
	}
	if !startsPlain(c) || c[0] == '-' {
		return nil, nil, false
	}
	for i, b := range c {
		switch {
		case b == '\t' || b == '#' && c[i-1] == ' ':
			return nil, nil, false
		case b == ':' && (i+1 == len(c) || c[i+1] == ' '):
			return c[:i], c[i+1:], c[i-1] != ' '
		}
	}
	return nil, nil, false
}

// startsPlain reports whether a plain scalar may begin so. A leading ? or : is
// left to the parser.
func startsPlain(c []byte) bool {
	if c[0] == '-' {
		return len(c) > 1 && c[1] != ' '
	}
	return !indicator[c[0]]
}

// indicator holds the bytes that may begin something else than a plain scalar.
var indicator = func() (set [256]bool) {
	for _, b := range []byte("?:,[]{}#&*!|>'\"%@`") {
		set[b] = true
	}
	return set
}()

// isPlainString reports whether a plain scalar is certain to be a string, not a
// number, a date, a truth value or null.
func isPlainString(c []byte) bool {
	switch string(c) {
	case "", "<<", "true", "True", "TRUE", "false", "False", "FALSE", "null", "Null", "NULL":
		return false
	}
	switch b := c[0]; {
	case strings.IndexByte("+-.~", b) >= 0:
		return false
	case '0' <= b && b <= '9':
		// No number and no date has one of these letters: not 0x1f, 0o7,
		// 0b1, 1e3 or 2001-12-14t21:59:43Z.
		return bytes.ContainsAny(c, "ghijklmnpqrsuvwyGHIJKLMNPQRSUVWY")
	}
	return true
}

func isPlainNull(c []byte) bool {
	switch string(c) {
	case "~", "null", "Null", "NULL":
		return true
	}
	return false
}

// isRest reports whether nothing but a comment follows a value on its line.
func isRest(c []byte) bool {
	t := bytes.TrimLeft(c, " ")
	return len(t) == 0 || t[0] == '#' && len(t) < len(c)
}

// isDash reports whether c begins with the dash of a sequence entry.
func isDash(c []byte) bool { return c[0] == '-' && (len(c) == 1 || c[1] == ' ') }

// indentation counts the spaces that line begins with.
func indentation(line []byte) int {
	n := 0
	for n < len(line) && line[n] == ' ' {
		n++
	}
	return n
}

// cutLine returns the line that starts at pos, without its line break, and
// where the next one starts.
func cutLine(text []byte, pos int) (line []byte, next int) {
	i := bytes.IndexByte(text[pos:], '\n')
	if i < 0 {
		return text[pos:], len(text)
	}
	line, next = text[pos:pos+i], pos+i+1
	if i > 0 && line[i-1] == '\r' {
		line = line[:i-1]
	}
	return line, next
}
