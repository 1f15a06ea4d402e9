package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/kustomize"
	"github.com/ringfence-dev/ringfence/internal/overlay"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const buildUsage = `Builds one kustomization and runs the units on the result, both in this process: no
kustomize is needed, and nothing that the kustomization names is executed. When
anything is wrong it writes nothing.

The directory names its Ringfence as its last transformer, or the flags say what it
would have said. Where both do, they must agree.

Example:
  ringfence build overlays/staging/themelio > app.yaml && kubectl apply -f app.yaml
  ringfence build --owner app --environment platform/staging app
  ringfence build --owner app --model model.yaml --environment staging.yaml app`

// leafBuild is one build of a directory.
type leafBuild struct {
	builder kustomize.Builder
	dir     string
	// config is what the flags say; its owner and the documents must agree with the directory's Ringfence.
	config                     v1alpha1.RingfenceSpec
	models, environment, tests []string
	// ownerFlag and environmentFlag are what they are called where they are given.
	ownerFlag, environmentFlag string
	// name is dir as people know it, where that isn't relative to the working directory.
	name string
	// locate returns where a path of the flags lies; nil where it lies there itself.
	locate func(path string) string
}

func build(args []string, s krm.Streams) int {
	b := leafBuild{ownerFlag: "--owner", environmentFlag: "--environment"}
	var helm bool
	helmCommand := "helm"
	set := pflag.NewFlagSet("build", pflag.ContinueOnError)
	set.StringVar(&b.config.Owner, "owner", "", "whose objects to make: a name of the model's owners")
	set.StringArrayVar(&b.models, "model", nil, "file or directory with the AccessModel, where --environment doesn't hold it")
	set.StringArrayVar(&b.environment, "environment", nil, "file with the Environment, or directory that builds it: as documents, or in a Ringfence without owner")
	set.StringArrayVar(&b.tests, "tests", nil, "file with AccessTests that the result must hold against; repeatable")
	set.StringSliceVar(&b.config.Components, "component", nil, "component that the build includes; default: those that the environment asks for")
	set.StringSliceVar(&b.config.Units, "unit", nil, "unit to run, in place of those that the components select")
	set.BoolVar(&b.config.Strict, "strict", false, "make warnings errors")
	set.BoolVar(&b.config.StampVersion, "stamp-version", false, "write the version of Ringfence into generated objects, as an annotation")
	set.BoolVar(&helm, "enable-helm", false, "let kustomizations inflate Helm charts, with an executable")
	set.StringVar(&helmCommand, "helm-command", helmCommand, "the executable of --enable-helm")
	if status, ok := flags(set, buildUsage, args, s); !ok {
		return status
	}
	if set.NArg() != 1 {
		_, _ = fmt.Fprintln(s.Err, "ringfence build: name one directory; see ringfence build --help")
		return misused
	}
	b.dir = set.Arg(0)
	if helm {
		b.builder.Helm = helmCommand
	}
	text, notes, findings := b.run()
	for _, note := range notes {
		_, _ = fmt.Fprintln(s.Err, note)
	}
	s.Print("ringfence build", findings)
	if findings.Failed() {
		return failed
	}
	if _, err := io.Copy(s.Out, bytes.NewReader(text)); err != nil {
		_, _ = fmt.Fprintf(s.Err, "ringfence build: error: writing standard output: %v\n", err)
		return failed
	}
	return succeeded
}

// run builds the directory. The text is only good when no finding is an error;
// notes are kustomize's own lines.
func (b leafBuild) run() (text []byte, notes []string, findings finding.List) {
	leaf, findings := b.builder.Leaf(b.dir)
	if b.name != "" {
		leaf.ConfigPath = filepath.Join(b.name, leaf.ConfigPath)
		for i, f := range findings {
			if !filepath.IsAbs(f.File) {
				findings[i] = f.In(filepath.Join(b.name, f.File), f.Line)
			}
		}
	}
	text, findings = b.filter(leaf, findings)
	return text, leaf.Notes, findings
}

