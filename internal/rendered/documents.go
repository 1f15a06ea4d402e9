package rendered

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// stream is the text of one file.
type stream struct {
	file string
	text []byte
	// limit is what a document may become, in bytes.
	limit int64
	add   func(*Item)
}

// read reads every document.
func (s stream) read() error {
	switch {
	case !utf8.Valid(s.text):
		return fmt.Errorf("reading %q: it is no text in UTF-8", s.file)
	case s.isJSON():
		return s.json()
	default:
		return s.yaml()
	}
}

// isJSON reports whether the text is to be read as JSON. Most of JSON is YAML, but
// not tabs before a key, nor letters beyond U+FFFF in escapes.
func (s stream) isJSON() bool {
	if filepath.Ext(s.file) == ".json" {
		return true
	}
	text := bytes.TrimLeft(s.text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text)
}

// json reads values one behind the other. Of two keys of one name the last one
// counts, as it does for an API server.
func (s stream) json() error {
	decoder := json.NewDecoder(bytes.NewReader(s.text))
	decoder.UseNumber()
	for {
		rest := bytes.TrimLeft(s.text[decoder.InputOffset():], " \t\r\n")
		line := s.line(len(s.text) - len(rest))
		var value any
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
				line = s.line(int(syntax.Offset))
			}
			return s.fault(line, fmt.Errorf("it is no JSON: %w", err))
		}
		if err := s.document(line, value); err != nil {
			return err
		}
	}
}

func (s stream) line(offset int) int {
	return 1 + bytes.Count(s.text[:min(offset, len(s.text))], []byte("\n"))
}

// yaml reads documents separated by "---". A document that can't be read ends it:
// what follows may be a part of it.
func (s stream) yaml() error {
	decoder := yaml.NewDecoder(bytes.NewReader(s.text))
	for {
		root, err := next(decoder)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return s.fault(0, fmt.Errorf("it is no YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))) // which gives the line
		}
		if root == nil {
			continue
		}
		value, err := valueOf(root, s.limit)
		if err != nil {
			return s.fault(root.Line, err)
		}
		if err := s.document(root.Line, value); err != nil {
			return err
		}
	}
}

func (s stream) document(line int, value any) error {
	d := document{file: s.file, add: s.add}
	if err := d.take(line, value); err != nil {
		return s.fault(line, err)
	}
	return nil
}

func (s stream) fault(line int, err error) error {
	if line == 0 {
		return fmt.Errorf("reading %q: %w", s.file, err)
	}
	return fmt.Errorf("reading %q: line %d: %w", s.file, line, err)
}

// next returns the root of the next document, nil where it is empty. yaml.v3
// panics where it finds a fault of its own; that is no reason to end a process.
func next(decoder *yaml.Decoder) (root *yaml.Node, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("the YAML library failed: %v", panicked)
		}
	}()
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil || len(document.Content) == 0 {
		return nil, err
	}
	return document.Content[0], nil
}
