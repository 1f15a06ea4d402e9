package model

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// builder turns two wire documents into a Platform, and reports every problem on the way.
type builder struct {
	model source[v1alpha1.AccessModelSpec]
	env   source[v1alpha1.EnvironmentSpec]

	platform  *Platform
	sections  map[string]*section
	dns       map[string][]Host
	usedDNS   map[string]bool // false where gateways alone use it that this environment doesn't have
	gateways  map[string]*Gateway
	workloads map[string]*Workload
	profiles  map[Override]Profile // keyed without Profile
	absent    map[Override]bool
	entries   []entry // gateways, then workloads
	edges     []edge
	claims    map[resource.Key]entry
	routes    map[resource.Key]*routeClaim
}

func newBuilder(model source[v1alpha1.AccessModelSpec], env source[v1alpha1.EnvironmentSpec]) *builder {
	b := &builder{
		model: model, env: env,
		platform:  &Platform{Name: model.name, Environment: env.name},
		sections:  map[string]*section{},
		dns:       map[string][]Host{},
		usedDNS:   map[string]bool{},
		gateways:  map[string]*Gateway{},
		workloads: map[string]*Workload{},
		profiles:  map[Override]Profile{},
		absent:    map[Override]bool{},
		claims:    map[resource.Key]entry{},
		routes:    map[resource.Key]*routeClaim{},
	}
	for _, name := range []string{ownerSection, gatewaySection, workloadSection} {
		b.sections[name] = &section{partial: model.unread[model.base+"spec."+name], known: map[string]bool{}}
	}
	for _, o := range model.spec.Owners {
		b.sections[ownerSection].add(o.Name)
	}
	for _, g := range model.spec.Gateways {
		b.sections[gatewaySection].add(g.Name)
	}
	for _, w := range model.spec.Workloads {
		b.sections[workloadSection].add(w.Name)
	}
	return b
}

// The sections of the model that references lead to.
const (
	ownerSection    = "owners"
	gatewaySection  = "gateways"
	workloadSection = "workloads"
)

// section holds the names of one section of the model.
type section struct {
	names   []string
	known   map[string]bool
	partial bool // some of it could not be read, or stands twice where another name was meant
}

func (s *section) add(name string) {
	s.partial = s.partial || name == "" || s.known[name]
	s.names = append(s.names, name)
	s.known[name] = true
}

// undefined reports a name that a section doesn't have.
func (b *builder) undefined(report reporter, path, name, in string) {
	switch s := b.sections[in]; {
	case name == "":
		report(finding.InputInvalidValue, path, writeValue, "it is empty; there are %s", listed(s.names))
	case s.partial: // it may be the name that is missing
	default:
		report(finding.InputUndefined, path, "", "%q is none of the model's %s; %s", name, in, hint{name, s.names})
	}
}

// build reads the sections in the order of their references.
func (b *builder) build() *Platform {
	b.label("metadata.name", b.model.name)
	b.readEnvironment()
	b.platform.Hosts = b.dns
	b.readOwners()
	b.readGateways()
	b.readWorkloads()
	b.readCallers()
	b.readConsumers()
	b.readRetired()
	b.readTenants()
	b.checkIdentities()
	b.checkEnrollment()
	b.checkSelectors()
	for _, name := range slices.Sorted(maps.Keys(b.dns)) {
		if _, used := b.usedDNS[name]; !used {
			b.env.report(finding.InputUnused, join("spec.dns", name), "no hostRef of the model names it")
		}
	}
	return b.platform
}

// owner resolves whose build this is.
func (b *builder) owner(name string, p *problems, path string) Owner {
	owner, ok := b.platform.Owner(name)
	switch {
	case name == "":
		remedy := ""
		if path == ownerFlag {
			remedy = "name one with --owner"
		}
		p.report(finding.OwnerMissing, path, remedy, "it is empty, so nothing would be derived; the model's owners are %s", listed(b.sections[ownerSection].names))
	case !ok:
		b.undefined(p.report, path, name, ownerSection)
	}
	return owner
}

