package kustomize

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"gopkg.in/yaml.v3"
	"sigs.k8s.io/kustomize/api/konfig"
	yamljson "sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// kustomization holds what we look at in one.
type kustomization struct {
	Generators   []string `json:"generators"`
	Transformers []string `json:"transformers"`
	Validators   []string `json:"validators"`

	dir, file string // absolute, without symbolic links
	data      []byte
	shown     string // the file as the caller would name it
}

var errNone = errors.New("there is no kustomization.yaml in it")

func readKustomization(files *files, dir string) (kustomization, error) {
	out := kustomization{dir: dir}
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		path := filepath.Join(dir, name)
		if !files.Exists(path) {
			continue
		}
		if out.file != "" {
			return out, fmt.Errorf("it has a %s and a %s", filepath.Base(out.file), name)
		}
		resolved, base, err := files.CleanedAbs(path)
		if err != nil {
			return out, err
		}
		data, err := files.ReadFile(resolved.Join(base))
		if err != nil {
			return out, err
		}
		// As kustomize reads it: by way of JSON, which takes Transformers for transformers.
		if err := yamljson.Unmarshal(data, &out); err != nil {
			return out, fmt.Errorf("reading %s: %w", name, err)
		}
		out.file, out.data = resolved.Join(base), data
	}
	if out.file == "" {
		return out, errNone
	}
	return out, nil
}

// path names the entry of transformers: with an index, for people.
func (k kustomization) path(dir string, entry int) string {
	if isInline(k.Transformers[entry]) {
		return fmt.Sprintf("%s: transformers[%d]", k.shown, entry)
	}
	return filepath.Join(dir, k.Transformers[entry])
}

func (k kustomization) wrong(rule finding.ID, field, format string, args ...any) finding.Finding {
	return finding.New(rule, resource.Ref{}, field, format, args...).In(k.shown, 0)
}

// after reports what would see, or undo, the work of the Ringfence at an index.
// In kustomize validators see it; here they would run before it.
func (k kustomization) after(entry int) finding.List {
	var out finding.List
	for i := entry + 1; i < len(k.Transformers); i++ {
		name := k.Transformers[i]
		if isInline(name) {
			name = "an inline transformer"
		}
		out.Add(k.wrong(finding.BuildUnjudged, fmt.Sprintf("transformers[%d]", i), "%s runs after Ringfence, which wouldn't judge what it does", name).
			WithRemedy("move it before the Ringfence, which is the last entry"))
	}
	if len(k.Validators) > 0 {
		out.Add(k.wrong(finding.BuildUnjudged, "validators", "they would run before Ringfence, and not on what it makes").
			WithRemedy("take them out: Ringfence verifies what it makes itself"))
	}
	return out
}

// listOf returns the list of a field, made if there is none.
func listOf(root *yaml.Node, field string) (*yaml.Node, error) {
	var found *yaml.Node
	for i := 0; i+1 < len(root.Content); i += 2 {
		if !strings.EqualFold(root.Content[i].Value, field) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the kustomization has the field %s twice", field)
		}
		found = root.Content[i+1]
	}
	if found == nil {
		found = &yaml.Node{Kind: yaml.SequenceNode}
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: field}, found)
	}
	if found.Kind == yaml.ScalarNode && found.Tag == "!!null" {
		*found = yaml.Node{Kind: yaml.SequenceNode}
	}
	if found.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("the field %s of the kustomization is no list", field)
	}
	return found, nil
}
