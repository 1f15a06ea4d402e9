package compositions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// call is one Application as Argo CD's plugin server builds it. What the server
// does is read off its code: cmpserver/plugin/plugin.go, reposerver/repository.
type call struct {
	// path is the Application's, parameters and env are its plugin's.
	path            string
	parameters, env map[string]string
	// change is done to the repository before.
	change func(t *testing.T, repository string)
	// root is what is handed over, where it isn't the whole repository (manifest-generate-paths).
	root string
	// closed closes standard input; kill ends the command after a while.
	closed bool
	kill   time.Duration
}

type answer struct {
	stdout, stderr string
	err            error
	took, cpu      time.Duration
}

// serverTimeout is what the server grants a command.
const serverTimeout = 60 * time.Second

// command runs one of the commands of plugin.yaml as the server does.
func (c call) command(t *testing.T, command []string) answer {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join(root, "bin"))
	require.NoError(t, err)
	repository := copyTree(t)
	if c.change != nil {
		c.change(t, repository)
	}
	if c.root != "" {
		part := filepath.Join(t.TempDir(), "part")
		require.NoError(t, os.CopyFS(part, os.DirFS(filepath.Join(repository, c.root))))
		repository = part
	}
	readOnly(t, repository)
	before := snapshot(t, repository)
	temporary := t.TempDir()

	ctx, cancel := context.WithTimeout(t.Context(), serverTimeout)
	defer cancel()
	words := append([]string{filepath.Join(bin, filepath.Base(command[0]))}, command[1:]...)
	if c.closed {
		words = append([]string{"/bin/sh", "-c", `exec "$@" <&-`, "sh"}, words...)
	}
	process := exec.CommandContext(ctx, words[0], words[1:]...)
	rel, err := filepath.Rel(filepath.Join("/", c.root), filepath.Join("/", c.path))
	require.NoError(t, err)
	process.Dir = filepath.Join(repository, rel)
	process.Env = append(c.variables(t), "PATH="+bin, "TMPDIR="+temporary)
	process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var stdout, stderr bytes.Buffer
	process.Stdout, process.Stderr = &stdout, &stderr
	start := time.Now()
	require.NoError(t, process.Start())
	if c.kill > 0 {
		time.AfterFunc(c.kill, func() { _ = syscall.Kill(-process.Process.Pid, syscall.SIGTERM) })
	}
	err = process.Wait()
	out := answer{stdout.String(), strings.TrimSpace(stderr.String()), err, time.Since(start), process.ProcessState.UserTime() + process.ProcessState.SystemTime()}
	require.NoError(t, ctx.Err(), "it takes longer than the server grants")

	assert.Equal(t, before, snapshot(t, repository), "the repository is left alone")
	entries, err := os.ReadDir(temporary)
	require.NoError(t, err)
	assert.Empty(t, entries, "nothing is left behind")
	assert.NotContains(t, out.stderr, repository, "nobody knows the folder that the server unpacks to")
	return out
}

func (c call) generate(t *testing.T) answer {
	t.Helper()
	out := c.command(t, readPlugin(t).Spec.Generate.Command)
	if out.err != nil {
		assert.Empty(t, out.stdout, "what fails renders nothing")
	}
	return out
}

// variables are the server's, and no others: no HOME, nothing of this process.
func (c call) variables(t *testing.T) []string {
	t.Helper()
	out := []string{
		"ARGOCD_APP_NAME=" + filepath.Base(c.path), "ARGOCD_APP_NAMESPACE=argocd", "ARGOCD_APP_PROJECT_NAME=default",
		"ARGOCD_APP_REVISION=0123456789abcdef0123456789abcdef01234567", "ARGOCD_APP_REVISION_SHORT=0123456", "ARGOCD_APP_REVISION_SHORT_8=01234567",
		"ARGOCD_APP_SOURCE_REPO_URL=https://git.example.org/platform.git", "ARGOCD_APP_SOURCE_PATH=" + c.path, "ARGOCD_APP_SOURCE_TARGET_REVISION=main",
		"KUBE_VERSION=1.35.4", "KUBE_API_VERSIONS=v1,apps/v1",
	}
	for name, value := range c.env {
		out = append(out, "ARGOCD_ENV_"+name+"="+value)
	}
	var given []map[string]string
	for name, value := range c.parameters {
		given = append(given, map[string]string{"name": name, "string": value})
		out = append(out, "PARAM_"+strings.ToUpper(name)+"="+value)
	}
	data, err := json.Marshal(given)
	require.NoError(t, err)
	return append(out, "ARGOCD_APP_PARAMETERS="+string(data))
}

