package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/kustomize"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/internal/modeltest"
)

// leaf writes the input as a kustomization that names its Ringfence, and one that names none.
func (in input) leaf(t *testing.T) (leaf, base string) {
	t.Helper()
	list, err := manifest.ReadList(in.list(t))
	require.NoError(t, err)
	dir := t.TempDir()
	leaf, base = filepath.Join(dir, "leaf"), filepath.Join(dir, "base")
	for name, text := range map[string]string{
		"base/kustomization.yaml": "resources: [resources.yaml]\n",
		"base/resources.yaml":     in.resources,
		"leaf/kustomization.yaml": "resources: [../base]\ntransformers: [config.yaml]\n",
		"leaf/config.yaml":        string(list.FunctionConfig()),
		"environment.yaml":        in.environment,
		"model.yaml":              in.model,
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return leaf, base
}

// runBuild runs the command.
func runBuild(args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run("ringfence", append([]string{"build"}, args...), krm.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
	return status, out.String(), err.String()
}

// TestBuildRefuses: what the function refuses build refuses, and writes nothing.
func TestBuildRefuses(t *testing.T) {
	replace := func(part *string, old, fresh string) { *part = strings.Replace(*part, old, fresh, 1) }
	for name, c := range map[string]struct {
		reason string
		change func(*input)
		args   []string
		says   []string
	}{
		"unknown field": {
			reason: "a misspelt field would be a missing one",
			change: func(in *input) { replace(&in.model, "enroll: true", "enrol: true") },
			says:   []string{"leaf/config.yaml: Ringfence config: spec.model.spec.workloads[0].enrol", "input-unknown-field"},
		},
		"two problems": {
			reason: "all problems come together",
			change: func(in *input) {
				replace(&in.model, "owner: role", "owner: nobody")
				replace(&in.environment, "enforced", "enforcing")
			},
			says: []string{`"nobody"`, `"enforcing"`, "failed with 2 errors"},
		},
		"a component too few": {
			reason: "a functionConfig's components are what it says, whatever the profile asks for",
			change: func(in *input) { replace(&in.config, ", security-enforcement", "") },
			says:   []string{"security-enforcement", "ladder-component"},
		},
		"no components": {
			reason: "as above",
			change: func(in *input) {
				replace(&in.config, "[security-baseline, security-enrollment, security-enforcement]", "[]")
			},
			says: []string{"security-baseline", "ladder-component"},
		},
		"another owner": {
			reason: "one of the two is wrong",
			args:   []string{"--owner", "role"},
			says:   []string{`spec.owner: it is "shop", and --owner is "role"`, "make both say the same"},
		},
		"another environment": {
			reason: "an Application's path may be of another environment",
			args:   []string{"--environment", "testdata-environment"},
			says:   []string{`is of environment "staging", and --environment`, `of "production"`},
		},
		"another environment of the same name": {
			reason: "names alone say nothing",
			args:   []string{"--environment", "testdata-same"},
			says:   []string{"it is a second Environment", "spec.environment of Ringfence config says something else there", "input-ambiguous"},
		},
		"components of both": {
			reason: "one would be ignored",
			args:   []string{"--component", "security-baseline"},
			says:   []string{"spec.components", "input-ambiguous"},
		},
		"an object twice": {
			reason: "kustomize's own error",
			change: func(in *input) { in.resources += "---\n" + in.resources },
			says:   []string{"kustomize can't build it", "already registered id", "leaf"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := goodInput()
			if c.change != nil {
				c.change(&in)
			}
			leaf, _ := in.leaf(t)
			for i, arg := range c.args {
				text, ok := map[string]string{
					"testdata-environment": strings.Replace(in.environment, "name: staging", "name: production", 1),
					"testdata-same":        strings.Replace(in.environment, "enforced", "permissive", 1),
				}[arg]
				if ok {
					c.args[i] = filepath.Join(t.TempDir(), "environment.yaml")
					require.NoError(t, os.WriteFile(c.args[i], []byte(text), 0o600))
				}
			}
			status, stdout, stderr := runBuild(append([]string{leaf}, c.args...)...)
			assert.Equal(t, failed, status, c.reason)
			assert.Empty(t, stdout)
			for _, text := range c.says {
				assert.Contains(t, stderr, text)
			}
		})
	}
}

func TestBuildIsMisused(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}, {"--no-such-flag"}} {
		status, stdout, stderr := runBuild(args...)
		assert.Equal(t, misused, status)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "see ringfence build --help")
	}
}

