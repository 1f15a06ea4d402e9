package main

import (
	"bytes"
	"fmt"
	"slices"

	"gopkg.in/yaml.v3"
	yamljson "sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/kustomize"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// readDocuments reads the model's files, or says what is wrong with them.
func readDocuments(name string, files []string, s krm.Streams) (model.Documents, bool) {
	documents, findings := krm.ReadDocuments(files)
	s.Print(name, findings)
	return documents, !findings.Failed()
}

// platform is what files and directories say of a platform.
type platform struct {
	documents model.Documents
	// environments are the names of the Environments.
	environments []string
	// config is what a Ringfence says beside the documents within it.
	config v1alpha1.RingfenceSpec
	// built are the paths whose text kustomize wrote, so that its lines say nothing to anybody.
	built []string
}

// readPlatform reads the AccessModel, the Environment and the AccessTests of files and
// directories. A directory may build them within a Ringfence that has no owner.
func readPlatform(builder kustomize.Builder, paths []string, locate func(string) string) (platform, finding.List) {
	var (
		out      platform
		findings finding.List
	)
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			continue
		}
		at := path
		if locate != nil {
			at = locate(path)
		}
		text, more := builder.Documents(at)
		for i := range more {
			more[i] = more[i].In(path, more[i].Line)
		}
		findings.Add(more...)
		if more.Failed() {
			continue
		}
		if isDir(at) {
			out.built = append(out.built, path)
		}
		findings.Add(out.add(path, text)...)
	}
	findings = out.withoutLines(findings)
	return out, findings
}

// add reads the documents of a text.
func (p *platform) add(path string, text []byte) finding.List {
	docs, findings := model.ParseDocuments(path, text)
	for _, doc := range docs {
		if !p.documents.Add(doc) {
			findings.Add(p.addRingfence(path, text, len(docs), doc)...)
		}
		if doc.Ref.Kind == v1alpha1.KindEnvironment {
			p.environments = append(p.environments, doc.Ref.Name)
		}
	}
	return findings
}

// addRingfence takes the documents within a Ringfence.
func (p *platform) addRingfence(path string, text []byte, count int, doc model.Document) finding.List {
	spec, err := specOf(text)
	switch {
	case err != nil:
		return finding.List{finding.New(finding.InputInvalidValue, doc.Ref, "spec", "%v", err).In(path, 0)}
	case count > 1:
		return finding.List{finding.New(finding.InputAmbiguous, doc.Ref, "", "it stands beside other documents").In(path, 0).
			WithRemedy("name a directory that builds a Ringfence alone, or an AccessModel and an Environment")}
	case spec.Owner != "":
		return finding.List{finding.New(finding.InputInvalidValue, doc.Ref, "spec.owner", "it is the configuration of owner %q alone", spec.Owner).In(path, 0).
			WithRemedy("name the directory of the environment, whose Ringfence has no owner")}
	}
	p.built = append(p.built, path)
	p.config.Components = append(p.config.Components, spec.Components...)
	p.config.Units = append(p.config.Units, spec.Units...)
	p.config.Strict = p.config.Strict || spec.Strict
	p.config.StampVersion = p.config.StampVersion || spec.StampVersion
	inner := within(text)
	if len(inner) == 0 {
		return finding.List{finding.New(finding.InputMissing, doc.Ref, "spec", "it holds no AccessModel and no Environment").In(path, 0)}
	}
	return p.add(path, inner)
}

// withoutLines takes the lines off findings in text that kustomize or we wrote.
func (p *platform) withoutLines(findings finding.List) finding.List {
	out := slices.Clone(findings)
	for i, f := range out {
		if slices.Contains(p.built, f.File) {
			out[i] = f.In(f.File, 0)
		}
	}
	return out
}

// ringfenceSpec is what a Ringfence says of itself. The model reads the rest.
type ringfenceSpec struct {
	Owner        string    `json:"owner"`
	Components   []string  `json:"components"`
	Units        []string  `json:"units"`
	Strict       bool      `json:"strict"`
	StampVersion bool      `json:"stampVersion"`
	Model        any       `json:"model"`
	Environment  *embedded `json:"environment"`
}

type embedded struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec any `json:"spec"`
}

func specOf(text []byte) (ringfenceSpec, error) {
	var out struct {
		APIVersion any           `json:"apiVersion"`
		Kind       any           `json:"kind"`
		Metadata   any           `json:"metadata"`
		Spec       ringfenceSpec `json:"spec"`
	}
	// Metadata of an embedded document may hold more, so it isn't read strictly here.
	if err := yamljson.Unmarshal(text, &out); err != nil {
		return ringfenceSpec{}, fmt.Errorf("reading it: %w", err)
	}
	return out.Spec, nil
}

// within returns the AccessModel, the Environment and the AccessTests of a Ringfence
// as documents of their own. Nothing of them is left out: the model reads them strictly.
func within(text []byte) []byte {
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil || len(root.Content) != 1 {
		return nil
	}
	spec := valueOf(root.Content[0], "spec")
	var out bytes.Buffer
	write := func(kind string, fields []*yaml.Node) {
		document := yaml.Node{Kind: yaml.MappingNode, Content: slices.Concat(pair("apiVersion", scalar(v1alpha1.APIVersion)), pair("kind", scalar(kind)), fields)}
		if data, err := yaml.Marshal(&document); err == nil {
			out.WriteString("---\n")
			out.Write(data)
		}
	}
	for _, part := range []struct{ field, kind string }{{"model", v1alpha1.KindAccessModel}, {"environment", v1alpha1.KindEnvironment}} {
		if inner := valueOf(spec, part.field); inner != nil && inner.Kind == yaml.MappingNode {
			write(part.kind, inner.Content)
		}
	}
	if tests := valueOf(spec, "accessTests"); tests != nil {
		for _, inner := range tests.Content {
			if inner.Kind == yaml.MappingNode {
				write(v1alpha1.KindAccessTest, named(inner))
			}
		}
	}
	return out.Bytes()
}

// named returns the fields of an embedded test as those of a document, whose name is in its metadata.
func named(inner *yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	for i := 0; i+1 < len(inner.Content); i += 2 {
		key, value := inner.Content[i], inner.Content[i+1]
		if key.Value == "name" {
			key, value = scalar("metadata"), &yaml.Node{Kind: yaml.MappingNode, Content: pair("name", value)}
		}
		out = append(out, key, value)
	}
	return out
}

func scalar(text string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: text} }

func pair(key string, value *yaml.Node) []*yaml.Node { return []*yaml.Node{scalar(key), value} }

// valueOf returns the value of a mapping's key, nil where there is none.
func valueOf(node *yaml.Node, key string) *yaml.Node {
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
