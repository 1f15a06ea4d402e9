package functions_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/functions"
	"github.com/ringfence-dev/ringfence/internal/krm"
)

var update = flag.Bool("update", false, "write the metadata.yaml of each function")

// whole is the executable as a function, which runs the others.
var whole = krm.Unit{
	Name:    "ringfence",
	Summary: "runs the functions that a build's components select, in one process, and the verifier last",
}

// TestMetadata holds what kpt's catalogue wants to know of a function against the table of functions.
func TestMetadata(t *testing.T) {
	for _, unit := range append(slices.Clone(functions.Units), whole) {
		t.Run(unit.Name, func(t *testing.T) {
			want := metadata(t, unit)
			path := filepath.Join(unit.Name, "metadata.yaml")
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(want), 0o600))
			}
			assert.Equal(t, want, read(t, path), "`go test ./functions -run TestMetadata -update` writes it")
		})
	}
}

func metadata(t *testing.T, unit krm.Unit) string {
	t.Helper()
	const source = "https://github.com/ringfence-dev/ringfence/tree/main/functions/"
	tag := "mutator"
	if unit.Judges {
		tag = "validator"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "image: ringfence-dev/%s\n", unit.Name)
	fmt.Fprintf(&b, "description: %q\n", strings.ToUpper(unit.Summary[:1])+unit.Summary[1:]+".")
	fmt.Fprintf(&b, "tags:\n  - %s\n  - istio\n  - security\n", tag)
	fmt.Fprintf(&b, "sourceURL: %s%s\nexamplePackageURLs:\n", source, unit.Name)
	for _, example := range examples(t, unit.Name) {
		fmt.Fprintf(&b, "  - %s%s\n", source, filepath.ToSlash(example))
	}
	b.WriteString("license: Apache-2.0\n")
	return b.String()
}

func examples(t *testing.T, name string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(name, "examples", "*"))
	require.NoError(t, err)
	return found
}

// TestPages holds each function's page against the sections that kpt's catalogue has.
func TestPages(t *testing.T) {
	for _, unit := range append(slices.Clone(functions.Units), whole) {
		t.Run(unit.Name, func(t *testing.T) {
			page := read(t, unit.Name, "README.md")
			assert.Equal(t, "`"+unit.Name+"` "+unit.Summary+".", section(t, page, "Short"))
			assert.NotEmpty(t, section(t, page, "Long"))
			links := section(t, page, "Examples")
			for _, example := range examples(t, unit.Name) {
				assert.Contains(t, links, "](examples/"+filepath.Base(example)+"/README.md)")
			}
		})
	}
}

// section returns what stands between two marks of a page.
func section(t *testing.T, page, name string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, "<!--mdtogo:"+name+"-->\n")
	require.True(t, found, name)
	text, _, found := strings.Cut(rest, "<!--mdtogo-->\n")
	require.True(t, found, name)
	return strings.TrimSpace(text)
}

// TestExamples requires of each function an example that succeeds and one that is refused. The end-to-end tests
// run them.
func TestExamples(t *testing.T) {
	for _, unit := range append(slices.Clone(functions.Units), whole) {
		t.Run(unit.Name, func(t *testing.T) {
			succeed, refused := 0, 0
			for _, dir := range examples(t, unit.Name) {
				if strings.Contains(read(t, dir, ".expected", "config.yaml"), "exitCode: 1\n") {
					refused++
					assert.NoFileExists(t, filepath.Join(dir, ".expected", "diff.patch"))
				} else {
					succeed++
				}
				assert.NotEmpty(t, read(t, dir, ".expected", "results.yaml"))
				assert.Contains(t, read(t, dir, "Kptfile"), "- exec: "+unit.Name+"\n")
				assert.Contains(t, read(t, dir, "README.md"), "kpt fn render "+filepath.Base(dir)+" --allow-exec")
			}
			assert.Positive(t, succeed)
			assert.Positive(t, refused)
		})
	}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return string(data)
}
