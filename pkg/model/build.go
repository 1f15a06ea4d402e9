package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// builder turns two wire documents into a Platform, and reports every problem on the way.
type builder struct {
	model source[v1alpha1.AccessModelSpec]
	env   source[v1alpha1.EnvironmentSpec]

	platform  *Platform
	dns       map[string][]Host
	usedDNS   map[string]bool
	gateways  map[string]*Gateway
	workloads map[string]*Workload
	profiles  map[Override]Profile // keyed without Profile
	absent    map[Override]bool
	claims    map[claim]string
}

func newBuilder(model source[v1alpha1.AccessModelSpec], env source[v1alpha1.EnvironmentSpec]) *builder {
	return &builder{
		model: model, env: env,
		platform:  &Platform{Name: model.name, Environment: env.name},
		dns:       map[string][]Host{},
		usedDNS:   map[string]bool{},
		gateways:  map[string]*Gateway{},
		workloads: map[string]*Workload{},
		profiles:  map[Override]Profile{},
		absent:    map[Override]bool{},
		claims:    map[claim]string{},
	}
}

// build reads the sections in the order of their references.
func (b *builder) build() *Platform {
	b.label(b.model.report, "metadata.name", b.model.name)
	b.environment()
	b.owners()
	b.gatewaySection()
	b.workloadSection()
	b.callers()
	b.consumers()
	b.retired()
	b.tenants()
	b.identities()
	b.enrollment()
	for _, name := range slices.Sorted(maps.Keys(b.dns)) {
		if !b.usedDNS[name] {
			b.env.report(finding.InputUnused, join("spec.dns", name), "no hostRef of the model names it")
		}
	}
	return b.platform
}

// owner resolves whose build this is.
func (b *builder) owner(name string, p *problems, path string) Owner {
	names := make([]string, 0, len(b.platform.Owners))
	for _, o := range b.platform.Owners {
		names = append(names, o.Name)
	}
	known := strings.Join(names, ", ")
	if name == "" {
		p.add(finding.OwnerMissing, path, "it is empty, so nothing would be derived; the model's owners are %s", known)
		return Owner{}
	}
	owner, ok := b.platform.Owner(name)
	if !ok {
		p.add(finding.InputUndefined, path, "%q is none of the model's owners: %s", name, known)
	}
	return owner
}

func (b *builder) environment() {
	e := b.env.spec
	b.platform.Tier = e.Tier
	b.oneOf(b.env.report, "spec.tier", e.Tier, "local", "dev", "staging", ProductionTier)
	if profile, err := ParseProfile(e.SecurityProfile); err != nil {
		b.env.report(finding.InputInvalidValue, "spec.securityProfile", "%v", err)
	} else {
		b.platform.Profile = profile
	}
	b.istio(e.Istio)
	for _, name := range slices.Sorted(maps.Keys(e.DNS)) {
		path := join("spec.dns", name)
		b.dns[name] = []Host{}
		for i, s := range e.DNS[name] {
			host, err := ParseHost(s)
			switch {
			case err != nil:
				b.env.report(finding.InputHost, index(path, i), "the host %q can't be used: %v", s, err)
			case slices.Contains(b.dns[name], host):
				b.env.report(finding.InputDuplicateName, index(path, i), "the host %q stands twice", host)
			default:
				b.dns[name] = append(b.dns[name], host)
			}
		}
	}
	known := map[string]map[string]bool{"gateways": {}, "workloads": {}}
	for _, g := range b.model.spec.Gateways {
		known["gateways"][g.Name] = true
	}
	for _, w := range b.model.spec.Workloads {
		known["workloads"][w.Name] = true
	}
	b.absences("gateways", e.Absent.Gateways, known)
	b.absences("workloads", e.Absent.Workloads, known)
	b.overrides(e.Overrides, known)
}

func (b *builder) istio(istio v1alpha1.Istio) {
	name := defaulted(istio.TrustDomain, "cluster.local")
	td, err := spiffeid.TrustDomainFromString(name)
	if err != nil || strings.Contains(name, "/") {
		b.env.report(finding.InputInvalidValue, "spec.istio.trustDomain", "%q is no trust domain: %v", name, err)
		td = spiffeid.RequireTrustDomainFromString("cluster.local")
	}
	out := Istio{
		Version: istio.Version, TrustDomain: td, Revision: istio.Revision, NativeSidecars: istio.NativeSidecars,
		RootNamespace: defaulted(istio.RootNamespace, "istio-system"),
	}
	if out.Revision == "default" {
		out.Revision = "" // the default tag's own name
	}
	for i, alias := range istio.TrustDomainAliases {
		a, err := spiffeid.TrustDomainFromString(alias)
		if err != nil || strings.Contains(alias, "/") {
			b.env.report(finding.InputInvalidValue, index("spec.istio.trustDomainAliases", i), "%q is no trust domain: %v", alias, err)
			continue
		}
		out.TrustDomainAliases = append(out.TrustDomainAliases, a)
	}
	b.namespace(b.env.report, "spec.istio.rootNamespace", out.RootNamespace)
	b.platform.Istio = out
}