func (b *builder) readOwners() {
	seen := map[string]bool{}
	for i, o := range b.model.spec.Owners {
		path := index("spec.owners", i)
		b.check(path+".name", o.Name, "label value", validation.IsValidLabelValue)
		oneOf(b.model.advise, path+".tool", o.Tool, string(GitOps), string(Ansible), string(External))
		if b.unique(seen, path+".name", o.Name) {
			b.platform.Owners = append(b.platform.Owners, Owner{Name: o.Name, Tool: Tool(o.Tool), SyncWaves: SyncWaves(o.SyncWaves)})
		}
	}
}

// ownerRef checks that a path names one of the owners.
func (b *builder) ownerRef(path, name string) {
	if name == "" || !b.sections[ownerSection].known[name] {
		b.undefined(b.model.advise, path, name, ownerSection)
	}
}

// unique reports whether a name is new to seen, and says so if it isn't, or is empty.
func (b *builder) unique(seen map[string]bool, path, name string) bool {
	switch {
	case name == "":
		b.model.advise(finding.InputInvalidValue, path, writeValue, "it is empty")
		return false
	case seen[name]:
		b.model.report(finding.InputDuplicateName, path, "the name %q is taken by an earlier entry", name)
		return false
	}
	seen[name] = true
	return true
}

// once yields the entries of a list without repetitions, and reports those.
func once[T comparable](report reporter, path string, list []T) iter.Seq2[int, T] {
	return func(yield func(int, T) bool) {
		seen := map[T]bool{}
		for i, entry := range list {
			if seen[entry] {
				report(finding.InputDuplicateName, index(path, i), "remove it", "it stands in the list already")
				continue
			}
			seen[entry] = true
			if !yield(i, entry) {
				return
			}
		}
	}
}

// reporter is source.advise of one of the documents.
type reporter func(id finding.ID, path, remedy, format string, args ...any)

func oneOf(report reporter, path, value string, allowed ...string) {
	switch {
	case slices.Contains(allowed, value):
	case len(allowed) == 1:
		report(finding.InputInvalidValue, path, "write "+allowed[0], "%q isn't known here", value)
	default:
		report(finding.InputInvalidValue, path, "write one of them", "%q is none of %s", value, strings.Join(allowed, ", "))
	}
}

// exactlyOne reports whether one of several fields has a value, and says so if
// it isn't one. fields are names and values in turn.
func exactlyOne(report reporter, path string, fields ...string) bool {
	var names, set []string
	for i := 0; i+1 < len(fields); i += 2 {
		names = append(names, fields[i])
		if fields[i+1] != "" {
			set = append(set, fields[i])
		}
	}
	switch len(set) {
	case 0:
		report(finding.InputMissing, path, "write one of them", "it has none of %s", strings.Join(names, ", "))
	case 1:
		return true
	default:
		report(finding.InputInvalidValue, path, "write one of them alone", "it has %s", strings.Join(set, " and "))
	}
	return false
}

// label checks a name of ours: it becomes a label value (63 characters) and part of object names.
func (b *builder) label(path, value string) {
	b.check(path, value, "name", func(s string) []string {
		return slices.Concat(validation.IsDNS1123Subdomain(s), validation.IsValidLabelValue(s))
	})
}

func (b *builder) namespace(path, value string) {
	b.check(path, value, "namespace", validation.IsDNS1123Label)
}

func (b *builder) requiredName(path, value string) {
	b.check(path, value, "object name", validation.IsDNS1123Subdomain)
}

// objectName checks the name of an object, where one is given.
func (b *builder) objectName(path, value string) {
	if value != "" {
		b.requiredName(path, value)
	}
}

func (b *builder) check(path, value, what string, valid func(string) []string) {
	check(b.model.advise, path, value, what, valid)
}

// Remedies that several rules share.
const (
	writeValue  = "write a value"
	writeLabels = "select by labels"
)

func check(report reporter, path, value, what string, valid func(string) []string) {
	switch problems := valid(value); {
	case value == "":
		report(finding.InputInvalidValue, path, writeValue, "it is empty")
	case len(problems) > 0:
		report(finding.InputInvalidValue, path, "", "%q is no %s: %s", value, what, rule(problems))
	}
}

// rule returns the first rule that a name breaks, without its regular expression.
func rule(problems []string) string {
	short, _, _ := strings.Cut(problems[0], " (e.g.")
	return short
}

func defaulted(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
