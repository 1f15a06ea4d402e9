package ansible

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// environment looks a variable up.
type environment func(name string) (value string, ok bool)

// What a value must be; the texts follow "we were unable to convert to …:". None
// of them holds the value, which may be secret.
var (
	errText    = errors.New("give a text")
	errBool    = errors.New("give one of yes, no, on, off, true, false, y, n, t, f, 1, 0")
	errInt     = errors.New("give a whole number of 64 bits")
	errFloat   = errors.New("give a number")
	errList    = errors.New("give a list, or its entries in one text with commas between")
	errDict    = errors.New("give a mapping, a JSON object, or k1=v1, k2=v2")
	errNothing = errors.New("give a value")
	errUnknown = errors.New("there is no such type")
)

// convert returns a JSON value as one of type t, as Ansible's own modules convert
// it, for `k=v` arguments and variables of the environment are texts. It differs
// where theirs guess: lists and mappings are no texts, infinity is no number.
func convert(value any, t Type, env environment) (any, error) {
	switch t {
	case String, "":
		return toText(value)
	case Path:
		return toPath(value, env)
	case Bool:
		return toBool(value)
	case Int:
		return toInt(value)
	case Float:
		return toFloat(value)
	case List:
		return toList(value)
	case Dict:
		return toDict(value)
	case Raw:
		return value, nil
	default:
		return nil, errUnknown
	}
}

func toText(value any) (any, error) {
	switch value.(type) {
	case string, bool, int64, float64, json.Number:
		return text(value), nil
	default:
		return nil, errText
	}
}

// text writes a scalar as Python does.
func text(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case bool:
		if value {
			return "True"
		}
		return "False"
	case float64:
		form := byte('e')
		if size := math.Abs(value); size == 0 || size >= 1e-4 && size < 1e16 {
			form = 'f'
		}
		s := strconv.FormatFloat(value, form, -1, 64)
		if form == 'f' && !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	default:
		return fmt.Sprint(value)
	}
}

// truths are the words for truth values.
var truths = map[string]bool{
	"y": true, "yes": true, "on": true, "1": true, "true": true, "t": true,
	"n": false, "no": false, "off": false, "0": false, "false": false, "f": false,
}

func toBool(value any) (any, error) {
	word := ""
	switch value := value.(type) {
	case bool:
		return value, nil
	case string:
		word = strings.ToLower(strings.TrimSpace(value))
	case int64, float64:
		word = strings.TrimSuffix(text(value), ".0")
	}
	if truth, ok := truths[word]; ok {
		return truth, nil
	}
	return nil, errBool
}

func toInt(value any) (any, error) {
	switch value := value.(type) {
	case int64:
		return value, nil
	case float64:
		// Above 2^53 a float isn't one whole number any more.
		if value == math.Trunc(value) && math.Abs(value) <= 1<<53 {
			return int64(value), nil
		}
	case string:
		value = strings.TrimSpace(value)
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return n, nil
		}
		if f, err := toFloat(value); err == nil {
			return toInt(f)
		}
	}
	return nil, errInt
}

func toFloat(value any) (any, error) {
	switch value := value.(type) {
	case float64:
		return value, nil
	case int64:
		return float64(value), nil
	case json.Number:
		return toFloat(string(value))
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err == nil && !math.IsNaN(f) && !math.IsInf(f, 0) {
			return f, nil
		}
	}
	return nil, errFloat
}

func toList(value any) (any, error) {
	switch value := value.(type) {
	case []any:
		return value, nil
	case int64, float64, json.Number, bool:
		return []any{text(value)}, nil
	case string:
		trimmed := strings.TrimSpace(value)
		if trimmed == "" {
			return []any{}, nil
		}
		if strings.HasPrefix(trimmed, "[") {
			if list, ok := fromJSON(trimmed).([]any); ok {
				return list, nil
			}
		}
		parts := strings.Split(value, ",")
		out := make([]any, len(parts))
		for i, part := range parts {
			out[i] = strings.TrimSpace(part)
		}
		return out, nil
	default:
		return nil, errList
	}
}

func toDict(value any) (map[string]any, error) {
	switch value := value.(type) {
	case map[string]any:
		return value, nil
	case string:
		if strings.HasPrefix(strings.TrimSpace(value), "{") {
			if mapping, ok := fromJSON(value).(map[string]any); ok {
				return mapping, nil
			}
			return nil, errDict
		}
		return pairs(value)
	default:
		return nil, errDict
	}
}

// pairs reads "k1=v1, k2='v 2'": commas and blanks part, quotes hold together, a
// backslash takes the next letter as it is.
func pairs(text string) (map[string]any, error) {
	out := map[string]any{}
	var (
		field   strings.Builder
		quote   rune
		escaped bool
	)
	end := func() error {
		if field.Len() == 0 {
			return nil
		}
		key, value, ok := strings.Cut(field.String(), "=")
		if !ok {
			return errDict
		}
		out[key] = value
		field.Reset()
		return nil
	}
	for _, r := range strings.TrimSpace(text) {
		switch {
		case escaped:
			field.WriteRune(r)
			escaped = false
		case r == '\\':
			escaped = true
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == ',' || r == ' '):
			if err := end(); err != nil {
				return nil, err
			}
		default:
			field.WriteRune(r)
		}
	}
	if err := end(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errDict
	}
	return out, nil
}