// TestArgoCDRendersEveryApplication: what the plugin prints is what kustomize
// builds, and warnings stay few.
func TestArgoCDRendersEveryApplication(t *testing.T) {
	var took, cpu time.Duration
	for _, leaf := range leaves(t) {
		path, err := filepath.Rel(root, leaf)
		require.NoError(t, err)
		t.Run(path, func(t *testing.T) {
			got := call{path: path}.generate(t)
			require.NoError(t, got.err, got.stderr)
			assert.Equal(t, objects(t, build(t, leaf)), manifests(t, got.stdout))
			assert.LessOrEqual(t, len(lines(got.stderr)), 4, "%s", got.stderr)
			took, cpu = took+got.took, cpu+got.cpu
			t.Logf("took %s, CPU %s", got.took, got.cpu)
		})
	}
	t.Logf("20 applications took %s, CPU %s", took, cpu)
}

// TestArgoCDParameters: a directory that names no Ringfence is built with what the Application says.
func TestArgoCDParameters(t *testing.T) {
	base := filepath.Join(root, "overlays/base/themelio")
	platform := filepath.Join(root, "overlays/platform/config/staging")
	want := objects(t, run(t, nil, "ringfence", "build", "--owner", "themelio", "--environment", platform, base))
	const path = "overlays/base/themelio"
	const environment = "overlays/platform/config/staging"
	for name, c := range map[string]call{
		"parameters":              {path: path, parameters: map[string]string{"owner": "themelio", "environment": environment}},
		"env":                     {path: path, env: map[string]string{"RINGFENCE_OWNER": "themelio", "RINGFENCE_ENVIRONMENT": environment}},
		"both, of one mind":       {path: path, parameters: map[string]string{"owner": "themelio", "environment": environment}, env: map[string]string{"RINGFENCE_OWNER": "themelio"}},
		"env of others":           {path: path, parameters: map[string]string{"owner": "themelio", "environment": environment, "strict": "false"}, env: map[string]string{"HOME": "/", "PATH": "/"}},
		"a part of the files":     {path: path, root: "overlays", parameters: map[string]string{"owner": "themelio", "environment": environment}},
		"a closed standard input": {path: path, closed: true, parameters: map[string]string{"owner": "themelio", "environment": environment}},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.generate(t)
			require.NoError(t, got.err, got.stderr)
			assert.Equal(t, want, manifests(t, got.stdout))
		})
	}
	t.Run("a directory that names a Ringfence as well", func(t *testing.T) {
		got := call{path: "overlays/staging/themelio", parameters: map[string]string{"owner": "themelio", "environment": environment}}.generate(t)
		require.NoError(t, got.err, got.stderr)
		assert.Equal(t, objects(t, build(t, filepath.Join(root, "overlays/staging/themelio"))), manifests(t, got.stdout))
	})
}

