package program

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/tools/release/internal/program/programtest"
)

func TestRead(t *testing.T) {
	folder := t.TempDir()
	for _, p := range Platforms {
		programtest.Write(t, p.Path(folder), p.OS, p.Architecture)
		data, err := Read(folder, p)
		require.NoError(t, err)
		assert.NotEmpty(t, data)
	}
}

func TestReadRefuses(t *testing.T) {
	linux, darwin := Platform{"linux", "amd64"}, Platform{"darwin", "arm64"}
	for name, c := range map[string]struct {
		platform Platform
		write    func(path string)
		want     string
	}{
		"absent":                {linux, func(string) {}, "no such file"},
		"script":                {linux, func(path string) { put(t, path, "#!/bin/sh") }, "not an executable of linux_amd64"},
		"other architecture":    {linux, func(path string) { programtest.Write(t, path, "linux", "arm64") }, "it is one of AARCH64"},
		"other system":          {linux, func(path string) { programtest.Write(t, path, "darwin", "amd64") }, "bad magic number"},
		"needs a loader":        {linux, func(path string) { programtest.Dynamic(t, path, "amd64") }, "CGO_ENABLED=0"},
		"other Mac":             {darwin, func(path string) { programtest.Write(t, path, "darwin", "amd64") }, "it is one of Amd64"},
		"Linux's for a Mac":     {darwin, func(path string) { programtest.Write(t, path, "linux", "arm64") }, "not an executable of darwin_arm64"},
		"system without a name": {Platform{"plan9", "amd64"}, func(string) {}, `no such system as "plan9"`},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			c.write(c.platform.Path(folder))
			_, err := Read(folder, c.platform)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755))
}
