package model

import (
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Documents are those that one run was given.
type Documents struct {
	// Config is the functionConfig; nil for a run without one.
	Config *Document
	// Models and Environments were given beside it: files, or items marked local-config.
	Models, Environments []Document
	// Tests were given likewise; there may be none.
	Tests []Document
	// Inventory is what an Ansible inventory says; nil where there is none.
	Inventory *Inventory
}

// Add takes a further document, and reports whether it is of a kind that several
// may be of.
func (d *Documents) Add(doc Document) bool {
	switch doc.Ref.Kind {
	case v1alpha1.KindAccessModel:
		d.Models = append(d.Models, doc)
	case v1alpha1.KindEnvironment:
		d.Environments = append(d.Environments, doc)
	case v1alpha1.KindAccessTest:
		d.Tests = append(d.Tests, doc)
	default:
		return false
	}
	return true
}

// Request is what one run is to do. Its zero value asks for nothing.
type Request struct {
	// Owner whose objects are made; zero when a union of builds is judged.
	Owner Owner
	// Components that the build includes, Units that it names in their place.
	Components, Units []string
	// Strict makes warnings errors, StampVersion writes our version into generated objects.
	Strict, StampVersion bool
	// Platform is what everything is derived from.
	Platform *Platform
	// Tests are what the build must hold against.
	Tests []AccessTest
	// Config is the document that asked; zero when there was none.
	Config resource.Ref
}

// Parse reads the documents of one run that has an owner. Where there is no
// functionConfig, config says what it would have said. The request is only
// good when no finding is an error; then everything in it is valid.
func Parse(docs Documents, config v1alpha1.RingfenceSpec) (Request, finding.List) {
	return parse(docs, config, true)
}

// ParseUnion reads an AccessModel and an Environment alone, to judge the builds
// of all owners together.
func ParseUnion(docs Documents) (*Platform, finding.List) {
	request, findings := parse(docs, v1alpha1.RingfenceSpec{}, false)
	return request.Platform, findings
}

// ownerFlag is the path of the owner in a run without a functionConfig.
const ownerFlag = "owner"

func parse(docs Documents, config v1alpha1.RingfenceSpec, needsOwner bool) (Request, finding.List) {
	var (
		model    = source[v1alpha1.AccessModelSpec]{kind: v1alpha1.KindAccessModel, field: "spec.model", flag: "--model"}
		env      = source[v1alpha1.EnvironmentSpec]{kind: v1alpha1.KindEnvironment, field: "spec.environment", flag: "--environment"}
		ownerAt  = newProblems(Document{})
		ownerIn  = ownerFlag
		findings finding.List
		request  Request
		tests    testSources
	)
	if docs.Config != nil {
		wire, p := read[v1alpha1.Ringfence](*docs.Config)
		config, ownerAt, ownerIn, request.Config = wire.Spec, p, "spec.owner", docs.Config.Ref
		check(p.report, "metadata.name", wire.Metadata.Name, "object name", validation.IsDNS1123Subdomain)
		if m := config.Model; m != nil {
			model.set(m.Metadata.Name, m.Spec, p, "spec.model.")
		}
		if e := config.Environment; e != nil {
			env.set(e.Metadata.Name, e.Spec, p, "spec.environment.")
		}
		for i, t := range config.AccessTests {
			tests.add(t.Name, t.Spec, p, index("spec.accessTests", i)+".")
		}
	}
	for _, doc := range docs.Models {
		wire, p := read[v1alpha1.AccessModel](doc)
		model.merge(wire.Metadata.Name, wire.Spec, p)
	}
	for _, doc := range docs.Environments {
		wire, p := read[v1alpha1.Environment](doc)
		env.merge(wire.Metadata.Name, wire.Spec, p)
	}
	for _, doc := range docs.Tests {
		wire, p := read[v1alpha1.AccessTest](doc)
		tests.add(wire.Metadata.Name, wire.Spec, p, "")
	}
	if docs.Inventory != nil {
		findings.Add(overrideBy(&env, *docs.Inventory, hostNames(model.spec))...)
	}
	findings.Add(model.missing()...)
	findings.Add(env.missing()...)

	request.Components, request.Units = config.Components, config.Units
	request.Strict, request.StampVersion = config.Strict, config.StampVersion
	if model.given() && env.given() {
		b := newBuilder(model, env)
		request.Platform = b.build()
		if needsOwner {
			request.Owner = b.owner(config.Owner, ownerAt, ownerIn)
		}
	}
	var hosts map[string][]Host
	if request.Platform != nil {
		hosts = request.Platform.Hosts
	}
	request.Tests = tests.build(hosts)
	// One document may hold several of the collectors' texts, so each is read once.
	collectors := slices.Concat([]*problems{ownerAt}, model.collectors, env.collectors, tests.collectors)
	for i, p := range collectors {
		if !slices.Contains(collectors[:i], p) {
			findings.Add(p.list...)
		}
	}
	return request, findings
}

// source is the spec of an AccessModel or Environment, and where to report what is wrong with it.
type source[T any] struct {
	*problems
	kind, field, flag string
	base              string // path before "spec" and "metadata"
	name              string
	spec              T
	collectors        []*problems
	// What an inventory said in the document's place: its variables by the paths that
	// they fill, and the problems with them.
	moved          map[string]string
	variables      *problems
	inventoryAlone bool
}

func (s *source[T]) given() bool { return s.problems != nil }

func (s *source[T]) set(name string, spec T, p *problems, base string) {
	s.name, s.spec, s.problems, s.base = name, spec, p, base
	s.collectors = append(s.collectors, p)
}

// merge takes a further document: the first one counts, another must say the same.
func (s *source[T]) merge(name string, spec T, p *problems) {
	if !s.given() {
		s.set(name, spec, p, "")
		return
	}
	s.collectors = append(s.collectors, p)
	if s.name != name {
		p.add(finding.InputAmbiguous, "metadata.name", "", "it is a second %s, and %s is called %q", s.kind, s.where(), s.name)
		return
	}
	if where, differ := difference(reflect.ValueOf(s.spec), reflect.ValueOf(spec), "spec", &decoder{types: map[reflect.Type]fields{}}); differ {
		p.add(finding.InputAmbiguous, where, "", "it is a second %s, and %s says something else there", s.kind, s.where())
	}
}

func (s *source[T]) where() string {
	switch {
	case s.file != "":
		return s.object.String() + " in " + s.file
	case s.base != "":
		return s.field + " of " + s.object.String()
	default:
		return s.object.String()
	}
}

func (s *source[T]) missing() finding.List {
	if s.given() {
		return nil
	}
	return finding.List{finding.New(finding.InputMissing, resource.Ref{}, "", "no %s was given", s.kind).
		WithRemedy("put it into %s of the functionConfig, among the items, or into a file that %s names", s.field, s.flag)}
}

// report adds a problem at a path of the source; see problems.report.
func (s *source[T]) report(id finding.ID, path, format string, args ...any) {
	s.advise(id, path, "", format, args...)
}

// advise adds a problem with a remedy of its own.
func (s *source[T]) advise(id finding.ID, path, remedy, format string, args ...any) {
	if name, ok := s.variable(path); ok {
		s.variables.report(id, name, remedy, format, args...)
		return
	}
	s.problems.report(id, s.base+path, remedy, format, args...)
}
