package cluster

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// set gives the field at path its value and returns the container that holds it
// now; nil removes the field, and the mappings that this leaves empty. It is what
// the functions' adapter does to a text.
func set(container any, path resource.Path, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	switch at := container.(type) {
	case nil:
		if value == nil {
			return nil, nil
		}
		if _, err := strconv.Atoi(path[0]); err == nil || path[0] == resource.Append {
			return set([]any{}, path, value)
		}
		return set(map[string]any{}, path, value)
	case map[string]any:
		return setKey(at, path, value)
	case []any:
		return setIndex(at, path, value)
	default:
		return nil, fmt.Errorf("%s: its parent is no mapping", path)
	}
}

func setKey(at map[string]any, path resource.Path, value any) (any, error) {
	before, found := at[path[0]]
	if !found && value == nil {
		return at, nil
	}
	after, err := set(before, path[1:], value)
	if err != nil {
		return nil, err
	}
	if empty, ok := after.(map[string]any); value == nil && (len(path) == 1 || ok && len(empty) == 0) {
		delete(at, path[0])
		return at, nil
	}
	at[path[0]] = after
	return at, nil
}

func setIndex(at []any, path resource.Path, value any) (any, error) {
	if path[0] == resource.Append && value != nil {
		after, err := set(nil, path[1:], value)
		return append(at, after), err
	}
	i, err := strconv.Atoi(path[0])
	if err != nil || i < 0 || i >= len(at) {
		return nil, fmt.Errorf("%s: there is no such entry in a list of %d", path, len(at))
	}
	if value == nil && len(path) == 1 {
		return slices.Delete(at, i, i+1), nil
	}
	at[i], err = set(at[i], path[1:], value)
	return at, err
}
