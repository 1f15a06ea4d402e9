package resource

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
)

// Source is where an object's content comes from: a text, or an API server's answer.
type Source interface {
	// Ref names the object.
	Ref() Ref
	// Decode returns the content as JSON has it: map[string]any, []any, string, bool, int64, float64, nil.
	Decode() (map[string]any, error)
	// Mentions reports false only if no key or value of the content holds s.
	Mentions(s string) bool
}

// Object is one object as rendered.
type Object struct {
	Source
	set *Set
	// What was read already; Reload forgets it.
	content           map[string]any
	template          *PodTemplate
	loaded, templated bool
	typed             any
	// For each of the set's words, whether it was looked for and found: bits.
	searched, found uint64
}

// Mentions reports false only if no key or value of the content holds word. Each
// word is looked for once: rules ask for the same few of every object.
func (o *Object) Mentions(word string) bool {
	bit := o.set.wordBit(word)
	if bit == 0 {
		return o.Source.Mentions(word)
	}
	if o.searched&bit == 0 {
		o.searched |= bit
		if o.Source.Mentions(word) {
			o.found |= bit
		}
	}
	return o.found&bit != 0
}

// Content returns the object's content, read on first use. It belongs to the
// object and is not to be changed. An object that can't be read has none, and
// its Set keeps the error: the run that owns the Set fails.
func (o *Object) Content() map[string]any {
	if !o.loaded {
		content, err := o.Decode()
		if err != nil {
			o.set.fail(o, err)
			content = nil
		}
		o.content, o.loaded = content, true
	}
	return o.content
}

// Labels returns the object's own labels; never nil.
func (o *Object) Labels() map[string]string { return StringMap(o.Content(), "metadata", "labels") }

// Annotations returns the object's own annotations; never nil.
func (o *Object) Annotations() map[string]string {
	return StringMap(o.Content(), "metadata", "annotations")
}

// ReadInto reads the mapping at path into a typed value and reports whether it
// could; a mapping that can't be read so is kept as an error of the Set.
func (o *Object) ReadInto(out any, path ...string) bool {
	value, found := Field(o.Content(), path...)
	mapping, ok := value.(map[string]any)
	if found && !ok {
		o.set.fail(o, fmt.Errorf("reading its %s: it is no mapping", Path(path)))
		return false
	}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(mapping, out); err != nil {
		o.set.fail(o, fmt.Errorf("reading its %s: %w", Path(path), err))
		return false
	}
	return true
}

// Typed returns what read makes of the object, which it is asked for once: rules
// read the same policies again and again. The value is not to be changed. An
// object has one, so that all callers must read it into the same type.
func (o *Object) Typed(read func() any) any {
	if o.typed == nil {
		o.typed = read()
	}
	return o.typed
}

// Reload forgets the content, after its source has changed.
func (o *Object) Reload() {
	o.content, o.loaded = nil, false
	o.template, o.templated = nil, false
	o.searched, o.found = 0, 0
	o.typed = nil
}
