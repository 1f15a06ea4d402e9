package image

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Pushed is an image in a registry. Image is without a tag.
type Pushed struct {
	Image  string `json:"image"`
	Digest string `json:"digest"`
}

// Push copies every image of a layout below a registry's folder, such as
// registry.example.org/platform, under the tag that it has there.
func Push(ctx context.Context, folder, registry string, options ...remote.Option) ([]Pushed, error) {
	source, err := layout.FromPath(folder)
	if err != nil {
		return nil, fmt.Errorf("reading the image layout: %w", err)
	}
	index, err := source.ImageIndex()
	if err != nil {
		return nil, fmt.Errorf("reading the image layout: %w", err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("reading the image layout: %w", err)
	}
	var out []Pushed
	for _, descriptor := range manifest.Manifests {
		reference := descriptor.Annotations[prefix+"ref.name"]
		rest, ok := strings.CutPrefix(reference, namespace+"/")
		if !ok {
			return nil, fmt.Errorf("the layout names an image %q; only those of %s are pushed", reference, namespace)
		}
		to, err := name.NewTag(path.Join(registry, rest), name.StrictValidation)
		if err != nil {
			return nil, fmt.Errorf("image %q: %w", rest, err)
		}
		image, err := index.ImageIndex(descriptor.Digest)
		if err != nil {
			return nil, fmt.Errorf("image %q: %w", rest, err)
		}
		if err := remote.WriteIndex(to, image, append(options, remote.WithContext(ctx))...); err != nil {
			return nil, fmt.Errorf("pushing %s: %w", to, err)
		}
		out = append(out, Pushed{to.Context().Name(), descriptor.Digest.String()})
	}
	return out, nil
}
