package image

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var specs = []Spec{{"ringfence", "does all"}, {"one", "does one thing"}, {"two", "does another"}}

func release() Release {
	return Release{
		Version: "v1.2.3", Revision: "abc", Created: time.Unix(1_700_000_000, 0),
		Programs: map[string][]byte{"arm64": []byte("program of arm64"), "amd64": []byte("program of amd64")},
	}
}

func write(t *testing.T, r Release) (folder string, entries []Entry) {
	t.Helper()
	images, err := Build(r, specs)
	require.NoError(t, err)
	folder = filepath.Join(t.TempDir(), "images")
	entries, err = Write(folder, images)
	require.NoError(t, err)
	return folder, entries
}

func TestLayout(t *testing.T) {
	folder, entries := write(t, release())
	path, err := layout.FromPath(filepath.Join(folder, LayoutFolder))
	require.NoError(t, err)
	index, err := path.ImageIndex()
	require.NoError(t, err)
	require.NoError(t, validate.Index(index))
	manifest, err := index.IndexManifest()
	require.NoError(t, err)
	var references, digests []string
	for i, descriptor := range manifest.Manifests {
		references = append(references, descriptor.Annotations["org.opencontainers.image.ref.name"])
		digests = append(digests, descriptor.Digest.String())
		assert.Equal(t, entries[i].Digest, digests[i])
		image, err := index.ImageIndex(descriptor.Digest)
		require.NoError(t, err)
		of, err := image.IndexManifest()
		require.NoError(t, err)
		assert.Equal(t, specs[i].Name, of.Annotations["org.opencontainers.image.title"])
		require.Len(t, of.Manifests, 2)
		assert.Equal(t, "linux/amd64", of.Manifests[0].Platform.String())
		assert.Equal(t, "linux/arm64", of.Manifests[1].Platform.String())
	}
	assert.Equal(t, []string{"ringfence-dev/ringfence:v1.2.3", "ringfence-dev/one:v1.2.3", "ringfence-dev/two:v1.2.3"}, references)

	var listed []Entry
	data, err := os.ReadFile(filepath.Join(folder, ListFile))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &listed))
	assert.Equal(t, entries, listed)
}

func TestConfiguration(t *testing.T) {
	images, err := Build(release(), specs)
	require.NoError(t, err)
	file, err := images[1].Platforms[0].Image.ConfigFile()
	require.NoError(t, err)
	assert.Equal(t, "nobody", file.Config.User)
	assert.Equal(t, []string{"/usr/bin/one"}, file.Config.Entrypoint)
	assert.Empty(t, file.Config.Cmd)
	assert.Equal(t, []string{"PATH=/usr/bin"}, file.Config.Env)
	assert.Equal(t, "/", file.Config.WorkingDir)
	want := map[string]string{
		"org.opencontainers.image.title": "one", "org.opencontainers.image.description": "does one thing",
		"org.opencontainers.image.version": "v1.2.3", "org.opencontainers.image.revision": "abc",
		"org.opencontainers.image.source": Source, "org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.created": "2023-11-14T22:13:20Z",
	}
	assert.Equal(t, want, file.Config.Labels)
	manifest, err := images[1].Platforms[0].Image.Manifest()
	require.NoError(t, err)
	assert.Equal(t, want, manifest.Annotations)
}

func TestContent(t *testing.T) {
	images, err := Build(release(), specs)
	require.NoError(t, err)
	for _, image := range images {
		for _, p := range image.Platforms {
			layers, err := p.Image.Layers()
			require.NoError(t, err)
			files := map[string]string{}
			for _, layer := range layers {
				r, err := layer.Uncompressed()
				require.NoError(t, err)
				maps.Copy(files, read(t, r))
			}
			want := map[string]string{
				"etc/": "", "etc/passwd": passwd, "etc/group": group,
				"usr/": "", "usr/bin/": "", "usr/bin/ringfence": "program of " + p.Architecture,
			}
			if image.Name != "ringfence" {
				want["usr/bin/"+image.Name] = "-> ringfence"
			}
			assert.Equal(t, want, files)
		}
	}
}

