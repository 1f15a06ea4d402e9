// Package image builds the images of the functions and of the command, without an engine and without a base.
package image

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/ringfence-dev/ringfence/tools/release/internal/archive"
	"github.com/ringfence-dev/ringfence/tools/release/internal/program"
)

const (
	// MaxBytes is the most that an image has, compressed and unpacked: each build that uses it waits for it.
	MaxBytes = 20_000_000
	// Source is where the images come from.
	Source = "https://github.com/ringfence-dev/ringfence"
	// namespace comes before an image's name; a registry isn't named before it is pushed to one.
	namespace = "ringfence-dev"
	// prefix is that of the annotations that the specification names.
	prefix = "org.opencontainers.image."
)

// kustomize and kpt run a function as --user nobody, which the engine looks up in the image. Others give a number,
// as Argo CD does with 999, and need no entry.
const (
	passwd = "root:x:0:0:root:/:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n" //nolint:gosec // none has a password
	group  = "root:x:0:\nnobody:x:65534:\n"
)

// Spec is an image: the name by which its executable is called, and what it does.
type Spec struct{ Name, Description string }

// Release is what all images have in common.
type Release struct {
	Version, Revision string
	Created           time.Time
	// Programs are the executables by architecture.
	Programs map[string][]byte
}

// Image is an image for all architectures.
type Image struct {
	Name, Reference string
	Index           v1.ImageIndex
	Platforms       []Platform
}

// Platform is the image for one architecture, and its sizes in bytes: as it is pulled, and unpacked.
type Platform struct {
	Architecture   string
	Image          v1.Image
	Size, Unpacked int64
}

// Build makes the images of specs. Layers that are the same are shared.
func Build(release Release, specs []Spec) ([]Image, error) {
	common := map[string][]mutate.Addendum{}
	for architecture, data := range release.Programs {
		layers, err := release.common(data)
		if err != nil {
			return nil, fmt.Errorf("layers for %s: %w", architecture, err)
		}
		common[architecture] = layers
	}
	var out []Image
	for _, spec := range specs {
		image, err := release.image(spec, common)
		if err != nil {
			return nil, fmt.Errorf("image %q: %w", spec.Name, err)
		}
		out = append(out, image)
	}
	return out, nil
}

// common returns the layers that all images of an architecture begin with.
func (r Release) common(executable []byte) ([]mutate.Addendum, error) {
	accounts, err := r.layer("the accounts root and nobody",
		archive.File{Name: "etc/passwd", Data: []byte(passwd)}, archive.File{Name: "etc/group", Data: []byte(group)})
	if err != nil {
		return nil, err
	}
	binary, err := r.layer("the executable of all functions",
		archive.File{Name: "usr/bin/" + program.Name, Data: executable, Executable: true})
	return []mutate.Addendum{accounts, binary}, err
}

// layer packs files. They are of the epoch, so that what doesn't change is the same layer in every version.
func (r Release) layer(what string, files ...archive.File) (mutate.Addendum, error) {
	data, err := archive.Tar(files, time.Unix(0, 0))
	if err != nil {
		return mutate.Addendum{}, err
	}
	compressed, err := archive.Gzip(data)
	if err != nil {
		return mutate.Addendum{}, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(compressed)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return mutate.Addendum{}, fmt.Errorf("reading the layer with %s: %w", what, err)
	}
	return mutate.Addendum{
		Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: r.Created}, CreatedBy: "add " + what},
	}, nil
}

func (r Release) image(spec Spec, common map[string][]mutate.Addendum) (Image, error) {
	out := Image{Name: spec.Name, Reference: namespace + "/" + spec.Name + ":" + r.Version}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, architecture := range slices.Sorted(maps.Keys(common)) {
		layers := common[architecture]
		if spec.Name != program.Name {
			link, err := r.layer("the name "+spec.Name, archive.File{Name: "usr/bin/" + spec.Name, Target: program.Name})
			if err != nil {
				return out, err
			}
			layers = append(slices.Clone(layers), link)
		}
		platform, err := r.platform(spec, architecture, layers)
		if err != nil {
			return out, fmt.Errorf("for %s: %w", architecture, err)
		}
		out.Platforms = append(out.Platforms, platform)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        platform.Image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
		})
	}
	var ok bool
	out.Index, ok = mutate.Annotations(index, r.annotations(spec)).(v1.ImageIndex)
	if !ok {
		return out, fmt.Errorf("annotating the index gave something else")
	}
	return out, nil
}

func (r Release) platform(spec Spec, architecture string, layers []mutate.Addendum) (Platform, error) {
	out := Platform{Architecture: architecture}
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.ConfigFile(base, &v1.ConfigFile{
		OS: "linux", Architecture: architecture, Created: v1.Time{Time: r.Created}, RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{
			User: "nobody", WorkingDir: "/", Env: []string{"PATH=/usr/bin"},
			Entrypoint: []string{"/usr/bin/" + spec.Name}, Labels: r.annotations(spec),
		},
	})
	if err != nil {
		return out, fmt.Errorf("making the configuration: %w", err)
	}
	if image, err = mutate.Append(image, layers...); err != nil {
		return out, fmt.Errorf("adding the layers: %w", err)
	}
	var ok bool
	if out.Image, ok = mutate.Annotations(image, r.annotations(spec)).(v1.Image); !ok {
		return out, fmt.Errorf("annotating the image gave something else")
	}
	err = out.measure()
	return out, err
}

// measure sets the sizes of an image, and refuses one that is too large.
func (p *Platform) measure() error {
	manifest, err := p.Image.Manifest()
	if err != nil {
		return fmt.Errorf("reading the manifest: %w", err)
	}
	p.Size = manifest.Config.Size
	layers, err := p.Image.Layers()
	if err != nil {
		return fmt.Errorf("reading the layers: %w", err)
	}
	for i, layer := range layers {
		p.Size += manifest.Layers[i].Size
		unpacked, err := layer.Uncompressed()
		if err != nil {
			return fmt.Errorf("unpacking layer %d: %w", i, err)
		}
		n, err := io.Copy(io.Discard, unpacked)
		if err != nil {
			return fmt.Errorf("unpacking layer %d: %w", i, err)
		}
		p.Unpacked += n
	}
	if largest := max(p.Size, p.Unpacked); largest > MaxBytes {
		return fmt.Errorf("it has %d bytes, the limit is %d; see what the executable imports", largest, MaxBytes)
	}
	return nil
}

// annotations are the image's, and its labels for tools that show no annotations:
// https://github.com/opencontainers/image-spec/blob/v1.1.1/annotations.md
func (r Release) annotations(spec Spec) map[string]string {
	out := map[string]string{}
	for key, value := range map[string]string{
		"created": r.Created.UTC().Format(time.RFC3339), "title": spec.Name, "description": spec.Description,
		"version": r.Version, "revision": r.Revision, "source": Source, "licenses": "Apache-2.0",
	} {
		if value != "" {
			out[prefix+key] = value
		}
	}
	return out
}
