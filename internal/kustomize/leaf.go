package kustomize

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gopkg.in/yaml.v3"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	yamljson "sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const kindRingfence = v1alpha1.KindRingfence

// Leaf is what one directory builds.
type Leaf struct {
	// Text holds the YAML documents that kustomize makes of it, without its Ringfence.
	Text []byte
	// Config is the text of its Ringfence, nil where it names none, and ConfigPath
	// is the directory or file that it names.
	Config     []byte
	ConfigPath string
	// Notes are kustomize's own warnings.
	Notes []string
}

// Leaf builds a directory. All problems are returned together.
func (b Builder) Leaf(dir string) (Leaf, finding.List) {
	files, at, findings := b.open(dir)
	if findings.Failed() {
		return Leaf{}, findings
	}
	leaf := Leaf{}
	for i, entry := range at.Transformers {
		text, isOurs, more := b.ringfence(files, at.dir, entry)
		findings.Add(more...)
		switch {
		case !isOurs:
		case leaf.Config != nil:
			findings.Add(at.wrong(finding.InputAmbiguous, "transformers", "%s and %s are both a Ringfence", leaf.ConfigPath, at.path(dir, i)).
				WithRemedy("name one that includes all components, or verify with --kustomize"))
		default:
			leaf.Config, leaf.ConfigPath = text, at.path(dir, i)
			findings.Add(at.after(i)...)
			rest, err := at.without(i)
			if err != nil {
				findings.Add(at.wrong(finding.InputUnreadable, "transformers", "%v", err))
			}
			files.edits[at.file] = func([]byte) ([]byte, error) { return rest, nil }
		}
	}
	if findings.Failed() {
		return Leaf{}, findings
	}
	leaf.Text, leaf.Notes, findings = b.build(files, dir)
	return leaf, findings
}

// MayName reports whether a directory names a Ringfence as a transformer, or
// something that can't be read and so may be one.
func (b Builder) MayName(dir string) bool {
	files, err := b.files()
	if err != nil {
		return false
	}
	root, err := filesys.ConfirmDir(files, dir)
	if err != nil {
		return false
	}
	at, err := readKustomization(files, root.String())
	if err != nil {
		return !errors.Is(err, errNone)
	}
	return slices.ContainsFunc(at.Transformers, func(entry string) bool {
		_, isOurs, findings := b.ringfence(files, at.dir, entry)
		return isOurs || findings.Failed()
	})
}

