package rendered_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/rendered"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// write writes files below a new directory.
func write(tb testing.TB, files map[string]string) string {
	tb.Helper()
	dir := tb.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// names renders the objects of a set: "Kind namespace/name file:line".
func names(set *resource.Set, dir string) []string {
	var out []string
	for o := range set.All() {
		item, ok := o.Source.(*rendered.Item)
		if !ok {
			continue // the set is of nothing else
		}
		file, line := item.Position()
		out = append(out, fmt.Sprintf("%s %s:%d", o.Ref(), strings.TrimPrefix(file, dir+"/"), line))
	}
	slices.Sort(out)
	return out
}

// object is a manifest on one line.
func object(kind, name string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: %s, metadata: {name: %s}}\n", kind, name)
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		files  map[string]string
		want   []string
	}{
		"stream": {
			files: map[string]string{"a.yaml": "# Source: chart\n---\napiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\n---\n# nothing\n---\n--- # comment\n" + object("Pod", "b") + "...\n"},
			want:  []string{"Pod b a.yaml:10", "Pod x/a a.yaml:3"},
		},
		"documents-that-begin-on-their-separator": {
			reason: "a reader that cuts at lines of --- alone would drop the second",
			files:  map[string]string{"a.yaml": "--- " + object("Pod", "a") + "--- " + object("Pod", "b")}, want: []string{"Pod a a.yaml:1", "Pod b a.yaml:2"},
		},
		"separator-in-a-text": {
			files: map[string]string{"a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: |\n    ---\n    kind: Pod\n"}, want: []string{"ConfigMap a a.yaml:1"},
		},
		"windows": {
			files: map[string]string{"a.yaml": "\ufeffapiVersion: v1\r\nkind: Pod\r\nmetadata:\r\n  name: a\r\n---\r\n" + object("Pod", "b")}, want: []string{"Pod a a.yaml:1", "Pod b a.yaml:6"},
		},
		"extensions": {
			reason: "other files are none of ours",
			files: map[string]string{
				"a.yaml": object("Pod", "a"), "b.yml": object("Pod", "b"), "c.json": `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c"}}`, "d.txt": "x: [", "e": "x: [", "sub/f.yaml": object("Pod", "f"),
			},
			want: []string{"Pod a a.yaml:1", "Pod b b.yml:1", "Pod c c.json:1", "Pod f sub/f.yaml:1"},
		},
		"hidden": {
			files: map[string]string{"a.yaml": object("Pod", "a"), ".git/b.yaml": "x: [", ".lint.yaml": "x: 1", "sub/.c/d.yaml": "x: ["}, want: []string{"Pod a a.yaml:1"},
		},
		"input-of-tools": {
			reason: "no cluster ever sees it",
			files: map[string]string{
				"a.yaml": object("Pod", "a"), "kustomization.yaml": "resources: [a.yaml]", "x/kustomization.yml": "resources: []", "x/Kustomization": "resources: []",
				"b.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n---\napiVersion: ringfence.dev/v1alpha1\nkind: AccessModel\nmetadata: {name: x}\n",
				"c.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: local, annotations: {config.kubernetes.io/local-config: 'true'}}\n",
				"d.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: d, annotations: {config.kubernetes.io/local-config: 'false'}}\n",
			},
			want: []string{"Pod a a.yaml:1", "Pod d d.yaml:1"},
		},
		"flux-kustomization": {
			reason: "an object of a cluster, although it is called so",
			files:  map[string]string{"a.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a, namespace: x}\n"}, want: []string{"Kustomization x/a a.yaml:1"},
		},
		"list": {
			files: map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems:\n- " + object("Pod", "a") + "- apiVersion: v1\n  kind: List\n  items: [" + strings.TrimSpace(object("Pod", "b")) + "]\n"},
			want:  []string{"Pod a a.yaml:0", "Pod b a.yaml:0"},
		},
		"list-of-one-kind": {
			reason: "its entries needn't say what they are", files: map[string]string{"a.json": `{"apiVersion": "apps/v1", "kind": "DeploymentList", "items": [{"metadata": {"name": "a"}}]}`}, want: []string{"Deployment a a.json:0"},
		},
		"resource-list": {
			files: map[string]string{"a.yaml": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {x: 1}\nitems:\n- " + object("Pod", "a")}, want: []string{"Pod a a.yaml:0"},
		},
		"list-by-name-alone": {
			reason: "an object of a kind that ends in List", files: map[string]string{"a.yaml": "apiVersion: x/v1\nkind: AllowList\nmetadata: {name: a}\nitems: [{x: 1}]\n---\napiVersion: x/v1\nkind: BlockList\nspec: {}\n"},
			want: []string{"AllowList a a.yaml:1", "BlockList (no name) a.yaml:6"},
		},
		"empty-list":   {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: PodList\nitems: null\n---\n" + object("Pod", "a")}, want: []string{"Pod a a.yaml:5"}},
		"array":        {files: map[string]string{"a.json": `[{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}]`}, want: []string{"Pod a a.json:0"}},
		"json-stream":  {files: map[string]string{"a.json": "{\"apiVersion\": \"v1\", \"kind\": \"Pod\"}\n\n  {\"apiVersion\": \"v1\",\n\"kind\": \"Job\"}\n"}, want: []string{"Job (no name) a.json:3", "Pod (no name) a.json:1"}},
		"json-as-yaml": {reason: "tabs and surrogates are no YAML", files: map[string]string{"a.yaml": "\t{\"apiVersion\":\t\"v1\",\n\t\"kind\": \"Pod\", \"x\": \"\\ud83d\\ude00\"}"}, want: []string{"Pod (no name) a.yaml:1"}},
		"empty-file":   {files: map[string]string{"a.yaml": "", "b.yaml": "# nothing\n", "c.yaml": object("Pod", "c")}, want: []string{"Pod c c.yaml:1"}},
		"same-twice":   {reason: "in whatever order of keys", files: map[string]string{"a.yaml": object("Pod", "a"), "b.yaml": "metadata: {name: a}\nkind: Pod\napiVersion: v1\n"}, want: []string{"Pod a a.yaml:1"}},
		"different-twice": {
			reason: "both count", files: map[string]string{"a.yaml": object("Pod", "a"), "b.yaml": "metadata: {name: a, labels: {x: y}}\nkind: Pod\napiVersion: v1\n"}, want: []string{"Pod a a.yaml:1", "Pod a b.yaml:1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, c.files)
			set, err := rendered.DefaultLimits.Read(dir)
			require.NoError(t, err, c.reason)
			assert.Equal(t, c.want, names(set, dir), c.reason)
		})
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		files  map[string]string
		limits rendered.Limits
		want   []string
		not    string
	}{
		"nothing":               {reason: "to have compared nothing is no success", files: map[string]string{"a.yaml": "# nothing\n"}, want: []string{"there is no object in"}},
		"no-manifest":           {files: map[string]string{"a.txt": "x"}, want: []string{"holds no *.yaml, *.yml or *.json"}},
		"values":                {files: map[string]string{"values.yaml": "replicas: 2\n"}, want: []string{"values.yaml\": line 1: it has no apiVersion or no kind"}},
		"no-kind":               {files: map[string]string{"a.yaml": object("Pod", "a") + "---\napiVersion: v1\n"}, want: []string{"a.yaml\": line 3:"}},
		"no-object":             {files: map[string]string{"a.yaml": "hunter2\n"}, want: []string{"line 1: it is no object"}, not: "hunter2"},
		"broken":                {files: map[string]string{"a.yaml": "a: [1\nb: 2\n"}, want: []string{"a.yaml\": it is no YAML: line"}},
		"document-after-an-end": {reason: "better than to drop it", files: map[string]string{"a.yaml": object("Pod", "a") + "...\n" + object("Pod", "b")}, want: []string{"it is no YAML"}},
		"tab":                   {files: map[string]string{"a.yaml": "a:\n\tb: 1\n"}, want: []string{"it is no YAML"}},
		"broken-json":           {files: map[string]string{"a.json": "{\"apiVersion\": \"v1\",\n\"kind\": }"}, want: []string{"a.json\": line 2: it is no JSON"}},
		"cut-json":              {files: map[string]string{"a.json": "{\"apiVersion\": \"v1\""}, want: []string{"it is no JSON: unexpected EOF"}},
		"key-twice":             {reason: "who could say which one counts", files: map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\nspec: {a: 1}\nspec: {b: 2}\nkind: Job\n"}, want: []string{`key "spec" already defined`, `key "kind" already defined`}},
		"key-of-lists":          {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\nspec: {? [a] : 1}\n"}, want: []string{"line 1:"}},
		"not-a-number":          {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\nspec: {a: .nan}\n"}, want: []string{"Pod (no name) holds what JSON can't"}},
		"no-utf-8":              {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\nx: \"\xff\"\n"}, want: []string{"no text in UTF-8"}},
		"item-that-is-none":     {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems: [1]\n"}, want: []string{"items[0] is no object"}},
		"items-that-are-none":   {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems: {a: 1}\n"}, want: []string{"its items are no list"}},
		"item-without-kind":     {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: List\nitems: [{x: 1}]\n"}, want: []string{"items[0]: it has no apiVersion or no kind"}},
		"entry-without-kind":    {files: map[string]string{"a.json": `[{"x": 1}]`}, want: []string{"entry 0: it has no apiVersion"}},
		"every-file":            {reason: "all faults at once", files: map[string]string{"a.yaml": "x: [", "b.yaml": "x: 1"}, want: []string{"a.yaml", "b.yaml"}},
		"alias-in-itself":       {files: map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\nspec: &a {x: *a}\n"}, want: []string{"an alias stands within what it names"}},
		"aliases-of-aliases": {
			reason: "two billion letters in a kilobyte", files: map[string]string{"a.yaml": bomb(9)}, limits: rendered.Limits{File: 1 << 20, Total: 1 << 20},
			want: []string{"a.yaml\": line 1: with its aliases expanded it has more than 1048576 bytes"},
		},
		"aliases-of-a-long-text": {
			files:  map[string]string{"a.yaml": "apiVersion: v1\nkind: Pod\nx: &x " + strings.Repeat("x", 5000) + "\ny: [" + strings.Repeat("*x ,", 300) + "]\n"},
			limits: rendered.Limits{File: 1 << 20, Total: 1 << 20}, want: []string{"more than 1048576 bytes"},
		},
		"one-file-too-long": {files: map[string]string{"a.yaml": object("Pod", strings.Repeat("a", 1000))}, limits: rendered.Limits{File: 1000, Total: 1 << 20}, want: []string{"a.yaml\" has more than 1000 bytes"}},
		"all-too-long": {
			files:  map[string]string{"a.yaml": object("Pod", strings.Repeat("a", 800)), "b.yaml": object("Pod", strings.Repeat("b", 800)), "c.yaml": object("Pod", strings.Repeat("c", 800))},
			limits: rendered.Limits{File: 1000, Total: 1000}, want: []string{"b.yaml\" the files have more than 1000 bytes together"}, not: "c.yaml",
		},
	} {
		t.Run(name, func(t *testing.T) {
			limits := c.limits
			if limits == (rendered.Limits{}) {
				limits = rendered.DefaultLimits
			}
			set, err := limits.Read(write(t, c.files))
			require.Error(t, err, c.reason)
			assert.Nil(t, set)
			for _, want := range c.want {
				assert.Contains(t, err.Error(), want, c.reason)
			}
			if c.not != "" {
				assert.NotContains(t, err.Error(), c.not, "what stands in a file may be a secret")
			}
		})
	}
}

// bomb is a document of aliases of aliases: ten times as long with each level.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nkind: Pod\na0: &a0 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n")
	for i := 1; i <= levels; i++ {
		fmt.Fprintf(&b, "a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d , ", i-1), 10), ", "))
	}
	return b.String()
}

func TestReadPaths(t *testing.T) {
	dir := write(t, map[string]string{"a.yaml": object("Pod", "a"), "sub/b.yaml": object("Pod", "b"), "manifests": object("Pod", "c"), "kustomization.yaml": "resources: []\n", ".hidden/d.yaml": object("Pod", "d")})
	read := func(paths ...string) ([]string, error) {
		for i := range paths {
			paths[i] = filepath.Join(dir, paths[i])
		}
		set, err := rendered.DefaultLimits.Read(paths...)
		if err != nil {
			return nil, err
		}
		return names(set, dir), nil
	}
	require.NoError(t, os.Symlink("sub/b.yaml", filepath.Join(dir, "link.yaml")))

	got, err := read("manifests", ".hidden")
	require.NoError(t, err, "what is named is read, whatever its name")
	assert.Equal(t, []string{"Pod c manifests:1", "Pod d .hidden/d.yaml:1"}, got)

	got, err = read("sub", "sub/../sub/b.yaml", "sub")
	require.NoError(t, err)
	assert.Equal(t, []string{"Pod b sub/b.yaml:1"}, got, "what is named twice is read once")

	got, err = read("link.yaml")
	require.NoError(t, err, "a link to a file is followed")
	assert.Equal(t, []string{"Pod b link.yaml:1"}, got)

	_, err = read("sub", "gone")
	require.ErrorContains(t, err, "gone\": no such file or directory")
	_, err = rendered.DefaultLimits.Read()
	require.ErrorContains(t, err, "no file or directory is named")

	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(dir, "elsewhere")))
	_, err = read("")
	require.ErrorContains(t, err, "elsewhere\" is a link to a directory", "to pass over it in silence would be to compare less than was meant")
	require.NoError(t, os.Remove(filepath.Join(dir, "elsewhere")))

	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600))
	_, err = read("")
	require.ErrorContains(t, err, "neither a file nor a directory", "to open it would wait for ever")
	require.NoError(t, os.Remove(filepath.Join(dir, "pipe.yaml")))

	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "broken.yaml")))
	_, err = read("")
	require.ErrorContains(t, err, "broken.yaml\": no such file")
}

