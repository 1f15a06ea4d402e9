package model

import (
	"maps"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Inventory is what an Ansible inventory says of an environment. It stands in for
// an Environment, or for some of its fields: where both speak, the inventory
// counts, for it is the nearer to the task, and a warning says so.
type Inventory struct {
	SecurityProfile string
	// DNS may hold names that the model doesn't use; they are not even looked at.
	DNS          map[string][]string
	TrustDomain  string
	IstioVersion string
}

// The names of an inventory's variables, by which problems with them are reported.
const (
	inventoryProfile     = "security_profile"
	inventoryDNS         = "dns"
	inventoryTrustDomain = "trust_domain"
	inventoryVersion     = "istio_version"
)

// inventoryName is the name of an environment of which only the inventory speaks.
const inventoryName = "inventory"

// overrideBy puts the inventory's values into the environment. used are the names
// of hosts that the model refers to.
func overrideBy(env *source[v1alpha1.EnvironmentSpec], inventory Inventory, used map[string]bool) finding.List {
	beside := env.given()
	if !beside {
		env.set(inventoryName, v1alpha1.EnvironmentSpec{}, newProblems(Document{}), "")
		env.inventoryAlone = true
	}
	variables := newProblems(Document{})
	env.collectors = append(env.collectors, variables)
	env.variables, env.moved = variables, map[string]string{}

	var out finding.List
	override := func(variable, path, value string, field *string) {
		if value == "" {
			return
		}
		out.Add(overridden(env, beside && *field != "", variable, path, *field, value)...)
		*field = value
		env.moved[path] = variable
	}
	override(inventoryProfile, "spec.securityProfile", inventory.SecurityProfile, &env.spec.SecurityProfile)
	override(inventoryTrustDomain, "spec.istio.trustDomain", inventory.TrustDomain, &env.spec.Istio.TrustDomain)
	override(inventoryVersion, "spec.istio.version", inventory.IstioVersion, &env.spec.Istio.Version)

	dns := map[string][]string{}
	maps.Copy(dns, env.spec.DNS)
	for _, name := range slices.Sorted(maps.Keys(inventory.DNS)) {
		if !used[name] {
			continue
		}
		path, hosts := join("spec.dns", name), inventory.DNS[name]
		if before, both := dns[name]; both {
			out.Add(overridden(env, beside, join(inventoryDNS, name), path, strings.Join(before, ", "), strings.Join(hosts, ", "))...)
		}
		dns[name] = hosts
		env.moved[path] = join(inventoryDNS, name)
	}
	env.spec.DNS = dns
	if env.inventoryAlone { // what is missing is missing in the inventory, and no other document was meant
		for path, variable := range map[string]string{"spec.securityProfile": inventoryProfile, "spec.dns": inventoryDNS} {
			if _, said := env.moved[path]; !said {
				env.moved[path] = variable
			}
		}
	}
	return out
}

func overridden(env *source[v1alpha1.EnvironmentSpec], both bool, variable, path, before, value string) finding.List {
	if !both || before == value {
		return nil
	}
	f := finding.New(finding.InputOverridden, resource.Ref{}, variable, "it is %q, and %s of %s says %q", value, path, env.where(), before)
	return finding.List{f.WithValues(before, value)}
}

// variable returns the inventory's variable that a path of the environment was
// read from, with what follows it.
func (s *source[T]) variable(path string) (string, bool) {
	for at := path; at != ""; at = parent(at) {
		if name, ok := s.moved[at]; ok {
			return name + path[len(at):], true
		}
	}
	return "", false
}

// hostNames returns the names of hosts that a model refers to.
func hostNames(spec v1alpha1.AccessModelSpec) map[string]bool {
	out := map[string]bool{}
	add := func(names ...string) {
		for _, name := range names {
			out[name] = true
		}
	}
	for _, g := range spec.Gateways {
		add(g.HostRefs...)
		for _, r := range g.Routes {
			add(r.HostRefs...)
		}
	}
	for _, c := range spec.Consumers {
		add(c.ValueFrom.HostRef)
	}
	return out
}