// Documents returns the documents of ours that a file holds or a directory
// builds, those included that are marked local-config.
func (b Builder) Documents(path string) ([]byte, finding.List) {
	files, err := b.files()
	if err == nil {
		var dir filesys.ConfirmedDir
		var name string
		if dir, name, err = files.CleanedAbs(path); err == nil {
			return b.documents(files, dir.Join(name), path)
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		err = errors.New("there is no such file or directory")
	}
	return nil, finding.List{finding.New(finding.InputUnreadable, resource.Ref{}, "", "%v", err).In(path, 0).
		WithRemedy("name a file, or a directory that kustomize builds")}
}

// documents is Documents of a resolved path; shown is how the caller named it.
func (b Builder) documents(files *files, path, shown string) ([]byte, finding.List) {
	if !files.IsDir(path) {
		data, err := files.ReadFile(path)
		if err != nil {
			return nil, finding.List{finding.New(finding.InputUnreadable, resource.Ref{}, "", "%v", err).In(shown, 0)}
		}
		return data, nil
	}
	at, err := readKustomization(files, path)
	if err != nil {
		return nil, finding.List{finding.New(finding.InputUnreadable, resource.Ref{}, "", "%v", err).In(shown, 0)}
	}
	inner := *files
	inner.edits = map[string]func([]byte) ([]byte, error){at.file: kept}
	text, _, findings := b.build(&inner, path)
	for i := range findings {
		if findings[i].File == path {
			findings[i] = findings[i].In(shown, 0)
		}
	}
	return text, findings
}

// open reads the kustomization of a directory.
func (b Builder) open(dir string) (*files, kustomization, finding.List) {
	fail := func(err error) finding.List {
		return finding.List{finding.New(finding.InputUnreadable, resource.Ref{}, "", "%v", err).In(dir, 0).WithRemedy("name a directory with a kustomization.yaml")}
	}
	files, err := b.files()
	if err != nil {
		return nil, kustomization{}, fail(err)
	}
	root, err := filesys.ConfirmDir(files, dir)
	if errors.Is(err, os.ErrNotExist) {
		err = errors.New("there is no such directory")
	}
	if err != nil {
		return nil, kustomization{}, fail(err)
	}
	at, err := readKustomization(files, root.String())
	if err != nil {
		return nil, kustomization{}, fail(err)
	}
	at.shown = filepath.Join(dir, filepath.Base(at.file))
	return files, at, nil
}

// ringfence returns the text of the Ringfence that an entry of transformers: is,
// or says that it is none.
func (b Builder) ringfence(files *files, dir, entry string) (text []byte, isOurs bool, findings finding.List) {
	path := filepath.Join(dir, entry)
	shown := path
	if wd, err := os.Getwd(); err == nil {
		if rel, err := filepath.Rel(wd, path); err == nil {
			shown = rel
		}
	}
	switch {
	case isInline(entry):
		text = []byte(entry)
	case !files.Exists(path):
		return nil, false, nil // something remote, or kustomize says that it isn't there
	default:
		if text, findings = b.documents(files, path, shown); findings.Failed() {
			return nil, false, findings
		}
	}
	document, err := manifest.ReadStream(text)
	if err != nil {
		return nil, false, finding.List{finding.New(finding.InputUnreadable, resource.Ref{}, "", "%v", err).In(shown, 0)}
	}
	items := document.Items()
	isOurs = slices.ContainsFunc(items, func(item *manifest.Item) bool {
		return item.Ref().Group() == v1alpha1.Group && item.Ref().Kind == kindRingfence
	})
	if isOurs && len(items) != 1 {
		findings.Add(finding.New(finding.InputAmbiguous, resource.Ref{}, "", "it holds %d documents; what a leaf names under transformers: is one Ringfence alone", len(items)).
			In(shown, 0).WithRemedy("put the AccessModel and the Environment into the Ringfence, as the component join does"))
	}
	return text, isOurs, findings
}

// isInline reports whether an entry is a document itself and no path, as kustomize sees it.
func isInline(entry string) bool {
	var node yaml.Node
	return yaml.Unmarshal([]byte(entry), &node) == nil && len(node.Content) == 1 && node.Content[0].Kind == yaml.MappingNode
}

// misplaced says where a Ringfence stands that kustomize meets in the middle of a build.
func (b Builder) misplaced(files *files, dir string) finding.Finding {
	seen := slices.Clone(files.seen)
	for _, place := range seen {
		at, err := readKustomization(files, place)
		if err != nil {
			continue
		}
		for field, entries := range map[string][]string{"generators": at.Generators, "transformers": at.Transformers, "validators": at.Validators} {
			for _, entry := range entries {
				if field == "transformers" && files.edits[at.file] != nil {
					continue // the leaf's own, which was left out
				}
				if _, isOurs, _ := b.ringfence(files, place, entry); !isOurs {
					continue
				}
				rule := finding.BuildUnjudged
				if field == "generators" {
					rule = finding.GeneratorField
				}
				return finding.New(rule, resource.Ref{}, "", "%s names a Ringfence under %s:, and what comes after it would be judged by nobody", at.file, field).
					In(dir, 0).WithRemedy(nowhereElse)
			}
		}
	}
	return finding.New(finding.BuildUnjudged, resource.Ref{}, "", "a kustomization that it includes names a Ringfence").
		In(dir, 0).WithRemedy(nowhereElse)
}

const nowhereElse = "name the Ringfence under transformers: of the directory that is built, as the last entry, and nowhere else"

// without returns the kustomization without an entry of transformers:.
func (k kustomization) without(entry int) ([]byte, error) {
	out, err := edited(k.data, func(root *yaml.Node) error {
		list, err := listOf(root, "transformers")
		if err != nil {
			return err
		}
		if entry >= len(list.Content) {
			return errors.New("its list can't be told apart")
		}
		list.Content = slices.Delete(list.Content, entry, entry+1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	// What kustomize will read is what it would have read, but for the entry.
	var rest kustomization
	if err := yamljson.Unmarshal(out, &rest); err != nil || !slices.Equal(rest.Transformers, slices.Delete(slices.Clone(k.Transformers), entry, entry+1)) {
		return nil, errors.New("the Ringfence can't be left out of the list: write it as plain entries, one a line")
	}
	return out, nil
}

// kept returns a kustomization that drops no document of ours: kustomize leaves
// out what is marked local-config, as the AccessModel is.
func kept(data []byte) ([]byte, error) {
	var patch yaml.Node
	if err := yaml.Unmarshal([]byte(`
target: {group: ringfence.dev}
patch: |
  apiVersion: ringfence.dev/v1alpha1
  kind: Any
  metadata: {name: any, annotations: {config.kubernetes.io/local-config: "false"}}
`), &patch); err != nil {
		return nil, fmt.Errorf("writing a patch: %w", err)
	}
	return edited(data, func(root *yaml.Node) error {
		list, err := listOf(root, "patches")
		if err != nil {
			return err
		}
		list.Content = append(list.Content, patch.Content[0])
		return nil
	})
}

func edited(data []byte, edit func(root *yaml.Node) error) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("reading the kustomization: %w", err)
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("the kustomization is no mapping")
	}
	if err := edit(document.Content[0]); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	if err := encoder.Encode(&document); err != nil {
		return nil, fmt.Errorf("writing the kustomization: %w", err)
	}
	return out.Bytes(), nil
}
