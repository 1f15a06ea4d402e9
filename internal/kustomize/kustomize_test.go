package kustomize

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// good is a leaf that names its Ringfence, and a base.
const good = `
-- base/kustomization.yaml --
resources: [map.yaml]
-- base/map.yaml --
apiVersion: v1
kind: ConfigMap
metadata: {name: map}
-- leaf/kustomization.yaml --
# A comment.
resources: [../base]
namePrefix: x-
transformers:
- ringfence  # runs last
-- leaf/ringfence/kustomization.yaml --
resources: [ringfence.yaml]
-- leaf/ringfence/ringfence.yaml --
apiVersion: ringfence.dev/v1alpha1
kind: Ringfence
metadata: {name: ringfence}
spec: {owner: x}
`

// tree writes the files of an archive, and those of another over them.
func tree(t *testing.T, archives ...string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, archive := range archives {
		for _, file := range txtar.Parse([]byte(archive)).Files {
			path := filepath.Join(dir, file.Name)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
			require.NoError(t, os.WriteFile(path, file.Data, 0o600))
		}
	}
	return dir
}

func TestLeaf(t *testing.T) {
	dir := tree(t, good)
	leaf, findings := Builder{}.Leaf(filepath.Join(dir, "leaf"))
	require.Empty(t, findings)
	assert.Equal(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x-map\n", string(leaf.Text))
	assert.Contains(t, string(leaf.Config), "owner: x")
	assert.Equal(t, filepath.Join(dir, "leaf", "ringfence"), leaf.ConfigPath)
	assert.Empty(t, leaf.Notes)
}

// TestWhatNamesARingfence: a directory, a file, or the document itself; first in
// kustomize's field of any case, as kustomize reads it.
func TestWhatNamesARingfence(t *testing.T) {
	for name, archive := range map[string]string{
		"file":         "-- leaf/kustomization.yaml --\nresources: [../base]\ntransformers: [ringfence/ringfence.yaml]\n",
		"inline":       "-- leaf/kustomization.yaml --\nresources: [../base]\ntransformers:\n- |\n  apiVersion: ringfence.dev/v1alpha1\n  kind: Ringfence\n  metadata: {name: r}\n  spec: {owner: x}\n",
		"upper case":   "-- leaf/kustomization.yaml --\nresources: [../base]\nTransformers: [ringfence]\n",
		"local-config": "-- leaf/ringfence/ringfence.yaml --\napiVersion: ringfence.dev/v1alpha1\nkind: Ringfence\nmetadata: {name: r, annotations: {config.kubernetes.io/local-config: 'true'}}\nspec: {owner: x}\n",
		"after another": `
-- leaf/kustomization.yaml --
resources: [../base]
transformers:
- suffix.yaml
- ringfence
-- leaf/suffix.yaml --
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: any}
prefix: y-
fieldSpecs: [{path: metadata/name}]
`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(tree(t, good, archive), "leaf")
			leaf, findings := Builder{}.Leaf(dir)
			require.Empty(t, findings)
			assert.Contains(t, string(leaf.Config), "owner: x")
			assert.Contains(t, string(leaf.Text), "kind: ConfigMap")
			assert.True(t, Builder{}.MayName(dir))
			assert.False(t, Builder{}.MayName(filepath.Join(dir, "..", "base")))
		})
	}
}

func TestLeafRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		reason, archive string
		says            []string
	}{
		"a transformer after it": {
			reason: "it would undo what Ringfence does, unjudged",
			archive: `
-- leaf/kustomization.yaml --
resources: [../base]
transformers:
- ringfence
- breaker.yaml
-- leaf/breaker.yaml --
apiVersion: builtin
kind: PrefixTransformer
metadata: {name: any}
prefix: y-
`,
			says: []string{"leaf/kustomization.yaml", "transformers[1]: breaker.yaml runs after Ringfence", "build-unjudged", "move it before"},
		},
		"two of them, and validators": {
			reason: "all problems come together",
			archive: `
-- leaf/kustomization.yaml --
resources: [../base]
transformers: [ringfence, ringfence/ringfence.yaml]
validators: [check.yaml]
-- leaf/check.yaml --
apiVersion: builtin
kind: PatchTransformer
metadata: {name: any}
`,
			says: []string{"are both a Ringfence", "validators: they would run before Ringfence"},
		},
		"a file from elsewhere": {
			reason:  "kustomize reads files below a kustomization alone",
			archive: "-- leaf/ringfence/kustomization.yaml --\nresources: [ringfence.yaml, ../../base/map.yaml]\n",
			says:    []string{"leaf/ringfence", "not in or below"},
		},
		"a model beside it": {
			reason:  "each document there is a function",
			archive: "-- leaf/ringfence/ringfence.yaml --\napiVersion: ringfence.dev/v1alpha1\nkind: Ringfence\nmetadata: {name: r}\n---\napiVersion: ringfence.dev/v1alpha1\nkind: Environment\nmetadata: {name: e}\n",
			says:    []string{"it holds 2 documents", "one Ringfence alone"},
		},
		"one in a base": {
			reason: "what the leaf patches comes after it",
			archive: `
-- leaf/kustomization.yaml --
resources: [../base]
-- base/kustomization.yaml --
resources: [map.yaml]
transformers: [../leaf/ringfence]
`,
			says: []string{"base/kustomization.yaml names a Ringfence under transformers:", "build-unjudged", "and nowhere else"},
		},
		"one in a base as well": {
			reason:  "two would run",
			archive: "-- base/kustomization.yaml --\nresources: [map.yaml]\ntransformers: [config]\n-- base/config/kustomization.yaml --\nresources: [../../leaf/ringfence]\n",
			says:    []string{"base/kustomization.yaml names a Ringfence"},
		},
		"under generators": {
			reason:  "a generator sees no resources",
			archive: "-- leaf/kustomization.yaml --\nresources: [../base]\ngenerators: [ringfence]\n",
			says:    []string{"under generators:", "generator-field"},
		},
		"under validators": {
			reason:  "a validator must not add an object",
			archive: "-- leaf/kustomization.yaml --\nresources: [../base]\nvalidators: [ringfence]\n",
			says:    []string{"under validators:", "build-unjudged"},
		},
		"the field twice": {
			reason:  "one of the two would be ignored",
			archive: "-- leaf/kustomization.yaml --\nresources: [../base]\ntransformers: [ringfence]\nTransformers: [ringfence]\n",
			says:    []string{"has the field transformers twice"},
		},
		"two files": {
			reason:  "kustomize takes neither",
			archive: "-- leaf/Kustomization --\nresources: [../base]\n",
			says:    []string{"it has a kustomization.yaml and a Kustomization"},
		},
		"a literal that is no pair": {
			reason:  "its neighbours are secret",
			archive: "-- leaf/kustomization.yaml --\nsecretGenerator: [{name: s, literals: ['a=hunter2', 'b hunter2']}]\n",
			says:    []string{"literal"},
		},
		"a patch that is none": {
			reason:  "it may hold a secret",
			archive: "-- leaf/kustomization.yaml --\nresources: [../base]\npatches: [{patch: '{a: [hunter2'}]\n",
			says:    []string{"patch"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, findings := Builder{}.Leaf(filepath.Join(tree(t, good, c.archive), "leaf"))
			require.True(t, findings.Failed(), c.reason)
			var all string
			for _, f := range findings {
				all += f.String() + "\n"
			}
			for _, text := range c.says {
				assert.Contains(t, all, text)
			}
			assert.NotContains(t, all, "hunter2")
		})
	}
}

// TestDeprecations: what kustomize writes on standard error comes back instead.
func TestDeprecations(t *testing.T) {
	leaf, findings := Builder{}.Leaf(filepath.Join(tree(t, good, "-- leaf/kustomization.yaml --\nbases: [../base]\ntransformers: [ringfence]\n"), "leaf"))
	require.Empty(t, findings)
	require.Len(t, leaf.Notes, 1)
	assert.Contains(t, leaf.Notes[0], "'bases' is deprecated")
}

