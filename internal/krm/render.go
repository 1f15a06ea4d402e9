package krm

import (
	"io"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Filter is one run over a stream of YAML documents.
type Filter struct {
	// Documents are the model's, read from files; those among the items count as well.
	Documents model.Documents
	// Owner, Components, Units and Strict as a functionConfig has them. Without
	// components, the build includes those that its environment asks for.
	Config v1alpha1.RingfenceSpec
}

// Render runs units over the YAML documents of the input and writes what they
// make of them. It writes nothing when anything is wrong. It returns the exit status.
func (f Filter) Render(name string, all Units, s Streams) int {
	out := printer{w: s.Err, colour: s.Colour}
	data, err := io.ReadAll(s.In)
	if err != nil {
		out.printf("%s: error: reading standard input: %v\n", name, err)
		return 1
	}
	document, err := manifest.ReadStream(data)
	if err != nil {
		out.printf("%s: error: %v\n", name, err)
		return 1
	}
	b := newBuild(document)
	request := f.request(b)
	if !b.findings.Failed() {
		b.run(request, all, name)
	}
	out.print(name, b.findings)
	if b.findings.Failed() {
		return 1
	}
	for _, item := range document.Items() {
		if isOurs(item.Ref()) {
			document.Remove(item) // input, not to be applied
		}
	}
	text, err := document.Bytes()
	if err != nil {
		out.printf("%s: error: %v\n", name, err)
		return 1
	}
	return emit(name, text, s.Out, out, 0)
}

func (f Filter) request(b *build) model.Request {
	docs, findings := itemDocuments(b.document)
	docs.Models = append(f.Documents.Models, docs.Models...)
	docs.Environments = append(f.Documents.Environments, docs.Environments...)
	b.findings.Add(findings...)
	request, findings := model.Parse(docs, f.Config)
	b.findings.Add(findings...)
	if !b.findings.Failed() && len(request.Components) == 0 && len(request.Units) == 0 {
		request.Components = policy.RequiredComponents(policy.Input{Scope: scopeOf(request), Resources: resource.NewSet()})
	}
	return request
}
