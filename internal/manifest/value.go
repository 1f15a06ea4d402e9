package manifest

import (
	"fmt"
	"math"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// Decode returns a fresh copy of the object's content as JSON would hold it: maps
// with string keys, []any, string, bool, int64, float64 and nil. What looks like
// a date is a string. A key that is no string is an error, as is a number that
// JSON cannot hold.
func (it *Item) Decode() (map[string]any, error) {
	node, err := it.Node()
	if err != nil {
		return nil, err
	}
	v, err := toJSON(node.YNode())
	if err != nil {
		return nil, fmt.Errorf("decoding %s: %w", it.ref, err)
	}
	m, _ := v.(map[string]any)
	return m, nil
}

func toJSON(n *yaml.Node) (any, error) {
	switch {
	case n.Kind == yaml.MappingNode:
		return mapToJSON(n)
	case n.Kind == yaml.SequenceNode:
		return listToJSON(n)
	case isNull(n):
		return nil, nil
	}
	switch n.ShortTag() {
	case yaml.NodeTagBool, yaml.NodeTagInt, yaml.NodeTagFloat, "!!binary":
		return scalarToJSON(n)
	}
	return n.Value, nil
}

func listToJSON(n *yaml.Node) (any, error) {
	list := make([]any, len(n.Content))
	for i, child := range n.Content {
		v, err := toJSON(child)
		if err != nil {
			return nil, err
		}
		list[i] = v
	}
	return list, nil
}

func mapToJSON(n *yaml.Node) (any, error) {
	m := make(map[string]any, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if !isText(key) {
			return nil, fmt.Errorf("the key %q is %s, not a string: quote it", key.Value, kindOf(key))
		}
		v, err := toJSON(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		m[key.Value] = v
	}
	return m, nil
}

// scalarToJSON leaves to kyaml what a number or a truth value is.
func scalarToJSON(n *yaml.Node) (any, error) {
	var v any
	if err := n.Decode(&v); err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case int:
		return int64(x), nil
	case uint64: // more than int64 holds
		return float64(x), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%s is no number in JSON", n.Value)
		}
	}
	return v, nil
}