// TestBuildIsRender: a leaf that names its Ringfence, a base with flags, and the
// filter on what kustomize makes of the base give the same bytes.
func TestBuildIsRender(t *testing.T) {
	built := 0
	for seed := range uint64(randomCases) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := modeltest.Random(rand.New(rand.NewPCG(seed, 0)))
			in := input{
				config:      fmt.Sprintf("owner: %s\ncomponents: [%s]\n", c.Owner, strings.Join(c.Components, ", ")),
				model:       c.Model,
				environment: c.Environment,
				resources:   c.Resources,
			}
			leaf, base := in.leaf(t)
			plain, findings := kustomize.Builder{}.Leaf(base)
			require.Empty(t, findings)
			documents := filepath.Dir(leaf)
			files := []string{"--owner", c.Owner, "--model", filepath.Join(documents, "model.yaml"), "--environment", filepath.Join(documents, "environment.yaml")}
			var out, problems bytes.Buffer
			want := run("ringfence", append([]string{"render"}, files...), krm.Streams{In: bytes.NewReader(plain.Text), Out: &out, Err: &problems})
			for _, args := range [][]string{{leaf}, append([]string{base}, files...), append([]string{leaf}, files...)} {
				status, stdout, stderr := runBuild(args...)
				require.Equal(t, want, status, "%s\n%s", stderr, problems.String())
				assert.Equal(t, out.String(), stdout)
			}
			if want == succeeded {
				built++
			}
		})
	}
	assert.Greater(t, built, randomCases/2, "most random builds are right")
}

// TestArgoCDPaths: where the repository lies, and what of it was handed over.
func TestArgoCDPaths(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "overlays", "staging", "shop"), 0o750))
	for name, c := range map[string]struct {
		at, path, root, hidden, says string
	}{
		"whole":      {at: "overlays/staging/shop", path: "overlays/staging/shop", root: "."},
		"a dot":      {at: "overlays/staging/shop", path: "./overlays/staging/shop/", root: "."},
		"the root":   {at: "overlays", path: ".", root: "overlays"},
		"a part":     {at: "overlays/staging/shop", path: "platform/staging/shop", root: "overlays", hidden: "platform"},
		"elsewhere":  {at: "overlays/staging/shop", path: "orders", says: "doesn't end in"},
		"above":      {at: "overlays/staging/shop", path: "../shop", says: "leads out of the repository"},
		"absolute":   {at: "overlays/staging/shop", path: "/staging/shop", says: "leads out of the repository"},
		"not at all": {at: "overlays/staging/shop", path: "", says: "it isn't set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(filepath.Join(dir, c.at))
			t.Setenv(variablePath, c.path)
			app, findings := readApplication()
			if c.says != "" {
				require.Len(t, findings, 1)
				assert.Contains(t, findings[0].Message, c.says)
				return
			}
			require.Empty(t, findings)
			assert.Equal(t, filepath.Join(dir, c.root), app.root)
			assert.Equal(t, c.hidden, app.hidden)
		})
	}
}

// TestArgoCDCommandIsQuoted: it is there to be copied into a shell.
func TestArgoCDCommandIsQuoted(t *testing.T) {
	assert.Equal(t, `ringfence build --owner 'a; rm -rf '\''$HOME'\''' --strict overlays/x`,
		application{owner: "a; rm -rf '$HOME'", strict: true, path: "overlays/x"}.command())
}

// TestVerifyStamped: the version that a build asks for is no difference to its judge.
func TestVerifyStamped(t *testing.T) {
	in := goodInput()
	in.config += "stampVersion: true\n"
	leaf, _ := in.leaf(t)
	var out, err bytes.Buffer
	status := run("ringfence", []string{"verify", filepath.Dir(leaf)}, krm.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
	require.Equal(t, succeeded, status, "%s", err.String())
	_, text, _ := runBuild(leaf)
	assert.Contains(t, text, "ringfence.dev/version: "+krm.Version)
}
