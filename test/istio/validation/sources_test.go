package validation_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// composed returns the names of the environments whose builds are kept.
func composed(tb testing.TB) []string {
	tb.Helper()
	dirs, err := filepath.Glob(filepath.Join(root, "overlays/platform/environments/*"))
	require.NoError(tb, err)
	var out []string
	for _, dir := range dirs {
		out = append(out, filepath.Base(dir))
	}
	require.Greater(tb, len(out), 3)
	return out
}

type file struct {
	name string
	text []byte
}

// build returns the files that an environment is composed of.
func build(tb testing.TB, environment string) []file {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(root, "test/compositions/testdata", environment, "*.yaml"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files, environment)
	var out []file
	for _, path := range files {
		out = append(out, file{environment + "/" + filepath.Base(path), read(tb, path)})
	}
	return out
}

// compositions returns the Istio objects of all builds.
func compositions(tb testing.TB) []object {
	tb.Helper()
	var out []object
	for _, environment := range composed(tb) {
		for _, f := range build(tb, environment) {
			out = append(out, istioObjects(tb, f.name, f.text)...)
		}
	}
	return out
}

// answers returns the Istio objects that the functions answer with in the archives of testdata.
// What is in an archive's input is another matter: some of it is wrong on purpose.
func answers(tb testing.TB) []object {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(root, "testdata/*.txtar"))
	require.NoError(tb, err)
	var out []object
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(tb, err)
		for _, section := range archive.Files {
			if strings.HasPrefix(section.Name, "out/") && (strings.HasSuffix(section.Name, "/objects.yaml") || strings.HasSuffix(section.Name, "/source.yaml")) {
				out = append(out, istioObjects(tb, filepath.Base(file)+" "+section.Name, section.Data)...)
			}
		}
	}
	return out
}

// written returns the Istio objects that the project's other files hold or show: manifests, the
// documents of a Markdown page whether a reader sees them or a test writes them, and the additions
// of a patch.
func written(tb testing.TB) []object {
	tb.Helper()
	var out []object
	for _, top := range []string{"README.md", "docs", "components", "overlays", "functions", "ansible-modules", "test/e2e"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			name, err := filepath.Rel(root, path)
			require.NoError(tb, err)
			switch filepath.Ext(path) {
			case ".yaml":
				out = append(out, istioObjects(tb, name, read(tb, path))...)
			case ".md", ".patch":
				out = append(out, shown(tb, name, string(read(tb, path)))...)
			}
			return nil
		})
		require.NoError(tb, err)
	}
	return out
}

var (
	starts = regexp.MustCompile(`^\+?apiVersion: `)
	ends   = regexp.MustCompile("^(\\+?---|```|EOF|-->|@@|diff )")
)

// shown returns the Istio objects in a text: each begins with its apiVersion, and a plus sign before
// it says that it is one of a patch.
func shown(tb testing.TB, where, text string) []object {
	tb.Helper()
	var out []object
	var lines []string
	inside, patch := false, false
	flush := func() {
		out = append(out, istioObjects(tb, where, []byte(strings.Join(lines, "\n")+"\n"))...)
		lines, inside = nil, false
	}
	for _, line := range append(strings.Split(text, "\n"), "---") {
		switch {
		case starts.MatchString(line):
			inside, patch = true, strings.HasPrefix(line, "+")
		case inside && ends.MatchString(line):
			flush()
			continue
		case !inside, patch && strings.HasPrefix(line, "-"):
			continue
		}
		if patch && line != "" {
			line = line[1:]
		}
		lines = append(lines, line)
	}
	return out
}

func read(tb testing.TB, file string) []byte {
	tb.Helper()
	text, err := os.ReadFile(file)
	require.NoError(tb, err)
	return text
}
