package ansible

import (
	"encoding/json"
	"strconv"
	"strings"
)

// but ends a message with the value that was given, where it may be shown.
func (c *checker) but(l level, o Option, value any) string {
	switch value.(type) {
	case nil, map[string]any, []any:
		return ""
	}
	if c.hides(l, o, value) {
		return ""
	}
	return ", not " + c.show(value)
}

// hides reports whether no message may hold the value.
func (c *checker) hides(l level, o Option, value any) bool {
	return c.hide || l.secret || o.hides(value)
}

// show returns a scalar as messages hold it. Secrets in it are masked before it
// is quoted and cut, for afterwards they would not be found any more.
func (c *checker) show(value any) string {
	shown := abbreviated(c.call.masked(text(value)))
	if _, ok := value.(string); ok {
		return strconv.Quote(shown)
	}
	return shown
}

// abbreviated returns as much of a text as one reads.
func abbreviated(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "..."
}

// typeOf names the type of a value as Python does.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "NoneType"
	case map[string]any:
		return string(Dict)
	case []any:
		return string(List)
	case bool:
		return string(Bool)
	case int64, json.Number:
		return string(Int)
	case float64:
		return string(Float)
	default:
		return string(String)
	}
}
