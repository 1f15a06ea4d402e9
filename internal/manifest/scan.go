package manifest

import (
	"bytes"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const (
	// maxDepth bounds how deep collections may nest. The deepest CRD schemas
	// in the field stay under 50.
	maxDepth = 1000

	// maxKey is the longest key read without the parser. YAML lets the colon
	// of a key stand at most 1,024 characters after its start.
	maxKey = 1000

	// manyKeys is where looking for a duplicate key turns to a map.
	manyKeys = 24
)

// shape is what the recogniser knows of a text that it accepted.
type shape struct {
	ref      resource.Ref
	end      int  // of the last content line, with the blank lines that its scalar keeps
	hasItems bool // the object has a key "items"
	seq      seqStyle
	folded   bool // has a folded scalar
	blockEnd bool // ends in a block scalar
	openEnd  bool // ends in a block scalar that lacks its line break: a line after it changes its value
}

// block is a collection that later lines may still add to.
type block struct {
	indent  int
	mapping bool
	compact bool            // a sequence whose dashes stand under its key's first letter
	first   int             // its first key in scanner.keys
	index   map[string]bool // its keys, once they are many
}

// scanner recognises block YAML line by line. It never guesses: what it is not
// certain of makes scan report false, and the real parser decides.
type scanner struct {
	text []byte
	next int  // start of the first line not yet consumed
	eol  int  // end of the current line, its line break excluded
	tabs bool // there are tabs in text

	stack []block
	keys  [][]byte // of the open mappings, outermost first
	root  int      // index in stack of the mapping that is the object

	empty bool // the last key or dash has no value yet: it may follow on deeper lines
	plain bool // the last value is a plain scalar: deeper lines continue it

	metadata bool    // the last of the object's keys is metadata
	noValue  bool    // metadata has no value yet; a mapping is wanted
	field    *string // the part of ref that the current key gives
	unsure   bool    // a part of ref was given in a way that takes the parser

	deep bool // nested deeper than maxDepth
	out  shape
}

// scan reports whether text is certain to be one well-formed YAML document that
// holds one object: a mapping or, where entry is set, a sequence whose only
// entry is a mapping. When it reports false, the parts of ref that were read
// may still serve a message.
func (s *scanner) scan(text []byte, entry bool) (shape, bool) {
	*s = scanner{text: text, tabs: bytes.IndexByte(text, '\t') >= 0, stack: s.stack[:0], keys: s.keys[:0]}
	if entry {
		s.root = 1
	}
	for s.next < len(text) {
		start := s.next
		line, next := cutLine(text, start)
		s.next, s.eol = next, start+len(line)
		n := indentation(line)
		switch content := line[n:]; {
		case len(content) == 0:
		case content[0] == '#':
			s.plain = false
		case n == 0 && isMark(line):
			return s.out, false
		default:
			if !s.content(n, content) {
				return s.out, false
			}
			s.out.end = s.next
		}
	}
	return s.out, len(s.stack) > s.root && !s.unsure
}

// content takes a line that is neither blank nor a comment.
func (s *scanner) content(n int, c []byte) bool {
	if s.tabs && bytes.IndexByte(c, '\t') >= 0 {
		return false
	}
	s.out.blockEnd = false
	if len(s.stack) == 0 {
		return s.open(n, c)
	}
	top := s.top()
	if s.plain && n > top.indent {
		return s.continuePlain(c)
	}
	s.plain = false
	if s.empty {
		s.empty = false
		if n > top.indent {
			if top.mapping && isDash(c) {
				s.sawSequence(wide)
			}
			s.giveUpField()
			return s.node(n, c)
		}
		if n == top.indent && top.mapping && isDash(c) {
			s.sawSequence(compact)
			s.giveUpField()
			s.giveUpMetadata()
			return s.push(block{indent: n, compact: true}) && s.entry(n, c)
		}
	}
	for top.indent > n || top.indent == n && top.compact && !isDash(c) {
		if !s.pop() {
			return false
		}
		top = s.top()
	}
	switch {
	case top.indent < n:
		return false
	case top.mapping:
		return s.key(c)
	case len(s.stack) == s.root: // a second entry where one was asked for
		return false
	default:
		return isDash(c) && s.entry(n, c)
	}
}

// open takes the first content line.
func (s *scanner) open(n int, c []byte) bool {
	if s.root == 1 {
		return isDash(c) && s.push(block{indent: n}) && s.entry(n, c)
	}
	return s.push(block{indent: n, mapping: true}) && s.key(c)
}

// entry takes what follows the dash of a sequence entry at column n.
func (s *scanner) entry(n int, c []byte) bool {
	s.field = nil
	rest := c[1:]
	k := indentation(rest)
	if rest = rest[k:]; len(rest) == 0 || rest[0] == '#' {
		s.empty = true
		return true
	}
	return s.node(n+1+k, rest)
}

// node takes a value where a collection may begin: at the start of a line or
// after a dash.
func (s *scanner) node(column int, c []byte) bool {
	object := len(s.stack) == s.root // which must be a mapping
	if isDash(c) {
		s.giveUpMetadata()
		return !object && s.push(block{indent: column}) && s.entry(column, c)
	}
	key, rest, ok := splitKey(c)
	if !ok {
		s.giveUpMetadata()
		return !object && s.value(c)
	}
	return s.push(block{indent: column, mapping: true}) && s.keyed(key, rest)
}

// key takes a further line of the innermost mapping.
func (s *scanner) key(c []byte) bool {
	key, rest, ok := splitKey(c)
	return ok && s.keyed(key, rest)
}

func (s *scanner) keyed(key, rest []byte) bool {
	if len(key) > maxKey || string(key) == "<<" || !s.addKey(s.top(), key) {
		return false
	}
	s.enter(key)
	if rest = bytes.TrimLeft(rest, " "); len(rest) == 0 || rest[0] == '#' {
		s.empty = true
		return true
	}
	s.giveUpMetadata()
	return s.value(rest)
}

// addKey reports whether key is new in b, the innermost mapping.
func (s *scanner) addKey(b *block, key []byte) bool {
	own := s.keys[b.first:]
	s.keys = append(s.keys, key)
	if b.index == nil {
		for _, k := range own {
			if bytes.Equal(k, key) {
				return false
			}
		}
		if len(own) < manyKeys {
			return true
		}
		b.index = make(map[string]bool, 2*len(own))
		for _, k := range own {
			b.index[string(k)] = true
		}
	}
	if b.index[string(key)] {
		return false
	}
	b.index[string(key)] = true
	return true
}

// enter notes whether key gives a part of the object's identity.
func (s *scanner) enter(key []byte) {
	s.field, s.noValue = nil, false
	switch len(s.stack) - s.root {
	case 1:
		s.metadata = string(key) == "metadata"
		s.noValue = s.metadata
		switch string(key) {
		case "apiVersion":
			s.field = &s.out.ref.APIVersion
		case "kind":
			s.field = &s.out.ref.Kind
		case "items":
			s.out.hasItems = true
		}
	case 2:
		if s.metadata {
			switch string(key) {
			case "name":
				s.field = &s.out.ref.Name
			case "namespace":
				s.field = &s.out.ref.Namespace
			}
		}
	}
}

// giveUpField notes that the current key's value is not a simple scalar. That
// matters only where the key is a part of the identity.
func (s *scanner) giveUpField() {
	if s.field != nil {
		s.unsure = true
	}
}

// giveUpMetadata notes that the current value is no block mapping. That matters
// only where it is the object's metadata.
func (s *scanner) giveUpMetadata() {
	if s.noValue {
		s.unsure = true
	}
}

func (s *scanner) sawSequence(style seqStyle) {
	if s.out.seq == unknown {
		s.out.seq = style
	}
}

func (s *scanner) top() *block { return &s.stack[len(s.stack)-1] }

func (s *scanner) push(b block) bool {
	if len(s.stack) >= maxDepth {
		s.deep = true
		return false
	}
	b.first = len(s.keys)
	s.stack = append(s.stack, b)
	return true
}

// pop closes the innermost collection; the outermost one never closes.
func (s *scanner) pop() bool {
	if len(s.stack) == 1 {
		return false
	}
	s.keys = s.keys[:s.top().first]
	s.stack = s.stack[:len(s.stack)-1]
	return true
}

// tooDeep returns an error if scan gave up for the depth of the text, which
// starts on the given line.
func (s *scanner) tooDeep(line int) error {
	if !s.deep {
		return nil
	}
	return errorAt(line+bytes.Count(s.text[:s.next], newline)-1, "nested deeper than %d levels", maxDepth)
}
