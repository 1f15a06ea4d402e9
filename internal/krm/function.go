package krm

import (
	"bytes"
	"fmt"
	"io"
	"runtime"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Streams are what a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	// Colour says that Err is a terminal.
	Colour bool
}

// read returns the whole input. Of a large one it collects what the reading left
// behind, which would count as in use until twice as much is in use.
func (s Streams) read() ([]byte, error) {
	data, err := io.ReadAll(s.In)
	if len(data) > largeInput {
		runtime.GC()
	}
	return data, err //nolint:wrapcheck // the caller says what was read
}

const largeInput = 16 << 20

// Function runs units as one KRM function: a ResourceList in, a ResourceList
// out. name is how the function was called; a unit's name runs that unit alone.
// It returns the exit status.
func Function(name string, all Units, s Streams) int {
	out := printer{w: s.Err, colour: s.Colour}
	data, err := s.read()
	if err != nil {
		out.printf("%s: error: reading standard input: %v\n", name, err)
		return 1
	}
	document, err := manifest.ReadList(data)
	if err != nil {
		out.printf("%s: error: %v\n", name, err)
		return emit(name, data, s.Out, out, 1)
	}
	b := newBuild(document)
	request, findings := functionRequest(document)
	b.findings.Add(findings...)
	if !b.findings.Failed() {
		b.run(request, all, name)
	}
	out.print(name, b.findings)
	text, err := b.result(data)
	if err != nil {
		out.printf("%s: error: %v\n", name, err)
		return emit(name, data, s.Out, out, 1)
	}
	if b.findings.Failed() {
		return emit(name, text, s.Out, out, 1)
	}
	return emit(name, text, s.Out, out, 0)
}

// result returns the list to emit: of a run that failed, the input as it came with the results.
func (b *build) result(data []byte) ([]byte, error) {
	document := b.document
	results := b.resultsOf(b.findings.Sorted())
	if b.findings.Failed() {
		var err error
		if document, err = manifest.ReadList(data); err != nil {
			return nil, fmt.Errorf("reading the input once more: %w", err)
		}
		results = b.resultsOf(b.findings.AtLeast(finding.Warning).Sorted())
	}
	node, err := resultsNode(results)
	if err != nil {
		return nil, err
	}
	document.SetResults(node)
	return document.Bytes()
}

func emit(name string, text []byte, w io.Writer, out printer, status int) int {
	if _, err := io.Copy(w, bytes.NewReader(text)); err != nil {
		out.printf("%s: error: writing standard output: %v\n", name, err)
		return 1
	}
	return status
}

// functionRequest reads the functionConfig and the documents of ours among the items.
func functionRequest(document *manifest.Document) (model.Request, finding.List) {
	config := document.FunctionConfig()
	if config == nil {
		return model.Request{}, finding.List{finding.New(finding.InputMissing, resource.Ref{}, "functionConfig",
			"there is none").WithRemedy("give the function a configuration of kind %s (%s)", v1alpha1.KindRingfence, v1alpha1.APIVersion)}
	}
	configs, findings := model.ParseDocuments("", config)
	for i := range findings {
		findings[i].Field = "functionConfig"
	}
	docs, more := itemDocuments(document)
	findings.Add(more...)
	if len(configs) == 1 && configs[0].Ref.Kind != v1alpha1.KindRingfence {
		findings.Add(finding.New(finding.InputInvalidValue, configs[0].Ref, "functionConfig", "it is of kind %q", configs[0].Ref.Kind).
			WithRemedy("give the function a configuration of kind %s (%s)", v1alpha1.KindRingfence, v1alpha1.APIVersion))
	}
	if findings.Failed() || len(configs) != 1 {
		return model.Request{}, findings
	}
	docs.Config = &configs[0]
	if onlyItself(document) {
		findings.Add(finding.New(finding.GeneratorField, configs[0].Ref, "", "the only item is the configuration itself, as kustomize hands it to what stands under generators:"))
		return model.Request{}, findings
	}
	request, more := model.Parse(docs, v1alpha1.RingfenceSpec{})
	findings.Add(more...)
	return request, findings
}

// itemDocuments returns the AccessModel, Environment and AccessTests among the items. A
// Ringfence there is a configuration of some function, and none of this run's.
func itemDocuments(document *manifest.Document) (model.Documents, finding.List) {
	var (
		docs     model.Documents
		findings finding.List
	)
	for _, item := range document.Items() {
		if !isOurs(item.Ref()) || item.Ref().Kind == v1alpha1.KindRingfence {
			continue
		}
		parsed, more := model.ParseDocuments("", item.Text())
		findings.Add(more...)
		for _, doc := range parsed {
			docs.Add(doc)
		}
	}
	return docs, findings
}

func isOurs(ref resource.Ref) bool { return ref.Group() == v1alpha1.Group }

// onlyItself reports whether no item could be an application's.
func onlyItself(document *manifest.Document) bool {
	items := document.Items()
	return len(items) == 1 && items[0].Ref().Kind == v1alpha1.KindRingfence && isOurs(items[0].Ref())
}

// ownerTool reports an owner whose objects another tool writes.
func ownerTool(request model.Request) finding.List {
	if request.Owner.Tool == model.GitOps {
		return nil
	}
	return finding.List{finding.New(finding.OwnerTool, request.Config, "spec.owner", "the objects of owner %q are written by %s, not by a build", request.Owner.Name, request.Owner.Tool)}
}
