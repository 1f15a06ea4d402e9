package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/functions"
	"github.com/ringfence-dev/ringfence/tools/release/internal/image"
	"github.com/ringfence-dev/ringfence/tools/release/internal/program"
	"github.com/ringfence-dev/ringfence/tools/release/internal/program/programtest"
)

const log = `# Changelog

## [Unreleased]

## [1.2.3] - 2026-01-31

The first.

[Unreleased]: https://example.org/compare/v1.2.3...main
[1.2.3]: https://example.org/commits/v1.2.3
`

// generator stands in for cyclonedx-gomod.
const generator = `#!/bin/sh
cat <<'EOF'
{"bomFormat": "CycloneDX", "specVersion": "1.6", "metadata": {"component": {"bom-ref": "main", "name": "main"}},
 "components": [{"bom-ref": "a", "name": "a"}]}
EOF
`

// workshop is a folder with all that a release is made of.
type workshop struct {
	*testing.T

	folder string
}

func newWorkshop(t *testing.T) workshop {
	t.Helper()
	w := workshop{t, t.TempDir()}
	for _, p := range program.Platforms {
		programtest.Write(t, p.Path(w.at("binaries")), p.OS, p.Architecture)
		programtest.Write(t, p.Path(w.at("ansible")), p.OS, p.Architecture)
	}
	for name, text := range map[string]string{
		"CHANGELOG.md": log, "LICENSE": "License", "README.md": "# It", "ringfence-mesh-1.2.3.tar.gz": "collection", "generator": generator,
	} {
		require.NoError(t, os.WriteFile(w.at(name), []byte(text), 0o755))
	}
	return w
}

func (w workshop) at(name string) string { return filepath.Join(w.folder, name) }

func (w workshop) run(args ...string) (string, error) {
	w.Helper()
	var out bytes.Buffer
	err := run(w.Context(), args, &out)
	return out.String(), err
}

func (w workshop) images(version string) (string, error) {
	w.Helper()
	return w.run("images", "-binaries", w.at("binaries"), "-version", version, "-revision", "abc", "-output", w.at("images"))
}

func (w workshop) pack(version string, more ...string) (string, error) {
	w.Helper()
	return w.run(append([]string{
		"pack", "-binaries", w.at("binaries"), "-version", version, "-revision", "abc", "-output", w.at("release"),
		"-images", w.at("images"), "-collection", w.at("ringfence-mesh-1.2.3.tar.gz"), "-collection-binaries", w.at("ansible"),
		"-changelog", w.at("CHANGELOG.md"), "-license", w.at("LICENSE"), "-readme", w.at("README.md"), "-sbom", w.at("generator"),
	}, more...)...)
}

// release returns the files of a release by name.
func (w workshop) release(version string, more ...string) map[string]string {
	w.Helper()
	_, err := w.images(version)
	require.NoError(w, err)
	_, err = w.pack(version, more...)
	require.NoError(w, err)
	entries, err := os.ReadDir(w.at("release"))
	require.NoError(w, err)
	out := map[string]string{}
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(w.at("release"), entry.Name()))
		require.NoError(w, err)
		out[entry.Name()] = string(data)
	}
	return out
}

func TestImages(t *testing.T) {
	w := newWorkshop(t)
	text, err := w.images("v1.2.3")
	require.NoError(t, err)
	var entries []image.Entry
	data, err := os.ReadFile(filepath.Join(w.at("images"), image.ListFile))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &entries))
	require.Len(t, entries, len(functions.Units)+1)
	for i, unit := range functions.Units {
		assert.Equal(t, "ringfence-dev/"+unit.Name+":v1.2.3", entries[i+1].Reference)
		assert.Contains(t, text, unit.Name)
	}
}

func TestRelease(t *testing.T) {
	w := newWorkshop(t)
	files := w.release("v1.2.3", "-release")
	var names []string
	for line := range strings.Lines(files["checksums.txt"]) {
		_, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		names = append(names, name)
	}
	assert.Len(t, files, len(names)+1, "the checksums name every other file")
	assert.IsIncreasing(t, names)
	for _, name := range []string{
		"CHANGELOG.md", "ringfence-mesh-1.2.3.tar.gz", "ringfence-mesh-1.2.3.tar.gz_linux_arm64.cdx.json",
		"ringfence_v1.2.3_darwin_arm64.tar.gz", "ringfence_v1.2.3_darwin_arm64.tar.gz.cdx.json",
		"ringfence_v1.2.3_image_access-verifier_linux_amd64.cdx.json", "ringfence_v1.2.3_images.json",
		"ringfence_v1.2.3_images_linux_amd64.tar", "ringfence_v1.2.3_images_oci.tar", "ringfence_v1.2.3_linux_amd64.tar.gz",
	} {
		assert.Contains(t, names, name)
	}
	assert.Equal(t, "# Changelog\n\n## [1.2.3] - 2026-01-31\n\nThe first.\n\n[1.2.3]: https://example.org/commits/v1.2.3\n", files["CHANGELOG.md"])

	if _, err := exec.LookPath("sha256sum"); err == nil {
		command := exec.CommandContext(t.Context(), "sha256sum", "--check", "checksums.txt")
		command.Dir = w.at("release")
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
	}
}

