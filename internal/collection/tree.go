package main

import (
	"debug/elf"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// binaryName is that of the executable of each architecture.
const binaryName = "ringfence"

// machines are the architectures that a collection has a binary for.
var machines = map[string]elf.Machine{
	"linux_amd64": elf.EM_X86_64,
	"linux_arm64": elf.EM_AARCH64,
}

// entry is a file or a folder of a tree.
type entry struct {
	// name is relative to the tree, with slashes.
	name       string
	folder     bool
	executable bool
	data       []byte
}

// stageTree writes source, binaries and license into one folder.
func stageTree(stage string, in input) error {
	files, err := readTree(in.source)
	if err != nil {
		return err
	}
	license, err := os.ReadFile(in.license)
	if err != nil {
		return fmt.Errorf("reading the license: %w", err)
	}
	files = append(files, entry{name: "LICENSE", data: license})
	// ansible-doc lists no folder whose name starts with two underscores.
	const folder = "plugins/modules/__bin__"
	files = append(files, entry{name: folder, folder: true})
	for name, machine := range machines {
		data, err := readBinary(filepath.Join(in.binaries, name, binaryName), machine)
		if err != nil {
			return err
		}
		files = append(files,
			entry{name: path.Join(folder, name), folder: true},
			entry{name: path.Join(folder, name, binaryName), executable: true, data: data})
	}
	for _, file := range files {
		if err := write(filepath.Join(stage, filepath.FromSlash(file.name)), file); err != nil {
			return fmt.Errorf("staging %s: %w", file.name, err)
		}
	}
	return nil
}

func write(name string, file entry) error {
	if file.folder {
		return os.MkdirAll(name, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if file.executable {
		mode = 0o755
	}
	return os.WriteFile(name, file.data, mode)
}

// readBinary reads a binary that runs on each Linux of an architecture, and is small enough.
func readBinary(name string, machine elf.Machine) ([]byte, error) {
	stat, err := os.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("looking at a binary: %w", err)
	}
	if stat.Size() > maxBinaryBytes {
		return nil, fmt.Errorf("%s has %d bytes, the limit is %d; see what it imports", name, stat.Size(), maxBinaryBytes)
	}
	file, err := elf.Open(name)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	if file.Machine != machine {
		return nil, fmt.Errorf("%s is for %s, not for %s", name, file.Machine, machine)
	}
	if slices.ContainsFunc(file.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return nil, fmt.Errorf("%s is linked dynamically; build it with CGO_ENABLED=0", name)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("reading a binary: %w", err)
	}
	return data, nil
}

// readTree returns the files and folders of a tree, sorted by name, without those
// that are ignored and without what Python leaves behind.
func readTree(root string, ignored ...string) ([]entry, error) {
	var out []entry
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case d.IsDir() && (d.Name() == "__pycache__" || slices.Contains(ignored, name)):
			return fs.SkipDir
		case strings.HasSuffix(name, ".pyc") || slices.Contains(ignored, name):
			return nil
		case d.IsDir():
			out = append(out, entry{name: name, folder: true})
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is no regular file", name)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		out = append(out, entry{name: name, executable: info.Mode()&0o100 != 0, data: data})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading the tree %s: %w", root, err)
	}
	slices.SortFunc(out, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return out, nil
}