// TestRoot: what leads out of the root isn't there, by whichever way.
func TestRoot(t *testing.T) {
	for name, c := range map[string]struct {
		archive string
		link    [2]string
	}{
		"a base":                 {archive: "-- leaf/kustomization.yaml --\nresources: [../../outside]\n"},
		"a component":            {archive: "-- leaf/kustomization.yaml --\nresources: [../base]\ncomponents: [../../outside]\n"},
		"a transformer":          {archive: "-- leaf/kustomization.yaml --\nresources: [../base]\ntransformers: [../../outside]\n"},
		"a link to a base":       {archive: "-- leaf/kustomization.yaml --\nresources: [../link]\n", link: [2]string{"outside", "repository/link"}},
		"a link to a file":       {archive: "-- leaf/kustomization.yaml --\nresources: [link.yaml]\n", link: [2]string{"outside/map.yaml", "repository/leaf/link.yaml"}},
		"the kustomization":      {archive: "-- leaf/map.yaml --\n", link: [2]string{"outside/kustomization.yaml", "repository/leaf/kustomization.yml"}},
		"a file of a generator":  {archive: "-- leaf/kustomization.yaml --\nconfigMapGenerator: [{name: c, files: [../../outside/map.yaml]}]\n"},
		"a schema":               {archive: "-- leaf/kustomization.yaml --\nresources: [../base]\nopenapi: {path: ../../outside/map.yaml}\n"},
		"a configuration's link": {archive: "-- leaf/kustomization.yaml --\nresources: [../base]\ntransformers: [../link]\n", link: [2]string{"outside", "repository/link"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t)
			require.NoError(t, os.CopyFS(filepath.Join(dir, "repository"), os.DirFS(tree(t, good, c.archive))))
			require.NoError(t, os.CopyFS(filepath.Join(dir, "outside"), os.DirFS(filepath.Join(tree(t, good), "base"))))
			if c.link[0] != "" {
				require.NoError(t, os.Symlink(filepath.Join(dir, c.link[0]), filepath.Join(dir, c.link[1])))
			}
			leaf, findings := Builder{Root: filepath.Join(dir, "repository")}.Leaf(filepath.Join(dir, "repository", "leaf"))
			if name == "the kustomization" { // it isn't there, and the leaf's own counts
				assert.Contains(t, string(leaf.Text), "x-map")
				return
			}
			require.True(t, findings.Failed(), "%s", leaf.Text)
		})
	}
	t.Run("nothing else is in the way", func(t *testing.T) {
		dir := tree(t, good)
		_, findings := Builder{Root: dir}.Leaf(filepath.Join(dir, "leaf"))
		assert.Empty(t, findings)
		assert.NotEmpty(t, os.Getenv("PATH"), "it is put back")
	})
}

// TestSchemaOfOneBuild: kustomize keeps a schema in a variable; the next build must not see it.
func TestSchemaOfOneBuild(t *testing.T) {
	const containers = `
-- base/kustomization.yaml --
resources: [map.yaml]
-- base/map.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: [{name: web, image: a}]}}}
-- leaf/kustomization.yaml --
resources: [../base]
patches: [{patch: '{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {template: {spec: {containers: [{name: side, image: b}]}}}}'}]
`
	dir := filepath.Join(tree(t, good, containers), "leaf")
	want, findings := Builder{}.Leaf(dir)
	require.Empty(t, findings)
	other := tree(t, good, containers, "-- leaf/schema.json --\n{\"definitions\": {}}\n-- leaf/kustomization.yaml --\nresources: [../base]\nopenapi: {path: schema.json}\n")
	_, findings = Builder{}.Leaf(filepath.Join(other, "leaf"))
	require.Empty(t, findings)
	got, findings := Builder{}.Leaf(dir)
	require.Empty(t, findings)
	assert.Equal(t, string(want.Text), string(got.Text))
}

// TestAtOnce: builds wait for each other, and each gets its own lines.
func TestAtOnce(t *testing.T) {
	quiet := filepath.Join(tree(t, good), "leaf")
	noisy := filepath.Join(tree(t, good, "-- leaf/kustomization.yaml --\nbases: [../base]\n"), "leaf")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			leaf, findings := Builder{}.Leaf(quiet)
			assert.Empty(t, findings)
			assert.Empty(t, leaf.Notes)
		})
		group.Go(func() {
			leaf, findings := Builder{}.Leaf(noisy)
			assert.Empty(t, findings)
			assert.Len(t, leaf.Notes, 1)
		})
	}
	group.Wait()
}

func TestDocuments(t *testing.T) {
	dir := tree(t, good)
	text, findings := Builder{}.Documents(filepath.Join(dir, "leaf", "ringfence"))
	require.Empty(t, findings)
	assert.Contains(t, string(text), "owner: x")
	text, findings = Builder{}.Documents(filepath.Join(dir, "leaf", "ringfence", "ringfence.yaml"))
	require.Empty(t, findings)
	assert.Contains(t, string(text), "owner: x")
	_, findings = Builder{}.Documents(filepath.Join(dir, "nowhere"))
	require.Len(t, findings, 1)
	assert.Contains(t, findings[0].Message, "there is no such file")
}
