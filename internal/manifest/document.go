package manifest

import (
	"bytes"
	"io"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

const (
	listGroup      = "config.kubernetes.io/"
	listAPIVersion = listGroup + "v1"
	listKind       = "ResourceList"
)

var _ io.WriterTo = (*Document)(nil)

// Document is a ResourceList or a stream of YAML documents, cut into objects.
type Document struct {
	data  []byte
	list  bool
	odd   bool    // see checkText
	parts []part  // all of data, in order
	items []*Item // in order, removed ones too
	added []*Item

	config     []byte
	results    *yaml.RNode
	setResults bool

	dash  int        // column of the list's dashes
	whole *yaml.Node // the parsed list where its text could not be cut

	scanner scanner // used while reading
}

// part is a piece of the input text.
type part struct {
	kind partKind
	text []byte
	item *Item
}

type partKind int

const (
	raw       partKind = iota
	mark               // the "---" line of a stream
	itemsKey           // the line "items:"; without text where the list has none
	object             // an item
	resultsAt          // the key results with its value; without text where the list has none
)

// Items returns the objects, in order: those read and not removed, then those
// appended.
func (d *Document) Items() []*Item {
	all := make([]*Item, 0, len(d.items)+len(d.added))
	for _, its := range [][]*Item{d.items, d.added} {
		for _, it := range its {
			if !it.removed {
				all = append(all, it)
			}
		}
	}
	return all
}

// FunctionConfig returns the text of a list's functionConfig, which is YAML on
// its own, at its indentation in the input. It is nil where the list has none,
// and for a stream.
func (d *Document) FunctionConfig() []byte { return d.config }

// Append places a copy of n, a mapping, after all other objects. It is written
// in block style, its sequences indented as those of the other objects are.
func (d *Document) Append(n *yaml.RNode) *Item {
	node := n.Copy()
	ref, _ := refOf(node.YNode())
	it := &Item{doc: d, ref: ref, part: -1, node: node, wrap: d.wrapping(node.YNode()), changed: true}
	d.added = append(d.added, it)
	return it
}

// Remove takes it out of the document. Comments around it stay where they are.
// Blank lines after it go with it, and in a stream its "---" and "..." do, unless
// comments stand between.
func (d *Document) Remove(it *Item) {
	if it.removed {
		return
	}
	it.removed = true
	if it.part < 0 {
		return
	}
	blank := true // so far
	for i := it.part + 1; d.rawAt(i) != nil; i++ {
		p := d.rawAt(i)
		if !d.list {
			p.text = cutEnd(p.text)
		}
		if blank {
			p.text = trimBlankLines(p.text)
		}
		blank = blank && len(p.text) == 0
	}
	before, between := it.part-1, d.rawAt(it.part-1)
	if between != nil {
		before--
	}
	if before >= 0 && d.parts[before].kind == mark && (between == nil || len(bytes.TrimSpace(between.text)) == 0) {
		d.parts[before].text = nil
		if between != nil {
			between.text = nil
		}
	}
}

// rawAt returns the part at i if it is plain text.
func (d *Document) rawAt(i int) *part {
	if i < 0 || i >= len(d.parts) || d.parts[i].kind != raw {
		return nil
	}
	return &d.parts[i]
}

// SetResults replaces the list's results by n, a sequence; nil removes them. A
// stream has nowhere to hold results: there it does nothing.
func (d *Document) SetResults(n *yaml.RNode) {
	if d.list {
		d.results, d.setResults = n, true
	}
}

// changed reports whether the text to write differs from the text that was read.
func (d *Document) changed() bool {
	if d.setResults {
		return true
	}
	for _, it := range d.items {
		if it.removed || it.changed {
			return true
		}
	}
	return d.grows()
}

// grows reports whether objects were appended.
func (d *Document) grows() bool {
	for _, it := range d.added {
		if !it.removed {
			return true
		}
	}
	return false
}

// wrapping puts an object where its text has it: into a list entry or a
// document.
func (d *Document) wrapping(n *yaml.Node) *yaml.Node {
	kind := yaml.DocumentNode
	if d.list {
		kind = yaml.SequenceNode
	}
	return &yaml.Node{Kind: kind, Content: []*yaml.Node{n}}
}

func (d *Document) add(kind partKind, text []byte) {
	if len(text) > 0 || kind != raw {
		d.parts = append(d.parts, part{kind: kind, text: text})
	}
}
