package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const description = `
namespace: ringfence
name: mesh
version: 1.2.3
readme: README.md
authors: [Somebody <somebody@example.org>]
license: [Apache-2.0]
build_ignore: [.ansible, notes]
`

// source makes the input of a build.
func source(tb testing.TB) input {
	tb.Helper()
	root := tb.TempDir()
	in := input{
		source: filepath.Join(root, "source"), binaries: filepath.Join(root, "binaries"),
		license: filepath.Join(root, "LICENSE"), output: filepath.Join(root, "out"),
	}
	for name, text := range map[string]string{
		"source/galaxy.yml":                       description,
		"source/README.md":                        "# It\n",
		"source/meta/runtime.yml":                 "---\n",
		"source/plugins/action/binary.py":         "pass\n",
		"source/plugins/action/__pycache__/b.pyc": "compiled",
		"source/notes":                            "nobody's business",
		"source/.ansible/cache":                   "nobody's business",
		"LICENSE":                                 "License",
		"binaries/linux_amd64/ringfence":          executable(tb, elf.EM_X86_64),
		"binaries/linux_arm64/ringfence":          executable(tb, elf.EM_AARCH64),
		"binaries/linux_riscv64/ringfence":        "of another release",
	} {
		put(tb, filepath.Join(root, name), text)
	}
	return in
}

func put(tb testing.TB, name, text string) {
	tb.Helper()
	require.NoError(tb, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(tb, os.WriteFile(name, []byte(text), 0o644))
}

// executable is the head of a program with the given segments.
func executable(tb testing.TB, machine elf.Machine, segments ...elf.ProgType) string {
	tb.Helper()
	var out bytes.Buffer
	header := elf.Header64{
		Ident: [elf.EI_NIDENT]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT),
		Ehsize: 64, Phoff: 64, Phentsize: 56, Phnum: uint16(len(segments)), Shentsize: 64,
	}
	require.NoError(tb, binary.Write(&out, binary.LittleEndian, header))
	for _, segment := range segments {
		require.NoError(tb, binary.Write(&out, binary.LittleEndian, elf.Prog64{Type: uint32(segment)}))
	}
	return out.String()
}

// unpack returns the headers of a tarball in their order and the files by name.
func unpack(tb testing.TB, name string) ([]*tar.Header, map[string]string) {
	tb.Helper()
	file, err := os.Open(name)
	require.NoError(tb, err)
	defer func() { require.NoError(tb, file.Close()) }()
	compressed, err := gzip.NewReader(file)
	require.NoError(tb, err)
	reader := tar.NewReader(compressed)
	var headers []*tar.Header
	files := map[string]string{}
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return headers, files
		}
		require.NoError(tb, err)
		text, err := io.ReadAll(reader)
		require.NoError(tb, err)
		headers = append(headers, header)
		if header.Typeflag == tar.TypeReg {
			files[header.Name] = string(text)
		}
	}
}

func TestTarball(t *testing.T) {
	in := source(t)
	tarball, err := build(in)
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(in.output, "ringfence-mesh-1.2.3.tar.gz"), tarball)

	headers, files := unpack(t, tarball)
	var names []string
	for _, header := range headers {
		names = append(names, header.Name)
		want := int64(0o644)
		if header.Typeflag == tar.TypeDir || filepath.Base(header.Name) == binaryName {
			want = 0o755
		}
		assert.Equal(t, want, header.Mode, header.Name)
		assert.Equal(t, 1980, header.ModTime.UTC().Year(), header.Name)
		assert.Empty(t, header.Uname+header.Gname, header.Name)
		assert.Zero(t, header.Uid+header.Gid, header.Name)
	}
	assert.Equal(t, []string{
		"MANIFEST.json", "FILES.json", "LICENSE", "README.md", "meta", "meta/runtime.yml",
		"plugins", "plugins/action", "plugins/action/binary.py",
		"plugins/modules", "plugins/modules/__bin__",
		"plugins/modules/__bin__/linux_amd64", "plugins/modules/__bin__/linux_amd64/ringfence",
		"plugins/modules/__bin__/linux_arm64", "plugins/modules/__bin__/linux_arm64/ringfence",
	}, names)
	assert.Equal(t, executable(t, elf.EM_AARCH64), files["plugins/modules/__bin__/linux_arm64/ringfence"])

	var about manifest
	require.NoError(t, json.Unmarshal([]byte(files[manifestFile]), &about))
	assert.Equal(t, sumOf(filesFile, []byte(files[filesFile])), about.Files)
	assert.Equal(t, "1.2.3", about.Info.Version)
	assert.Contains(t, files[manifestFile], `"Somebody <somebody@example.org>"`)
	assert.Contains(t, files[manifestFile], `"dependencies": {},`)
	assert.Contains(t, files[manifestFile], `"license_file": null,`)
	var list fileList
	require.NoError(t, json.Unmarshal([]byte(files[filesFile]), &list))
	assert.Equal(t, folderSum("."), list.Files[0])
	assert.Len(t, list.Files, len(names)-1)
	for _, entry := range list.Files {
		if entry.Type == "file" {
			assert.Equal(t, sumOf(entry.Name, []byte(files[entry.Name])), entry)
		}
	}
}

