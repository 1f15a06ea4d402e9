package krm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

func TestSet(t *testing.T) {
	type path = resource.Path
	cases := map[string]struct {
		reason, text string
		path         path
		value        any
		want, fails  string
	}{
		"new-key": {
			reason: "what leads to it is made", text: "a: 1\n",
			path: path{"b", "c"}, value: "x", want: "a: 1\nb:\n  c: x\n",
		},
		"changed-value": {
			reason: "its comment stays", text: "# head\na: old # line\nb: 1\n",
			path: path{"a"}, value: "new", want: "# head\na: new # line\nb: 1\n",
		},
		"list-replaced": {
			reason: "its entries' comments stay", text: "a:\n- old # line\n- b\n",
			path: path{"a"}, value: []string{"new", "b"}, want: "a:\n- new # line\n- b\n",
		},
		"list-grown": {
			reason: "a comment goes with its entry", text: "a:\n- c # line\n",
			path: path{"a"}, value: []string{"b", "c"}, want: "a:\n- b\n- c # line\n",
		},
		"true-is-a-string": {
			reason: "a label's value is one", text: "a: {}\n",
			path: path{"a", "x.io/y"}, value: "true", want: "a:\n  x.io/y: \"true\"\n",
		},
		"empty-parent": {
			reason: "null and {} are no values", text: "labels: null\n",
			path: path{"labels", "a"}, value: "b", want: "labels:\n  a: b\n",
		},
		"removed": {
			reason: "with the mapping that it leaves empty", text: "a:\n  b:\n    c: 1\nd: 2\n",
			path: path{"a", "b", "c"}, value: nil, want: "d: 2\n",
		},
		"removed-beside-others": {
			reason: "they stay", text: "a:\n  b: 1\n  c: 2\n",
			path: path{"a", "b"}, value: nil, want: "a:\n  c: 2\n",
		},
		"removed-twice": {
			reason: "what isn't there needs no removal", text: "a: 1\n",
			path: path{"b", "c"}, value: nil, want: "a: 1\n",
		},
		"list-entry": {
			reason: "by its index", text: "a:\n- x: 1\n- x: 2\n",
			path: path{"a", "1", "x"}, value: int64(3), want: "a:\n- x: 1\n- x: 3\n",
		},
		"list-appended": {
			reason: "behind the last", text: "a:\n- 1\n",
			path: path{"a", resource.Append}, value: map[string]any{"b": "c"}, want: "a:\n- 1\n- b: c\n",
		},
		"list-made": {
			reason: "for its first entry", text: "b: 1\n",
			path: path{"a", resource.Append}, value: "x", want: "b: 1\na:\n- x\n",
		},
		"list-entry-removed": {
			reason: "the others move up", text: "a:\n- 1\n- 2\n",
			path: path{"a", "0"}, value: nil, want: "a:\n- 2\n",
		},
		"no-such-entry": {
			reason: "a plan is made from what there is", text: "a: [1]\n",
			path: path{"a", "5"}, value: "x", fails: "no such entry",
		},
		"through-a-scalar": {
			reason: "nothing can stand below it", text: "a: text\n",
			path: path{"a", "b"}, value: "x", fails: "no mapping",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			node, err := yaml.Parse(c.text)
			require.NoError(t, err)
			err = set(node.YNode(), c.path, c.value)
			if c.fails != "" {
				require.ErrorContains(t, err, c.fails, c.reason)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.want, node.MustString(), c.reason)
		})
	}
}
