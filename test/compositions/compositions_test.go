// Package compositions holds the test that it doesn't matter how the functions
// are put together: whichever way staging is built, the same objects come out.
package compositions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// root is the repository.
const root = "../.."

// stages are the separate functions, in their order.
var stages = []string{
	"identity-splitter", "host-policy-generator", "sidecar-enroller",
	"workload-policy-generator", "tenant-policy-generator", "access-verifier",
}

func TestStagingIsOneSetOfObjects(t *testing.T) {
	leaves, err := filepath.Glob(filepath.Join(root, "overlays/staging/*"))
	require.NoError(t, err)
	require.NotEmpty(t, leaves)
	for _, leaf := range leaves {
		t.Run(filepath.Base(leaf), func(t *testing.T) {
			whole := objects(t, build(t, leaf))
			require.NotEmpty(t, whole)
			ways := map[string]func(*testing.T, string) []byte{
				"one stage for each function": separateStages,
				"filter":                      filter,
				"package with local-config":   localConfig,
			}
			for name, way := range ways {
				t.Run(name, func(t *testing.T) {
					require.Equal(t, whole, objects(t, way(t, leaf)))
				})
			}
		})
	}
}

// separateStages names a configuration for each function under transformers.
func separateStages(t *testing.T, leaf string) []byte {
	copied := copyTree(t)
	at := filepath.Join(copied, "overlays/staging", filepath.Base(leaf))
	var transformers []string
	for _, stage := range stages {
		transformers = append(transformers, stage)
		write(t, filepath.Join(at, stage, "kustomization.yaml"), fmt.Sprintf(`
resources: [../ringfence]
patches:
- target: {kind: Ringfence}
  options: {allowNameChange: true}
  patch: |
    apiVersion: ringfence.dev/v1alpha1
    kind: Ringfence
    metadata:
      name: %[1]s
      annotations: {config.kubernetes.io/function: "exec: {path: %[1]s}"}
    spec: {units: [%[1]s]}
`, stage))
	}
	edit(t, filepath.Join(at, "kustomization.yaml"), func(k map[string]any) { k["transformers"] = transformers })
	return build(t, at)
}

// filter pipes what kustomize makes of the resources through "ringfence render".
func filter(t *testing.T, leaf string) []byte {
	platform := filepath.Join(root, "overlays/platform")
	return run(t, plain(t, leaf), "ringfence", "render", "--owner", config(t, leaf).owner(),
		"--model", filepath.Join(platform, "model/model.yaml"), "--environment", filepath.Join(platform, "environments/staging/environment.yaml"))
}

// localConfig hands the configuration in as kpt does: model and Environment lie
// among the items, and so does the configuration itself.
func localConfig(t *testing.T, leaf string) []byte {
	cfg := config(t, leaf)
	spec := cfg["spec"].(map[string]any)
	items := documents(t, plain(t, leaf))
	for field, kind := range map[string]string{"model": "AccessModel", "environment": "Environment"} {
		embedded := spec[field].(map[string]any)
		metadata := embedded["metadata"].(map[string]any)
		metadata["annotations"] = map[string]any{"config.kubernetes.io/local-config": "true"}
		items = append(items, map[string]any{"apiVersion": "ringfence.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": embedded["spec"]})
		delete(spec, field)
	}
	items = append(items, cfg)
	list, err := yaml.Marshal(map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items, "functionConfig": cfg})
	require.NoError(t, err)
	var result struct {
		Items []map[string]any `json:"items"`
	}
	require.NoError(t, yaml.Unmarshal(run(t, list, "ringfence"), &result))
	var out bytes.Buffer
	for _, item := range result.Items {
		if strings.HasPrefix(item["apiVersion"].(string), "ringfence.dev/") {
			continue // kpt drops local-config at the end
		}
		text, err := yaml.Marshal(item)
		require.NoError(t, err)
		out.WriteString("---\n")
		out.Write(text)
	}
	return out.Bytes()
}

type configuration map[string]any

func (c configuration) owner() string { return c["spec"].(map[string]any)["owner"].(string) }

// config returns a leaf's functionConfig.
func config(t *testing.T, leaf string) configuration {
	docs := documents(t, build(t, filepath.Join(leaf, "ringfence")))
	require.Len(t, docs, 1)
	return docs[0]
}

// plain builds a leaf without its transformers.
func plain(t *testing.T, leaf string) []byte {
	at := filepath.Join(copyTree(t), "overlays/staging", filepath.Base(leaf))
	edit(t, filepath.Join(at, "kustomization.yaml"), func(k map[string]any) { delete(k, "transformers") })
	return build(t, at)
}

func build(t *testing.T, dir string) []byte {
	return run(t, nil, "kustomize", "build", "--enable-alpha-plugins", "--enable-exec", dir)
}

func run(t *testing.T, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	stdout, stderr, err := try(t, stdin, name, args...)
	require.NoError(t, err, "%s %s: %s", name, strings.Join(args, " "), stderr)
	return stdout
}

// try runs an executable as "make build tools" left it, with its neighbours first on PATH.
func try(t *testing.T, stdin []byte, name string, args ...string) (stdout []byte, stderr string, err error) {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join(root, "bin"))
	require.NoError(t, err)
	command := exec.Command(filepath.Join(bin, name), args...)
	command.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var out, problems bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(stdin), &out, &problems
	err = command.Run()
	return out.Bytes(), problems.String(), err
}

// copyTree copies what a build reads into a directory that may be changed.
func copyTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"components", "overlays"} {
		require.NoError(t, os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(root, name))))
	}
	return dir
}

func edit(t *testing.T, path string, change func(map[string]any)) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	content := map[string]any{}
	require.NoError(t, yaml.Unmarshal(data, &content))
	change(content)
	data, err = yaml.Marshal(content)
	require.NoError(t, err)
	write(t, path, string(data))
}

func write(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
}

// objects returns YAML documents as canonical JSON, sorted by kind, namespace and name.
func objects(t *testing.T, text []byte) []string {
	t.Helper()
	var out []string
	for _, doc := range documents(t, text) {
		metadata := doc["metadata"].(map[string]any)
		data, err := json.Marshal(doc)
		require.NoError(t, err)
		out = append(out, fmt.Sprintf("%v %v/%v %s", doc["kind"], metadata["namespace"], metadata["name"], data))
	}
	sort.Strings(out)
	return out
}

func documents(t *testing.T, text []byte) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, part := range strings.Split("\n"+string(text), "\n---\n") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		doc := map[string]any{}
		require.NoError(t, yaml.Unmarshal([]byte(part), &doc))
		out = append(out, doc)
	}
	return out
}