func (b *builder) absences(section string, names []string, known map[string]map[string]bool) {
	for i, name := range names {
		path := index("spec.absent."+section, i)
		if !known[section][name] {
			b.env.report(finding.InputUndefined, path, "%q is none of the model's %s", name, section)
			continue
		}
		b.absent[Override{Section: section, Name: name}] = true
	}
}

func (b *builder) overrides(overrides []v1alpha1.Override, known map[string]map[string]bool) {
	for i, o := range overrides {
		path := index("spec.overrides", i)
		section, name := "workloads", o.Workload
		if o.Gateway != "" {
			section, name = "gateways", o.Gateway
		}
		key := Override{Section: section, Name: name}
		profile, err := ParseProfile(o.SecurityProfile)
		_, twice := b.profiles[key]
		switch {
		case (o.Workload == "") == (o.Gateway == ""):
			b.env.report(finding.InputInvalidValue, path, "it names %s: write one of workload and gateway", both(o.Workload, o.Gateway))
		case err != nil:
			b.env.report(finding.InputInvalidValue, path+".securityProfile", "%v", err)
		case !known[section][name]:
			b.env.report(finding.InputUndefined, path, "%q is none of the model's %s", name, section)
		case profile >= b.platform.Profile:
			b.env.report(finding.InputInvalidValue, path+".securityProfile",
				"%s isn't lower than the environment's own %s: an override only lowers", profile, b.platform.Profile)
		case twice:
			b.env.report(finding.InputDuplicateName, path, "%q has an override already", name)
		default:
			b.profiles[key] = profile
			key.Profile = profile
			b.platform.Overrides = append(b.platform.Overrides, key)
		}
	}
}

func both(a, b string) string {
	if a != "" && b != "" {
		return "both"
	}
	return "none"
}

// rung returns the profile and presence of one entry of a section.
func (b *builder) rung(section, name string) (Profile, bool) {
	key := Override{Section: section, Name: name}
	if p, ok := b.profiles[key]; ok {
		return p, b.absent[key]
	}
	return b.platform.Profile, b.absent[key]
}

func (b *builder) owners() {
	seen := map[string]bool{}
	for i, o := range b.model.spec.Owners {
		path := index("spec.owners", i)
		check(b.model.report, path+".name", o.Name, "label value", validation.IsValidLabelValue)
		b.oneOf(b.model.report, path+".tool", o.Tool, string(GitOps), string(Ansible), string(External))
		if b.unique(seen, path+".name", o.Name) {
			b.platform.Owners = append(b.platform.Owners, Owner{Name: o.Name, Tool: Tool(o.Tool)})
		}
	}
}

// ownerRef checks that a path names one of the owners.
func (b *builder) ownerRef(path, name string) {
	if _, ok := b.platform.Owner(name); !ok && name != "" {
		b.model.report(finding.InputUndefined, path, "%q is none of spec.owners", name)
	}
}

// unique reports whether name is new to seen, and says so at path if it isn't.
func (b *builder) unique(seen map[string]bool, path, name string) bool {
	if name == "" {
		return false
	}
	if seen[name] {
		b.model.report(finding.InputDuplicateName, path, "the name %q is taken by an earlier entry", name)
		return false
	}
	seen[name] = true
	return true
}

type reporter func(id finding.ID, path, format string, args ...any)

func (b *builder) oneOf(report reporter, path, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		report(finding.InputInvalidValue, path, "%q is none of %s", value, strings.Join(allowed, ", "))
	}
}

// label checks a name of ours: it becomes a label value and part of object names.
func (b *builder) label(report reporter, path, value string) {
	check(report, path, value, "name", subdomainLabel)
}

func (b *builder) namespace(report reporter, path, value string) {
	check(report, path, value, "namespace", validation.IsDNS1123Label)
}

func (b *builder) objectName(path, value string) {
	check(b.model.report, path, value, "object name", validation.IsDNS1123Subdomain)
}

// subdomainLabel is for names that are both label values (63 characters) and parts of object names.
func subdomainLabel(value string) []string {
	return slices.Concat(validation.IsDNS1123Subdomain(value), validation.IsValidLabelValue(value))
}

func check(report reporter, path, value, what string, valid func(string) []string) {
	if problems := valid(value); len(problems) > 0 {
		short, _, _ := strings.Cut(problems[0], " (e.g.") // the rest is a regular expression
		report(finding.InputInvalidValue, path, "%q is no %s: %s", value, what, short)
	}
}

func defaulted(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