func TestArchive(t *testing.T) {
	w := newWorkshop(t)
	compressed, err := gzip.NewReader(strings.NewReader(w.release("v1.2.3")["ringfence_v1.2.3_linux_arm64.tar.gz"]))
	require.NoError(t, err)
	got := map[string]string{}
	for reader := tar.NewReader(compressed); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got[header.Name] = header.Linkname
	}
	want := map[string]string{"LICENSE": "", "README.md": "", "ringfence": ""}
	for _, unit := range functions.Units {
		want[unit.Name] = "ringfence"
	}
	assert.Equal(t, want, got)
}

// TestReproducible makes a release in two places, and anew in the second.
func TestReproducible(t *testing.T) {
	first := newWorkshop(t).release("v1.2.3")
	second := newWorkshop(t)
	assert.Equal(t, first, second.release("v1.2.3"))
	require.NoError(t, os.WriteFile(filepath.Join(second.at("release"), "stale"), nil, 0o644))
	assert.Equal(t, first, second.release("v1.2.3"))

	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	assert.NotEqual(t, first["ringfence_v1.2.3_images.json"], second.release("v1.2.3")["ringfence_v1.2.3_images.json"])
}

func TestSnapshot(t *testing.T) {
	w := newWorkshop(t)
	require.NoError(t, os.WriteFile(w.at("CHANGELOG.md"), []byte(strings.Replace(log, "d]\n", "d]\n\nSoon.\n", 1)), 0o644))
	files := w.release("v1.2.3-4-g5a570b9-dirty")
	assert.Contains(t, files["CHANGELOG.md"], "## [Unreleased]\n\nSoon.\n")
	assert.Contains(t, files, "ringfence_v1.2.3-4-g5a570b9-dirty_linux_amd64.tar.gz")
}

func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		images, pack string
		change       func(w workshop)
		want         string
	}{
		"snapshot":          {"v1.2.3-4-g5a570b9", "v1.2.3-4-g5a570b9", nil, "a release is a tag such as v1.2.3"},
		"no section":        {"v1.2.4", "v1.2.4", nil, "there is no section ## [1.2.4]"},
		"other images":      {"v1.2.2", "v1.2.3", nil, "which isn't of version v1.2.3; build the images anew"},
		"other collection":  {"v1.3.0", "v1.3.0", func(w workshop) { w.replace("CHANGELOG.md", "1.2.3", "1.3.0") }, "isn't of version 1.3.0; change the version in its galaxy.yml"},
		"malformed changes": {"v1.2.3", "v1.2.3", func(w workshop) { w.replace("CHANGELOG.md", " - 2026-01-31", "") }, "line 5: [1.2.3]: its date"},
		"no license":        {"v1.2.3", "v1.2.3", func(w workshop) { require.NoError(w, os.Remove(w.at("LICENSE"))) }, "reading LICENSE"},
		"other executable": {"v1.2.3", "v1.2.3", func(w workshop) {
			programtest.Write(w.T, program.Platform{OS: "darwin", Architecture: "arm64"}.Path(w.at("binaries")), "darwin", "amd64")
		}, "not an executable of darwin_arm64: it is one of Amd64"},
		"no bill": {"v1.2.3", "v1.2.3", func(w workshop) { w.replace("generator", `"a"`, "a") }, "reading the modules"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorkshop(t)
			_, err := w.images(c.images)
			require.NoError(t, err)
			if c.change != nil {
				c.change(w)
			}
			_, err = w.pack(c.pack, "-release")
			require.ErrorContains(t, err, c.want)
			assert.NoDirExists(t, w.at("release"), "nothing is written")
		})
	}
}

func (w workshop) replace(name, old, replacement string) {
	w.Helper()
	data, err := os.ReadFile(w.at(name))
	require.NoError(w, err)
	text := strings.ReplaceAll(string(data), old, replacement)
	require.NotEqual(w, string(data), text)
	require.NoError(w, os.WriteFile(w.at(name), []byte(text), 0o755))
}

func TestMisuse(t *testing.T) {
	w := newWorkshop(t)
	for want, args := range map[string][]string{
		"name a command":              nil,
		"push       copy images":      {"fly"},
		"-binaries is missing":        {"images"},
		"can't be an image's tag":     {"changelog", "-file", w.at("CHANGELOG.md"), "-version", "v1.2.3+build"},
		"reading the changelog":       {"changelog", "-file", w.at("none"), "-version", "dev"},
		"push: reading the image":     {"push", "-layout", w.folder, "-registry", "registry.example.org"},
		"flag provided but not defin": {"push", "-what"},
	} {
		_, err := w.run(args...)
		require.ErrorContains(t, err, want)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	_, err := w.images("v1.2.3")
	require.ErrorContains(t, err, `SOURCE_DATE_EPOCH: "yesterday"`)
}

func TestChanges(t *testing.T) {
	w := newWorkshop(t)
	text, err := w.run("changelog", "-file", w.at("CHANGELOG.md"), "-version", "v1.2.3")
	require.NoError(t, err)
	assert.Contains(t, text, "The first.")
}
