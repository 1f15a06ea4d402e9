package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/ringfence-dev/ringfence/tools/release/internal/archive"
	"github.com/ringfence-dev/ringfence/tools/release/internal/bom"
	"github.com/ringfence-dev/ringfence/tools/release/internal/image"
	"github.com/ringfence-dev/ringfence/tools/release/internal/program"
	"github.com/ringfence-dev/ringfence/tools/release/internal/version"
)

const (
	checksumsFile = "checksums.txt"
	changelogFile = "CHANGELOG.md"
	// billSuffix is CycloneDX's own: https://cyclonedx.org/specification/overview/#recognized-file-patterns
	billSuffix = ".cdx.json"
)

// packing is a release in the making.
type packing struct {
	build

	images, collection, collectionBinaries string
	changelog, license, readme, generator  string

	parsed   version.Version
	modified time.Time
	// files are what is to be written.
	files map[string][]byte
}

func pack(ctx context.Context, args []string, out io.Writer) error {
	p := packing{files: map[string][]byte{}}
	var release bool
	if err := flags("pack", args, func(set *flag.FlagSet) { p.define(set); set.BoolVar(&release, "release", false, "refuse a snapshot") }); err != nil {
		return err
	}
	var err error
	if p.parsed, err = readVersion(p.version, release); err != nil {
		return err
	}
	if p.modified, err = created(); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{p.addChanges, p.addArchives, p.addCollection, p.addImages} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	p.files[checksumsFile] = checksums(p.files)
	if err := p.write(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s holds %d files of %s\n", p.output, len(p.files), p.parsed)
	return err
}

func (p *packing) define(set *flag.FlagSet) {
	p.build.define(set)
	set.StringVar(&p.images, "images", "", "folder that the command images has written")
	set.StringVar(&p.collection, "collection", "", "tarball of the Ansible collection")
	set.StringVar(&p.collectionBinaries, "collection-binaries", "", "folder with the executables of the collection")
	set.StringVar(&p.changelog, "changelog", "", "the changelog")
	set.StringVar(&p.license, "license", "", "the license file")
	set.StringVar(&p.readme, "readme", "", "the README")
	set.StringVar(&p.generator, "sbom", "", "the executable of cyclonedx-gomod")
}

// name is that of a file of this release.
func (p *packing) name(rest string) string { return program.Name + "_" + p.version + "_" + rest }

func (p *packing) addChanges(context.Context) error {
	text, err := readChanges(p.changelog, p.parsed)
	p.files[changelogFile] = []byte(text)
	return err
}

// addArchives adds an archive for each platform: the executable and its names, ready for PATH.
func (p *packing) addArchives(ctx context.Context) error {
	var common []archive.File
	for name, path := range map[string]string{"LICENSE": p.license, "README.md": p.readme} {
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("reading %s: %w", name, err)
		}
		common = append(common, archive.File{Name: name, Data: data})
	}
	for _, spec := range specs() {
		if spec.Name != program.Name {
			common = append(common, archive.File{Name: spec.Name, Target: program.Name})
		}
	}
	for _, platform := range program.Platforms {
		data, err := program.Read(p.binaries, platform)
		if err != nil {
			return err
		}
		packed, err := archive.Tar(append(slices.Clone(common), archive.File{Name: program.Name, Data: data, Executable: true}), p.modified)
		if err != nil {
			return fmt.Errorf("archive for %s: %w", platform, err)
		}
		if packed, err = archive.Gzip(packed); err != nil {
			return fmt.Errorf("archive for %s: %w", platform, err)
		}
		name := p.name(platform.String() + ".tar.gz")
		p.files[name] = packed
		subject := bom.Subject{Name: name, Version: p.version, Description: "Ringfence for " + platform.String(), Type: cyclonedx.ComponentTypeFile, SHA256: bom.Sum(packed)}
		if err := p.addBills(ctx, platform.Path(p.binaries), map[string]bom.Subject{name: subject}); err != nil {
			return err
		}
	}
	return nil
}

// addBills adds a bill for each subject, under its key, of the executable that all of them hold.
func (p *packing) addBills(ctx context.Context, path string, subjects map[string]bom.Subject) error {
	bill, err := bom.Generator(p.generator).Read(ctx, path, p.version)
	if err != nil {
		return err
	}
	for file, subject := range subjects {
		if p.files[file+billSuffix], err = bill.For(subject); err != nil {
			return err
		}
	}
	return nil
}

