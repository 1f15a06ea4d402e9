package kustomize

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// outside is in what is said of a path that leads out of the root.
const outside = "leads out of the repository"

// files is the disk as a build sees it: nothing outside of root, and some files
// with other content than they have.
type files struct {
	filesys.FileSystem
	root string
	// edits change what is read of a file, by its absolute path without symbolic links.
	edits map[string]func([]byte) ([]byte, error)
	// seen are the directories whose kustomization was read, in that order.
	seen []string
	// schema says that one of them brings a schema of its own.
	schema bool
}

func (b Builder) files() (*files, error) {
	f := &files{FileSystem: filesys.MakeFsOnDisk(), edits: map[string]func([]byte) ([]byte, error){}}
	if b.Root != "" {
		root, _, err := f.FileSystem.CleanedAbs(b.Root)
		if err != nil {
			return nil, fmt.Errorf("looking for the root: %w", err)
		}
		f.root = root.String()
	}
	return f, nil
}

// ReadFile returns what a build is to read. Kustomize has resolved the path.
func (f *files) ReadFile(path string) ([]byte, error) {
	if err := f.check(path); err != nil {
		return nil, err
	}
	data, err := f.FileSystem.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a file: %w", err)
	}
	if slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path)) {
		f.seen = append(f.seen, filepath.Dir(path))
		f.schema = f.schema || bytes.Contains(bytes.ToLower(data), []byte("openapi"))
	}
	if edit := f.edits[path]; edit != nil {
		return edit(data)
	}
	return data, nil
}

// CleanedAbs resolves a path, and refuses one that leads out of the root. Every
// path that kustomize follows comes by here.
func (f *files) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	dir, name, err := f.FileSystem.CleanedAbs(path)
	if err != nil {
		return "", "", fmt.Errorf("resolving a path: %w", err)
	}
	if !f.inside(dir.Join(name)) {
		return "", "", fmt.Errorf("%q %s", path, outside)
	}
	return dir, name, nil
}

func (f *files) inside(resolved string) bool {
	return f.root == "" || resolved == f.root || strings.HasPrefix(resolved, strings.TrimSuffix(f.root, string(filepath.Separator))+string(filepath.Separator))
}

func (f *files) check(path string) error {
	if f.root == "" {
		return nil
	}
	_, _, err := f.CleanedAbs(path)
	return err
}

// Exists reports whether there is such a path inside.
func (f *files) Exists(path string) bool { return f.check(path) == nil && f.FileSystem.Exists(path) }

// IsDir reports whether there is such a directory inside.
func (f *files) IsDir(path string) bool { return f.check(path) == nil && f.FileSystem.IsDir(path) }

// Open opens a file inside.
func (f *files) Open(path string) (filesys.File, error) {
	if err := f.check(path); err != nil {
		return nil, err
	}
	return f.FileSystem.Open(path) //nolint:wrapcheck // it is what kustomize would get
}

// ReadDir lists a directory inside.
func (f *files) ReadDir(path string) ([]string, error) {
	if err := f.check(path); err != nil {
		return nil, err
	}
	return f.FileSystem.ReadDir(path) //nolint:wrapcheck // it is what kustomize would get
}

// Glob lists the paths inside that match.
func (f *files) Glob(pattern string) ([]string, error) {
	found, err := f.FileSystem.Glob(pattern)
	return slices.DeleteFunc(found, func(path string) bool { return f.check(path) != nil }), err //nolint:wrapcheck // it is what kustomize would get
}

// Walk walks a directory inside; it follows no symbolic links.
func (f *files) Walk(path string, walk filepath.WalkFunc) error {
	if err := f.check(path); err != nil {
		return err
	}
	return f.FileSystem.Walk(path, walk) //nolint:wrapcheck // it is what kustomize would get
}

// What writes: kustomize does it for remote bases and charts, which have no root.

// Create makes a file.
func (f *files) Create(path string) (filesys.File, error) {
	if f.root != "" {
		return nil, os.ErrPermission
	}
	return f.FileSystem.Create(path) //nolint:wrapcheck // it is what kustomize would get
}

// Mkdir makes a directory.
func (f *files) Mkdir(path string) error { return f.write(path, f.FileSystem.Mkdir) }

// MkdirAll makes a directory and those around it.
func (f *files) MkdirAll(path string) error { return f.write(path, f.FileSystem.MkdirAll) }

// RemoveAll removes a path and what lies below.
func (f *files) RemoveAll(path string) error { return f.write(path, f.FileSystem.RemoveAll) }

// WriteFile writes a file.
func (f *files) WriteFile(path string, data []byte) error {
	return f.write(path, func(path string) error { return f.FileSystem.WriteFile(path, data) })
}

func (f *files) write(path string, do func(string) error) error {
	if f.root != "" {
		return os.ErrPermission
	}
	return do(path)
}
