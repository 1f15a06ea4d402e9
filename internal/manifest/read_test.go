package manifest

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const head = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// What kustomize and kpt hand to a function, as captured from the releases in
// the files' names.
func TestCaptured(t *testing.T) {
	for name, tc := range map[string]struct {
		refs   []string
		parsed []string
		reason string
	}{
		"kustomize-v5.8.2.yaml": {
			refs:   []string{"Deployment web", "ConfigMap cm"},
			reason: "kustomize writes nothing that takes the parser",
		},
		"kpt-v1.0.0-beta.56.yaml": {
			refs:   []string{"Kptfile p", "ConfigMap cm", "Deployment web", "Ringfence conf"},
			parsed: []string{"ConfigMap cm"},
			reason: "kpt keeps the anchor that its author wrote",
		},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + name)
			require.NoError(t, err)
			d, err := ReadList(data)
			require.NoError(t, err)
			require.Nil(t, d.whole, "the list is cut by lines")
			var refs, parsed []string
			for _, it := range d.Items() {
				refs = append(refs, it.Ref().String())
				if it.node != nil {
					parsed = append(parsed, it.Ref().String())
				}
			}
			require.Equal(t, tc.refs, refs)
			require.Equal(t, tc.parsed, parsed, tc.reason)
			config, err := kyaml.Parse(string(d.FunctionConfig()))
			require.NoError(t, err)
			require.Equal(t, "Ringfence", config.GetKind())
			requireAgrees(t, d, data)
			requireChanges(t, ReadList, data, 0)
		})
	}
}

func TestReadList(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		refs   []resource.Ref
		config string
		whole  bool
		reason string
	}{
		"no items":    {text: head, reason: "a list may lack every part but its type"},
		"null items":  {text: head + "items:\n", reason: "null is no items"},
		"empty items": {text: head + "items: [] # none\nfunctionConfig: ~\n", reason: "a null functionConfig is none"},
		"quoted": {
			text: "\"apiVersion\": 'config.kubernetes.io/v1'\n'kind': \"ResourceList\"\nitems:\n- 'apiVersion': \"v1\"\n" +
				"  \"kind\": 'A'\n  metadata:\n    \"name\": 'n'\n    namespace: \"s\"\n",
			refs:   []resource.Ref{{APIVersion: "v1", Kind: "A", Namespace: "s", Name: "n"}},
			reason: "quotes are no part of a name",
		},
		"order": {
			text:   "functionConfig:\n  kind: C\nitems:\n- metadata: {name: n}\n  kind: A\nkind: ResourceList\napiVersion: config.kubernetes.io/v1\n",
			refs:   []resource.Ref{{Kind: "A", Name: "n"}},
			config: "  kind: C\n",
			reason: "keys stand in any order, of the list and of an object",
		},
		"inline config": {
			text: head + "functionConfig: {kind: C} # c\n", config: " {kind: C} # c\n", reason: "flow style is YAML on its own, too",
		},
		"not the object's": {
			text: head + "items:\n- spec:\n    kind: X\n    metadata:\n      name: x\n  metadata:\n    labels:\n      name: y\n    name: n\n" +
				"    ownerReferences:\n    - name: z\n      kind: Z\n  kind: A\n",
			refs: []resource.Ref{{Kind: "A", Name: "n"}}, reason: "only the object's own keys name it",
		},
		"names like numbers": {
			text: head + "items:\n- kind: A\n  metadata:\n    name: 3scale\n- kind: B\n  metadata:\n    name: 2024-01-02\n- kind: C\n  metadata:\n    name: '5'\n",
			refs: []resource.Ref{{Kind: "A", Name: "3scale"}, {Kind: "B", Name: "2024-01-02"}, {Kind: "C", Name: "5"}}, reason: "dates are strings in JSON",
		},
		"null names": {
			text: head + "items:\n- kind: A\n  metadata:\n    name: n\n    namespace:\n- kind: B\n  metadata: null\n- kind: C\n  metadata:\n    name: ~\n",
			refs: []resource.Ref{{Kind: "A", Name: "n"}, {Kind: "B"}, {Kind: "C"}}, reason: "null is no name",
		},
		"JSON": {
			text: `{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": [{"kind": "A"}], "functionConfig": {"a": 1}}`,
			refs: []resource.Ref{{Kind: "A"}}, config: "{\"a\": 1}\n", whole: true, reason: "JSON is YAML",
		},
		"tail": {text: head + "# c\n...\n\n---\n# end", reason: "an empty document may follow"},
		"keys between quotes": {
			text: head + "items:\n- kind: \"A\n- kind: B\"\n", refs: []resource.Ref{{Kind: "A - kind: B"}}, whole: true,
			reason: "a dash inside a quoted scalar begins no object",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadList([]byte(tc.text))
			require.NoError(t, err)
			var refs []resource.Ref
			for _, it := range d.Items() {
				refs = append(refs, it.Ref())
			}
			require.Equal(t, tc.refs, refs, tc.reason)
			require.Equal(t, tc.config, string(d.FunctionConfig()), tc.reason)
			require.Equal(t, tc.whole, d.whole != nil, tc.reason)
			requireAgrees(t, d, []byte(tc.text))
		})
	}
}

