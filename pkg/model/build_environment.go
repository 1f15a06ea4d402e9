package model

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

const writeProfile = "write open, permissive or enforced"

func (b *builder) readEnvironment() {
	e := b.env.spec
	check(b.env.advise, "metadata.name", b.env.name, "object name", validation.IsDNS1123Subdomain)
	b.platform.Tier = e.Tier
	if !b.env.inventoryAlone { // an inventory has no tier
		oneOf(b.env.advise, "spec.tier", e.Tier, "local", "dev", "staging", ProductionTier)
	}
	profile, err := ParseProfile(e.SecurityProfile)
	if err != nil {
		b.env.advise(finding.InputInvalidValue, "spec.securityProfile", writeProfile, "%v", err)
		profile = Enforced // so that the overrides are judged for what they are
	}
	b.platform.Profile = profile
	b.istio(e.Istio)
	for _, name := range slices.Sorted(maps.Keys(e.DNS)) {
		b.dns[name] = b.hostList(join("spec.dns", name), e.DNS[name])
	}
	b.absences(gatewaySection, e.Absent.Gateways)
	b.absences(workloadSection, e.Absent.Workloads)
	b.overrides(e.Overrides)
}

// hostList reads the hosts of one name; those that differ by case or a trailing dot alone are one.
func (b *builder) hostList(path string, list []string) []Host {
	out := []Host{}
	seen := map[Host]bool{}
	for i, s := range list {
		host, err := ParseHost(s)
		switch {
		case err != nil:
			b.env.report(finding.InputHost, index(path, i), "the host %q can't be used: %v", s, err)
		case seen[host]:
			b.env.advise(finding.InputDuplicateName, index(path, i), "remove it", "the host %q stands in the list already", host)
		default:
			seen[host] = true
			out = append(out, host)
		}
	}
	return out
}

var versionForm = regexp.MustCompile(`^\d+\.\d+(\.\d+)?([-+][-+.0-9A-Za-z]+)?$`)

func (b *builder) istio(wire v1alpha1.Istio) {
	out := Istio{
		Version:            wire.Version,
		TrustDomain:        spiffeid.RequireTrustDomainFromString("cluster.local"),
		TrustDomainAliases: []TrustDomain{},
		RootNamespace:      defaulted(wire.RootNamespace, "istio-system"),
		NativeSidecars:     wire.NativeSidecars,
	}
	if wire.Version != "" && !versionForm.MatchString(wire.Version) {
		b.env.report(finding.InputInvalidValue, "spec.istio.version", "%q is no version such as 1.31.4", wire.Version)
	}
	if wire.Revision != nil && *wire.Revision != "" && *wire.Revision != "default" { // the default tag's own name
		out.Revision = *wire.Revision
		check(b.env.advise, "spec.istio.revision", out.Revision, "revision", validation.IsDNS1123Label)
	}
	check(b.env.advise, "spec.istio.rootNamespace", out.RootNamespace, "namespace", validation.IsDNS1123Label)
	if wire.TrustDomain != "" {
		if td, ok := b.trustDomain("spec.istio.trustDomain", wire.TrustDomain); ok {
			out.TrustDomain = td
		}
	}
	const aliases = "spec.istio.trustDomainAliases"
	for i, name := range once(b.env.advise, aliases, wire.TrustDomainAliases) {
		path := index(aliases, i)
		td, ok := b.trustDomain(path, name)
		switch {
		case !ok:
		case td == out.TrustDomain:
			b.env.advise(finding.InputDuplicateName, path, "remove it", "%q is the trust domain itself, and no alias of it", name)
		default:
			out.TrustDomainAliases = append(out.TrustDomainAliases, td)
		}
	}
	b.platform.Istio = out
}

func (b *builder) trustDomain(path, name string) (TrustDomain, bool) {
	td, err := spiffeid.TrustDomainFromString(name)
	if err == nil && strings.Contains(name, "/") {
		err = fmt.Errorf("it is an ID in %s", td.Name())
	}
	if err == nil && len(name) > 255 {
		err = errors.New("it has more than 255 letters")
	}
	if err != nil {
		b.env.report(finding.InputInvalidValue, path, "%q is no trust domain: %v", name, err)
		return TrustDomain{}, false
	}
	return td, true
}

func (b *builder) absences(section string, names []string) {
	path := "spec.absent." + section
	for i, name := range once(b.env.advise, path, names) {
		if !b.sections[section].known[name] {
			b.undefined(b.env.advise, index(path, i), name, section)
		}
		b.absent[Override{Section: section, Name: name}] = true
	}
}

func (b *builder) overrides(overrides []v1alpha1.Override) {
	for i, o := range overrides {
		path := index("spec.overrides", i)
		if !exactlyOne(b.env.advise, path, "workload", o.Workload, "gateway", o.Gateway) {
			continue
		}
		key := Override{Section: workloadSection, Name: o.Workload + o.Gateway}
		field := ".workload"
		if o.Gateway != "" {
			key.Section, field = gatewaySection, ".gateway"
		}
		profile, err := ParseProfile(o.SecurityProfile)
		_, twice := b.profiles[key]
		switch {
		case !b.sections[key.Section].known[key.Name]:
			b.undefined(b.env.advise, path+field, key.Name, key.Section)
		case err != nil:
			b.env.advise(finding.InputInvalidValue, path+".securityProfile", writeProfile, "%v", err)
		case profile >= b.platform.Profile:
			b.env.advise(finding.InputInvalidValue, path+".securityProfile", "write a lower profile, or remove the override",
				"%s isn't lower than the environment's own %s, and an override only lowers", profile, b.platform.Profile)
		case twice:
			b.env.advise(finding.InputDuplicateName, path, "remove one of the two", "%q has an override already", key.Name)
		default:
			b.profiles[key] = profile
			key.Profile = profile
			b.platform.Overrides = append(b.platform.Overrides, key)
		}
	}
}

// rung returns the profile and presence of one entry of a section.
func (b *builder) rung(section, name string) (profile Profile, absent bool) {
	key := Override{Section: section, Name: name}
	if p, ok := b.profiles[key]; ok {
		return p, b.absent[key]
	}
	return b.platform.Profile, b.absent[key]
}
