// Package pipelines holds the tests of docs/pipelines.md: what reaches kubectl when
// something before it fails or is cut off, and what the executables read.
package pipelines

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the repository.
const root = "../.."

// The ways to kubectl that the page compares. $BUILD and $RENDER are commands.
const (
	piped = "$BUILD | $RENDER | kubectl apply -f -"
	files = "$BUILD > build.yaml && $RENDER < build.yaml > rendered.yaml && kubectl apply -f rendered.yaml"
)

// TestFailuresBeforeKubectl lets a command before kubectl fail, and looks at what
// kubectl has been given: by a pipe, by a pipe with pipefail, and by files.
func TestFailuresBeforeKubectl(t *testing.T) {
	t.Parallel()
	const (
		build  = "kustomize build $ROOT/overlays/base/tenants"
		render = "ringfence render --owner tenants --model $ROOT/overlays/platform/model/model.yaml" +
			" --environment $ROOT/overlays/platform/environments/staging/environment.yaml"
	)
	cases := map[string]struct {
		reason        string
		build, render string
		// applied says that kubectl applies something; it is what a pipe can't prevent.
		applied map[string]bool
	}{
		"nothing":         {"kubectl gets what the functions make", build, render, map[string]bool{"pipe": true, "pipefail": true, "files": true}},
		"build refused":   {"there is no such directory", "kustomize build $ROOT/overlays/bass", render, nil},
		"build killed":    {"it prints at its end, so that there is nothing yet", "sh -c 'kill -9 $$'", render, nil},
		"no kustomize":    {"it isn't installed", "no-such-kustomize build .", render, nil},
		"render refused":  {"the model has no such owner", build, render + " --owner tenant", nil},
		"model missing":   {"a file that isn't there", build, render + " --model no-such-file.yaml", nil},
		"no ringfence":    {"it isn't installed", build, "no-such-ringfence render", nil},
		"render killed":   {"it prints at its end, too", build, "sh -c 'kill -9 $$'", nil},
		"build cut short": {"two documents look like a small build", "sh -c '" + build + " | head -n 26; exit 1'", render, map[string]bool{"pipe": true, "pipefail": true}},
	}
	ways := map[string]struct{ shell, script string }{
		"pipe":     {"sh -c", piped},
		"pipefail": {"bash -o pipefail -c", piped},
		"files":    {"sh -c", files},
	}
	for name, c := range cases {
		for way, w := range ways {
			t.Run(name+"/"+way, func(t *testing.T) {
				t.Parallel()
				shell := strings.Fields(w.shell)
				if _, err := exec.LookPath(shell[0]); err != nil {
					t.Skipf("there is no %s", shell[0])
				}
				dir := t.TempDir()
				script := strings.NewReplacer("$BUILD", c.build, "$RENDER", c.render).Replace(w.script)
				output, err := command(t, dir, shell[0], append(shell[1:], script)...).CombinedOutput()
				applied, _ := os.ReadFile(filepath.Join(dir, "applied"))
				if c.applied[way] {
					assert.NotEmpty(t, applied, "%s: %s", c.reason, output)
				} else {
					assert.Empty(t, string(applied), "%s: %s", c.reason, output)
				}
				// kubectl itself fails when it is given nothing; what a plain pipe doesn't tell is a cut.
				if name == "nothing" || name == "build cut short" && way == "pipe" {
					assert.NoError(t, err, "%s", output)
				} else {
					assert.Error(t, err, "%s", output)
				}
			})
		}
	}
}

// command returns a command in dir that finds our executables first on PATH, and a
// kubectl that writes what it is given into the file "applied".
func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	at, err := filepath.Abs(root)
	require.NoError(t, err)
	fakes := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(fakes, "kubectl"), []byte(`#!/bin/sh
# kubectl apply -f FILE, as far as pipelines see it.
cat "$(test "$3" = - && echo /dev/stdin || echo "$3")" > applied
test -s applied || { echo "error: no objects passed to apply" >&2; exit 1; }
`), 0o755))
	c := exec.Command(name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "ROOT="+at, "PATH="+strings.Join([]string{fakes, filepath.Join(at, "bin"), os.Getenv("PATH")}, string(os.PathListSeparator)))
	return c
}

// run runs a command as "make build tools" left it.
func run(t *testing.T, stdin []byte, name string, args ...string) (stdout, stderr []byte, err error) {
	t.Helper()
	var out, problems bytes.Buffer
	c := exec.Command(executable(t, name), args...)
	c.Stdin, c.Stdout, c.Stderr = bytes.NewReader(stdin), &out, &problems
	err = c.Run()
	return out.Bytes(), problems.Bytes(), err
}

func executable(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "bin", name))
	require.NoError(t, err)
	require.FileExists(t, path, `run "make build tools" first`)
	return path
}

// build builds a directory of the example platform with kustomize alone.
func build(t *testing.T, dir string) []byte {
	t.Helper()
	stdout, stderr, err := run(t, nil, "kustomize", "build", filepath.Join(root, "overlays", dir))
	require.NoError(t, err, string(stderr))
	return stdout
}

// renderArgs are those of "ringfence render" for an owner in staging.
func renderArgs(owner string) []string {
	platform := filepath.Join(root, "overlays", "platform")
	return []string{
		"render", "--owner", owner, "--model", filepath.Join(platform, "model", "model.yaml"),
		"--environment", filepath.Join(platform, "environments", "staging", "environment.yaml"),
	}
}