// TestArgoCDSaysWhatIsWrong: three lines, for they stand in a dialog of the UI.
func TestArgoCDSaysWhatIsWrong(t *testing.T) {
	staging := map[string]string{"owner": "themelio", "environment": "overlays/platform/config/staging"}
	with := func(more map[string]string) map[string]string {
		out := map[string]string{}
		for _, m := range []map[string]string{staging, more} {
			for name, value := range m {
				out[name] = value
			}
		}
		return out
	}
	model := "overlays/platform/model/model.yaml"
	cases := map[string]struct {
		reason string
		call   call
		says   []string // of each line one thing
	}{
		"another environment": {
			reason: "an Application of production whose path is staging's",
			call:   call{path: "overlays/staging/themelio", parameters: with(map[string]string{"environment": "overlays/platform/config/production"})},
			says:   []string{"themelio (overlays/staging/themelio): 1 error", `of environment "staging", and the parameter environment overlays/platform/config/production of "production"`, "make both say the same"},
		},
		"another owner": {
			reason: "it would prune what the other one made",
			call:   call{path: "overlays/staging/themelio", parameters: with(map[string]string{"owner": "argocd"})},
			says:   []string{"1 error", `spec.owner: it is "themelio", and the parameter owner is "argocd"`, "fix: "},
		},
		"no owner": {
			reason: "nobody's build",
			call:   call{path: "overlays/base/themelio", parameters: map[string]string{"environment": "overlays/platform/config/staging"}},
			says:   []string{"1 error", "the parameter owner doesn't say whose build it is", "give the parameter owner"},
		},
		"a broken model": {
			reason: "all of several problems are counted, and one is told",
			call: call{path: "overlays/staging/themelio", change: func(t *testing.T, repository string) {
				replaceIn(t, filepath.Join(repository, model), "serviceAccountName: ", "serviceAccountNam: ")
			}},
			says: []string{"errors", "serviceAccountNam", "more; to see all: ringfence build overlays/staging/themelio"},
		},
		"a path out of the repository": {
			reason: "other repositories lie beside it",
			call:   call{path: "overlays/base/themelio", parameters: with(map[string]string{"environment": "../../etc"})},
			says:   []string{"1 error", `parameter environment: "../../etc" leads out of the repository`, "without .."},
		},
		"an absolute path": {
			reason: "as above",
			call:   call{path: "overlays/base/themelio", parameters: with(map[string]string{"environment": "/etc/passwd"})},
			says:   []string{"1 error", `"/etc/passwd" leads out of the repository`, "without .."},
		},
		"a symbolic link out of the repository": {
			reason: "as above",
			call: call{path: "overlays/base/themelio", parameters: with(map[string]string{"environment": "link"}), change: func(t *testing.T, repository string) {
				require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(repository, "link")))
			}},
			says: []string{"1 error", "leads out of the repository", "fix: "},
		},
		"a base out of the repository": {
			reason: "as above; kustomize itself follows it",
			call: call{path: "overlays/staging/themelio", change: func(t *testing.T, repository string) {
				other := t.TempDir()
				write(t, filepath.Join(other, "kustomization.yaml"), "namePrefix: x-\n")
				edit(t, filepath.Join(repository, "overlays/staging/themelio/kustomization.yaml"), func(k map[string]any) {
					rel, err := filepath.Rel(filepath.Join(repository, "overlays/staging/themelio"), other)
					require.NoError(t, err)
					k["resources"] = []any{rel}
				})
			}},
			says: []string{"1 error", "leads out of the repository", "put what it refers to into the repository"},
		},
		"a remote file": {
			reason: "the sidecar would ask whatever address a repository names",
			call: call{path: "overlays/staging/themelio", change: func(t *testing.T, repository string) {
				edit(t, filepath.Join(repository, "overlays/staging/themelio/kustomization.yaml"), func(k map[string]any) {
					k["resources"] = []any{"http://127.0.0.1:1/secret.yaml"}
				})
			}},
			says: []string{"1 error", "nothing is fetched here", "nothing remote is read here"},
		},
		"a remote base": {
			reason: "as above",
			call: call{path: "overlays/staging/themelio", change: func(t *testing.T, repository string) {
				edit(t, filepath.Join(repository, "overlays/staging/themelio/kustomization.yaml"), func(k map[string]any) {
					k["resources"] = []any{"ssh://git@127.0.0.1/other.git//base?ref=v1"}
				})
			}},
			says: []string{"1 error", "git", "nothing remote is read here"},
		},
		"a chart": {
			reason: "helm would run",
			call: call{path: "overlays/staging/themelio", change: func(t *testing.T, repository string) {
				edit(t, filepath.Join(repository, "overlays/staging/themelio/kustomization.yaml"), func(k map[string]any) {
					k["helmCharts"] = []any{map[string]any{"name": "minecraft", "releaseName": "moria"}}
				})
			}},
			says: []string{"1 error", "helm", "commit what the chart renders"},
		},
		"another function": {
			reason: "an executable that a repository names",
			call: call{path: "overlays/staging/themelio", change: func(t *testing.T, repository string) {
				leaf := filepath.Join(repository, "overlays/staging/themelio")
				write(t, filepath.Join(leaf, "other.yaml"), "apiVersion: example.org/v1\nkind: Other\nmetadata: {name: other, annotations: {config.kubernetes.io/function: 'exec: {path: ./evil}'}}\n")
				edit(t, filepath.Join(leaf, "kustomization.yaml"), func(k map[string]any) { k["transformers"] = []any{"other.yaml", "ringfence"} })
			}},
			says: []string{"1 error", `of kind "Other", and none is run here`, "take it out"},
		},
		"a secret": {
			reason: "the UI shows errors to whoever may see the Application",
			call: call{path: "overlays/staging/themelio", change: func(t *testing.T, repository string) {
				edit(t, filepath.Join(repository, "overlays/staging/themelio/kustomization.yaml"), func(k map[string]any) {
					k["secretGenerator"] = []any{map[string]any{"name": "s", "literals": []any{"password=hunter2]", "hunter2]"}}}
				})
			}},
			says: []string{"1 error", "literal sources, expected key=value", "fix: "},
		},
		"strict": {
			reason: "a warning counts",
			call:   call{path: "overlays/staging/themelio", parameters: map[string]string{"strict": "true"}},
			says:   []string{"1 error", "AuthorizationPolicy istio-system/istio-ingressgateway-web: spec: ", "ringfence build --strict overlays/staging/themelio"},
		},
		"a misspelt parameter": {
			reason: "it would be a missing one",
			call:   call{path: "overlays/staging/themelio", parameters: map[string]string{"ownr": "themelio"}},
			says:   []string{"1 error", "parameter ownr: there is no such parameter", "there are owner, environment, strict"},
		},
		"a parameter and another env": {
			reason: "nothing says which one was forgotten",
			call:   call{path: "overlays/base/themelio", parameters: staging, env: map[string]string{"RINGFENCE_OWNER": "argocd"}},
			says:   []string{"1 error", `it is "themelio", and RINGFENCE_OWNER of the Application's env is "argocd"`, "give one of the two"},
		},
		"a doubtful boolean": {
			reason: "yes may mean anything",
			call:   call{path: "overlays/staging/themelio", parameters: map[string]string{"strict": "yes"}},
			says:   []string{"1 error", `parameter strict: it is "yes"`, `write "true" or "false"`},
		},
		"an environment that isn't handed over": {
			reason: "manifest-generate-paths leaves it out",
			call:   call{path: "overlays/base/themelio", root: "overlays/base", parameters: staging},
			says:   []string{"1 error", `Argo CD doesn't hand "overlays/platform/config/staging" over`, "manifest-generate-paths"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := c.call.generate(t)
			require.Error(t, got.err, c.reason)
			said := lines(got.stderr)
			require.Len(t, said, 3, "%s", got.stderr)
			for i, text := range c.says {
				assert.Contains(t, said[i], text)
			}
			for _, line := range said {
				assert.LessOrEqual(t, len(line), 500)
				assert.NotContains(t, line, "hunter2")
			}
		})
	}
}