func TestReadStream(t *testing.T) {
	for name, tc := range map[string]struct {
		text   string
		lines  []int
		reason string
	}{
		"one":                    {"kind: A\n", []int{1}, ""},
		"leading mark":           {"---\nkind: A\n", []int{2}, ""},
		"marks only":             {"---\n---\n", nil, "documents without content are no objects"},
		"comments only":          {"# c\n---\n# d\n", nil, "comments are no content"},
		"null documents":         {"null\n---\n~\n---\nkind: A", []int{5}, "kustomize build prints those for empty files"},
		"ended":                  {"kind: A\n...\n# c\n---\nkind: B\n...\n", []int{1, 5}, "... ends a document"},
		"leading comment":        {"# licence\n\nkind: A\n--- # next\n\n# b\nkind: B\n", []int{3, 7}, "an object begins at its first key"},
		"mark inside a scalar":   {"kind: A\na: |\n  ---\n  b\n---\nkind: B\n", []int{1, 6}, "only the first column ends a document"},
		"indented":               {"  kind: A\n  metadata:\n    name: a\n", []int{1}, "an object may be indented"},
		"byte order mark":        {"\ufeffkind: A\n---\nkind: B\n", []int{1, 3}, "editors on Windows write it"},
		"no such mark":           {"---x: 1\nkind: A\n----: 2\n", []int{1}, "a mark stands alone"},
		"windows line breaks":    {"kind: A\r\n---\r\nkind: B\r\n", []int{1, 3}, ""},
		"ServerList without any": {"kind: AllowList\nspec: {}\n", []int{1}, "a kind may end in List and hold no objects"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := ReadStream([]byte(tc.text))
			require.NoError(t, err)
			var lines []int
			for _, it := range d.Items() {
				lines = append(lines, it.Line())
			}
			require.Equal(t, tc.lines, lines, tc.reason)
			require.Nil(t, d.FunctionConfig())
			out, err := d.Bytes()
			require.NoError(t, err)
			require.Equal(t, tc.text, string(out))
		})
	}
}

