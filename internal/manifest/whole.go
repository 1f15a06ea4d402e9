package manifest

import (
	"errors"
	"fmt"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// readWhole reads a list whose text cannot be cut.
func readWhole(data []byte) (*Document, error) {
	doc, err := parse(data, 1)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return nil, fmt.Errorf("found no content; wanted a %s", listKind)
	}
	root := doc.Content[0]
	ref, err := refOf(root)
	if err != nil {
		return nil, errorAt(root.Line, "%v", err)
	}
	if err := checkList(resource.Ref{APIVersion: ref.APIVersion, Kind: ref.Kind}, root.Line); err != nil {
		return nil, err
	}
	d := &Document{data: data, list: true, whole: root}
	if config := lookup(root, "functionConfig"); config != nil && !isNull(config) {
		if d.config, err = marshal(config, compact); err != nil {
			return nil, errorAt(config.Line, "copying functionConfig: %v", err)
		}
	}
	items := lookup(root, "items")
	if items == nil || isNull(items) {
		return d, nil
	}
	if items.Kind != yaml.SequenceNode {
		return nil, errorAt(items.Line, "items is %s, not a list", kindOf(items))
	}
	for _, n := range items.Content {
		ref, err := refOf(n)
		if err == nil {
			err = refuseList(ref, n.Kind == yaml.MappingNode && lookup(n, "items") != nil)
		}
		it := &Item{doc: d, ref: ref, line: n.Line, part: -1, wrap: d.wrapping(n), node: yaml.NewRNode(n)}
		if err != nil {
			return nil, it.fault(&lineError{n.Line, err.Error()})
		}
		d.items = append(d.items, it)
	}
	return d, nil
}

// writeWhole writes the list anew, in block style.
func (d *Document) writeWhole(out *output) error {
	root := *d.whole
	root.Style &^= yaml.FlowStyle
	root.Content = append([]*yaml.Node(nil), d.whole.Content...)
	items := &yaml.Node{Kind: yaml.SequenceNode, Tag: yaml.NodeTagSeq}
	for _, it := range d.Items() {
		n := it.wrap.Content[0]
		if it.changed {
			unflow(n)
		}
		items.Content = append(items.Content, n)
	}
	if len(items.Content) > 0 || lookup(&root, "items") != nil {
		set(&root, "items", items)
	}
	if d.setResults {
		set(&root, "results", d.results.YNode())
	}
	text, err := marshal(&root, compact)
	if err == nil && !readsBack(text, &root) {
		plain := plainly(&root)
		if text, err = marshal(plain, compact); err == nil && !readsBack(text, plain) {
			err = errors.New("the YAML writer did not write what it was given")
		}
	}
	if err != nil {
		return err
	}
	out.add(text)
	return nil
}

// set gives key a value in the mapping n; nil takes the key away.
func set(n *yaml.Node, key string, value *yaml.Node) {
	for i := 0; i < len(n.Content); i += 2 {
		if n.Content[i].Value != key {
			continue
		}
		if value == nil {
			n.Content = append(n.Content[:i], n.Content[i+2:]...)
		} else {
			n.Content[i+1] = value
		}
		return
	}
	if value != nil {
		n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	}
}
