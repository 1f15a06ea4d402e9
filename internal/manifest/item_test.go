package manifest

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

func TestDecode(t *testing.T) {
	d, err := ReadStream([]byte(`kind: A
int: 8
octal: 010
big: 18446744073709551615
float: 1.5
exponent: 1e3
date: 2024-01-02
time: 2001-12-14t21:59:43Z
yes: yes
true: "true"
bool: True
empty:
nothing: ~
list: [1, [a], {}]
text: |
  a
  b
alias: &x {a: b}
copy:
  <<: [{a: e, f: g}, *x, {f: h, i: j}]
  c: d
  i: k
"<<": l
binary: !!binary aGk=
`))
	require.NoError(t, err)
	_, err = d.Items()[0].Decode()
	require.ErrorContains(t, err, `decoding A (no name): the key "true" is the truth value true, not a string: quote it`)

	require.NoError(t, d.Items()[0].Edit(func(n *kyaml.RNode) error {
		return n.PipeE(kyaml.Clear("true"))
	}))
	require.NoError(t, d.Items()[0].Edit(func(n *kyaml.RNode) error {
		return n.PipeE(kyaml.SetField("new", kyaml.NewRNode(&kyaml.Node{Kind: kyaml.ScalarNode, Tag: kyaml.NodeTagInt, Value: "9"})))
	}))
	got, err := d.Items()[0].Decode()
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"kind": "A", "int": int64(8), "octal": int64(8), "big": float64(18446744073709551615), "float": 1.5, "exponent": 1e3,
		"date": "2024-01-02", "time": "2001-12-14t21:59:43Z", "yes": "yes", "bool": true, "empty": nil, "nothing": nil,
		"list": []any{int64(1), []any{"a"}, map[string]any{}}, "text": "a\nb\n",
		"alias": map[string]any{"a": "b"}, "copy": map[string]any{"a": "e", "f": "g", "c": "d", "i": "k"}, "<<": "l", "binary": "hi", "new": int64(9),
	}, got)
}

func TestDecodeRefused(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"number as a key": {"kind: A\ndata:\n  8080: x\n", `the key "8080" is the number 8080, not a string: quote it`},
		"null as a key":   {"kind: A\ndata:\n  ~: x\n", `the key "~" is nothing (null)`},
		"infinity":        {"kind: A\na: .inf\n", ".inf is no number in JSON"},
		"not a number":    {"kind: A\na: .nan\n", ".nan is no number in JSON"},
		"no base 64":      {"kind: A\na: !!binary '%'\n", "base64"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadStream([]byte(tc.text))
			require.NoError(t, err)
			_, err = d.Items()[0].Decode()
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestItem(t *testing.T) {
	d, err := ReadList([]byte(head + "items:\n  # a\n  - kind: A\n    a:\n      - |\n        b\n\n          c\n\n  -   kind: B\n      a: b\n  -\n    kind: C\n  - # d\n    kind: D\n"))
	require.NoError(t, err)
	var lines []int
	var texts []string
	for _, it := range d.Items() {
		lines = append(lines, it.Line())
		texts = append(texts, string(it.Text()))
		require.Nil(t, it.node, "nothing was parsed")
	}
	require.Equal(t, []int{5, 12, 14, 16}, lines)
	require.Equal(t, []string{"kind: A\na:\n  - |\n    b\n\n      c\n", "kind: B\na: b\n", "\nkind: C\n", "# d\nkind: D\n"}, texts)

	node, err := d.Items()[0].Node()
	require.NoError(t, err)
	again, err := d.Items()[0].Node()
	require.NoError(t, err)
	require.Same(t, node, again, "an object is parsed once")

	added := d.Append(node)
	require.Equal(t, resource.Ref{Kind: "A"}, added.Ref())
	require.Zero(t, added.Line())
	require.NoError(t, added.Edit(annotate))
	require.Empty(t, node.GetAnnotations(), "what was appended is a copy")
	require.Len(t, d.Items(), 5)
}

func TestEdit(t *testing.T) {
	text := "kind: A\nmetadata:\n  name: a\n"
	d, err := ReadStream([]byte(text))
	require.NoError(t, err)
	it := d.Items()[0]

	no := errors.New("no")
	err = it.Edit(func(n *kyaml.RNode) error {
		require.NoError(t, annotate(n))
		return no
	})
	require.ErrorIs(t, err, no)
	require.EqualError(t, err, "editing A a: no")
	node, err := it.Node()
	require.NoError(t, err)
	require.Empty(t, node.GetAnnotations(), "a failed edit leaves nothing behind")

	err = it.Edit(func(n *kyaml.RNode) error { return n.PipeE(kyaml.SetField("kind", kyaml.NewListRNode())) })
	require.EqualError(t, err, "editing A a: kind is a list, not a string")
	out, err := d.Bytes()
	require.NoError(t, err)
	require.Equal(t, text, string(out))

	require.NoError(t, it.Edit(func(n *kyaml.RNode) error { return n.SetName("b") }))
	require.Equal(t, "A b", it.Ref().String(), "an edit may rename")
	require.Equal(t, "kind: A\nmetadata:\n  name: b\n", string(it.Text()))
	require.True(t, it.Mentions("b"))
}

func TestMentions(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		yes    []string
		no     []string
		unsure []string // true before the object is parsed
	}{
		"plain": {
			text: "kind: A\nweb-app: x.example.com:8080\n",
			yes:  []string{"web-app", "x.example.com:8080", "", "kind"}, no: []string{"web-application", "y"}, unsure: []string{"'web-app'"},
		},
		"code points":  {text: "kind: A\na: \"w\\x65b\"\n", yes: []string{"web"}, unsure: []string{"other"}},
		"joined lines": {text: "kind: A\na: \"we\\\n  b\"\n", yes: []string{"web"}, unsure: []string{"other"}},
		"folded lines": {text: "kind: A\na: b\n  c\n", yes: []string{"b c"}, unsure: []string{"c b"}, no: []string{"b x"}},
		"quotes":       {text: "kind: A\na: 'it''s'\nb: \"\\\"x\\\"\"\n", yes: []string{"it's", `"x"`}, no: []string{"it's not"}},
		"escapes":      {text: "kind: A\na: \"b\\tc\\n\"\n", yes: []string{"b\tc\n"}, no: []string{"bc", "b\tx"}, unsure: []string{"tc"}},
		"comments":     {text: "kind: A # web\n", unsure: []string{"web"}},
		"aliases":      {text: "kind: A\na: &x [web]\nb: *x\n", yes: []string{"web"}, no: []string{"*x"}},
		"not ASCII":    {text: "kind: A\na: \"\\u00e9\"\nb: ü\n", yes: []string{"é", "ü"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadStream([]byte(tc.text))
			require.NoError(t, err)
			it := d.Items()[0]
			for _, s := range append(tc.yes, tc.unsure...) {
				require.True(t, textMentions(it.text, s, func() bool { return hasHiding(it.text) }), "%q", s)
			}
			if name != "aliases" {
				require.Nil(t, it.node, "nothing was parsed")
				for _, s := range tc.no {
					require.False(t, it.Mentions(s), "%q", s)
				}
			}
			_, err = it.Node()
			require.NoError(t, err)
			for _, s := range tc.yes {
				require.True(t, it.Mentions(s), "%q in the parsed object", s)
			}
			for _, s := range append(tc.no, tc.unsure...) {
				require.False(t, it.Mentions(s), "%q in the parsed object", s)
			}
		})
	}
}
