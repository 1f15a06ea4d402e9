package model

import (
	"maps"
	"reflect"
	"slices"
)

// difference returns the path of the first value in which two specs differ, and
// whether there is one. An empty list or mapping says what a missing one does;
// behind a pointer, as callers are, it says more.
func difference(a, b reflect.Value, path string, d *decoder) (string, bool) {
	switch a.Kind() {
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return path, a.IsNil() != b.IsNil()
		}
		return difference(a.Elem(), b.Elem(), path, d)
	case reflect.Struct:
		known := d.fieldsOf(a.Type())
		for _, name := range known.names {
			at := known.byName[name].index
			if where, differ := difference(a.FieldByIndex(at), b.FieldByIndex(at), join(path, name), d); differ {
				return where, true
			}
		}
		return path, len(known.names) == 0 && !a.Equal(b)
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if where, differ := difference(a.Index(i), b.Index(i), index(path, i), d); differ {
				return where, true
			}
		}
		return index(path, min(a.Len(), b.Len())), a.Len() != b.Len()
	case reflect.Map:
		keys := map[string]bool{}
		for _, key := range slices.Concat(a.MapKeys(), b.MapKeys()) {
			keys[key.String()] = true
		}
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			x, y := a.MapIndex(reflect.ValueOf(key)), b.MapIndex(reflect.ValueOf(key))
			if !x.IsValid() || !y.IsValid() {
				return join(path, key), true
			}
			if where, differ := difference(x, y, join(path, key), d); differ {
				return where, true
			}
		}
		return path, false
	default:
		return path, !a.Equal(b)
	}
}
