package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
	"k8s.io/apimachinery/third_party/forked/golang/reflect"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// MaxDocumentBytes is the size that a model document may have. People write it.
const MaxDocumentBytes = 1 << 20

// Document is one document of ours, not yet read.
type Document struct {
	// File that it was read from; empty when another tool handed it in.
	File string
	// Ref says what it is.
	Ref  resource.Ref
	node *yaml.Node
}

// ParseDocuments reads the documents of ours in a YAML text. Documents of other
// kinds are errors: the text is an input of ours, so they are there by mistake.
func ParseDocuments(file string, data []byte) ([]Document, finding.List) {
	var (
		docs []Document
		list finding.List
	)
	at := resource.Ref{}
	if len(data) > MaxDocumentBytes {
		list.Add(finding.New(finding.InputUnreadable, at, "", "it has %d bytes; a model document has at most %d", len(data), MaxDocumentBytes).In(file, 0))
		return nil, list
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			list.Add(finding.New(finding.InputUnreadable, at, "", "it is no YAML: %v", err).In(file, 0))
			break
		}
		if len(node.Content) == 0 || isNull(node.Content[0]) {
			continue
		}
		doc := Document{File: file, node: node.Content[0], Ref: refOf(node.Content[0])}
		if err := doc.check(); err != nil {
			list.Add(finding.New(finding.InputUnreadable, doc.Ref, "", "%v", err).In(file, doc.node.Line))
			continue
		}
		docs = append(docs, doc)
	}
	return docs, list
}

// check reports whether the document is one of ours, in a version that we read.
func (doc Document) check() error {
	switch {
	case doc.node.Kind != yaml.MappingNode:
		return errors.New("it is no mapping")
	case doc.Ref.Group() != v1alpha1.Group:
		return fmt.Errorf("apiVersion %q, kind %q: only %s, %s and %s of %s belong here", doc.Ref.APIVersion, doc.Ref.Kind,
			v1alpha1.KindAccessModel, v1alpha1.KindEnvironment, v1alpha1.KindRingfence, v1alpha1.APIVersion)
	case doc.Ref.APIVersion != v1alpha1.APIVersion:
		return fmt.Errorf("apiVersion %q isn't served: write %s", doc.Ref.APIVersion, v1alpha1.APIVersion)
	}
	switch doc.Ref.Kind {
	case v1alpha1.KindAccessModel, v1alpha1.KindEnvironment, v1alpha1.KindRingfence:
		return nil
	}
	return fmt.Errorf("kind %q is none of %s, %s and %s", doc.Ref.Kind,
		v1alpha1.KindAccessModel, v1alpha1.KindEnvironment, v1alpha1.KindRingfence)
}

func refOf(node *yaml.Node) resource.Ref {
	metadata := child(node, "metadata")
	return resource.Ref{
		APIVersion: text(child(node, "apiVersion")),
		Kind:       text(child(node, "kind")),
		Name:       text(child(metadata, "name")),
	}
}

func child(node *yaml.Node, key string) *yaml.Node {
	if node == nil || node.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		if node.Content[i].Value == key {
			return node.Content[i+1]
		}
	}
	return nil
}

func text(node *yaml.Node) string {
	if node == nil || node.Kind != yaml.ScalarNode {
		return ""
	}
	return node.Value
}

// read decodes the document into a wire type.
func read[T any](doc Document) (T, *problems) {
	var out T
	p := newProblems(doc)
	(&decoder{problems: p}).decode(doc.node, "", &out)
	return out, p
}

// same reports whether two wire values say the same; an empty list says what a missing one does.
func same[T any](a, b T) bool { return reflect.Equalities{}.DeepEqual(a, b) }
