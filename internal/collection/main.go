// Command collection makes the tarball of the Ansible collection as
// `ansible-galaxy collection build` does, but without Ansible, and the same bytes
// from the same input.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The limits that a release keeps: each task copies a binary to its host, and
// Galaxy takes no larger tarball.
const (
	maxBinaryBytes  = 15_000_000
	maxTarballBytes = 20_000_000
)

func main() {
	var in input
	flag.StringVar(&in.source, "source", "", "folder of the collection's source")
	flag.StringVar(&in.binaries, "binaries", "", "folder with a binary linux_ARCHITECTURE/ringfence for each architecture")
	flag.StringVar(&in.license, "license", "", "the license file")
	flag.StringVar(&in.output, "output", "", "folder for the tree collection/ansible_collections/NAMESPACE/NAME and the tarball")
	flag.Parse()
	tarball, err := build(in)
	if err == nil {
		_, err = fmt.Fprintln(os.Stdout, tarball)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "collection: %v\n", err)
		os.Exit(1)
	}
}

type input struct {
	source, binaries, license, output string
}

// build stages the tree, makes the tarball of it and returns the tarball's path.
func build(in input) (string, error) {
	info, err := readGalaxy(filepath.Join(in.source, galaxyFile))
	if err != nil {
		return "", err
	}
	stage := filepath.Join(in.output, "collection")
	if err := os.RemoveAll(stage); err != nil {
		return "", fmt.Errorf("removing the tree of an earlier run: %w", err)
	}
	stage = filepath.Join(stage, "ansible_collections", info.Namespace, info.Name)
	if err := stageTree(stage, in); err != nil {
		return "", err
	}
	files, err := readTree(stage, append(info.BuildIgnore, galaxyFile, manifestFile, filesFile)...)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(files, func(file entry) bool { return file.name == info.Readme }) {
		return "", fmt.Errorf("%s: readme: there is no %s", galaxyFile, info.Readme)
	}
	data, err := pack(info, files)
	if err != nil {
		return "", fmt.Errorf("making the tarball: %w", err)
	}
	if len(data) > maxTarballBytes {
		return "", fmt.Errorf("the tarball has %d bytes, the limit is %d; see what the binaries import", len(data), maxTarballBytes)
	}
	tarball := filepath.Join(in.output, fmt.Sprintf("%s-%s-%s.tar.gz", info.Namespace, info.Name, info.Version))
	if err := os.WriteFile(tarball, data, 0o644); err != nil {
		return "", fmt.Errorf("writing the tarball: %w", err)
	}
	return tarball, nil
}
