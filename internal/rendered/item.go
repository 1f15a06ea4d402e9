package rendered

import (
	"bytes"
	"encoding/json"
	"fmt"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Item is one object as it was rendered. It keeps its content as JSON, and is
// read into values only when somebody asks.
type Item struct {
	ref  resource.Ref
	file string
	line int
	json []byte
}

var _ resource.Source = (*Item)(nil)

// Ref names the object.
func (i *Item) Ref() resource.Ref { return i.ref }

// Position returns the file, and the line on which the object's document begins;
// 0 for an entry of a list.
func (i *Item) Position() (file string, line int) { return i.file, i.line }

// Decode returns the content.
func (i *Item) Decode() (map[string]any, error) {
	var content map[string]any
	if err := utiljson.Unmarshal(i.json, &content); err != nil {
		return nil, fmt.Errorf("reading %s of %q: %w", i.ref, i.file, err)
	}
	return content, nil
}

// Mentions reports whether a key or value may hold s.
func (i *Item) Mentions(s string) bool {
	text, err := json.Marshal(s) // as the content was written: letter by letter, so that a part of a text is a part of its JSON
	return err != nil || bytes.Contains(i.json, bytes.Trim(text, `"`))
}
