package krm

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// TestValueNode holds a value's node against the one that kyaml makes of its text.
func TestValueNode(t *testing.T) {
	strings := []string{
		"", "a", "web", "true", "True", "yes", "No", "y", "on", "null", "~", "<<", "=", "8080", "0123", "08", "1_000", "1e3", "0x1f", "1:20", "2026-01-01", ".5", ".inf", "-", "-a", "_a",
		"*.example.org", "example.org", "10.example.org", "cluster.local/ns/shop/sa/web", "cluster.local/ns/x/sa/*", "a: b", "a b", " a", "a ", "a#b", "a #b", "é", "a\nb", "a\tb", "\xff", "---", "...", "ringfence.dev/owner", "n/a", "Nan", "nan", "k8s.io/x",
	}
	for _, s := range strings {
		assertEncodes(t, s)
	}
	var keys []string
	for _, s := range strings {
		if s != "\xff" && s != "<<" {
			keys = append(keys, s)
		}
	}
	keys = append(keys, "app", "app.kubernetes.io/name", "app-name", "App", "ap", "app/name", "app_name", "a1", "a10", "a2")
	random := rand.New(rand.NewPCG(1, 0))
	var value func(depth int) any
	value = func(depth int) any {
		switch kind := random.IntN(9); {
		case kind == 0:
			return random.IntN(2) == 0
		case kind == 1:
			return random.Int64() - random.Int64()
		case kind == 2:
			return []any{nil, 1.5, 3, uint(4)}[random.IntN(4)]
		case kind <= 4 && depth > 0:
			list := make([]any, random.IntN(4))
			for i := range list {
				list[i] = value(depth - 1)
			}
			return list
		case kind <= 6 && depth > 0:
			mapping := map[string]any{}
			for range random.IntN(5) {
				mapping[keys[random.IntN(len(keys))]] = value(depth - 1)
			}
			return mapping
		}
		return strings[random.IntN(len(strings))]
	}
	for range 5_000 {
		assertEncodes(t, value(3))
	}
	assertEncodes(t, []string{"a", "8080"})
	assertEncodes(t, map[string]string{"b": "c", "a": "true", "b.c": "d"})
	assertEncodes(t, []map[string]any{{"a": "b"}})
	assert.NotNil(t, plainNode(map[string]any{"from": []any{map[string]any{"principals": []any{"cluster.local/ns/shop/sa/web"}}}}), "what policies hold is plain")
}

func assertEncodes(t *testing.T, value any) {
	t.Helper()
	got, err := valueNode(value)
	require.NoError(t, err)
	var want yaml.Node
	require.NoError(t, want.Encode(value))
	text := func(n *yaml.Node) string {
		data, err := yaml.Marshal(n)
		require.NoError(t, err)
		return string(data)
	}
	assert.Equal(t, text(&want), text(got), "%#v", value)
	assert.Equal(t, shape(&want), shape(got), "%#v", value)
}

// shape says all of a node that a reader may look at.
func shape(n *yaml.Node) string {
	out := fmt.Sprintf("%d %s %d %q", n.Kind, n.Tag, n.Style, n.Value)
	for _, child := range n.Content {
		out += " [" + shape(child) + "]"
	}
	return out
}
