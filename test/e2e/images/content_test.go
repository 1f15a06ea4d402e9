package images

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/json"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/test/e2e/kpt"
)

const binary = "usr/bin/ringfence"

// content is what an image may hold.
func content(name string) []string {
	out := []string{"etc/", "etc/group", "etc/passwd", "usr/", "usr/bin/", binary}
	if name != "ringfence" {
		out = append(out, "usr/bin/"+name)
	}
	slices.Sort(out)
	return out
}

// added are the files that an engine puts into every container.
var added = []string{".dockerenv", "dev/", "proc/", "sys/", "etc/hostname", "etc/hosts", "etc/mtab", "etc/resolv.conf", "dev/console", "dev/pts/", "dev/shm/"}

// TestContent looks into each image: the user, the entry point, the files.
func TestContent(t *testing.T) {
	for name, reference := range loaded(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var images []struct {
				Architecture, Os string
				Config           struct {
					User       string
					Entrypoint []string
				}
			}
			require.NoError(t, json.Unmarshal([]byte(kpt.Run(t, "", "docker", "image", "inspect", reference).Stdout), &images))
			require.Len(t, images, 1)
			assert.Equal(t, "linux", images[0].Os)
			assert.Equal(t, "nobody", images[0].Config.User)
			assert.Equal(t, []string{"/usr/bin/" + name}, images[0].Config.Entrypoint)

			id := kpt.Run(t, "", "docker", "create", reference).Line()
			defer kpt.Run(t, "", "docker", "rm", id)
			exported := kpt.Run(t, "", "docker", "export", id).Stdout
			var files []string
			for file, header := range entries(t, strings.NewReader(exported)) {
				if slices.Contains(added, file) {
					continue
				}
				files = append(files, file)
				if header.Typeflag != tar.TypeSymlink {
					assert.Zero(t, header.Mode&0o6022, "%s is %o: only root writes it, and it makes nobody root", file, header.Mode)
				}
			}
			slices.Sort(files)
			assert.Equal(t, content(name), files)
		})
	}
}

// TestShut runs each image as kustomize and kpt do, and more narrowly.
func TestShut(t *testing.T) {
	for name, reference := range loaded(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			shut := []string{"run", "--rm", "-i", "--network", "none", "--read-only", "--cap-drop", "all", "--security-opt=no-new-privileges"}
			out := kpt.Run(t, "", "docker", slices.Concat(shut, []string{reference, "--version"})...)
			assert.Equal(t, "ringfence "+reference[strings.LastIndex(reference, ":")+1:], out.Line())
			out = kpt.Run(t, "", "docker", slices.Concat(shut, []string{"--user", "1234:1234", reference, "--help"})...)
			assert.Contains(t, out.Stdout, name)
			out = kpt.Try(t, "", "docker", slices.Concat(shut, []string{"--entrypoint", "sh", reference})...)
			assert.Equal(t, 127, out.Status, "there is no sh: %s", out.Stderr)
		})
	}
}

// TestNobody asks the engine who a function runs as that waits for its input.
func TestNobody(t *testing.T) {
	id := kpt.Run(t, "", "docker", "run", "--detach", "--interactive", "--network", "none", loaded(t)["ringfence"]).Line()
	defer kpt.Run(t, "", "docker", "rm", "--force", id)
	lines := strings.Split(kpt.Run(t, "", "docker", "top", id, "-o", "pid,uid,gid,comm").Line(), "\n")
	require.Len(t, lines, 2)
	assert.Equal(t, []string{"65534", "65534", "ringfence"}, strings.Fields(lines[1])[1:])
}

// TestArchitectures reads the executable of both tarballs: the other one's can't run here.
func TestArchitectures(t *testing.T) {
	for architecture, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		t.Run(architecture, func(t *testing.T) {
			file, err := os.Open(tarball(t, architecture))
			require.NoError(t, err)
			defer file.Close() //nolint:errcheck // it is only read
			found := false
			for name, header := range entries(t, file) {
				if layer, ok := layerOf(t, name, header); ok {
					if data, ok := layer[binary]; ok {
						program, err := elf.NewFile(bytes.NewReader(data))
						require.NoError(t, err)
						assert.Equal(t, machine, program.Machine)
						assert.Nil(t, program.Section(".interp"), "it needs no loader")
						found = true
					}
				}
			}
			assert.True(t, found)
		})
	}
}

// entry is a file of an archive.
type entry struct {
	*tar.Header

	data []byte
}

// entries reads an archive.
func entries(t *testing.T, r io.Reader) map[string]entry {
	t.Helper()
	out := map[string]entry{}
	archive := tar.NewReader(r)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return out
		}
		require.NoError(t, err)
		data, err := io.ReadAll(archive)
		require.NoError(t, err)
		name := path.Clean(header.Name)
		if header.Typeflag == tar.TypeDir {
			name += "/"
		}
		out[name] = entry{header, data}
	}
}

// layerOf returns the files of a member of a tarball that is a layer, packed or not.
func layerOf(t *testing.T, name string, member entry) (map[string][]byte, bool) {
	t.Helper()
	data := member.data
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		r, err := gzip.NewReader(bytes.NewReader(data))
		require.NoError(t, err)
		data, err = io.ReadAll(r)
		require.NoError(t, err)
	}
	if len(data) < 512 || !bytes.HasPrefix(data[257:], []byte("ustar")) {
		return nil, false
	}
	out := map[string][]byte{}
	for file, e := range entries(t, bytes.NewReader(data)) {
		out[file] = e.data
	}
	require.NotEmpty(t, out, name)
	return out, true
}
