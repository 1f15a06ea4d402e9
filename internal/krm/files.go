package krm

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// ReadDocuments reads the AccessModel, the Environment and the AccessTests of files.
// A file may hold several; one that is named twice is read once.
func ReadDocuments(files []string) (model.Documents, finding.List) {
	var (
		docs     model.Documents
		findings finding.List
	)
	for i, file := range files {
		if slices.Contains(files[:i], file) {
			continue
		}
		data, err := readFile(file)
		if err != nil {
			findings.Add(finding.New(finding.InputUnreadable, resource.Ref{}, "", "%v", err).In(file, 0))
			continue
		}
		parsed, more := model.ParseDocuments(file, data)
		findings.Add(more...)
		for _, doc := range parsed {
			if !docs.Add(doc) {
				findings.Add(finding.New(finding.InputInvalidValue, doc.Ref, "kind", "it is no AccessModel, Environment or AccessTest").In(file, 0))
			}
		}
	}
	return docs, findings
}

// readFile reads a file of at most a document's size and one byte more, so that
// a larger one is refused without being held.
func readFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening it: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	data, err := io.ReadAll(io.LimitReader(file, model.MaxDocumentBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	return data, nil
}

// Print writes findings for people, as every command does.
func (s Streams) Print(name string, findings finding.List) {
	printer{w: s.Err, colour: s.Colour}.print(name, findings)
}
