package kpt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write what kpt answers into the examples")

// Example is a package in functions/<function>/examples with what is expected of it in
// .expected, in the form of kpt's own runner: config.yaml, results.yaml, diff.patch.
type Example struct {
	Function, Name, Dir string
	Config              Config
}

// Config is .expected/config.yaml, as far as an example needs it.
type Config struct {
	TestType  string `json:"testType"`
	ExitCode  int    `json:"exitCode"`
	AllowExec bool   `json:"allowExec"`
}

const (
	expected = ".expected"
	results  = "results.yaml"
	patch    = "diff.patch"
	kptfile  = "Kptfile"
)

// Examples returns the examples of every function.
func Examples(tb testing.TB) []Example {
	tb.Helper()
	found, err := filepath.Glob(filepath.Join(Root(tb), "functions", "*", "examples", "*", expected))
	require.NoError(tb, err)
	require.NotEmpty(tb, found)
	out := make([]Example, 0, len(found))
	for _, path := range found {
		dir := filepath.Dir(path)
		e := Example{Function: filepath.Base(filepath.Dir(filepath.Dir(dir))), Name: filepath.Base(dir), Dir: dir}
		require.NoError(tb, yaml.UnmarshalStrict([]byte(Read(tb, path, "config.yaml")), &e.Config), path)
		require.Equal(tb, "render", e.Config.TestType, path)
		out = append(out, e)
	}
	return out
}

// Variant is one way to run an example.
type Variant struct {
	// Kpt is the executable.
	Kpt string
	// Image names a function's image. Without it functions are executables.
	Image func(function string) string
}

// flags are the ones that "kpt fn render" and "kpt fn eval" want for a variant.
func (v Variant) flags(render bool) []string {
	switch {
	case v.Image != nil:
		return []string{"--image-pull-policy", "Never"}
	case render:
		return []string{"--allow-exec"}
	}
	return nil
}

// Check renders an example, an executable twice, and compares exit status, results and files.
func (e Example) Check(t *testing.T, v Variant) {
	t.Helper()
	folder := e.copyFor(t, v)
	Commit(t, folder)
	rounds := 2
	if v.Image != nil {
		rounds = 1 // the executable was run twice
	}
	for round := range rounds {
		reports := t.TempDir()
		out := Try(t, "", v.Kpt, append([]string{"fn", "render", folder, "--results-dir", reports}, v.flags(true)...)...)
		require.Equal(t, e.Config.ExitCode, out.Status, "%s\n%s%s", out.Command, out.Stdout, out.Stderr)
		if round == 0 {
			e.expectResults(t, v, Read(t, reports, results))
		}
		if e.Config.ExitCode != 0 {
			require.Empty(t, Diff(t, folder), "a run that fails changes nothing")
			return
		}
		e.expect(t, patch, Diff(t, folder))
	}
}

// copyFor returns a copy of the example whose pipeline asks for the variant.
func (e Example) copyFor(t *testing.T, v Variant) string {
	t.Helper()
	folder := Folder(t, e.Dir)
	if v.Image != nil {
		ForImages(t, filepath.Join(folder, kptfile), v.Image)
	}
	return folder
}

// ForImages makes a Kptfile whose functions are executables ask for images.
func ForImages(tb testing.TB, path string, image func(function string) string) {
	tb.Helper()
	var b strings.Builder
	for line := range strings.Lines(Read(tb, path)) {
		if before, function, ok := strings.Cut(line, "- exec: "); ok {
			line = before + "- image: " + image(strings.TrimSpace(function)) + "\n"
		}
		b.WriteString(line)
	}
	require.Contains(tb, b.String(), "- image: ")
	require.NoError(tb, os.WriteFile(path, []byte(b.String()), 0o644))
}

// expectResults compares results. Those of an image name it, and docker's client drops the last end of a line of
// what it wrote on standard error.
func (e Example) expectResults(t *testing.T, v Variant, got string) {
	t.Helper()
	if v.Image == nil {
		e.expect(t, results, got)
		return
	}
	assert.Equal(t, reported(t, Read(t, e.Dir, expected, results), "exec", e.Function), reported(t, got, "image", v.Image(e.Function)))
}

// reported reads results, and takes out what differs between the ways to run the function.
func reported(t *testing.T, text, how, name string) map[string]any {
	t.Helper()
	list := map[string]any{}
	require.NoError(t, yaml.Unmarshal([]byte(text), &list))
	items, ok := list["items"].([]any)
	require.True(t, ok, text)
	for _, item := range items {
		result, ok := item.(map[string]any)
		require.True(t, ok, text)
		require.Equal(t, name, result[how])
		delete(result, how)
		if stderr, ok := result["stderr"].(string); ok {
			result["stderr"] = strings.TrimRight(stderr, "\n")
		}
	}
	return list
}

// expect compares a file of .expected; one that isn't there expects nothing.
func (e Example) expect(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join(e.Dir, expected, name)
	if *update {
		if got == "" {
			require.NoError(t, os.RemoveAll(path))
			return
		}
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	assert.Equal(t, string(want), got, "%s: `go test ./kpt -run TestExamples -update` in test/e2e writes it", path)
}
