package images

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/test/e2e/engine"
	"github.com/ringfence-dev/ringfence/test/e2e/kpt"
)

// examples are those of every function; of the whole applications one is enough.
func examples(t *testing.T) []kpt.Example {
	t.Helper()
	return slices.DeleteFunc(kpt.Examples(t), func(e kpt.Example) bool {
		return strings.HasPrefix(e.Name, "staging-") && e.Name != "staging-themelio"
	})
}

// TestKpt renders every example with images: exit status, results and files are those of the executables.
func TestKpt(t *testing.T) {
	references := loaded(t)
	image := func(function string) string { return references[function] }
	for i, binary := range kpt.All(t) {
		t.Run(kpt.Version(t, binary), func(t *testing.T) {
			seen := map[string]bool{}
			for _, e := range examples(t) {
				if i > 0 && seen[e.Function] {
					continue // one of each is enough for another kpt
				}
				seen[e.Function] = true
				t.Run(e.Function+"/"+e.Name, func(t *testing.T) {
					t.Parallel()
					e.Check(t, kpt.Variant{Kpt: binary, Image: image})
				})
			}
			assert.ElementsMatch(t, slices.Collect(maps.Keys(references)), slices.Collect(maps.Keys(seen)), "an image is a function with an example")
		})
	}
}

// TestEval runs one function of each image by name.
func TestEval(t *testing.T) {
	references := loaded(t)
	binary := kpt.Built(t, "kpt", "kpt")
	for _, e := range succeeding(t) {
		t.Run(e.Function, func(t *testing.T) {
			t.Parallel()
			eval := func(how ...string) []string {
				folder := kpt.Folder(t, e.Dir)
				kpt.Run(t, "", binary, slices.Concat([]string{"fn", "eval", folder, "--fn-config", filepath.Join(folder, "ringfence.yaml")}, how)...)
				return kpt.PackageObjects(t, folder)
			}
			assert.Equal(t, eval("--exec", e.Function), eval("--image", references[e.Function], "--image-pull-policy", "Never"))
		})
	}
}

// TestKustomize builds the examples with functions in containers and with executables.
func TestKustomize(t *testing.T) {
	references := loaded(t)
	for _, e := range examples(t) {
		t.Run(e.Function+"/"+e.Name, func(t *testing.T) {
			t.Parallel()
			exec := build(t, e, "exec:\n  path: "+e.Function+"\n")
			container := build(t, e, "container:\n  image: "+references[e.Function]+"\n")
			if e.Config.ExitCode != 0 {
				assert.NotZero(t, exec.Status)
				assert.NotZero(t, container.Status)
				assert.Empty(t, container.Stdout)
				for line := range strings.Lines(exec.Stderr) {
					if strings.HasPrefix(line, e.Function+": error: ") {
						assert.Contains(t, container.Stderr, line)
					}
				}
				return
			}
			require.Zero(t, exec.Status, exec.Stderr)
			require.Zero(t, container.Status, container.Stderr)
			assert.Equal(t, kpt.Objects(t, exec.Stdout), kpt.Objects(t, container.Stdout))
		})
	}
}

// build makes a kustomization of an example, whose transformer is the function, and builds it.
func build(t *testing.T, e kpt.Example, function string) kpt.Result {
	t.Helper()
	folder := kpt.Folder(t, e.Dir)
	config := read(t, folder, "ringfence.yaml")
	config["metadata"] = map[string]any{"name": "ringfence", "annotations": map[string]any{"config.kubernetes.io/function": function}}
	spec, ok := config["spec"].(map[string]any)
	require.True(t, ok)
	spec["model"], spec["environment"] = input(t, folder, "model.yaml"), input(t, folder, "environment.yaml")
	text, err := yaml.Marshal(config)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(folder, "*.yaml"))
	require.NoError(t, err)
	kustomization := "resources:\n"
	for _, file := range files {
		if name := filepath.Base(file); !slices.Contains([]string{"ringfence.yaml", "model.yaml", "environment.yaml"}, name) {
			kustomization += "- " + name + "\n"
		}
	}
	kpt.Write(t, folder, map[string]string{
		"function/ringfence.yaml": string(text), "function/kustomization.yaml": "resources:\n- ringfence.yaml\n",
		"kustomization.yaml": kustomization + "transformers:\n- function\n",
	})
	return kpt.Try(t, "", kpt.Built(t, "tools", "kustomize"), "build", "--enable-alpha-plugins", "--enable-exec", folder)
}

func read(t *testing.T, folder, name string) map[string]any {
	t.Helper()
	out := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(kpt.Read(t, folder, name)), &out))
	return out
}

// input returns a document as a Ringfence holds it.
func input(t *testing.T, folder, name string) map[string]any {
	t.Helper()
	out := read(t, folder, name)
	delete(out, "apiVersion")
	delete(out, "kind")
	return out
}

// succeeding returns the first example of each function that isn't refused.
func succeeding(t *testing.T) []kpt.Example {
	t.Helper()
	seen := map[string]bool{}
	var out []kpt.Example
	for _, e := range kpt.Examples(t) {
		if e.Config.ExitCode == 0 && !seen[e.Function] {
			seen[e.Function] = true
			out = append(out, e)
		}
	}
	return out
}

// TestMessages holds what tools say where something is missing: docs/troubleshooting.md quotes it.
func TestMessages(t *testing.T) {
	reference := loaded(t)["ringfence"]
	dir := filepath.Join(kpt.Root(t), "functions", "ringfence", "examples", "enforced")
	for name, c := range map[string]struct {
		image, host, kpt, kustomize string
	}{
		"image-missing":      {image: reference + "-missing", kpt: "No such image: " + reference + "-missing", kustomize: "Unable to find image '" + reference + "-missing' locally"},
		"other-architecture": {image: foreign(reference), kpt: "exec format error", kustomize: "exec format error"},
		"no-engine":          {image: reference, host: "unix:///nowhere/docker.sock", kpt: "docker must be running to use this command", kustomize: "unix:///nowhere/docker.sock"},
	} {
		t.Run(name, func(t *testing.T) {
			if emulators, _ := filepath.Glob("/proc/sys/fs/binfmt_misc/qemu-*"); name == "other-architecture" && (other == "" || len(emulators) > 0) {
				t.Skip("no image is of an architecture that can't run here")
			}
			if c.host != "" {
				t.Setenv(engine.HostVariable, c.host)
			}
			folder := kpt.Folder(t, dir)
			kpt.Commit(t, folder)
			out := kpt.Try(t, "", kpt.Built(t, "kpt", "kpt"), "fn", "eval", folder, "--image", c.image, "--image-pull-policy", "Never",
				"--fn-config", filepath.Join(folder, "ringfence.yaml"))
			assert.Equal(t, 1, out.Status)
			assert.Contains(t, out.Stdout+out.Stderr, c.kpt)
			assert.Empty(t, kpt.Diff(t, folder))

			out = build(t, kpt.Example{Function: "ringfence", Dir: dir}, "container:\n  image: "+c.image+"\n")
			assert.Equal(t, 1, out.Status)
			assert.Contains(t, out.Stderr, c.kustomize)
			assert.Empty(t, out.Stdout)
		})
	}
}
