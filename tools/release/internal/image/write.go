package image

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/ringfence-dev/ringfence/tools/release/internal/archive"
)

// Names of what Write makes.
const (
	LayoutFolder = "oci"
	ListFile     = "images.json"
)

// TarballFile is the file that an engine loads the images of an architecture from.
func TarballFile(architecture string) string { return "images-linux-" + architecture + ".tar" }

// Entry is an image in the file images.json.
type Entry struct {
	Name      string          `json:"name"`
	Reference string          `json:"reference"`
	Digest    string          `json:"digest"`
	Platforms []PlatformEntry `json:"platforms"`
}

// PlatformEntry is an image for one architecture there. Size is what is pulled, in bytes.
type PlatformEntry struct {
	Architecture string `json:"architecture"`
	Digest       string `json:"digest"`
	Size         int64  `json:"size"`
}

// Write writes an image layout, a tarball for each architecture and the list of
// the images into a folder, in place of those of an earlier run.
func Write(folder string, images []Image) ([]Entry, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder of the images: %w", err)
	}
	if err := writeLayout(filepath.Join(folder, LayoutFolder), images); err != nil {
		return nil, fmt.Errorf("writing the image layout: %w", err)
	}
	byArchitecture := map[string][]loadable{}
	for _, image := range images {
		for _, p := range image.Platforms {
			byArchitecture[p.Architecture] = append(byArchitecture[p.Architecture], loadable{image.Reference, p.Image})
		}
	}
	for architecture, loadables := range byArchitecture {
		if err := writeTarball(filepath.Join(folder, TarballFile(architecture)), loadables); err != nil {
			return nil, fmt.Errorf("writing the tarball for %s: %w", architecture, err)
		}
	}
	entries, err := list(images)
	if err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(entries, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", ListFile, err)
	}
	return entries, os.WriteFile(filepath.Join(folder, ListFile), append(data, '\n'), 0o644)
}

func writeLayout(folder string, images []Image) error {
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	path, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	for _, image := range images {
		if err := path.AppendIndex(image.Index, layout.WithAnnotations(map[string]string{prefix + "ref.name": image.Reference})); err != nil {
			return fmt.Errorf("image %q: %w", image.Name, err)
		}
	}
	return nil
}

// loadable is an image and what it is called in an engine.
type loadable struct {
	reference string
	image     v1.Image
}

// writeTarball writes what `docker save` would. The package tarball does so, too, but for more than one image in an
// order of its own every time.
func writeTarball(path string, loadables []loadable) error {
	var manifest tarball.Manifest
	blobs := map[string][]byte{}
	for _, l := range loadables {
		entry, err := l.blobs(blobs)
		if err != nil {
			return fmt.Errorf("image %q: %w", l.reference, err)
		}
		manifest = append(manifest, entry)
	}
	var err error
	if blobs["manifest.json"], err = json.Marshal(manifest); err != nil {
		return fmt.Errorf("encoding the manifest: %w", err)
	}
	var files []archive.File
	for name, data := range blobs {
		files = append(files, archive.File{Name: name, Data: data})
	}
	data, err := archive.Tar(files, time.Unix(0, 0))
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// blobs adds the files of an image to those of the tarball and returns its entry in the manifest.
func (l loadable) blobs(files map[string][]byte) (tarball.Descriptor, error) {
	out := tarball.Descriptor{RepoTags: []string{l.reference}}
	name, err := l.image.ConfigName()
	if err != nil {
		return out, fmt.Errorf("naming the configuration: %w", err)
	}
	out.Config = name.Hex + ".json"
	if files[out.Config], err = l.image.RawConfigFile(); err != nil {
		return out, fmt.Errorf("reading the configuration: %w", err)
	}
	layers, err := l.image.Layers()
	if err != nil {
		return out, fmt.Errorf("reading the layers: %w", err)
	}
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return out, fmt.Errorf("naming a layer: %w", err)
		}
		file := digest.Hex + ".tar.gz"
		out.Layers = append(out.Layers, file)
		if files[file] != nil {
			continue
		}
		compressed, err := layer.Compressed()
		if err != nil {
			return out, fmt.Errorf("reading layer %s: %w", digest, err)
		}
		var data bytes.Buffer
		if _, err := io.Copy(&data, compressed); err != nil {
			return out, fmt.Errorf("reading layer %s: %w", digest, err)
		}
		files[file] = data.Bytes()
	}
	return out, nil
}

func list(images []Image) ([]Entry, error) {
	var out []Entry
	for _, image := range images {
		digest, err := image.Index.Digest()
		if err != nil {
			return nil, fmt.Errorf("digest of %q: %w", image.Name, err)
		}
		entry := Entry{Name: image.Name, Reference: image.Reference, Digest: digest.String()}
		for _, p := range image.Platforms {
			digest, err := p.Image.Digest()
			if err != nil {
				return nil, fmt.Errorf("digest of %q for %s: %w", image.Name, p.Architecture, err)
			}
			entry.Platforms = append(entry.Platforms, PlatformEntry{p.Architecture, digest.String(), p.Size})
		}
		out = append(out, entry)
	}
	return out, nil
}
