package rendered

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Limits bound what is read, in bytes. A text takes several times its size in
// memory while it is read, and about its size from then on.
type Limits struct {
	// File is the most that one file may have, and that one document may become
	// once its aliases are expanded.
	File int64
	// Total is the most that all files may have together.
	Total int64
}

// DefaultLimits are far beyond what one environment renders.
var DefaultLimits = Limits{File: 64 << 20, Total: 512 << 20}

// maxProblems is how many problems one error lists.
const maxProblems = 20

// Read reads files, and below directories every *.yaml, *.yml and *.json, links to
// such files included. It passes over files and directories whose names begin with
// a dot, kustomizations, documents of our own, and items that their annotation
// marks as local configuration, which never reach a cluster. Lists are taken
// apart. An object that stands twice, to the byte of its content, is one.
func (l Limits) Read(paths ...string) (*resource.Set, error) { return l.ReadWith(nil, paths...) }

// ReadWith reads as Read does; the path "-" stands for in, unless that is nil.
func (l Limits) ReadWith(in io.Reader, paths ...string) (*resource.Set, error) {
	if len(paths) == 0 {
		return nil, errors.New("no file or directory is named")
	}
	r := &reader{limits: l, set: resource.NewSet(), files: map[string]bool{}, items: map[resource.Ref][]*Item{}}
	for _, path := range paths {
		if path == "-" && in != nil {
			r.stream("standard input", in)
			in = strings.NewReader("") // it can be read once
			continue
		}
		r.path(path)
	}
	if n := len(r.problems) - maxProblems; n > 0 {
		r.problems = append(r.problems[:maxProblems], fmt.Errorf("and %d problems more", n))
	}
	if err := errors.Join(r.problems...); err != nil {
		return nil, err
	}
	if r.set.Len() == 0 {
		return nil, fmt.Errorf("there is no object in %s: name the rendered files of the environment, or directories of them", quoted(paths))
	}
	return r.set, nil
}

type reader struct {
	limits   Limits
	total    int64
	set      *resource.Set
	files    map[string]bool
	items    map[resource.Ref][]*Item
	problems []error
}

func (r *reader) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Errorf(format, args...))
}

func (r *reader) path(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.problem("reading %q: %w", path, reason(err))
	case info.IsDir():
		r.directory(path)
	default:
		r.file(path, info)
	}
}

func (r *reader) directory(root string) {
	found := false
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.problem("reading %q: %w", path, reason(err))
			return nil
		case path != root && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return nil
		}
		info, err := os.Stat(path) // of what a link leads to
		switch {
		case err != nil:
			r.problem("reading %q: %w", path, reason(err))
		case info.IsDir():
			r.problem("%q is a link to a directory, which isn't followed: name that directory too, or remove the link", path)
		case isManifest(entry.Name()):
			found = true
			r.file(path, info)
		}
		return nil
	})
	if err != nil {
		r.problem("reading %q: %w", root, reason(err))
	}
	if !found {
		r.problem("the directory %q holds no *.yaml, *.yml or *.json with manifests", root)
	}
}

var (
	extensions     = []string{".yaml", ".yml", ".json"}
	kustomizations = []string{"kustomization.yaml", "kustomization.yml"} // Kustomization has no extension
)

func isManifest(name string) bool {
	return slices.Contains(extensions, filepath.Ext(name)) && !slices.Contains(kustomizations, name)
}

// file reads one file, once.
func (r *reader) file(path string, info fs.FileInfo) {
	key, err := filepath.Abs(path)
	if err != nil {
		key = filepath.Clean(path)
	}
	if r.files[key] || r.total > r.limits.Total {
		return
	}
	r.files[key] = true
	if !info.Mode().IsRegular() { // to open a pipe would wait for its writer
		r.problem("%q is neither a file nor a directory", path)
		return
	}
	file, err := os.Open(path)
	if err != nil {
		r.problem("reading %q: %w", path, reason(err))
		return
	}
	defer file.Close() //nolint:errcheck // it is only read
	r.stream(path, file)
}

// stream reads one text.
func (r *reader) stream(path string, in io.Reader) {
	text, err := r.text(path, in)
	if err != nil {
		r.problems = append(r.problems, err)
		return
	}
	if err := (stream{file: path, text: text, limit: r.limits.File, add: r.add}).read(); err != nil {
		r.problems = append(r.problems, err)
	}
}

// text reads a text within the limits. Its size beforehand proves nothing: it may grow.
func (r *reader) text(path string, in io.Reader) ([]byte, error) {
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(in, r.limits.File+1))
	r.total += n
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading %q: %w", path, reason(err))
	case n > r.limits.File:
		return nil, fmt.Errorf("%q has more than %d bytes: render each application into a file of its own", path, r.limits.File)
	case r.total > r.limits.Total:
		return nil, fmt.Errorf("with %q the files have more than %d bytes together: name the files of one environment alone", path, r.limits.Total)
	}
	return b.Bytes(), nil
}

// add takes an object, unless the same one is there.
func (r *reader) add(item *Item) {
	for _, other := range r.items[item.ref] {
		if bytes.Equal(other.json, item.json) {
			return
		}
	}
	r.items[item.ref] = append(r.items[item.ref], item)
	r.set.Add(item)
}

// reason returns an error without the path, which the message has in quotes.
func reason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	return err
}

func quoted(paths []string) string {
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		out = append(out, fmt.Sprintf("%q", path))
	}
	return strings.Join(out, ", ")
}
