package resource

import (
	"strconv"
	"strings"
)

// Path leads to a field of an object: keys of mappings, indices of lists ("0"),
// or Append.
type Path []string

// Append is the element of a path that stands behind the last entry of a list.
const Append = "-"

// String renders p as a field path: spec.template.metadata.labels["app.kubernetes.io/name"], spec.containers[0].env.
func (p Path) String() string {
	var b strings.Builder
	for i, element := range p {
		if _, err := strconv.Atoi(element); err == nil || element == Append {
			b.WriteString("[" + element + "]")
			continue
		}
		if strings.ContainsAny(element, "./[]") {
			b.WriteString("[" + strconv.Quote(element) + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(element)
	}
	return b.String()
}

// Child returns p with further elements; p stays as it is.
func (p Path) Child(elements ...string) Path {
	return append(append(make(Path, 0, len(p)+len(elements)), p...), elements...)
}

// Index returns the element of the i-th entry of the list at p.
func (p Path) Index(i int) Path { return p.Child(strconv.Itoa(i)) }

// Field returns the value at path in content, and whether there is one.
func Field(content map[string]any, path ...string) (any, bool) {
	var value any = content
	for _, element := range path {
		switch at := value.(type) {
		case map[string]any:
			next, ok := at[element]
			if !ok {
				return nil, false
			}
			value = next
		case []any:
			i, err := strconv.Atoi(element)
			if err != nil || i < 0 || i >= len(at) {
				return nil, false
			}
			value = at[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// String returns the string at path, or "".
func String(content map[string]any, path ...string) string {
	value, _ := Field(content, path...)
	s, _ := value.(string)
	return s
}

// List returns the list at path, or nil.
func List(content map[string]any, path ...string) []any {
	value, _ := Field(content, path...)
	list, _ := value.([]any)
	return list
}

// Map returns the mapping at path, or nil.
func Map(content map[string]any, path ...string) map[string]any {
	value, _ := Field(content, path...)
	m, _ := value.(map[string]any)
	return m
}

// Strings returns the string entries of the list at path.
func Strings(content map[string]any, path ...string) []string {
	var out []string
	for _, entry := range List(content, path...) {
		if s, ok := entry.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// StringMap returns the string entries of the mapping at path; never nil.
func StringMap(content map[string]any, path ...string) map[string]string {
	out := map[string]string{}
	for key, value := range Map(content, path...) {
		if s, ok := value.(string); ok {
			out[key] = s
		}
	}
	return out
}