func TestSameBytes(t *testing.T) {
	in := source(t)
	tarball, err := build(in)
	require.NoError(t, err)
	first, err := os.ReadFile(tarball)
	require.NoError(t, err)
	require.NoError(t, os.Chtimes(filepath.Join(in.source, "README.md"), time.Now(), time.Now().Add(-time.Hour)))
	require.NoError(t, os.Chmod(filepath.Join(in.source, "README.md"), 0o600))
	put(t, filepath.Join(in.output, "collection", "left"), "of an earlier run")
	_, err = build(in)
	require.NoError(t, err)
	second, err := os.ReadFile(tarball)
	require.NoError(t, err)
	assert.True(t, bytes.Equal(first, second), "time and mode of the source count for nothing")
	assert.NoFileExists(t, filepath.Join(in.output, "collection", "left"))
	assert.FileExists(t, filepath.Join(in.output, "collection", "ansible_collections", "ringfence", "mesh", galaxyFile))
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		spoil  func(tb testing.TB, in input)
		want   string
	}{
		"binary-missing": {
			"a host of that architecture would be without", func(tb testing.TB, in input) {
				tb.Helper()
				require.NoError(tb, os.Remove(filepath.Join(in.binaries, "linux_arm64", binaryName)))
			}, "looking at a binary: ",
		},
		"binary-of-another-architecture": {
			"it would not run", func(tb testing.TB, in input) {
				tb.Helper()
				put(tb, filepath.Join(in.binaries, "linux_arm64", binaryName), executable(tb, elf.EM_X86_64))
			}, "is for EM_X86_64, not for EM_AARCH64",
		},
		"binary-linked-dynamically": {
			"not each host has the libraries", func(tb testing.TB, in input) {
				tb.Helper()
				put(tb, filepath.Join(in.binaries, "linux_amd64", binaryName), executable(tb, elf.EM_X86_64, elf.PT_LOAD, elf.PT_INTERP))
			}, "is linked dynamically; build it with CGO_ENABLED=0",
		},
		"binary-too-large": {
			"each task copies it", func(tb testing.TB, in input) {
				tb.Helper()
				require.NoError(tb, os.Truncate(filepath.Join(in.binaries, "linux_amd64", binaryName), maxBinaryBytes+1))
			}, "has 15000001 bytes, the limit is 15000000",
		},
		"script": {
			"it is no program", func(tb testing.TB, in input) {
				tb.Helper()
				put(tb, filepath.Join(in.binaries, "linux_amd64", binaryName), "#!/bin/sh\n# It would be taken for a script.\n")
			}, "bad magic number",
		},
		"unknown-key": {
			"a misspelt key would say nothing", func(tb testing.TB, in input) {
				tb.Helper()
				put(tb, filepath.Join(in.source, galaxyFile), description+"licence: x\n")
			}, "field licence not found",
		},
		"no-version": {
			"the tarball's name has it", func(tb testing.TB, in input) {
				tb.Helper()
				put(tb, filepath.Join(in.source, galaxyFile), "namespace: a\nname: b\nreadme: c\n")
			}, "version is missing",
		},
		"readme-missing": {
			"Galaxy shows it", func(tb testing.TB, in input) {
				tb.Helper()
				require.NoError(tb, os.Remove(filepath.Join(in.source, "README.md")))
			}, "readme: there is no README.md",
		},
		"ignored-by-pattern": {
			"Ansible would match more", func(tb testing.TB, in input) {
				tb.Helper()
				put(tb, filepath.Join(in.source, galaxyFile), "namespace: a\nname: b\nversion: 1.0.0\nreadme: c\nbuild_ignore: ['*.swp']\n")
			}, `build_ignore: "*.swp" is a pattern; name each file`,
		},
		"link": {
			"what it leads to may lie elsewhere", func(tb testing.TB, in input) {
				tb.Helper()
				require.NoError(tb, os.Symlink("/etc/passwd", filepath.Join(in.source, "link")))
			}, "link is no regular file",
		},
		"no-source": {
			"nothing would be packed", func(tb testing.TB, in input) {
				tb.Helper()
				require.NoError(tb, os.RemoveAll(in.source))
			}, "reading the collection's description",
		},
	} {
		t.Run(name, func(t *testing.T) {
			in := source(t)
			c.spoil(t, in)
			_, err := build(in)
			require.ErrorContains(t, err, c.want, c.reason)
		})
	}
}
