package kpt

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

const localConfig = "config.kubernetes.io/local-config"

// Files returns the paths of a folder's files, without git's.
func Files(tb testing.TB, folder string) []string {
	tb.Helper()
	var out []string
	require.NoError(tb, fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case !entry.IsDir():
			out = append(out, path)
		}
		return nil
	}))
	return out
}

// PackageObjects returns the objects of a package, as Objects does.
func PackageObjects(tb testing.TB, folder string) []string {
	tb.Helper()
	var all strings.Builder
	for _, file := range Files(tb, folder) {
		if filepath.Ext(file) == ".yaml" && !strings.HasPrefix(file, expected) {
			all.WriteString("---\n" + Read(tb, folder, file))
		}
	}
	return Objects(tb, all.String())
}

// Objects returns what is applied of YAML documents, one text for each object, in order.
func Objects(tb testing.TB, text string) []string {
	tb.Helper()
	found := map[string]bool{}
	for _, document := range strings.Split("\n"+text, "\n---\n") {
		var object map[string]any
		require.NoError(tb, yaml.Unmarshal([]byte(document), &object), document)
		if object == nil {
			continue
		}
		metadata, _ := object["metadata"].(map[string]any)
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations[localConfig] == "true" {
			continue
		}
		canonical, err := json.Marshal(object)
		require.NoError(tb, err)
		require.False(tb, found[string(canonical)], "twice: %s", canonical)
		found[string(canonical)] = true
	}
	return slices.Sorted(maps.Keys(found))
}