func TestArgoCDEndsWhenItIsTold(t *testing.T) {
	got := call{path: "overlays/staging/themelio", kill: 100 * time.Millisecond, change: func(t *testing.T, repository string) {
		var b strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&b, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: many-%d, namespace: themelio}\n", i)
		}
		leaf := filepath.Join(repository, "overlays/staging/themelio")
		write(t, filepath.Join(leaf, "many.yaml"), b.String())
		edit(t, filepath.Join(leaf, "kustomization.yaml"), func(k map[string]any) { k["resources"] = append(k["resources"].([]any), "many.yaml") })
	}}.generate(t)
	var exit *exec.ExitError
	require.ErrorAs(t, got.err, &exit)
	assert.Equal(t, syscall.SIGTERM, exit.Sys().(syscall.WaitStatus).Signal())
	assert.Less(t, got.took, 2*time.Second)
}

// TestArgoCDDiscovers: the server asks for each Application, named or not, and
// takes a word on standard output for a yes.
func TestArgoCDDiscovers(t *testing.T) {
	discover := readPlugin(t).Spec.Discover.Find.Command
	for name, c := range map[string]struct {
		call  call
		found bool
	}{
		"a leaf":                 {call{path: "overlays/staging/themelio"}, true},
		"a base":                 {call{path: "overlays/base/themelio"}, false},
		"a base with parameters": {call{path: "overlays/base/themelio", parameters: map[string]string{"owner": "themelio"}}, true},
		"a base with bad ones":   {call{path: "overlays/base/themelio", parameters: map[string]string{"ownr": "themelio"}}, true},
		"no kustomization":       {call{path: "overlays"}, false},
		"the root":               {call{path: "."}, false},
		"a leaf whose model breaks": {call{path: "overlays/staging/themelio", change: func(t *testing.T, repository string) {
			replaceIn(t, filepath.Join(repository, "overlays/platform/model/model.yaml"), "spec:", "spec: [")
		}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.call.command(t, discover)
			require.NoError(t, got.err, got.stderr)
			assert.Equal(t, c.found, got.stdout != "", got.stdout)
		})
	}
}

// manifests reads standard output as the server does: a stream of objects, each
// of which must say what it is. They come back as canonical JSON, sorted.
func manifests(t *testing.T, stdout string) []string {
	t.Helper()
	for _, doc := range documents(t, []byte(stdout)) {
		for _, key := range []string{"apiVersion", "kind"} {
			assert.NotEmpty(t, doc[key])
		}
		metadata, ok := doc["metadata"].(map[string]any)
		require.True(t, ok)
		assert.NotEmpty(t, metadata["name"])
		assert.NotContains(t, doc["apiVersion"], "ringfence.dev/", "input isn't applied")
	}
	return objects(t, []byte(stdout))
}

