package krm

import (
	"cmp"
	"fmt"
	"io"
	"strconv"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// tagRule is the key of a result's tag that holds the ID of its rule.
const tagRule = "rule"

// resultsOf renders findings as the KRM Functions Specification's results.
func (b *build) resultsOf(findings finding.List) fn.Results {
	out := make(fn.Results, 0, len(findings))
	for _, f := range findings {
		message := f.Message
		if f.Remedy != "" {
			message += "; " + f.Remedy
		}
		result := &fn.Result{
			Message: message, Severity: fn.Severity(f.Severity.String()),
			Tags: map[string]string{tagRule: string(f.Rule)},
		}
		if !f.Object.IsZero() {
			result.ResourceRef = &fn.ResourceRef{APIVersion: f.Object.APIVersion, Kind: f.Object.Kind, Namespace: f.Object.Namespace, Name: f.Object.Name}
			result.File = fileOf(cmp.Or(b.set.Get(f.Object), b.inputs.Get(f.Object)))
		}
		if f.Field != "" && result.ResourceRef != nil { // field needs a resourceRef
			result.Field = &fn.Field{Path: f.Field, CurrentValue: f.Current, ProposedValue: f.Proposed}
		}
		if f.File != "" {
			result.File = &fn.File{Path: f.File}
		}
		out = append(out, result)
	}
	return out
}

// fileOf returns the file of an item, where the caller keeps files.
func fileOf(o *resource.Object) *fn.File {
	if o == nil || !o.Mentions(annotationPath) {
		return nil
	}
	annotations := o.Annotations()
	if annotations[annotationPath] == "" {
		return nil
	}
	index, err := strconv.Atoi(annotations[annotationIndex])
	if err != nil {
		index = 0 // the first object of its file has no index
	}
	return &fn.File{Path: annotations[annotationPath], Index: index}
}

func resultsNode(results fn.Results) (*yaml.RNode, error) {
	if len(results) == 0 {
		return nil, nil
	}
	var node yaml.Node
	if err := node.Encode(results); err != nil {
		return nil, fmt.Errorf("serialising results: %w", err)
	}
	return yaml.NewRNode(&node), nil
}

// printer writes findings for people: kustomize never shows results.
type printer struct {
	w      io.Writer
	colour bool
}

var colours = map[finding.Severity]string{finding.Error: "\x1b[31m", finding.Warning: "\x1b[33m"}

// print writes the findings that ask something of somebody, one a line, and a last line that counts them.
func (p printer) print(name string, findings finding.List) {
	shown := findings.AtLeast(finding.Warning).Sorted()
	for _, f := range shown {
		severity := f.Severity.String()
		if p.colour {
			severity = colours[f.Severity] + severity + "\x1b[0m"
		}
		p.printf("%s: %s: %s\n", name, severity, f)
	}
	if n := shown.Count(finding.Error); n > 0 {
		p.printf("%s: failed with %s\n", name, counted(n, "error"))
	}
}

func (p printer) printf(format string, args ...any) {
	// Nothing can be told to anybody when standard error is gone.
	_, _ = fmt.Fprintf(p.w, format, args...)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
