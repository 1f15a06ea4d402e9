package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// schema is a JSON Schema of draft 7, which editors' YAML language servers know
// best, in the order in which people read one.
type schema struct {
	Schema        string     `json:"$schema,omitempty"`
	Title         string     `json:"title,omitempty"`
	Description   string     `json:"description,omitempty"`
	Type          any        `json:"type,omitempty"`
	Const         string     `json:"const,omitempty"`
	Enum          []string   `json:"enum,omitempty"`
	Pattern       string     `json:"pattern,omitempty"`
	MinLength     int        `json:"minLength,omitempty"`
	MaxLength     int        `json:"maxLength,omitempty"`
	Minimum       int        `json:"minimum,omitempty"`
	Maximum       int        `json:"maximum,omitempty"`
	MinItems      int        `json:"minItems,omitempty"`
	MinProperties int        `json:"minProperties,omitempty"`
	Items         *schema    `json:"items,omitempty"`
	Required      []string   `json:"required,omitempty"`
	OneOf         []schema   `json:"oneOf,omitempty"`
	Properties    properties `json:"properties,omitempty"`
	// Additional is false, or the schema of the values of a mapping.
	Additional any `json:"additionalProperties,omitempty"`
}

// properties are the fields of a struct in their order in the source.
type properties []property

type property struct {
	name string
	schema
}

// MarshalJSON writes the properties as one object.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := compact(field.schema)
		if err != nil {
			return nil, fmt.Errorf("writing %q: %w", field.name, err)
		}
		fmt.Fprintf(&b, "%q:%s", field.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// compact writes a value as JSON that people can read: "<name>" stays as it is.
func compact(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encoding %T: %w", value, err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// text writes the schema as a file.
func (s schema) text() ([]byte, error) {
	line, err := compact(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, line, "", "  "); err != nil {
		return nil, fmt.Errorf("indenting it: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
