package kpt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const schemas = "api/v1alpha1/schema"

// TestStaging holds the packages staging-<application> of the examples against the overlays that
// they are made of: an application's objects before Ringfence, the model, the Environment. What
// kpt renders of them must be the objects that kustomize builds.
func TestStaging(t *testing.T) {
	t.Parallel()
	root := Root(t)
	kustomize := Built(t, "tools", "kustomize")
	leaves, err := filepath.Glob(filepath.Join(root, "overlays", "staging", "*", "kustomization.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, leaves)
	for _, leaf := range leaves {
		application := filepath.Base(filepath.Dir(leaf))
		t.Run(application, func(t *testing.T) {
			t.Parallel()
			fresh := assemble(t, application)
			committed := filepath.Join(root, "functions", "ringfence", "examples", "staging-"+application)
			if *update {
				Write(t, committed, fresh)
			}
			for name, want := range fresh {
				got, err := os.ReadFile(filepath.Join(committed, name))
				require.NoError(t, err)
				assert.Equal(t, want, string(got), "%s/%s: `go test ./kpt -run TestStaging -update` in test/e2e writes it", committed, name)
			}
			built := Run(t, "", kustomize, "build", "--enable-alpha-plugins", "--enable-exec", filepath.Dir(leaf))
			for _, kpt := range All(t) {
				folder := Folder(t, committed)
				Run(t, "", kpt, "fn", "render", folder, "--allow-exec")
				assert.Equal(t, Objects(t, built.Stdout), PackageObjects(t, folder), Version(t, kpt))
			}
		})
	}
}

// assemble makes the files of an application's package.
func assemble(t *testing.T, application string) map[string]string {
	t.Helper()
	root, kustomize := Root(t), Built(t, "tools", "kustomize")
	var ringfence struct {
		Spec struct {
			Owner      string   `json:"owner"`
			Components []string `json:"components"`
		} `json:"spec"`
	}
	leaf := filepath.Join("overlays", "staging", application)
	config := Run(t, "", kustomize, "build", filepath.Join(root, leaf, "ringfence"))
	require.NoError(t, yaml.Unmarshal([]byte(config.Stdout), &ringfence))

	// The leaf without the transformer, which is its last part.
	tree := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(tree, "overlays"), os.DirFS(filepath.Join(root, "overlays"))))
	kustomization := filepath.Join(tree, leaf, "kustomization.yaml")
	before, after, found := strings.Cut(Read(t, kustomization), "transformers:\n")
	require.True(t, found)
	require.Equal(t, 1, strings.Count(after, "\n"), "%s: the transformer is the last part", kustomization)
	require.NoError(t, os.WriteFile(kustomization, []byte(before), 0o644))

	name := "staging-" + application
	folder := filepath.Join(t.TempDir(), name)
	Write(t, folder, map[string]string{
		".krmignore": ".expected\n",
		"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: " + name +
			"\n  annotations:\n    " + localConfig + ": \"true\"\npipeline:\n  mutators:\n  - exec: ringfence\n    configPath: ringfence.yaml\n",
		"ringfence.yaml": "apiVersion: ringfence.dev/v1alpha1\nkind: Ringfence\nmetadata:\n  name: ringfence\n  annotations:\n    " +
			localConfig + ": \"true\"\nspec:\n  owner: " + ringfence.Spec.Owner + "\n  components:\n  - " +
			strings.Join(ringfence.Spec.Components, "\n  - ") + "\n",
		"resources.yaml":   Run(t, "", kustomize, "build", filepath.Join(tree, leaf)).Stdout,
		"model.yaml":       document(t, "overlays/platform/model/model.yaml"),
		"environment.yaml": document(t, "overlays/platform/environments/staging/environment.yaml"),
		"README.md": "# ringfence: " + application + " of the example platform in staging\n\n" +
			"Made of [overlays/](../../../../overlays/README.md): the application's objects before Ringfence, the model and the Environment.\n" +
			"kpt renders the objects that kustomize builds of `" + filepath.ToSlash(leaf) + "`; a test says so.\n\n" +
			"```shell\nkpt fn render " + name + " --allow-exec\n```\n\n" +
			"It exits with 0. `git diff` shows what [the expected diff](.expected/diff.patch) shows, and a second run changes nothing.\n",
	})
	// A function that does nothing: kpt writes each file in its own way, so that a diff shows what Ringfence does.
	Run(t, "", Built(t, "kpt", "kpt"), "fn", "eval", folder, "--exec", "cat")
	out := map[string]string{}
	for _, file := range Files(t, folder) {
		out[file] = Read(t, folder, file)
	}
	return out
}

// document returns a document of the example platform, with the way to its schema from a package.
func document(t *testing.T, path string) string {
	t.Helper()
	text := Read(t, Root(t), path)
	first, rest, _ := strings.Cut(text, "\n")
	_, schema, found := strings.Cut(first, schemas)
	require.True(t, found, "%s: its first line names its schema", path)
	return "# yaml-language-server: $schema=../../../../" + schemas + schema + "\n" + rest
}
