package ansible

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What stands in place of a secret: of a whole value, and within a text. They
// are those of Ansible's own modules.
const (
	maskedValue = "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
	maskedText  = "********"
)

// secrets are the texts that no output may hold. The zero value holds none.
type secrets struct {
	texts map[string]bool
	// longest are the texts, the longest first; nil after a new one.
	longest []string
}

// add adds a value in each form in which an error or a document may repeat it.
func (s *secrets) add(value string) {
	for _, form := range forms(value) {
		if form != "" && !s.texts[form] {
			if s.texts == nil {
				s.texts = map[string]bool{}
			}
			s.texts[form], s.longest = true, nil
		}
	}
}

// addAll adds each text and number within a value, as Ansible does: the keys of
// a mapping are names, and truth values are no secrets.
func (s *secrets) addAll(value any) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			s.addAll(v)
		}
	case []any:
		for _, v := range value {
			s.addAll(v)
		}
	case nil, bool:
	case float64:
		s.add(text(value))
		s.add(strconv.FormatFloat(value, 'g', -1, 64))
	default:
		s.add(text(value))
	}
}

// secretField is the name of a field that holds a credential, in a kubeconfig or
// anywhere else.
var secretField = regexp.MustCompile(`(?i)token|passw|secret|key-data|private|api[_-]?key|cookie`)

// addFields adds what stands in the fields of a document whose names say that
// they are secret.
func (s *secrets) addFields(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			if secretField.MatchString(name) && !strings.HasSuffix(strings.ToLower(name), "file") {
				s.addAll(v)
			}
			s.addFields(v)
		}
	case []any:
		for _, v := range value {
			s.addFields(v)
		}
	}
}

// text returns a text without the secrets in it.
func (s *secrets) text(in string) string {
	if len(s.texts) == 0 {
		return in
	}
	if s.texts[in] {
		return maskedValue
	}
	spans := s.find(in)
	if len(spans) == 0 {
		return in
	}
	var b strings.Builder
	end := 0
	for _, sp := range spans {
		b.WriteString(in[end:sp.from])
		b.WriteString(maskedText)
		end = sp.to
	}
	b.WriteString(in[end:])
	return b.String()
}

type span struct{ from, to int }

// find returns where secrets are. Those that overlap are one: to replace one
// after the other would leave the rest of the second.
func (s *secrets) find(in string) []span {
	if s.longest == nil {
		s.longest = slices.SortedFunc(maps.Keys(s.texts), func(a, b string) int {
			if len(a) != len(b) {
				return len(b) - len(a)
			}
			return strings.Compare(a, b)
		})
	}
	var all []span
	for _, secret := range s.longest {
		for from := 0; ; {
			i := strings.Index(in[from:], secret)
			if i < 0 {
				break
			}
			all = append(all, span{from + i, from + i + len(secret)})
			from += i + len(secret)
		}
	}
	slices.SortFunc(all, func(a, b span) int { return a.from - b.from })
	out := all[:0]
	for _, sp := range all {
		if last := len(out) - 1; last >= 0 && sp.from < out[last].to {
			out[last].to = max(out[last].to, sp.to)
			continue
		}
		out = append(out, sp)
	}
	return out
}

// value returns a JSON value without the secrets in it. Keys that are public
// names stay; others are texts as well.
func (s *secrets) value(in any, public map[string]bool) any {
	switch in := in.(type) {
	case string:
		return s.text(in)
	case []any:
		out := make([]any, len(in))
		for i, v := range in {
			out[i] = s.value(v, public)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(in))
		for _, key := range slices.Sorted(maps.Keys(in)) {
			out[s.key(key, out, public)] = s.value(in[key], public)
		}
		return out
	case nil, bool:
		return in
	default:
		if t := text(in); s.text(t) != t {
			return maskedValue
		}
		return in
	}
}

// key returns a key without secrets; entries don't get lost where two become the same.
func (s *secrets) key(key string, taken map[string]any, public map[string]bool) string {
	if public[key] {
		return key
	}
	masked := s.text(key)
	out := masked
	for i := 2; ; i++ {
		if _, ok := taken[out]; !ok && !public[out] {
			return out
		}
		out = masked + "_" + strconv.Itoa(i)
	}
}