// filter runs the units on what kustomize made of the directory, unless that failed.
func (b leafBuild) filter(leaf kustomize.Leaf, findings finding.List) ([]byte, finding.List) {
	given, more := readPlatform(b.builder, slices.Concat(b.models, b.environment, b.tests), b.locate)
	findings.Add(more...)
	if findings.Failed() {
		return nil, findings
	}
	filter := krm.Filter{Documents: given.documents, Config: b.config}
	if leaf.Config == nil {
		findings.Add(b.unnamed()...)
		filter.Config = merged(b.config, given.config)
	} else {
		config, more := model.ParseDocuments("", leaf.Config)
		findings.Add(in(leaf.ConfigPath, more)...)
		if len(config) == 1 {
			filter.Documents.Config = &config[0]
			findings.Add(b.disagreements(leaf, config[0], given)...)
		}
	}
	if findings.Failed() {
		return nil, findings
	}
	text, findings, err := filter.Run(units, leaf.Text)
	if err != nil {
		findings.Add(finding.New(finding.ObjectUnreadable, resource.Ref{}, "", "%v", err).In(b.shown(), 0))
	}
	if findings.Failed() {
		findings = in(leaf.ConfigPath, findings)
	}
	return text, given.withoutLines(findings)
}

// shown is the directory for people.
func (b leafBuild) shown() string { return cmp.Or(b.name, b.dir) }

// unnamed reports what the flags must say where the directory names no Ringfence.
func (b leafBuild) unnamed() finding.List {
	var out finding.List
	missing := func(flag, what string) {
		out.Add(finding.New(finding.InputMissing, resource.Ref{}, "", "it names no Ringfence under transformers:, and %s doesn't say %s", flag, what).
			In(b.shown(), 0).WithRemedy("give %s, or name a Ringfence", flag))
	}
	if b.config.Owner == "" {
		missing(b.ownerFlag, "whose build it is")
	}
	if len(b.environment) == 0 {
		missing(b.environmentFlag, "what its environment is")
	}
	return out
}

// disagreements compares the flags with the Ringfence that the directory names. A
// second Environment of the same name is compared whole when the documents are parsed.
func (b leafBuild) disagreements(leaf kustomize.Leaf, config model.Document, given platform) finding.List {
	named, err := specOf(leaf.Config)
	if err != nil {
		return nil // the model says what is wrong with it
	}
	var out finding.List
	differ := func(field, format string, args ...any) {
		out.Add(finding.New(finding.InputAmbiguous, config.Ref, field, format, args...).In(leaf.ConfigPath, 0))
	}
	if b.config.Owner != "" && b.config.Owner != named.Owner {
		differ("spec.owner", "it is %q, and %s is %q", named.Owner, b.ownerFlag, b.config.Owner)
	}
	for _, name := range given.environments {
		if named.Environment != nil && name != named.Environment.Metadata.Name {
			differ("spec.environment.metadata.name", "%s is of environment %q, and %s %s of %q",
				b.shown(), named.Environment.Metadata.Name, b.environmentFlag, strings.Join(b.environment, ", "), name)
		}
	}
	if len(b.config.Components)+len(b.config.Units) > 0 {
		differ("spec.components", "it says which components are included, and so do --component or --unit")
	}
	for i := range out {
		out[i] = out[i].WithRemedy("make both say the same, or leave one out")
	}
	return out
}

// merged returns what flags say, or else what the Ringfence of an environment does.
func merged(flags, environment v1alpha1.RingfenceSpec) v1alpha1.RingfenceSpec {
	if len(flags.Components)+len(flags.Units) == 0 {
		flags.Components, flags.Units = environment.Components, environment.Units
	}
	flags.Strict = flags.Strict || environment.Strict
	flags.StampVersion = flags.StampVersion || environment.StampVersion
	return flags
}

// in puts a file to the findings about a Ringfence, which came without one.
func in(file string, findings finding.List) finding.List {
	out := slices.Clone(findings)
	for i, f := range out {
		if file != "" && f.File == "" && f.Object.Kind == v1alpha1.KindRingfence {
			out[i] = f.In(file, 0)
		}
	}
	return out
}

// inProcess builds leaves for verify.
type inProcess struct{}

var _ overlay.Builder = inProcess{}

// Build builds a directory, and runs its Ringfence if it names one.
func (inProcess) Build(ctx context.Context, dir string) (text []byte, notes []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("building %q: %w", dir, err)
	}
	leaf, findings := kustomize.Builder{}.Leaf(dir)
	text, notes = leaf.Text, leaf.Notes
	if !findings.Failed() && leaf.Config != nil {
		text, findings = leafBuild{dir: dir}.filter(leaf, findings)
	}
	var b bytes.Buffer
	krm.Streams{Err: &b}.Print("ringfence", findings)
	for line := range strings.Lines(b.String()) {
		notes = append(notes, strings.TrimSpace(line))
	}
	if findings.Failed() {
		return nil, notes, fmt.Errorf("building %q:\n  %s", dir, strings.Join(notes, "\n  "))
	}
	return text, notes, nil
}

// isDir reports whether a path is one, with its symbolic links followed.
func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