// TestShared shows that the executable is pulled and stored once for all images of an architecture.
func TestShared(t *testing.T) {
	images, err := Build(release(), specs)
	require.NoError(t, err)
	for i, p := range images[0].Platforms {
		first, err := p.Image.Manifest()
		require.NoError(t, err)
		for _, image := range images[1:] {
			other, err := image.Platforms[i].Image.Manifest()
			require.NoError(t, err)
			assert.Equal(t, first.Layers, other.Layers[:2])
		}
	}
}

// TestReproducible builds in two places.
func TestReproducible(t *testing.T) {
	first, entries := write(t, release())
	second, again := write(t, release())
	assert.Equal(t, entries, again)
	assert.Equal(t, tree(t, first), tree(t, second))

	newer := release()
	newer.Version = "v1.2.4"
	_, other := write(t, newer)
	assert.NotEqual(t, entries[0].Digest, other[0].Digest)
}

func TestTarball(t *testing.T) {
	folder, entries := write(t, release())
	for i, architecture := range []string{"amd64", "arm64"} {
		path := filepath.Join(folder, TarballFile(architecture))
		for _, entry := range entries {
			tag, err := name.NewTag(entry.Reference)
			require.NoError(t, err)
			image, err := tarball.ImageFromPath(path, &tag)
			require.NoError(t, err)
			require.NoError(t, validate.Image(image))
			file, err := image.ConfigFile()
			require.NoError(t, err)
			assert.Equal(t, architecture, file.Architecture)
			assert.Equal(t, architecture, entry.Platforms[i].Architecture)
			assert.Equal(t, []string{"/usr/bin/" + entry.Name}, file.Config.Entrypoint)
		}
		file, err := os.Open(path)
		require.NoError(t, err)
		names := slices.Collect(maps.Keys(read(t, file)))
		require.NoError(t, file.Close())
		// Three configurations, what all share (two layers), a link for each function, the manifest.
		assert.Len(t, names, 3+2+2+1)
	}
}

func TestTooLarge(t *testing.T) {
	r := release()
	r.Programs["amd64"] = make([]byte, MaxBytes)
	_, err := Build(r, specs)
	require.ErrorContains(t, err, `image "ringfence": for amd64: it has 20`)
}

func TestPush(t *testing.T) {
	folder, entries := write(t, release())
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	// Twice: a run that failed half-way is run again.
	for range 2 {
		pushed, err := Push(t.Context(), filepath.Join(folder, LayoutFolder), host+"/platform")
		require.NoError(t, err)
		require.Len(t, pushed, len(specs))
		for i, p := range pushed {
			assert.Equal(t, Pushed{host + "/platform/" + entries[i].Name, entries[i].Digest}, p)
			tag, err := name.NewTag(p.Image + ":v1.2.3")
			require.NoError(t, err)
			index, err := remote.Index(tag)
			require.NoError(t, err)
			require.NoError(t, validate.Index(index))
			digest, err := index.Digest()
			require.NoError(t, err)
			assert.Equal(t, p.Digest, digest.String())
		}
	}
	_, err := Push(t.Context(), filepath.Join(folder, LayoutFolder), "")
	require.Error(t, err)
	_, err = Push(t.Context(), folder, host)
	require.ErrorContains(t, err, "reading the image layout")
}

// read returns the files of an archive by name.
func read(t *testing.T, r io.Reader) map[string]string {
	t.Helper()
	out := map[string]string{}
	reader := tar.NewReader(r)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		var data bytes.Buffer
		_, err = io.Copy(&data, reader)
		require.NoError(t, err)
		out[header.Name] = data.String()
		if header.Typeflag == tar.TypeSymlink {
			out[header.Name] = "-> " + header.Linkname
		}
	}
}

// tree returns the files below a folder.
func tree(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		out[name] = string(data)
		return err
	}))
	return out
}
