// Package overlay finds the kustomizations that end in Ringfence, builds each
// and judges the builds of one environment together.
package overlay

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"
)

// fileNames are those that kustomize reads, in its order.
var fileNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// kustomization holds what we look at in one.
type kustomization struct {
	Kind         string   `json:"kind"`
	Resources    []string `json:"resources"`
	Components   []string `json:"components"`
	Transformers []string `json:"transformers"`
	Generators   []string `json:"generators"`
	Validators   []string `json:"validators"`
}

// tree holds the kustomizations below some directories, by their clean paths.
type tree map[string]kustomization

func readTree(dirs []string) (tree, error) {
	out := tree{}
	for _, dir := range dirs {
		files := os.DirFS(dir)
		err := fs.WalkDir(files, ".", func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return fmt.Errorf("looking for kustomizations in %q: %w", dir, err)
			}
			if entry.IsDir() || !slices.Contains(fileNames, entry.Name()) {
				return nil
			}
			data, err := fs.ReadFile(files, path)
			if err != nil {
				return fmt.Errorf("reading a kustomization: %w", err)
			}
			path = filepath.Join(dir, path)
			var k kustomization
			if err := yaml.Unmarshal(data, &k); err != nil {
				return fmt.Errorf("reading %q: %w", path, err)
			}
			out[filepath.Dir(path)] = k
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(out) == 0 {
		return nil, errors.New("there is no kustomization in the directories given")
	}
	return out, nil
}

// leaves returns the kustomizations that no other one refers to: those that an
// application is made of. A component is none.
func (t tree) leaves() []string {
	referred := map[string]bool{}
	for dir, k := range t {
		for _, ref := range slices.Concat(k.Resources, k.Components, k.Transformers, k.Generators, k.Validators) {
			referred[filepath.Join(dir, ref)] = true
		}
	}
	var out []string
	for dir, k := range t {
		if !referred[dir] && k.Kind != "Component" {
			out = append(out, dir)
		}
	}
	slices.Sort(out)
	return out
}

// configs returns the directories and files that a leaf names as transformers.
func (t tree) configs(leaf string) []string {
	var out []string
	for _, ref := range t[leaf].Transformers {
		path := filepath.Join(leaf, ref)
		if _, err := os.Stat(path); err == nil { // else it is inline YAML
			out = append(out, path)
		}
	}
	return out
}
