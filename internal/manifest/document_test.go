package manifest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

const policy = `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: web}
spec:
  rules:
  - from:
    - source:
        principals: [a, b]
`

// change is what a case does to a document.
type change func(t *testing.T, d *Document)

func appendPolicy(_ *testing.T, d *Document) { d.Append(kyaml.MustParse(policy)) }

func remove(i int) change {
	return func(_ *testing.T, d *Document) { d.Remove(d.Items()[i]) }
}

func edit(i int, field, value string) change {
	return func(t *testing.T, d *Document) {
		t.Helper()
		require.NoError(t, d.Items()[i].Edit(func(n *kyaml.RNode) error {
			return n.PipeE(kyaml.SetField(field, kyaml.NewStringRNode(value)))
		}))
	}
}

func results(text string) change {
	return func(_ *testing.T, d *Document) {
		if text == "" {
			d.SetResults(nil)
			return
		}
		d.SetResults(kyaml.MustParse(text))
	}
}

func TestChanges(t *testing.T) {
	for name, tc := range map[string]struct {
		stream, list string
		changes      []change
		want         string
		reason       string
	}{
		"append to a compact list": {
			list: head + "items:\n- kind: A\n  a:\n  - b\n# end\nfunctionConfig:\n  c: d\n", changes: []change{appendPolicy},
			want: head + "items:\n- kind: A\n  a:\n  - b\n- apiVersion: security.istio.io/v1\n  kind: AuthorizationPolicy\n  metadata:\n    name: web\n" +
				"  spec:\n    rules:\n    - from:\n      - source:\n          principals:\n          - a\n          - b\n# end\nfunctionConfig:\n  c: d\n",
			reason: "in block style, after the last object",
		},
		"append to a wide list": {
			list: head + "items:\n  - kind: A\n", changes: []change{appendPolicy},
			want: head + "items:\n  - kind: A\n  - apiVersion: security.istio.io/v1\n    kind: AuthorizationPolicy\n    metadata:\n      name: web\n" +
				"    spec:\n      rules:\n        - from:\n            - source:\n                principals:\n                  - a\n                  - b\n",
			reason: "sequences as the list's own",
		},
		"append to an empty list": {
			list: head + "items: [] # none\nx: y\n", changes: []change{func(_ *testing.T, d *Document) { d.Append(kyaml.MustParse("kind: A")) }},
			want: head + "items: # none\n- kind: A\nx: y\n", reason: "[] makes way",
		},
		"append to a null list": {
			list: head + "items:\n# c\n", changes: []change{func(_ *testing.T, d *Document) { d.Append(kyaml.MustParse("kind: A")) }},
			want: head + "items:\n- kind: A\n# c\n",
		},
		"append where no list is": {
			list: head + "# end\n...\n", changes: []change{func(_ *testing.T, d *Document) { d.Append(kyaml.MustParse("kind: A")) }},
			want: head + "# end\nitems:\n- kind: A\n...\n", reason: "the key is added, before the end of the document",
		},
		"append without a last line break": {
			list: head + "items:\n- kind: A", changes: []change{func(_ *testing.T, d *Document) { d.Append(kyaml.MustParse("kind: B")) }},
			want: head + "items:\n- kind: A\n- kind: B\n",
		},
		"append after an open block scalar": {
			list: head + "items:\n- kind: A\n  a: |\n    text", changes: []change{func(_ *testing.T, d *Document) { d.Append(kyaml.MustParse("kind: B")) }},
			want: head + "items:\n- kind: A\n  a: |-\n    text\n- kind: B\n", reason: "without a line break its value has none",
		},
		"append and remove": {
			list: head + "items:\n- kind: A\n", changes: []change{appendPolicy, remove(1)}, want: head + "items:\n- kind: A\n",
		},
		"remove keeps comments": {
			list: head + "items:\n# a\n- kind: A\n\n# b\n- kind: B # x\n\n\n# c\n- kind: C\n", changes: []change{remove(1)},
			want: head + "items:\n# a\n- kind: A\n\n# b\n# c\n- kind: C\n", reason: "a comment inside the object goes with it",
		},
		"remove the last": {
			list: head + "items: # all\n- kind: A\nfunctionConfig:\n  c: d\n", changes: []change{remove(0)},
			want: head + "items: [] # all\nfunctionConfig:\n  c: d\n", reason: "no items are an empty list, not null",
		},
		"remove all, append one": {
			list: head + "items:\n- kind: A\n", changes: []change{remove(0), edit0("kind: B")}, want: head + "items:\n- kind: B\n",
		},
		"remove before a deep comment": {
			list: head + "items:\n- kind: A\n  a: |\n    text\n- kind: B\n      # deep\n- kind: C\n", changes: []change{remove(1)},
			want: head + "items:\n- kind: A\n  a: |\n    text\n# deep\n- kind: C\n", reason: "the comment must not become text",
		},
		"edit keeps comments": {
			list:    head + "items:\n  # of a\n  - kind: A # kind\n    # of c\n    c:   d\n\n    l:\n      - e\n    # last\n\n  - kind:   B\n",
			changes: []change{edit(0, "c", "x")},
			want:    head + "items:\n  # of a\n  - kind: A # kind\n    # of c\n    c: x\n    l:\n      - e\n    # last\n\n  - kind:   B\n",
			reason:  "blank lines and alignment of the edited object go, those of others stay",
		},
		"edit under a comment": {
			list: head + "items:\n- # of a\n  kind: A\n  b: c\n", changes: []change{edit(0, "b", "x")},
			want: head + "items:\n- # of a\n  kind: A\n  b: x\n", reason: "kpt writes such comments",
		},
		"edit flow style": {
			stream: "{\"kind\": \"A\", \"a\": {\"b\": [1]}, \"e\": []}\n", changes: []change{edit(0, "c", "d")},
			want: "\"kind\": \"A\"\n\"a\":\n  \"b\":\n  - 1\n\"e\": []\nc: d\n", reason: "comments and flow style do not mix",
		},
		"edit aliases": {
			stream: "kind: A\na: &x\n  b: c\nd: *x\n", changes: []change{edit(0, "e", "f")},
			want: "kind: A\na:\n  b: c\nd:\n  b: c\ne: f\n", reason: "an edit of one place must not change another",
		},
		"edit to the same": {
			stream: "kind:   A\nb:  'c'\n", changes: []change{edit(0, "b", "c")}, want: "kind:   A\nb:  'c'\n",
			reason: "what is there already is not written anew",
		},
		"look only": {
			stream: "kind:   A\n", changes: []change{func(t *testing.T, d *Document) {
				t.Helper()
				require.NoError(t, d.Items()[0].Edit(func(*kyaml.RNode) error { return nil }))
			}}, want: "kind:   A\n", reason: "an edit that changes nothing writes nothing anew",
		},
		"results": {
			list: head + "items:\n- kind: A\n# end", changes: []change{results("- message: m\n")},
			want: head + "items:\n- kind: A\n# end\nresults:\n- message: m\n",
		},
		"results replaced in place": {
			list: head + "results: # old\n- message: o\n# c\nitems:\n  - kind: A\n", changes: []change{results("- message: m\n")},
			want: head + "results:\n  - message: m\n# c\nitems:\n  - kind: A\n",
		},
		"results removed": {
			list: head + "results:\n- message: o\nitems: []\n", changes: []change{results("")}, want: head + "items: []\n",
		},
		"results of a stream": {
			stream: "kind: A\n", changes: []change{results("- message: m\n")}, want: "kind: A\n", reason: "it has no place for them",
		},
		"stream append": {
			stream: "kind: A\n# end\n", changes: []change{appendPolicy},
			want: "kind: A\n# end\n---\napiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata:\n  name: web\n" +
				"spec:\n  rules:\n  - from:\n    - source:\n        principals:\n        - a\n        - b\n",
		},
		"stream append after a mark": {
			stream: "kind: A\n---\n", changes: []change{edit0("kind: B")}, want: "kind: A\n---\nkind: B\n",
		},
		"stream append to nothing": {
			stream: "# c\n", changes: []change{edit0("kind: B")}, want: "# c\n---\nkind: B\n",
		},
		"stream remove first":  {stream: "kind: A\n---\nkind: B\n", changes: []change{remove(0)}, want: "---\nkind: B\n"},
		"stream remove middle": {stream: "kind: A\n---\nkind: B\n\n---\nkind: C\n", changes: []change{remove(1)}, want: "kind: A\n---\nkind: C\n"},
		"stream remove last":   {stream: "kind: A\n---\n\nkind: B\n...\n", changes: []change{remove(1)}, want: "kind: A\n"},
		"stream remove all":    {stream: "---\nkind: A\n---\nkind: B\n", changes: []change{remove(1), remove(0)}, want: ""},
		"stream remove below a comment": {
			stream: "kind: A\n---\n# b\nkind: B\n---\nkind: C\n", changes: []change{remove(1)}, want: "kind: A\n---\n# b\n---\nkind: C\n",
			reason: "a comment is not lost, nor handed to a neighbour",
		},
		"remove in JSON": {
			list:    `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [{"kind": "A"}, {"kind": "B"}]}`,
			changes: []change{remove(0), results("- message: m\n")},
			want: "\"apiVersion\": \"config.kubernetes.io/v1\"\n\"kind\": \"ResourceList\"\n\"items\":\n- {\"kind\": \"B\"}\n" +
				"results:\n- message: m\n",
			reason: "what cannot be cut is written anew",
		},
		"results removed from JSON": {
			list:    `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "results": [], "items": null}`,
			changes: []change{results(""), edit0("kind: A")},
			want:    "\"apiVersion\": \"config.kubernetes.io/v1\"\n\"kind\": \"ResourceList\"\n\"items\":\n- kind: A\n",
		},
		"edit across anchors": {
			list:    head + "items:\n- kind: A\n  l: &l\n    a: b\n- kind: B\n  l: *l\n",
			changes: []change{edit(0, "c", "d")},
			want:    head + "items:\n- kind: A\n  l:\n    a: b\n  c: d\n- kind: B\n  l:\n    a: b\n",
			reason:  "aliases are expanded, or one object's edit would be another's",
		},
		"nothing at all": {list: head + "items:\n- kind: A\n  l: &l\n    a: b\n- kind: B\n  l: *l", want: head + "items:\n- kind: A\n  l: &l\n    a: b\n- kind: B\n  l: *l"},
	} {
		t.Run(name, func(t *testing.T) {
			read, text := ReadStream, tc.stream
			if tc.list != "" {
				read, text = ReadList, tc.list
			}
			d, err := read([]byte(text))
			require.NoError(t, err)
			for _, change := range tc.changes {
				change(t, d)
			}
			out, err := d.Bytes()
			require.NoError(t, err)
			require.Equal(t, tc.want, string(out), tc.reason)
			var b bytes.Buffer
			n, err := d.WriteTo(&b)
			require.NoError(t, err)
			require.Equal(t, tc.want, b.String())
			require.Equal(t, int64(len(tc.want)), n)
		})
	}
}

