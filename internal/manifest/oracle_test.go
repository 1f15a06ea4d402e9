package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// The oracle is gopkg.in/yaml.v3, not the fork of it that kyaml brings along.

// wholeParse returns the nodes of the documents in data that are not empty.
func wholeParse(data []byte) (docs []*yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var doc yaml.Node
		if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
			return docs, nil
		} else if err != nil {
			return nil, err
		}
		if n := doc.Content[0]; n.ShortTag() != "!!null" {
			docs = append(docs, n)
		}
	}
}

// field returns the value of a key, nil where n has none.
func field(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return follow(n.Content[i+1])
		}
	}
	return nil
}

func follow(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// listItems returns the objects of a parsed ResourceList.
func listItems(root *yaml.Node) []*yaml.Node {
	items := field(root, "items")
	if items == nil {
		return nil
	}
	return items.Content
}

func parsedRef(n *yaml.Node) (ref resource.Ref) {
	read := func(in *yaml.Node, key string) string {
		if v := field(in, key); v != nil && v.ShortTag() != "!!null" {
			return v.Value
		}
		return ""
	}
	ref.APIVersion, ref.Kind = read(n, "apiVersion"), read(n, "kind")
	if metadata := field(n, "metadata"); metadata != nil {
		ref.Name, ref.Namespace = read(metadata, "name"), read(metadata, "namespace")
	}
	return ref
}

// describe writes what a node means, in a form that can be compared between the
// two YAML packages. It expands aliases; it does not know merge keys.
func describe(n *yaml.Node) any {
	n = follow(n)
	if n.Kind == yaml.ScalarNode {
		return scalar(n.ShortTag(), n.Value)
	}
	all := []any{n.Kind}
	for _, child := range n.Content {
		all = append(all, describe(child))
	}
	return all
}

func describeOurs(n *kyaml.Node) any {
	if n.Kind == kyaml.ScalarNode {
		return scalar(n.ShortTag(), n.Value)
	}
	all := []any{yaml.Kind(n.Kind)}
	for _, child := range n.Content {
		all = append(all, describeOurs(child))
	}
	return all
}

func scalar(tag, value string) string {
	if tag == "!!null" {
		return tag
	}
	return tag + " " + value
}

func hasMerge(n *yaml.Node) bool {
	if n.Tag == "!!merge" {
		return true
	}
	return slices.ContainsFunc(n.Content, hasMerge)
}

// requireAgrees holds a document that was read against the whole parse of its
// text.
func requireAgrees(t *testing.T, d *Document, data []byte) {
	t.Helper()
	out, err := d.Bytes()
	require.NoError(t, err)
	require.Equal(t, string(data), string(out), "an unchanged document is written as it was read")

	objects, err := wholeParse(data)
	require.NoError(t, err, "the whole parse accepts what was accepted")
	if d.list {
		require.Len(t, objects, 1, "one document")
		if field(objects[0], "<<") != nil {
			return
		}
		objects = listItems(objects[0])
	}
	items := d.Items()
	require.Len(t, items, len(objects), "as many objects as the whole parse finds")
	for i, it := range items {
		want := objects[i]
		if !hasMerge(want) {
			require.Equal(t, parsedRef(want), it.Ref(), "object %d", i)
		}
		alone, err := wholeParse(it.Text())
		require.NoError(t, err, "object %d alone:\n%s", i, it.Text())
		require.Len(t, alone, 1, "object %d alone:\n%s", i, it.Text())
		if hasMerge(want) {
			continue
		}
		require.Equal(t, describe(want), describe(alone[0]), "text of object %d:\n%s", i, it.Text())
		node, err := it.Node()
		require.NoError(t, err)
		require.Equal(t, describe(want), describeOurs(node.YNode()), "node of object %d", i)
	}
}

// requireChanges changes one object, removes one and adds one, and requires all
// others to mean what they meant, and to be written as they were where their
// text could be cut out.
func requireChanges(t *testing.T, read func([]byte) (*Document, error), data []byte, pick int) {
	t.Helper()
	d, err := read(data)
	require.NoError(t, err)
	items := d.Items()
	var want []any
	var texts []string
	for i, it := range items {
		if i == pick%len(items) {
			d.Remove(it)
			continue
		}
		node, err := it.Node()
		require.NoError(t, err)
		if i == (pick+1)%len(items) {
			require.NoError(t, it.Edit(func(n *kyaml.RNode) error {
				return n.PipeE(kyaml.SetField("ringfence-test", kyaml.NewStringRNode("yes")))
			}))
			node, err = it.Node()
			require.NoError(t, err)
			require.Equal(t, "yes", node.Field("ringfence-test").Value.YNode().Value)
		}
		want = append(want, describeOurs(node.YNode()))
		texts = append(texts, string(it.Text()))
		if it.changed || it.openEnd || d.odd {
			texts[len(texts)-1] = "" // written anew, or cut with its comments
		}
	}
	added := kyaml.MustParse("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: added\ndata:\n  text: |+\n    kept\n\n")
	d.Append(added)
	want = append(want, describeOurs(added.YNode()))
	texts = append(texts, "")
	if d.list {
		d.SetResults(kyaml.MustParse("- message: seen\n  severity: info\n"))
	}

	out, err := d.Bytes()
	require.NoError(t, err)
	again, err := read(out)
	require.NoError(t, err, "what was written:\n%s", out)
	requireAgrees(t, again, out)
	require.Len(t, again.Items(), len(want), "what was written:\n%s", out)
	for i, it := range again.Items() {
		node, err := it.Node()
		require.NoError(t, err)
		require.Equal(t, want[i], describeOurs(node.YNode()), "object %d of what was written:\n%s", i, out)
		if d.whole == nil && texts[i] != "" {
			require.Equal(t, strings.TrimSuffix(texts[i], "\n"), strings.TrimSuffix(string(it.Text()), "\n"), "text of object %d of what was written:\n%s", i, out)
		}
	}
	if d.list {
		objects, err := wholeParse(out)
		require.NoError(t, err)
		results := field(objects[0], "results")
		require.NotNil(t, results)
		require.Len(t, results.Content, 1)
	}
}
