package ansible

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
)

// fromJSON returns the value that a text is, or nil.
func fromJSON(text string) any {
	value, err := decode([]byte(text))
	if err != nil {
		return nil
	}
	return value
}

// decode reads one JSON value. Whole numbers become int64, others float64; those
// that are larger stay the digits that they are.
func decode(text []byte) (any, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the value")
	}
	return numbers(value)
}

// numbers replaces the decoder's numbers.
func numbers(value any) (any, error) {
	var err error
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			if value[key], err = numbers(value[key]); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range value {
			if value[i], err = numbers(value[i]); err != nil {
				return nil, err
			}
		}
	case json.Number:
		if n, err := value.Int64(); err == nil {
			return n, nil
		}
		if !strings.ContainsAny(string(value), ".eE") {
			return value, nil
		}
		return value.Float64()
	}
	return value, nil
}