// edit0 appends an object.
func edit0(text string) change {
	return func(_ *testing.T, d *Document) { d.Append(kyaml.MustParse(text)) }
}

// What kyaml's writer gets wrong is still written right.
func TestWriterFaults(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"null in flow style":     {"kind: A\na: {b, c: }\n", "kind: A\na: {b: null, c: null}\n"},
		"folded, indented":       {"kind: A\na: >\n  b\n    c\n  d\n", "kind: A\na: |\n  b\n    c\n  d\n"},
		"folded, blank at end":   {"kind: A\na: >+\n  b\n\n", "kind: A\na: |+\n  b\n\n"},
		"block begins by a tab":  {"kind: A\na: |1\n \tb\n c\n", "kind: A\na: \"\\tb\\nc\\n\"\n"},
		"line separator":         {"kind: A\na: |\n  b\u2028  c\n", "kind: A\na: \"b\\Lc\\n\"\n"},
		"comment in flow style":  {"kind: A\na: {b: c, # d\n  e: f}\n", ""},
		"block begins by spaces": {"kind: A\na: |2\n    b\n  c\n", "kind: A\na: |2\n    b\n  c\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadStream([]byte(tc.text))
			require.NoError(t, err)
			node, err := d.Items()[0].Node()
			require.NoError(t, err)
			before := describeOurs(node.YNode())
			d.Items()[0].changed, d.Items()[0].stale = true, true
			out, err := d.Bytes()
			require.NoError(t, err)
			if tc.want != "" {
				require.Equal(t, tc.want, string(out))
			}
			objects, err := wholeParse(out)
			require.NoError(t, err, "%s", out)
			require.Equal(t, before, describe(objects[0]), "%s", out)
		})
	}
}
