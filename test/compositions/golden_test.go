package compositions

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the builds into testdata/")

// TestGoldenBuilds builds every overlay and compares it, to the byte, with the
// build that was read by a person when it was written.
func TestGoldenBuilds(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "overlays/*/*/ringfence/kustomization.yaml"))
	require.NoError(t, err)
	require.Len(t, files, 20, "five environments of four applications")
	for _, file := range files {
		leaf := filepath.Dir(filepath.Dir(file))
		name := filepath.Join(filepath.Base(filepath.Dir(leaf)), filepath.Base(leaf)+".yaml")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := build(t, leaf)
			golden := filepath.Join("testdata", name)
			if *update {
				write(t, golden, string(got))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
		})
	}
}

// TestStagingHoldsThePoliciesOfTheDocument looks for the policies of DD-0025, as
// the document has them, in what kustomize renders.
func TestStagingHoldsThePoliciesOfTheDocument(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join(root, "testdata/dd-0025-themelio.txtar"))
	require.NoError(t, err)
	rendered := documents(t, build(t, filepath.Join(root, "overlays/staging/themelio")))
	found := 0
	for _, section := range archive.Files {
		if !strings.HasSuffix(section.Name, "/source.yaml") {
			continue
		}
		for _, want := range documents(t, section.Data) {
			name := want["metadata"].(map[string]any)
			for _, got := range rendered {
				metadata := got["metadata"].(map[string]any)
				if got["kind"] == want["kind"] && metadata["name"] == name["name"] && metadata["namespace"] == name["namespace"] {
					found++
					assert.Equal(t, want["spec"], got["spec"], "%v %v", want["kind"], name["name"])
				}
			}
		}
	}
	assert.Equal(t, 7, found, "sections 3, 5.1, 5.2 and 5.3 have seven objects for Themelio")
}
