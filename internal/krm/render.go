package krm

import (
	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Filter is one run over a stream of YAML documents.
type Filter struct {
	// Documents are the model's, read from files; those among the items count as well.
	Documents model.Documents
	// Owner, Components, Units and Strict as a functionConfig has them, for a run
	// without one. Without components, the build includes those that its environment
	// asks for. Strict and StampVersion count beside a functionConfig, too.
	Config v1alpha1.RingfenceSpec
}

// Render runs units over the YAML documents of the input and writes what they
// make of them. It writes nothing when anything is wrong. It returns the exit status.
func (f Filter) Render(name string, all Units, s Streams) int {
	out := printer{w: s.Err, colour: s.Colour}
	data, err := s.read()
	if err != nil {
		out.printf("%s: error: reading standard input: %v\n", name, err)
		return 1
	}
	if len(data) > 0 && data[len(data)-1] != '\n' {
		out.printf("%s: error: reading standard input: it ends within a line, as a build does that was cut off; end the last line if it is whole\n", name)
		return 1
	}
	document, findings, err := f.run(all, data)
	out.print(name, findings)
	if err == nil && !findings.Failed() {
		_, err = document.WriteTo(s.Out)
	}
	if err != nil {
		out.printf("%s: error: %v\n", name, err)
	}
	if err != nil || findings.Failed() {
		return 1
	}
	return 0
}

// Run returns what units make of YAML documents. The text is only good when no
// finding is an error.
func (f Filter) Run(all Units, data []byte) ([]byte, finding.List, error) {
	document, findings, err := f.run(all, data)
	if err != nil || findings.Failed() {
		return nil, findings, err
	}
	text, err := document.Bytes()
	return text, findings, err //nolint:wrapcheck // it says what was written
}

func (f Filter) run(all Units, data []byte) (*manifest.Document, finding.List, error) {
	document, err := manifest.ReadStream(data)
	if err != nil {
		return nil, nil, err //nolint:wrapcheck // it says what was read
	}
	b := newBuild(document)
	request := f.request(b)
	if !b.findings.Failed() {
		b.run(request, all, "")
	}
	if b.findings.Failed() {
		return nil, b.findings, nil
	}
	for _, item := range document.Items() {
		if isOurs(item.Ref()) {
			document.Remove(item) // input, not to be applied
		}
	}
	return document, b.findings, nil
}

func (f Filter) request(b *build) model.Request {
	docs, findings := itemDocuments(b.document)
	docs.Config = f.Documents.Config
	docs.Models = append(f.Documents.Models, docs.Models...)
	docs.Environments = append(f.Documents.Environments, docs.Environments...)
	docs.Tests = append(f.Documents.Tests, docs.Tests...)
	b.findings.Add(findings...)
	request, findings := model.Parse(docs, f.Config)
	b.findings.Add(findings...)
	if docs.Config == nil && !b.findings.Failed() && len(request.Components) == 0 && len(request.Units) == 0 {
		request.Components = policy.RequiredComponents(policy.Input{Scope: scopeOf(request), Resources: resource.NewSet()})
	}
	request.Strict = request.Strict || f.Config.Strict
	request.StampVersion = request.StampVersion || f.Config.StampVersion
	return request
}
