package ansible_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
)

// TestInstalled requires that Ansible's own tools take the tarball for one of theirs.
func TestInstalled(t *testing.T) {
	t.Parallel()
	for _, version := range ansible.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.Local})
			assert.Contains(t, c.Command(t, "ansible-galaxy", "collection", "verify", "--offline", "ringfence.mesh"),
				"Successfully verified that checksums for 'ringfence.mesh:0.1.0' are internally consistent")
			c.Command(t, "ansible-galaxy", "collection", "build", "--output-path", c.Folder,
				ansible.Path("out", "collection", "ansible_collections", "ringfence", "mesh"))
			ours, theirs := read(t, ansible.Path("out", "ringfence-mesh-0.1.0.tar.gz")), read(t, filepath.Join(c.Folder, "ringfence-mesh-0.1.0.tar.gz"))
			assert.Equal(t, theirs.info, ours.info)
			assert.ElementsMatch(t, theirs.files, ours.files)
			assert.Equal(t, theirs.modes, ours.modes)
		})
	}
}

// tarball is what is compared: the builds list the files in different orders.
type tarball struct {
	info  map[string]any
	files []any
	modes map[string]int64
}

func read(tb testing.TB, name string) tarball {
	tb.Helper()
	file, err := os.Open(name)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, file.Close()) }()
	compressed, err := gzip.NewReader(file)
	require.NoError(tb, err)
	reader := tar.NewReader(compressed)
	out := tarball{modes: map[string]int64{}}
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(tb, err)
		out.modes[strings.TrimSuffix(header.Name, "/")] = header.Mode
		switch header.Name {
		case "MANIFEST.json":
			var manifest struct {
				Info map[string]any `json:"collection_info"`
			}
			require.NoError(tb, json.NewDecoder(reader).Decode(&manifest))
			out.info = manifest.Info
		case "FILES.json":
			var list struct {
				Files []any `json:"files"`
			}
			require.NoError(tb, json.NewDecoder(reader).Decode(&list))
			out.files = list.Files
		}
	}
}

// moduleNames are those of the folders with a module.
func moduleNames(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(ansible.Path("ansible-modules", "*", "module.go"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	out := make([]string, 0, len(files))
	for _, file := range files {
		out = append(out, filepath.Base(filepath.Dir(file)))
	}
	return out
}

func TestDocumentation(t *testing.T) {
	t.Parallel()
	for _, version := range ansible.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.Local})
			var names []string
			for line := range strings.Lines(c.Command(t, "ansible-doc", "--list", "ringfence.mesh")) {
				name, summary, _ := strings.Cut(strings.TrimSpace(line), " ")
				assert.NotEmpty(t, strings.TrimSpace(summary), name)
				names = append(names, strings.TrimPrefix(name, "ringfence.mesh."))
			}
			assert.ElementsMatch(t, moduleNames(t), names)

			var pages map[string]struct {
				Doc struct {
					Options map[string]struct {
						Description []string `json:"description"`
					} `json:"options"`
				} `json:"doc"`
				Examples string         `json:"examples"`
				Return   map[string]any `json:"return"`
			}
			full := make([]string, 0, len(names))
			for _, name := range moduleNames(t) {
				full = append(full, "ringfence.mesh."+name)
			}
			output := c.Command(t, "ansible-doc", append([]string{"--json"}, full...)...)
			require.NoError(t, json.Unmarshal([]byte(output), &pages), output)
			for _, name := range full {
				page := pages[name]
				assert.Contains(t, page.Examples, name+":", name)
				assert.NotEmpty(t, page.Return, name)
				assert.NotEmpty(t, page.Doc.Options, name)
				for option, about := range page.Doc.Options {
					assert.NotEmpty(t, about.Description, "%s: %s", name, option)
				}
			}
			text := c.Command(t, "ansible-doc", full...)
			for _, heading := range []string{"OPTIONS", "EXAMPLES", "RETURN VALUES"} {
				assert.Equal(t, len(full), strings.Count(text, "\n"+heading), heading)
			}
		})
	}
}
