package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"

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
// So is a text without a document.
func ParseDocuments(file string, data []byte) ([]Document, finding.List) {
	var (
		docs []Document
		list finding.List
	)
	unreadable := func(ref resource.Ref, line int, format string, args ...any) {
		if file == "" {
			line = 0 // see problems.addAt
		}
		list.Add(finding.New(finding.InputUnreadable, ref, "", "%s", shortened(fmt.Sprintf(format, args...))).In(file, line))
	}
	if len(data) > MaxDocumentBytes {
		unreadable(resource.Ref{}, 0, "it has more than the %d bytes that a model document may have", MaxDocumentBytes)
		return nil, list
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		node, err := next(decoder)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			line, message := yamlError(err)
			unreadable(resource.Ref{}, line, "it is no YAML: %s", message)
			break
		}
		if node == nil || isNull(node) {
			continue
		}
		doc := Document{File: file, node: node, Ref: refOf(node)}
		if err := doc.check(); err != nil {
			if doc.Ref.Kind == "" {
				doc.Ref = resource.Ref{}
			}
			unreadable(doc.Ref, node.Line, "%v", err)
			continue
		}
		docs = append(docs, doc)
	}
	if len(docs)+len(list) == 0 {
		unreadable(resource.Ref{}, 0, "it holds no document")
	}
	return docs, list
}

// next returns the root of the next document, nil where it is empty. yaml.v3
// panics where it finds a fault of its own; that is no reason to end a process.
func next(decoder *yaml.Decoder) (root *yaml.Node, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the YAML library failed: %v", fault)
		}
	}()
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil || len(document.Content) == 0 {
		return nil, err
	}
	return document.Content[0], nil
}

var (
	yamlErrorLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)
	// yaml.v3 counts lines from 0 in what its parser says, and from 1 in what its scanner says.
	yamlParserError = regexp.MustCompile(`^did not find expected (key|node content|',' or|'-' indicator|<)`)
)

// yamlError returns the line, 0 when there is none, and the message of an error of yaml.v3.
func yamlError(err error) (line int, message string) {
	message = err.Error()
	if match := yamlErrorLine.FindStringSubmatch(message); match != nil {
		line, _ = strconv.Atoi(match[1]) // 0 where the error has none
		message = message[len(match[0]):]
	}
	if line > 0 && yamlParserError.MatchString(message) {
		line++
	}
	return line, message
}

// check reports whether the document is one of ours, in a version that we read.
func (doc Document) check() error {
	ours := fmt.Sprintf("%s, %s, %s and %s of %s", v1alpha1.KindAccessModel, v1alpha1.KindAccessTest, v1alpha1.KindEnvironment, v1alpha1.KindRingfence, v1alpha1.APIVersion)
	switch {
	case doc.node.Kind != yaml.MappingNode:
		return fmt.Errorf("it is %s; only %s belong here", tagName(doc.node), ours)
	case doc.Ref.APIVersion == "" || doc.Ref.Kind == "":
		return fmt.Errorf("it has the apiVersion %q and the kind %q; only %s belong here", doc.Ref.APIVersion, doc.Ref.Kind, ours)
	case doc.Ref.Group() == v1alpha1.Group && doc.Ref.APIVersion != v1alpha1.APIVersion:
		return fmt.Errorf("this version of Ringfence doesn't read apiVersion %q; it reads %s", doc.Ref.APIVersion, v1alpha1.APIVersion)
	case doc.Ref.APIVersion != v1alpha1.APIVersion:
		return fmt.Errorf("it is a %s of %s; only %s belong here", doc.Ref.Kind, doc.Ref.APIVersion, ours)
	}
	kinds := []string{v1alpha1.KindAccessModel, v1alpha1.KindAccessTest, v1alpha1.KindEnvironment, v1alpha1.KindRingfence}
	if slices.Contains(kinds, doc.Ref.Kind) {
		return nil
	}
	return fmt.Errorf("there is no kind %q in %s; %s", doc.Ref.Kind, v1alpha1.APIVersion, hint{doc.Ref.Kind, kinds})
}

func refOf(node *yaml.Node) resource.Ref {
	return resource.Ref{
		APIVersion: shortened(scalarOf(child(node, "apiVersion"))),
		Kind:       shortened(scalarOf(child(node, "kind"))),
		Name:       shortened(scalarOf(child(child(node, "metadata"), "name"))),
	}
}