// addCollection adds the tarball of the Ansible collection. It has a version of its own, which a release brings in line.
func (p *packing) addCollection(ctx context.Context) error {
	data, err := os.ReadFile(p.collection)
	if err != nil {
		return fmt.Errorf("reading the Ansible collection: %w", err)
	}
	name := filepath.Base(p.collection)
	number, _ := strings.CutSuffix(name, ".tar.gz")
	number = number[strings.LastIndex(number, "mesh-")+len("mesh-"):]
	if p.parsed.IsRelease() && number != p.parsed.Number() {
		return fmt.Errorf("the Ansible collection %s isn't of version %s; change the version in its galaxy.yml", name, p.parsed.Number())
	}
	p.files[name] = data
	for _, platform := range program.Platforms {
		if platform.OS != "linux" {
			continue
		}
		if _, err := program.Read(p.collectionBinaries, platform); err != nil {
			return err
		}
		subject := bom.Subject{Name: name, Version: number, Description: "the Ansible collection, on hosts of " + platform.String(), Type: cyclonedx.ComponentTypeFile, SHA256: bom.Sum(data)}
		if err := p.addBills(ctx, platform.Path(p.collectionBinaries), map[string]bom.Subject{name + "_" + platform.String(): subject}); err != nil {
			return err
		}
	}
	return nil
}

// addImages adds the images in both forms, the list of their digests, and a bill for each image of an architecture.
func (p *packing) addImages(ctx context.Context) error {
	list, err := os.ReadFile(filepath.Join(p.images, image.ListFile))
	if err != nil {
		return fmt.Errorf("reading the list of the images: %w", err)
	}
	var entries []image.Entry
	if err := json.Unmarshal(list, &entries); err != nil {
		return fmt.Errorf("reading the list of the images: %w", err)
	}
	p.files[p.name(image.ListFile)] = list
	layout, err := p.readLayout()
	if err != nil {
		return fmt.Errorf("reading the image layout: %w", err)
	}
	p.files[p.name("images_oci.tar")] = layout
	bills := map[string]map[string]bom.Subject{}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Reference, ":"+p.version) {
			return fmt.Errorf("%s holds %s, which isn't of version %s; build the images anew", p.images, entry.Reference, p.version)
		}
		for _, platform := range entry.Platforms {
			if bills[platform.Architecture] == nil {
				bills[platform.Architecture] = map[string]bom.Subject{}
			}
			bills[platform.Architecture][p.name("image_"+entry.Name+"_linux_"+platform.Architecture)] = bom.Subject{
				Name: entry.Reference, Version: p.version, Description: "the image " + entry.Name + " for linux_" + platform.Architecture,
				Type: cyclonedx.ComponentTypeContainer, SHA256: strings.TrimPrefix(platform.Digest, "sha256:"),
			}
		}
	}
	for architecture, subjects := range bills {
		data, err := os.ReadFile(filepath.Join(p.images, image.TarballFile(architecture)))
		if err != nil {
			return fmt.Errorf("reading the images for %s: %w", architecture, err)
		}
		p.files[p.name("images_linux_"+architecture+".tar")] = data
		if err := p.addBills(ctx, program.Platform{OS: "linux", Architecture: architecture}.Path(p.binaries), subjects); err != nil {
			return err
		}
	}
	return nil
}

func (p *packing) readLayout() ([]byte, error) {
	folder := os.DirFS(filepath.Join(p.images, image.LayoutFolder))
	var files []archive.File
	if err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(folder, name)
		files = append(files, archive.File{Name: name, Data: data})
		return err
	}); err != nil {
		return nil, err
	}
	return archive.Tar(files, p.modified)
}

// write replaces what an earlier run has written.
func (p *packing) write() error {
	if err := os.RemoveAll(p.output); err != nil {
		return fmt.Errorf("removing the files of an earlier run: %w", err)
	}
	if err := os.MkdirAll(p.output, 0o755); err != nil {
		return fmt.Errorf("making the folder of the release: %w", err)
	}
	for name, data := range p.files {
		if err := os.WriteFile(filepath.Join(p.output, name), data, 0o644); err != nil {
			return fmt.Errorf("writing the release: %w", err)
		}
	}
	return nil
}

// checksums returns a list that `sha256sum --check` takes.
func checksums(files map[string][]byte) []byte {
	var out bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&out, "%s  %s\n", bom.Sum(files[name]), name)
	}
	return out.Bytes()
}