func TestManyFaultsAreCut(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("%02d.yaml", i)] = "x: 1\n"
	}
	_, err := rendered.DefaultLimits.Read(write(t, files))
	require.Error(t, err)
	assert.Len(t, strings.Split(err.Error(), "\n"), 21)
	assert.Contains(t, err.Error(), "and 30 problems more")
}

func TestItem(t *testing.T) {
	dir := write(t, map[string]string{"a.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: a, creationTimestamp: 2024-01-01T00:00:00Z}
base: &base {x: 1, y: "<&>"}
data: {<<: *base, 8080: port, on: 2024-01-01, quoted: "sidecar.istio.io\x2finject", text: "tab\t\u00fc", big: 9007199254740993, rate: 0.5}
`})
	set, err := rendered.DefaultLimits.Read(dir)
	require.NoError(t, err)
	for o := range set.All() {
		assert.Equal(t, map[string]any{
			"x": int64(1), "y": "<&>", "8080": "port", "on": "2024-01-01", "quoted": "sidecar.istio.io/inject", "text": "tab\tü", "big": int64(9007199254740993), "rate": 0.5,
		}, o.Content()["data"], "as Kubernetes would read it")
		assert.Equal(t, "2024-01-01T00:00:00Z", resource.String(o.Content(), "metadata", "creationTimestamp"))
		for _, s := range []string{"sidecar.istio.io/inject", "istio.io/in", "<&>", "tab\tü", "8080", "quoted", ""} {
			assert.True(t, o.Mentions(s), "%q", s)
		}
		assert.False(t, o.Mentions("envoy"))
	}
}