// Every refusal says where and what to do. The same objects are refused in a
// stream and in a list, unless the case is about one of them.
func TestRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		stream string
		list   string
		want   string
	}{
		"nothing":          {stream: " \n\n", want: "no input: nothing came on standard input; did the build before this fail?"},
		"nothing, list":    {list: "", want: "reading resource list: no input: nothing came on standard input"},
		"comment":          {list: "# c\n", want: "reading resource list: found no content; wanted a ResourceList"},
		"stream as list":   {list: "apiVersion: v1\nkind: A\n", want: "line 1: found apiVersion \"v1\", kind \"A\"; wanted \"config.kubernetes.io/v1\", \"ResourceList\""},
		"old list":         {list: "# c\napiVersion: config.kubernetes.io/v1alpha1\nkind: ResourceList\n", want: "line 2: found apiVersion \"config.kubernetes.io/v1alpha1\""},
		"untyped list":     {list: "items: []\n", want: "found apiVersion \"\", kind \"\""},
		"scalar list":      {list: "text\n", want: "line 1: the string \"text\" where an object is wanted"},
		"two lists":        {list: head + "---\n" + head, want: "line 4: another document begins"},
		"list after end":   {list: head + "...\nkind: A\n", want: "line 4: another document begins"},
		"items twice":      {list: head + "items: []\nitems:\n- kind: A\n", want: "line 4: the key \"items\" stands twice"},
		"items a mapping":  {list: head + "items:\n  a: b\n", want: "line 4: items is a mapping, not a list"},
		"items a scalar":   {list: head + "items: none\n", want: "line 3: items is the string \"none\", not a list"},
		"null item":        {list: head + "items:\n- kind: A\n-\n", want: "line 5: nothing (null) where an object is wanted"},
		"list item":        {list: head + "items:\n- - kind: A\n", want: "line 4: a list where an object is wanted"},
		"list in stream":   {stream: "---\n" + head + "items: []\n", want: "line 2: ResourceList (no name) (from line 2): a ResourceList among objects"},
		"kind List":        {stream: "apiVersion: v1\nkind: List\nitems: []\n", list: head + "items:\n- kind: List\n", want: "kind List holds further objects, which would escape"},
		"typed list":       {stream: "kind: RoleList\nitems:\n- kind: Role\n", list: head + "items:\n- {kind: RoleList, items: []}\n", want: "kind RoleList holds further objects"},
		"scalar document":  {stream: "kind: A\n---\ntext\n", want: "reading YAML stream: line 3: the string \"text\" where an object is wanted"},
		"text after mark":  {stream: "kind: A\n--- kind: B\n", want: "line 2: text after \"---\": put it on the next line"},
		"directive":        {stream: "%YAML 1.2\n---\nkind: A\n", want: "line 1: a YAML directive: delete the line"},
		"text after end":   {stream: "kind: A\n...\nkind: B\n", want: "line 3: A (no name) (from line 1): text after the end of the document: put \"---\" on a line of its own before it"},
		"two JSON objects": {stream: "{\"kind\": \"A\"}\n{\"kind\": \"B\"}\n", want: "line 2: text after the end of the document"},
		"name a number": {
			stream: "kind: A\nmetadata:\n  name: 123\n", list: head + "items:\n- kind: A\n  metadata: {name: 123}\n",
			want: "metadata.name is the number 123, not a string: quote it",
		},
		"kind a truth value":  {stream: "kind: true\n", want: "line 1: kind is the truth value true, not a string: quote it"},
		"metadata a list":     {stream: "kind: A\nmetadata:\n- name: x\n", want: "metadata is a list, not a mapping"},
		"duplicate key":       {stream: "kind: A\nspec:\n  a: 1\n  b: 2\n  a: 3\n", want: "line 5: A (no name) (from line 1): the key \"a\" stands twice in one mapping, first on line 3"},
		"duplicate kind":      {list: head + "items:\n- kind: A\n  kind: B\n", want: "line 5: A (no name) (from line 4): the key \"kind\" stands twice"},
		"duplicate quoted":    {stream: "kind: A\nx: {a: 1, \"a\": 2}\n", want: "line 2: A (no name) (from line 1): the key \"a\" stands twice"},
		"duplicate in config": {list: head + "functionConfig:\n  a: 1\n  a: 2\n", want: "line 5: the key \"a\" stands twice"},
		"complex key":         {stream: "kind: A\n? [a]\n: b\n", want: "line 2: A (no name) (from line 1): a key is a list"},
		"no key":              {stream: "kind: A\n?\n", want: "line 2: A (no name) (from line 1): a key is missing before its colon"},
		"bad indentation":     {stream: "kind: A\nspec:\n    a: b\n  c: d\n", want: "line 4: A (no name) (from line 1): did not find expected key"},
		"colon in a value":    {stream: "# c\nkind: A\nmetadata:\n  name: web\nx: a: b\n", want: "line 5: A web (from line 2): mapping values are not allowed in this context"},
		"open quote":          {list: head + "items:\n- kind: A\n- kind: B\n  a: \"x\n- kind: C\n", want: "line 6: B (no name) (from line 5): found unexpected end of stream"},
		"tab":                 {stream: "kind: A\nspec:\n\ta: b\n", want: "line 3: A (no name) (from line 1): found character that cannot start any token"},
		"unknown anchor":      {stream: "kind: A\na: b\nc: *x\n", want: "line 3: A (no name) (from line 1): unknown anchor 'x' referenced"},
		"unknown escape":      {stream: "kind: A\na: \"\\q\"\n", want: "line 2: A (no name) (from line 1): found unknown escape character"},
		"bad merge":           {stream: "kind: A\n<<: 1\n", want: "line 1: A (no name) (from line 1): expanding aliases: the key \"<<\" merges what is no mapping"},
		"control character":   {stream: "kind: A\na: b\x01\n", want: "line 2: a control character (U+0001)"},
		"no UTF-8":            {stream: "kind: A\n---\na: \xff\n", want: "line 3: not UTF-8 text (byte 0xff)"},
		"UTF-16":              {stream: "\xff\xfek\x00", want: "line 1: not UTF-8 text (byte 0xff): convert the input to UTF-8"},
		"inner mark":          {stream: "kind: A\n---\n\ufeffkind: B\n", want: "line 3: a byte order mark (U+FEFF) inside the text"},
		"mark in a value":     {stream: "kind: A\na: b\ufeff\n", want: "line 2: a byte order mark (U+FEFF) inside the text"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.stream != "" {
				_, err := ReadStream([]byte(tc.stream))
				require.ErrorContains(t, err, tc.want)
			}
			if tc.list != "" || tc.stream == "" {
				_, err := ReadList([]byte(tc.list))
				require.ErrorContains(t, err, tc.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	var bomb strings.Builder
	bomb.WriteString("kind: A\na0: &a0 [x, x]\n")
	for i := 1; i < 30; i++ {
		fmt.Fprintf(&bomb, "a%d: &a%d [*a%d, *a%d]\n", i, i, i-1, i-1)
	}
	deep := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	for name, tc := range map[string]struct{ object, want string }{
		"alias bomb":              {bomb.String(), "aliases expand to more than 100000 values"},
		"an anchor inside itself": {"kind: A\na: &a\n  b: *a\n", "line 3: A (no name) (from line 1): the anchor \"a\" contains itself"},
		"mappings":                {"kind: A\n" + deep(2000), "nested deeper than 1000 levels"},
		"dashes":                  {"kind: A\na:\n" + strings.Repeat("- ", 10_000) + "b\n", "line 3: A (no name) (from line 1): nested deeper than 1000 levels"},
		"flow":                    {"kind: A\na: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "\n", "nested deeper than 1000 levels"},
		"open flow":               {"kind: A\na: " + strings.Repeat("[{a: ", 1_000_000), "nested deeper than 1000 levels"},
		"flow on two lines":       {"kind: A\na: [\n" + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "]\n", "nested deeper than 1000 levels"},
		"beyond the parser":       {"kind: A\na: [\n" + strings.Repeat("[", 100_000), "exceeded max depth of 10000"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadStream([]byte(tc.object))
			require.ErrorContains(t, err, tc.want)
			_, err = ReadList([]byte(listOf(tc.object)))
			require.Error(t, err)
		})
	}
	_, err := ReadStream([]byte("kind: A\n" + deep(900)))
	require.NoError(t, err, "900 levels are allowed")
}

// What is read is not copied, whatever its size.
func TestMemory(t *testing.T) {
	for _, n := range []int{500, 5000} {
		data := deployments(n)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		d, err := ReadList(data)
		require.NoError(t, err)
		runtime.ReadMemStats(&after)
		require.Len(t, d.Items(), n)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(len(data)))
	}
}
