package krm

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// apply carries a plan out and reports each change.
func (b *build) apply(plan policy.Plan) error {
	changed := map[*resource.Object]bool{}
	for _, edit := range plan.Edits {
		item, err := itemOf(edit.Object)
		if err != nil {
			return err
		}
		if err := item.Edit(func(node *yaml.RNode) error { return set(node.YNode(), edit.Path, edit.Value) }); err != nil {
			return fmt.Errorf("setting %s of %s: %w", edit.Path, edit.Object.Ref(), err)
		}
		changed[edit.Object] = true
		b.written(edit.Object.Ref(), edit.Path.String(), edit.Reason, edit.Current, edit.Value)
	}
	for o := range changed {
		o.Reload()
	}
	for _, removal := range plan.Remove {
		item, err := itemOf(removal.Object)
		if err != nil {
			return err
		}
		b.document.Remove(item)
		b.set.Remove(removal.Object)
		b.written(removal.Object.Ref(), "", "removed: "+removal.Reason, nil, nil)
	}
	for _, object := range plan.Create {
		node, err := nodeOf(object, b.hasPaths())
		if err != nil {
			return fmt.Errorf("making %s: %w", object.Ref, err)
		}
		b.set.Add(b.document.Append(node))
		b.written(object.Ref, "", "created from "+object.Source+" of the model", nil, nil)
	}
	return nil
}

func (b *build) written(ref resource.Ref, field, reason string, current, proposed any) {
	b.findings.Add(finding.New(finding.ObjectWritten, ref, field, "%s", reason).WithValues(current, proposed))
}

func itemOf(o *resource.Object) (*manifest.Item, error) {
	item, ok := o.Source.(*manifest.Item)
	if !ok {
		return nil, fmt.Errorf("%s isn't from this document", o.Ref())
	}
	return item, nil
}

// set gives the field at path of a mapping or list its value; nil removes it,
// and the mappings that this leaves empty. Comments stay where they are.
func set(node *yaml.Node, path resource.Path, value any) error {
	if len(path) == 0 {
		return replace(node, value)
	}
	if node.Kind == yaml.AliasNode {
		return fmt.Errorf("%s is an alias (*%s), which stands for text elsewhere: write it out", path, node.Value)
	}
	switch node.Kind {
	case yaml.MappingNode:
		return setKey(node, path, value)
	case yaml.SequenceNode:
		return setIndex(node, path, value)
	default:
		return fmt.Errorf("%s: its parent is no mapping", path)
	}
}

func setKey(node *yaml.Node, path resource.Path, value any) error {
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value != path[0] {
			continue
		}
		child := node.Content[i+1]
		if isEmptyValue(child) && value != nil && len(path) > 1 {
			replacement := container(path[1])
			keepComments(child, replacement)
			*child = *replacement
		}
		if value != nil || len(path) > 1 {
			if err := set(child, path[1:], value); err != nil {
				return err
			}
		}
		if value == nil && (len(path) == 1 || child.Kind == yaml.MappingNode && len(child.Content) == 0) {
			node.Content = slices.Delete(node.Content, i, i+2)
		}
		return nil
	}
	if value == nil {
		return nil
	}
	key, err := valueNode(path[0])
	if err != nil {
		return err
	}
	child := &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagNull}
	if len(path) > 1 {
		child = container(path[1])
	}
	node.Content = append(node.Content, key, child)
	return set(child, path[1:], value)
}

func setIndex(node *yaml.Node, path resource.Path, value any) error {
	i, err := strconv.Atoi(path[0])
	switch {
	case path[0] == resource.Append && value != nil:
		i = len(node.Content)
		child := &yaml.Node{Kind: yaml.ScalarNode, Tag: yaml.NodeTagNull}
		if len(path) > 1 {
			child = container(path[1])
		}
		node.Content = append(node.Content, child)
	case err != nil || i < 0 || i >= len(node.Content):
		return fmt.Errorf("%s: there is no such entry in a list of %d", path, len(node.Content))
	case value == nil && len(path) == 1:
		node.Content = slices.Delete(node.Content, i, i+1)
		return nil
	}
	return set(node.Content[i], path[1:], value)
}

