package manifest

import (
	"errors"
	"slices"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// expand puts copies of what they stand for in the place of aliases, and of what
// they merge in the place of merge keys, so that an edit of one place changes no
// other. Explicit keys win over merged ones, and earlier merged ones over later.
// kyaml's DeAnchor does the same, but copies each mapping once for every level
// above it. The tree must be a checked one: free of cycles and of measure.
func expand(n *yaml.Node) (*yaml.Node, error) {
	if n.Kind == yaml.AliasNode {
		// An anchor stands before its aliases, so it is expanded already.
		return yaml.CopyYNode(n.Alias), nil
	}
	n.Anchor = ""
	for i, child := range n.Content {
		child, err := expand(child)
		if err != nil {
			return nil, err
		}
		n.Content[i] = child
	}
	if n.Kind != yaml.MappingNode {
		return n, nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Tag == yaml.MergeTag {
			return n, merge(n, i)
		}
	}
	return n, nil
}

// merge puts the entries that the merge key at index i of n merges in its place.
func merge(n *yaml.Node, i int) error {
	value := n.Content[i+1]
	sources := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		sources = value.Content
	}
	has := make(map[string]bool, len(n.Content)/2)
	for j := 0; j < len(n.Content); j += 2 {
		has[n.Content[j].Value] = true
	}
	var merged []*yaml.Node
	for _, source := range sources {
		if source.Kind != yaml.MappingNode {
			return errors.New(`the key "<<" merges what is no mapping`)
		}
		for j := 0; j < len(source.Content); j += 2 {
			if key := source.Content[j]; !has[key.Value] {
				has[key.Value] = true
				merged = append(merged, yaml.CopyYNode(key), yaml.CopyYNode(source.Content[j+1]))
			}
		}
	}
	n.Content = slices.Replace(n.Content, i, i+2, merged...)
	return nil
}
