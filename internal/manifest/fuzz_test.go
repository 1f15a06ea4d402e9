package manifest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

func FuzzReadList(f *testing.F) {
	for _, text := range styles {
		f.Add([]byte(listOf(text)))
	}
	for _, text := range frames {
		f.Add([]byte(text))
	}
	for _, text := range once {
		f.Add([]byte(text.list))
	}
	f.Add([]byte("functionConfig: {a: b}\nitems:\n- kind: A\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, ReadList, data)
		fuzzRead(t, ReadList, append([]byte("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"), data...))
	})
}

func FuzzReadStream(f *testing.F) {
	for _, text := range styles {
		f.Add([]byte(text))
		f.Add([]byte("# head\n---\n" + text + "---\n" + text + "\n# tail\n..."))
	}
	for _, text := range once {
		f.Add([]byte(text.stream))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzRead(t, ReadStream, data)
	})
}

// fuzzRead reports whether data is accepted.
func fuzzRead(t *testing.T, read func([]byte) (*Document, error), data []byte) bool {
	t.Helper()
	d, err := read(data)
	if err != nil {
		return false
	}
	requireAgrees(t, d, data)
	if len(d.Items()) > 0 {
		requireChanges(t, read, data, len(data))
	}
	return true
}

func FuzzMentions(f *testing.F) {
	for _, text := range styles {
		f.Add([]byte(text), "web")
	}
	f.Add([]byte("kind: \"\\x41b\"\n"), "Ab")
	f.Add([]byte("kind: \"a\\\n  b\"\n"), "ab")
	f.Add([]byte("kind: a\n  b\n"), "a b")
	f.Fuzz(func(t *testing.T, data []byte, s string) {
		d, err := ReadStream(data)
		if err != nil {
			return
		}
		for _, it := range d.Items() {
			text := it.Mentions(s)
			node, err := it.Node()
			require.NoError(t, err)
			if holds(node.YNode(), s) {
				require.True(t, text, "%q is in the text, or so the parser says", s)
				require.True(t, it.Mentions(s), "%q is in the node", s)
			}
			for _, scalar := range scalars(node.YNode()) {
				require.True(t, textMentions(it.text, scalar, func() bool { return hasHiding(it.text) }), "%q", scalar)
			}
		}
	})
}

// holds reports whether a scalar below n contains s.
func holds(n *kyaml.Node, s string) bool {
	for _, scalar := range scalars(n) {
		if strings.Contains(scalar, s) {
			return true
		}
	}
	return false
}

func scalars(n *kyaml.Node) []string {
	if n.Kind == kyaml.ScalarNode {
		return []string{n.Value}
	}
	var all []string
	for _, child := range n.Content {
		all = append(all, scalars(child)...)
	}
	return all
}
