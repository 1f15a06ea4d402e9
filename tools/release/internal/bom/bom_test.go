package bom

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const bill = `{
  "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
  "metadata": {
    "tools": [{"vendor": "CycloneDX", "name": "cyclonedx-gomod", "version": "v1", "hashes": [{"alg": "SHA-256", "content": "aa"}]}],
    "component": {"bom-ref": "pkg:main", "type": "application", "name": "main", "version": "v1.2.3"}
  },
  "components": [{"bom-ref": "pkg:a", "type": "library", "name": "a", "version": "v1"}],
  "dependencies": [{"ref": "pkg:main", "dependsOn": ["pkg:a"]}]
}`

// generator stands in for cyclonedx-gomod.
func generator(t *testing.T, script string) Generator {
	t.Helper()
	path := filepath.Join(t.TempDir(), "generator")
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	return Generator(path)
}

func TestBill(t *testing.T) {
	program := filepath.Join(t.TempDir(), "ringfence")
	require.NoError(t, os.WriteFile(program, []byte("program"), 0o755))
	read, err := generator(t, "cat <<'EOF'\n"+bill+"\nEOF\n").Read(t.Context(), program, "v1.2.3")
	require.NoError(t, err)
	subject := Subject{Name: "archive.tar.gz", Version: "v1.2.3", Type: cyclonedx.ComponentTypeFile, SHA256: Sum([]byte("archive"))}
	data, err := read.For(subject)
	require.NoError(t, err)
	again, err := read.For(subject)
	require.NoError(t, err)
	assert.Equal(t, string(data), string(again))

	var got cyclonedx.BOM
	require.NoError(t, cyclonedx.NewBOMDecoder(bytes.NewReader(data), cyclonedx.BOMFileFormatJSON).Decode(&got))
	assert.Empty(t, got.SerialNumber)
	assert.Empty(t, got.Metadata.Timestamp)
	assert.Equal(t, "archive.tar.gz", got.Metadata.Component.Name)
	assert.Equal(t, Sum([]byte("archive")), (*got.Metadata.Component.Hashes)[0].Value)
	assert.NotContains(t, string(data), `"aa"`, "the generator's own hash")
	require.Len(t, *got.Components, 2)
	assert.Equal(t, Sum([]byte("program")), (*(*got.Components)[0].Hashes)[0].Value)
	assert.Equal(t, "Apache-2.0", (*(*got.Components)[0].Licenses)[0].License.ID)
	assert.Equal(t, "a", (*got.Components)[1].Name)
	assert.Equal(t, []cyclonedx.Dependency{
		{Ref: "archive.tar.gz", Dependencies: &[]string{"pkg:main"}},
		{Ref: "pkg:main", Dependencies: &[]string{"pkg:a"}},
	}, *got.Dependencies)
}

func TestReadRefuses(t *testing.T) {
	for script, want := range map[string]string{
		"echo no modules >&2; exit 1":                       "exit status 1: no modules",
		"echo nothing":                                      "reading the bill",
		`echo '{"bomFormat": "CycloneDX"}'`:                 "the bill names no executable",
		`echo '{"metadata": {"component": {"name": "a"}}}'`: "the bill names no module",
	} {
		_, err := generator(t, script).Read(t.Context(), "ringfence", "v1")
		require.ErrorContains(t, err, want, script)
	}
}
