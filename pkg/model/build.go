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
	owners    []string
	names     map[string][]string // of gateways and workloads, by section
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
		names:     map[string][]string{},
		dns:       map[string][]Host{},
		usedDNS:   map[string]bool{},
		gateways:  map[string]*Gateway{},
		workloads: map[string]*Workload{},
		profiles:  map[Override]Profile{},
		absent:    map[Override]bool{},
		claims:    map[resource.Key]entry{},
		routes:    map[resource.Key]*routeClaim{},
	}
	for _, g := range model.spec.Gateways {
		b.names[gatewaySection] = append(b.names[gatewaySection], g.Name)
	}
	for _, w := range model.spec.Workloads {
		b.names[workloadSection] = append(b.names[workloadSection], w.Name)
	}
	return b
}

// build reads the sections in the order of their references.
func (b *builder) build() *Platform {
	b.label("metadata.name", b.model.name)
	b.readEnvironment()
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
		p.report(finding.OwnerMissing, path, "", "it is empty, so nothing would be derived; the model's owners are %s", listed(b.owners))
	case !ok:
		p.report(finding.InputUndefined, path, "", "the model has no owner %q; %s", name, hint{name, b.owners})
	}
	return owner
}

func (b *builder) readOwners() {
	seen := map[string]bool{}
	for i, o := range b.model.spec.Owners {
		path := index("spec.owners", i)
		b.check(path+".name", o.Name, "label value", validation.IsValidLabelValue)
		b.oneOf(b.model.report, path+".tool", o.Tool, string(GitOps), string(Ansible), string(External))
		if b.unique(seen, path+".name", o.Name) {
			b.platform.Owners = append(b.platform.Owners, Owner{Name: o.Name, Tool: Tool(o.Tool)})
			b.owners = append(b.owners, o.Name)
		}
	}
}

// ownerRef checks that a path names one of the owners.
func (b *builder) ownerRef(path, name string) {
	if _, ok := b.platform.Owner(name); !ok {
		b.undefined(b.model.report, path, name, "spec.owners", b.owners)
	}
}

// unique reports whether a name is new to seen, and says so if it isn't, or is empty.
func (b *builder) unique(seen map[string]bool, path, name string) bool {
	switch {
	case name == "":
		b.model.report(finding.InputInvalidValue, path, "it is empty")
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
				report(finding.InputDuplicateName, index(path, i), "an earlier entry of the list says the same")
				continue
			}
			seen[entry] = true
			if !yield(i, entry) {
				return
			}
		}
	}
}

// reporter is source.report of one of the documents.
type reporter func(id finding.ID, path, format string, args ...any)

func (b *builder) undefined(report reporter, path, name, section string, known []string) {
	report(finding.InputUndefined, path, "%q is none of %s; %s", name, section, hint{name, known})
}

func (b *builder) oneOf(report reporter, path, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		report(finding.InputInvalidValue, path, "%q is none of %s", value, strings.Join(allowed, ", "))
	}
}

// exactlyOne reports whether one of several fields has a value, and says so if
// it isn't one. fields are names and values in turn.
func (b *builder) exactlyOne(report reporter, path string, fields ...string) bool {
	var names, set []string
	for i := 0; i+1 < len(fields); i += 2 {
		names = append(names, fields[i])
		if fields[i+1] != "" {
			set = append(set, fields[i])
		}
	}
	switch len(set) {
	case 0:
		report(finding.InputMissing, path, "it has none of %s, and needs one", strings.Join(names, ", "))
	case 1:
		return true
	default:
		report(finding.InputInvalidValue, path, "it has %s, and may have one of them alone", strings.Join(set, " and "))
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

func (b *builder) objectName(path, value string) {
	b.check(path, value, "object name", validation.IsDNS1123Subdomain)
}

func (b *builder) check(path, value, what string, valid func(string) []string) {
	check(b.model.report, path, value, what, valid)
}

func check(report reporter, path, value, what string, valid func(string) []string) {
	if problems := valid(value); len(problems) > 0 {
		report(finding.InputInvalidValue, path, "%q is no %s: %s", value, what, rule(problems))
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
