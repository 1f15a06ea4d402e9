package manifest

// blockScalar takes a literal or folded scalar from its header on.
func (s *scanner) blockScalar(header []byte) bool {
	keep, hint, ok := readHeader(header)
	if !ok {
		return false
	}
	outer, indent := s.top().indent, 0
	if hint > 0 {
		indent = outer + hint
	}
	s.out.folded = s.out.folded || header[0] == '>'
	end, blanks := s.next, 0
	for pos := s.next; pos < len(s.text); {
		line, next := cutLine(s.text, pos)
		n := indentation(line)
		inside := indent > 0 && n >= indent
		switch {
		case inside:
			end = next
		case n == len(line):
			// Blank lines before the first content line count when YAML
			// looks for the indentation; after the last one they are kept
			// or not.
			blanks = max(blanks, n)
			if keep {
				end = next
			}
		case line[n] == '\t':
			return false
		case indent == 0 && n > outer:
			if blanks > n {
				return false
			}
			indent, end = n, next
		default:
			next = len(s.text) // a line outside: the scalar is over
		}
		pos = next
	}
	s.next = end
	s.out.blockEnd = true
	s.out.openEnd = end == len(s.text) && end > 0 && s.text[end-1] != '\n'
	return true
}

// readHeader reads "|", ">2-" and the like.
func readHeader(header []byte) (keep bool, hint int, ok bool) {
	rest, chomped := header[1:], false
	for len(rest) > 0 {
		switch b := rest[0]; {
		case (b == '+' || b == '-') && !chomped:
			keep, chomped = b == '+', true
		case '1' <= b && b <= '9' && hint == 0:
			hint = int(b - '0')
		default:
			return keep, hint, isRest(rest)
		}
		rest = rest[1:]
	}
	return keep, hint, true
}
