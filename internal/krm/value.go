package krm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// valueNode returns a value, as JSON has it, as a node: what yaml.Node.Encode
// makes of it, a test says, which writes the value as text and reads that again.
// What isn't plain enough to be certain of is left to Encode.
func valueNode(value any) (*yaml.Node, error) {
	if node := plainNode(value); node != nil {
		return node, nil
	}
	node := &yaml.Node{}
	if err := node.Encode(value); err != nil {
		return nil, fmt.Errorf("writing %v: %w", value, err)
	}
	return node, nil
}

// plainNode returns nil where Encode may see more in the value than is here.
func plainNode(value any) *yaml.Node {
	switch v := value.(type) {
	case string:
		return stringNode(v)
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagBool, Value: strconv.FormatBool(v)}
	case int64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagInt, Value: strconv.FormatInt(v, 10)}
	case []any:
		return listNode(v)
	case []string:
		return listNode(v)
	case map[string]any:
		return mapNode(v)
	case map[string]string:
		return mapNode(v)
	}
	return nil
}

func listNode[T any](list []T) *yaml.Node {
	if len(list) == 0 {
		return nil
	}
	node := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq, Content: make([]*yaml.Node, len(list))}
	for i, entry := range list {
		if node.Content[i] = plainNode(entry); node.Content[i] == nil {
			return nil
		}
	}
	return node
}

func mapNode[T any](mapping map[string]T) *yaml.Node {
	if len(mapping) == 0 {
		return nil
	}
	node := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap, Content: make([]*yaml.Node, 0, 2*len(mapping))}
	for _, key := range slices.SortedFunc(maps.Keys(mapping), compareKeys) {
		name, value := stringNode(key), plainNode(mapping[key])
		if name == nil || value == nil || strings.ContainsAny(key, "0123456789") { // digits sort by the number that they make
			return nil
		}
		node.Content = append(node.Content, name, value)
	}
	return node
}

// compareKeys orders keys without digits as Encode does: what is no letter first.
func compareKeys(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			if x, y := isLetter(a[i]), isLetter(b[i]); x != y {
				return cmp.Compare(boolInt(x), boolInt(y))
			}
			return cmp.Compare(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b))
}

func isLetter(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// words are what begins with a letter and isn't written as a plain string: some
// reader of YAML takes it for a truth value or for null.
var words = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

// stringNode returns nil for a string that Encode may quote in a way of its own.
func stringNode(s string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagString, Value: s}
	digits := s != ""
	for i := range len(s) {
		b := s[i]
		if !isLetter(b) && (b < '0' || b > '9') && strings.IndexByte("./_-", b) < 0 {
			return nil
		}
		digits = digits && '0' <= b && b <= '9'
	}
	switch {
	case digits, s == "true", s == "false":
		node.Style = yaml.DoubleQuotedStyle
	case s == "" || !isLetter(s[0]) || slices.ContainsFunc(words, func(word string) bool { return strings.EqualFold(s, word) }):
		return nil
	}
	return node
}
