package manifest

import (
	"bytes"
	"strings"
)

// flow takes a flow collection that lies on one line and returns what follows
// it. Plain scalars in it are held to a narrow alphabet.
func (s *scanner) flow(c []byte, depth int) (rest []byte, ok bool) {
	if depth >= maxDepth {
		s.deep = true
		return nil, false
	}
	mapping, end := c[0] == '{', byte(']')
	keys := block{first: len(s.keys)}
	if mapping {
		end = '}'
		defer func() { s.keys = s.keys[:keys.first] }()
	}
	if c = bytes.TrimLeft(c[1:], " "); len(c) > 0 && c[0] == end {
		return c[1:], true
	}
	for len(c) > 0 {
		if mapping {
			if c, ok = s.flowKey(c, &keys); !ok {
				return nil, false
			}
		}
		if c, ok = s.flowValue(c, depth); !ok {
			return nil, false
		}
		c = bytes.TrimLeft(c, " ")
		if len(c) == 0 {
			break
		}
		if c[0] == end {
			return c[1:], true
		}
		if c[0] != ',' {
			break
		}
		c = bytes.TrimLeft(c[1:], " ")
	}
	return nil, false
}

func (s *scanner) flowKey(c []byte, keys *block) (rest []byte, ok bool) {
	rest, ok = flowScalar(c)
	if !ok || len(rest) < 2 || rest[0] != ':' {
		return nil, false
	}
	key := c[:len(c)-len(rest)]
	if c[0] == '"' || c[0] == '\'' {
		// JSON lets the value follow a quoted key at once.
		key = key[1 : len(key)-1]
		if bytes.ContainsAny(key, `\'`) {
			return nil, false
		}
	} else if rest[1] != ' ' {
		return nil, false
	}
	if len(key) > maxKey || !s.addKey(keys, key) {
		return nil, false
	}
	return bytes.TrimLeft(rest[1:], " "), true
}

func (s *scanner) flowValue(c []byte, depth int) (rest []byte, ok bool) {
	if len(c) == 0 {
		return nil, false
	}
	if c[0] == '[' || c[0] == '{' {
		return s.flow(c, depth+1)
	}
	return flowScalar(c)
}

// flowScalar takes a scalar inside a flow collection and returns what follows.
func flowScalar(c []byte) (rest []byte, ok bool) {
	if c[0] == '"' || c[0] == '\'' {
		return flowQuoted(c)
	}
	i := 0
	for i < len(c) && (flowPlain(c[i]) || c[i] == ':' && i+1 < len(c) && flowPlain(c[i+1]) ||
		c[i] == ' ' && i+1 < len(c) && flowPlain(c[i+1])) {
		i++
	}
	if i == 0 || !flowPlain(c[0]) || c[0] == '-' && (i == 1 || c[1] == ' ') {
		return nil, false
	}
	return c[i:], true
}

func flowQuoted(c []byte) (rest []byte, ok bool) {
	for i := 1; i < len(c); i++ {
		switch {
		case c[i] == '\\' && c[0] == '"':
			n := escapeLen(c[i+1:])
			if n <= 0 {
				return nil, false
			}
			i += n
		case c[i] != c[0]:
		case c[0] == '\'' && i+1 < len(c) && c[i+1] == '\'':
			i++
		default:
			return c[i+1:], true
		}
	}
	return nil, false
}

// flowPlain reports whether b may stand anywhere in a plain scalar inside a
// flow collection.
func flowPlain(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' ||
		strings.IndexByte("_./-+=~$()", b) >= 0
}
