package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/ringfence-dev/ringfence/tools/release/internal/image"
	"github.com/ringfence-dev/ringfence/tools/release/internal/program"
)

// images builds the images and prints their sizes.
func images(_ context.Context, args []string, out io.Writer) error {
	var b build
	if err := flags("images", args, b.define); err != nil {
		return err
	}
	v, err := readVersion(b.version, false)
	if err != nil {
		return err
	}
	release := image.Release{Version: v.String(), Revision: b.revision, Programs: map[string][]byte{}}
	if release.Created, err = created(); err != nil {
		return err
	}
	for _, p := range program.Platforms {
		if p.OS != "linux" {
			continue
		}
		if release.Programs[p.Architecture], err = program.Read(b.binaries, p); err != nil {
			return err
		}
	}
	built, err := image.Build(release, specs())
	if err != nil {
		return err
	}
	entries, err := image.Write(b.output, built)
	if err != nil {
		return err
	}
	return table(out, built, entries)
}

func table(out io.Writer, images []image.Image, entries []image.Entry) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(w, "IMAGE\tARCHITECTURE\tPULLED\tUNPACKED\tDIGEST\n")
	for i, image := range images {
		for j, p := range image.Platforms {
			fmt.Fprintf(w, "%s\t%s\t%.1f MB\t%.1f MB\t%s\n", image.Name, p.Architecture,
				float64(p.Size)/1e6, float64(p.Unpacked)/1e6, entries[i].Platforms[j].Digest)
		}
	}
	return w.Flush()
}

// push copies the images to a registry, with the credentials of `docker login`,
// and prints what is there now as one line of JSON.
func push(ctx context.Context, args []string, out io.Writer) error {
	var layout, registry string
	if err := flags("push", args, func(set *flag.FlagSet) {
		set.StringVar(&layout, "layout", "", "folder of the image layout")
		set.StringVar(&registry, "registry", "", "registry and folder that the images go to")
	}); err != nil {
		return err
	}
	pushed, err := image.Push(ctx, layout, registry, remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(pushed)
}
