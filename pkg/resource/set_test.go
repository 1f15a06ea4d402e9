package resource

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// source is an object of a text, which counts how often it is searched.
type source struct {
	ref      Ref
	text     string
	searches int
}

func (s *source) Ref() Ref                        { return s.ref }
func (s *source) Decode() (map[string]any, error) { return map[string]any{}, nil }
func (s *source) Mentions(word string) bool {
	s.searches++
	return strings.Contains(s.text, word)
}

func TestMentions(t *testing.T) {
	s := &source{text: "one two"}
	o := NewSet(s).objects[0]
	for range 3 {
		assert.True(t, o.Mentions("one"))
		assert.False(t, o.Mentions("three"))
	}
	assert.Equal(t, 2, s.searches, "each word is looked for once")
	s.text = "three"
	o.Reload()
	assert.False(t, o.Mentions("one"), "the text has changed")
	assert.True(t, o.Mentions("three"))
	for i := range 2 * maxWords {
		assert.False(t, o.Mentions(fmt.Sprint("word ", i)), "more words than bits")
	}
	assert.True(t, o.Mentions("three"))
}

func TestTyped(t *testing.T) {
	o := NewSet().Add(&source{})
	reads := 0
	read := func() any { reads++; return reads }
	assert.Equal(t, 1, o.Typed(read))
	assert.Equal(t, 1, o.Typed(read), "it is read once")
	o.Reload()
	assert.Equal(t, 2, o.Typed(read), "and once more when the object has changed")
}

// TestSet takes objects out of a set that has twins, and puts others in.
func TestSet(t *testing.T) {
	ref := func(i int) Ref {
		return Ref{APIVersion: "v1", Kind: "ConfigMap", Name: fmt.Sprint(i % 400)}
	}
	var sources []Source
	for i := range 500 {
		sources = append(sources, &source{ref: ref(i)})
	}
	set := NewSet(sources...)
	for _, o := range slices.Collect(set.All())[:100] {
		set.Remove(o)
	}
	set.Add(&source{ref: ref(399)})
	assert.Equal(t, 401, set.Len())
	for i := range 400 {
		want := 1
		if i == 399 {
			want = 2
		}
		found := set.Named(ref(i))
		assert.Len(t, found, want, i)
		for _, o := range found {
			assert.Equal(t, ref(i), o.Ref())
		}
	}
	assert.Len(t, set.Kind("", "ConfigMap"), 401)
}