// container returns the empty mapping or list that an element of a path stands in.
func container(element string) *yaml.Node {
	if _, err := strconv.Atoi(element); err == nil || element == resource.Append {
		return &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}
	}
	return &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
}

func isEmptyValue(node *yaml.Node) bool {
	return node.Kind == yaml.ScalarNode && node.Tag == yaml.NodeTagNull ||
		(node.Kind == yaml.MappingNode || node.Kind == yaml.SequenceNode) && len(node.Content) == 0
}

// replace gives a node a value and keeps its comments.
func replace(node *yaml.Node, value any) error {
	fresh, err := valueNode(value)
	if err != nil {
		return err
	}
	keepComments(node, fresh)
	if node.Kind == yaml.SequenceNode && fresh.Kind == yaml.SequenceNode {
		for i, value := range fresh.Content {
			if old := formerEntry(node.Content, fresh.Content, i); old != nil {
				keepComments(old, value)
			}
		}
	}
	*node = *fresh
	return nil
}

func keepComments(from, to *yaml.Node) {
	to.HeadComment, to.LineComment, to.FootComment = from.HeadComment, from.LineComment, from.FootComment
}

// formerEntry returns the entry of a list that became entry i of another: the one
// of its value, else the one that it replaces at its place. Nil when there is none.
func formerEntry(before, after []*yaml.Node, i int) *yaml.Node {
	if at := entry(before, after[i].Value); at >= 0 && after[i].Kind == yaml.ScalarNode {
		return before[at]
	}
	if len(before) == len(after) && entry(after, before[i].Value) < 0 {
		return before[i]
	}
	return nil
}

// entry returns the place of a scalar in a list, or -1.
func entry(list []*yaml.Node, value string) int {
	return slices.IndexFunc(list, func(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Value == value })
}

// nodeOf returns a generated object as a node, its fields in the order that
// people know. In a package of files it is given one of its own.
func nodeOf(object policy.Object, paths bool) (*yaml.RNode, error) {
	content := object.Content()
	root := &yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
	keys := []string{"apiVersion", "kind", "metadata"}
	for key := range object.Body {
		keys = append(keys, key)
	}
	slices.Sort(keys[3:])
	for _, key := range keys {
		if err := setKey(root, resource.Path{key}, content[key]); err != nil {
			return nil, err
		}
	}
	metadata := root.Content[5]
	*metadata = yaml.Node{Kind: yaml.MappingNode, Tag: yaml.NodeTagMap}
	for _, key := range []string{"name", "namespace", "labels", "annotations"} {
		if value, ok := resource.Field(content, "metadata", key); ok {
			if err := setKey(metadata, resource.Path{key}, value); err != nil {
				return nil, err
			}
		}
	}
	if paths {
		ref := object.Ref
		name := strings.ToLower(strings.Join([]string{ref.Namespace, ref.Kind, ref.Name}, "_"))
		for key, value := range map[string]string{annotationPath: "ringfence/" + strings.TrimPrefix(name, "_") + ".yaml", annotationIndex: "0"} {
			if err := set(metadata, resource.Path{"annotations", key}, value); err != nil {
				return nil, err
			}
		}
	}
	return yaml.NewRNode(root), nil
}

// Where kpt keeps the file of an item, and its place there.
const (
	annotationPath  = "internal.config.kubernetes.io/path"
	annotationIndex = "internal.config.kubernetes.io/index"
)

// findPaths reports whether the items come from files that the caller will write again.
func (b *build) findPaths() bool {
	for _, set := range []*resource.Set{b.set, b.inputs} {
		for o := range set.All() {
			if o.Mentions(annotationPath) {
				return o.Annotations()[annotationPath] != ""
			}
		}
	}
	return false
}
