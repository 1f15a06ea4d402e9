package resource

import (
	"iter"
	"slices"
)

// Set holds the objects of one build, in their order.
type Set struct {
	objects []*Object
	byKey   map[Key][]*Object
	byKind  map[kind][]*Object
	errors  []Unreadable
	words   []string  // that were looked for in objects
	lists   []*Object // see listOf
}

type kind struct{ group, name string }

// Unreadable is an object whose content was wanted and could not be read.
type Unreadable struct {
	Ref Ref
	Err error
}

// NewSet returns the set of sources.
func NewSet(sources ...Source) *Set {
	n := len(sources)
	s := &Set{objects: make([]*Object, 0, n), byKey: make(map[Key][]*Object, n), byKind: map[kind][]*Object{}}
	objects := make([]Object, n) // at once: a build holds thousands
	for i, source := range sources {
		objects[i] = Object{Source: source, set: s}
		s.add(&objects[i])
	}
	return s
}

// Add puts an object last.
func (s *Set) Add(source Source) *Object {
	o := &Object{Source: source, set: s}
	s.add(o)
	return o
}

func (s *Set) add(o *Object) {
	s.objects = append(s.objects, o)
	ref := o.Ref()
	key := ref.Key()
	if twins := s.byKey[key]; len(twins) > 0 {
		s.byKey[key] = append(twins, o)
	} else {
		s.byKey[key] = s.listOf(o)
	}
	k := kind{key.Group, ref.Kind}
	s.byKind[k] = append(s.byKind[k], o)
}

// listOf returns a list of one object. Nearly all names have one: the lists are made many at once.
func (s *Set) listOf(o *Object) []*Object {
	if len(s.lists) == 0 {
		s.lists = make([]*Object, 256)
	}
	list := s.lists[:1:1]
	s.lists = s.lists[1:]
	list[0] = o
	return list
}

// Remove takes an object out.
func (s *Set) Remove(o *Object) {
	is := func(other *Object) bool { return other == o }
	ref := o.Ref()
	s.objects = slices.DeleteFunc(s.objects, is)
	s.byKey[ref.Key()] = slices.DeleteFunc(s.byKey[ref.Key()], is)
	k := kind{ref.Group(), ref.Kind}
	s.byKind[k] = slices.DeleteFunc(s.byKind[k], is)
}

// All returns every object.
func (s *Set) All() iter.Seq[*Object] { return slices.Values(s.objects) }

// Len returns how many objects there are.
func (s *Set) Len() int { return len(s.objects) }

// Kind returns the objects of a kind, of every version of its group.
func (s *Set) Kind(group, name string) []*Object { return s.byKind[kind{group, name}] }

// Get returns the object that ref names, in whatever version, and nil when
// there is none. Of two objects of one name the first is returned; Duplicates
// tells them apart.
func (s *Set) Get(ref Ref) *Object {
	if found := s.Named(ref); len(found) > 0 {
		return found[0]
	}
	return nil
}

// Named returns every object that ref names, in whatever version.
func (s *Set) Named(ref Ref) []*Object { return s.byKey[ref.Key()] }

// Duplicates returns the objects that ref names, beyond the first.
func (s *Set) Duplicates(ref Ref) []*Object {
	if found := s.Named(ref); len(found) > 1 {
		return found[1:]
	}
	return nil
}

// wordBit returns the bit that stands for a word in the objects, 0 when there are too many words.
func (s *Set) wordBit(word string) uint64 {
	i := slices.Index(s.words, word)
	if i < 0 {
		i = len(s.words)
		if i == maxWords {
			return 0
		}
		s.words = append(s.words, word)
	}
	return 1 << i
}

// maxWords is how many bits an object has.
const maxWords = 64

// Unreadable returns the objects whose content was wanted so far and could not be read.
func (s *Set) Unreadable() []Unreadable { return s.errors }

func (s *Set) fail(o *Object, err error) {
	s.errors = append(s.errors, Unreadable{Ref: o.Ref(), Err: err})
}
