package kpt

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Root returns the root of the repository.
func Root(tb testing.TB) string {
	tb.Helper()
	folder, err := os.Getwd()
	require.NoError(tb, err)
	for dir := folder; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tools", "kpt.mk")); err == nil {
			return dir
		}
	}
	require.FailNow(tb, "no repository", "%s isn't in it", folder)
	return ""
}

// Built returns the path of an executable that a make target builds.
func Built(tb testing.TB, target, name string) string {
	tb.Helper()
	path := filepath.Join(Root(tb), "bin", name)
	if _, err := os.Stat(path); err != nil {
		require.FailNow(tb, "something is not built", "%v: run `make %s` in the root of the repository", err, target)
	}
	return path
}

// All returns the kpt of bin/ and, where PATH has another, that as well.
func All(tb testing.TB) []string {
	tb.Helper()
	ours := Built(tb, "kpt", "kpt")
	out := []string{ours}
	for _, folder := range filepath.SplitList(os.Getenv("PATH")) {
		other, err := exec.LookPath(filepath.Join(folder, "kpt"))
		if err != nil {
			continue
		}
		if same(tb, other, ours) {
			continue
		}
		return append(out, other)
	}
	return out
}

func same(tb testing.TB, a, b string) bool {
	tb.Helper()
	first, err := os.Stat(a)
	require.NoError(tb, err)
	second, err := os.Stat(b)
	require.NoError(tb, err)
	return os.SameFile(first, second)
}

// Version returns what a kpt says it is.
func Version(tb testing.TB, kpt string) string {
	tb.Helper()
	return Run(tb, "", kpt, "version").Line()
}

// Folder copies a folder into one of the test's own, with its name.
func Folder(tb testing.TB, from string) string {
	tb.Helper()
	to := filepath.Join(tb.TempDir(), filepath.Base(from))
	require.NoError(tb, os.CopyFS(to, os.DirFS(from)))
	return to
}

// Write writes files by their paths in a folder.
func Write(tb testing.TB, folder string, files map[string]string) {
	tb.Helper()
	for name, text := range files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(tb, os.WriteFile(path, []byte(text), 0o644))
	}
}

// Read returns the text of a file.
func Read(tb testing.TB, path ...string) string {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(tb, err)
	return string(data)
}