// snapshot holds every file, its mode and its content.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		out[path] = text
		return nil
	}))
	return out
}

// readOnly takes the permission to write from a tree, until the test is over.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	set := func(mode fs.FileMode) error {
		return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.Type()&fs.ModeSymlink != 0 {
				return err
			}
			more := mode
			if entry.IsDir() {
				more |= 0o111
			}
			return os.Chmod(path, more)
		})
	}
	require.NoError(t, set(0o444))
	t.Cleanup(func() { assert.NoError(t, set(0o644)) })
}

func lines(text string) []string {
	return strings.Split(strings.TrimSpace(text), "\n")
}

func replaced(text, old, fresh string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, old); ok {
			line = fresh + rest
		}
		b.WriteString(line)
	}
	return b.String()
}

// plugin is the contract's configuration: cmpserver/plugin/config.go.
type plugin struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Version  string        `json:"version"`
		Init     pluginCommand `json:"init"`
		Generate pluginCommand `json:"generate"`
		Discover struct {
			Find struct {
				pluginCommand
				Glob string `json:"glob"`
			} `json:"find"`
			FileName string `json:"fileName"`
		} `json:"discover"`
		Parameters struct {
			Static  []pluginParameter `json:"static"`
			Dynamic pluginCommand     `json:"dynamic"`
		} `json:"parameters"`
		PreserveFileMode bool `json:"preserveFileMode"`
		ProvideGitCreds  bool `json:"provideGitCreds"`
	} `json:"spec"`
}

type pluginCommand struct {
	Command []string `json:"command"`
	Args    []string `json:"args"`
}

type pluginParameter struct {
	Name           string            `json:"name"`
	Title          string            `json:"title"`
	Tooltip        string            `json:"tooltip"`
	Required       bool              `json:"required"`
	ItemType       string            `json:"itemType"`
	CollectionType string            `json:"collectionType"`
	String         string            `json:"string"`
	Array          []string          `json:"array"`
	Map            map[string]string `json:"map"`
}

func readPlugin(t *testing.T) plugin {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "components/argocd-plugin/plugin.yaml"))
	require.NoError(t, err)
	var out plugin
	require.NoError(t, yaml.UnmarshalStrict(data, &out), "a field that the server doesn't know")
	return out
}

func TestArgoCDPluginConfiguration(t *testing.T) {
	p := readPlugin(t)
	assert.Equal(t, "argoproj.io/v1alpha1", p.APIVersion)
	assert.Equal(t, "ConfigManagementPlugin", p.Kind)
	assert.Equal(t, "ringfence", p.Metadata.Name)
	assert.Equal(t, []string{"/usr/bin/ringfence", "argocd", "generate"}, p.Spec.Generate.Command)
	assert.False(t, p.Spec.PreserveFileMode)
	assert.False(t, p.Spec.ProvideGitCreds)
	var names []string
	for _, parameter := range p.Spec.Parameters.Static {
		names = append(names, parameter.Name)
		assert.NotEmpty(t, parameter.Title)
		assert.NotEmpty(t, parameter.Tooltip)
	}
	assert.Equal(t, []string{"owner", "environment", "strict"}, names)
}

// TestArgoCDPluginComponent adds the component to a repo-server in the shape of
// Argo CD's own, and compares the result with what a person read.
func TestArgoCDPluginComponent(t *testing.T) {
	dir := copyTree(t)
	at := filepath.Join(dir, "argo-cd")
	require.NoError(t, os.CopyFS(at, os.DirFS("testdata/argo-cd")))
	got := build(t, at)
	const golden = "testdata/argo-cd.golden.yaml"
	if *update {
		write(t, golden, string(got))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got))

	t.Run("without a repo-server", func(t *testing.T) {
		edit(t, filepath.Join(at, "kustomization.yaml"), func(k map[string]any) { delete(k, "resources") })
		_, stderr, err := try(t, nil, "kustomize", "build", at)
		require.Error(t, err)
		assert.Contains(t, stderr, "argocd-repo-server")
	})
	t.Run("the command takes no argument that the plugin doesn't give", func(t *testing.T) {
		_, stderr, err := try(t, nil, "ringfence", "argocd", "generate", "more")
		var exit *exec.ExitError
		require.True(t, errors.As(err, &exit))
		assert.Equal(t, 2, exit.ExitCode(), stderr)
	})
}
