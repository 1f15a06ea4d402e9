package overlay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Builder builds directories: a leaf with its Ringfence, or the configuration of one.
type Builder interface {
	// Build returns YAML documents, and the lines that there are to say about them.
	Build(ctx context.Context, dir string) (text []byte, notes []string, err error)
}

// Kustomize builds with kustomize's executable, which runs the functions that
// kustomizations name.
type Kustomize struct {
	// Path of the executable, or a name that is looked up in PATH.
	Path string
}

// Build is one leaf as kustomize made it.
type Build struct {
	// Dir is the leaf's directory.
	Dir string
	// Request is what its Ringfence asked for.
	Request model.Request
	// Text is what kustomize printed: YAML documents.
	Text []byte
	// Notes are the lines that the functions wrote on standard error.
	Notes []string
	// Document is Text, read.
	Document *manifest.Document
	// Unjudged says that the leaf ends in no Ringfence.
	Unjudged bool
}

// All builds every leaf below the directories, some at a time, and calls done as
// each is ready. All problems are returned together.
func All(ctx context.Context, builder Builder, dirs []string, done func(Build)) ([]Build, finding.List, error) {
	tree, err := readTree(dirs)
	if err != nil {
		return nil, nil, err
	}
	leaves := tree.leaves()
	builds := make([]Build, len(leaves))
	failures := make([]error, len(leaves))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	results := make(chan Build, len(leaves)) // a slot for each, so that no build waits to be told of
	for i, leaf := range leaves {
		group.Go(func() error {
			builds[i], failures[i] = buildLeaf(ctx, builder, tree, leaf)
			results <- builds[i]
			return nil
		})
	}
	for range leaves {
		if b := <-results; b.Document != nil {
			done(b)
		}
	}
	if err := group.Wait(); err != nil {
		return nil, nil, err
	}
	findings, err := split(failures)
	return builds, findings, err
}

func buildLeaf(ctx context.Context, builder Builder, tree tree, leaf string) (Build, error) {
	b := Build{Dir: leaf, Unjudged: true}
	for _, path := range tree.configs(leaf) {
		request, found, err := readRequest(ctx, builder, path)
		if err != nil {
			return b, err
		}
		if found {
			b.Request, b.Unjudged = request, false
		}
	}
	if b.Unjudged {
		return b, nil
	}
	text, notes, err := builder.Build(ctx, leaf)
	b.Notes = notes
	if err != nil {
		return b, err
	}
	if b.Document, err = manifest.ReadStream(text); err != nil {
		return b, fmt.Errorf("reading the build of %q: %w", leaf, err)
	}
	b.Text = text
	return b, nil
}

// readRequest builds a transformer's directory and reads the Ringfence in it, if there is one.
func readRequest(ctx context.Context, builder Builder, path string) (model.Request, bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return model.Request{}, false, fmt.Errorf("looking for the configuration: %w", err)
	}
	var text []byte
	if info.IsDir() {
		text, _, err = builder.Build(ctx, path)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return model.Request{}, false, fmt.Errorf("reading the configuration %q: %w", path, err)
	}
	document, err := manifest.ReadStream(text)
	if err != nil {
		return model.Request{}, false, fmt.Errorf("reading the configuration %q: %w", path, err)
	}
	for _, item := range document.Items() {
		if item.Ref().Kind != v1alpha1.KindRingfence || item.Ref().Group() != v1alpha1.Group {
			continue
		}
		docs, findings := model.ParseDocuments("", item.Text())
		if findings.Failed() || len(docs) != 1 {
			return model.Request{}, false, &configError{path, findings}
		}
		request, findings := model.Parse(model.Documents{Config: &docs[0]}, v1alpha1.RingfenceSpec{})
		if findings.Failed() {
			return model.Request{}, false, &configError{path, findings}
		}
		return request, true, nil
	}
	return model.Request{}, false, nil
}

// configError is a configuration that can't be used.
type configError struct {
	path     string
	findings finding.List
}

func (e *configError) Error() string {
	return fmt.Sprintf("the configuration %q has %d errors", e.path, e.findings.Count(finding.Error))
}

// split separates what is wrong with configurations, which several leaves share
// and which is said once, from every other failure.
func split(failures []error) (finding.List, error) {
	var (
		findings finding.List
		others   []error
	)
	paths := map[string][]string{}
	for _, failure := range failures {
		var config *configError
		if !errors.As(failure, &config) {
			others = append(others, failure)
			continue
		}
		for _, f := range config.findings.AtLeast(finding.Error) {
			if len(paths[f.String()]) == 0 {
				findings.Add(f)
			}
			paths[f.String()] = append(paths[f.String()], config.path)
		}
	}
	for i, f := range findings {
		where := paths[f.String()]
		file := where[0]
		if len(where) > 1 {
			file = fmt.Sprintf("%s and %d more", file, len(where)-1)
		}
		findings[i] = f.In(file, 0)
	}
	return findings, errors.Join(others...)
}

// Build builds one directory. The functions that it names are looked up beside
// this executable first, so that a build is judged by what made it.
func (k Kustomize) Build(ctx context.Context, dir string) (text []byte, notes []string, err error) {
	command := exec.CommandContext(ctx, k.Path, "build", "--enable-alpha-plugins", "--enable-exec", dir)
	if self, err := os.Executable(); err == nil {
		command.Env = append(os.Environ(), "PATH="+filepath.Dir(self)+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err = command.Run()
	for line := range strings.Lines(stderr.String()) {
		if line = strings.TrimSpace(line); line != "" {
			notes = append(notes, line)
		}
	}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, nil, fmt.Errorf("kustomize isn't there: install it, or name it with --kustomize: %w", err)
	case err != nil:
		return nil, notes, fmt.Errorf("building %q: %w\n  %s", dir, err, strings.Join(notes, "\n  "))
	}
	return stdout.Bytes(), notes, nil
}

// objects returns the objects of builds as one set, and reports objects that
// two builds hold with different content.
func objects(builds []Build) (*resource.Set, finding.List) {
	set := resource.NewSet()
	var findings finding.List
	texts := map[resource.Key]string{}
	from := map[resource.Key]string{}
	for _, b := range builds {
		for _, item := range b.Document.Items() {
			key := item.Ref().Key()
			text := string(item.Text())
			if other, twice := texts[key]; twice {
				if other != text {
					findings.Add(finding.New(finding.ObjectDuplicate, item.Ref(), "", "%s and %s hold it with different content", from[key], b.Dir))
				}
				continue
			}
			texts[key], from[key] = text, b.Dir
			set.Add(item)
		}
	}
	return set, findings
}

// environments returns the builds by environment, in the order of their names.
func environments(builds []Build) (names []string, byName map[string][]Build) {
	byName = map[string][]Build{}
	for _, b := range builds {
		if b.Unjudged || b.Document == nil {
			continue
		}
		name := b.Request.Platform.Environment
		if byName[name] == nil {
			names = append(names, name)
		}
		byName[name] = append(byName[name], b)
	}
	slices.Sort(names)
	return names, byName
}
