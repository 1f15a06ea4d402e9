package access

import (
	"slices"
	"strings"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/access/mtls"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// Protection is what stands before the pods of a workload.
type Protection struct {
	// Strict says that their proxy refuses plaintext on one of their ports, Scoped that
	// it admits nobody but those whom ALLOW policies name.
	Strict, Scoped bool
	// Callers are the principals that ALLOW policies name, in order: "<trust domain>/ns/<namespace>/sa/<name>".
	Callers []string
}

// Protection returns what stands before the pods of a workload; nothing where they have no proxy.
func (m *Mesh) Protection(w *Workload) Protection {
	var out Protection
	if w.Proxy.Holds == truth.No {
		return out
	}
	for _, port := range m.Ports(w) {
		out.Strict = out.Strict || m.target(w, port).setting.Mode == mtls.Strict
	}
	open := false
	for _, p := range m.policiesOf(w) {
		if p.DryRun || p.Spec.GetAction() != securityv1beta1.AuthorizationPolicy_ALLOW {
			continue
		}
		out.Scoped = true
		for _, rule := range p.Spec.GetRules() {
			open = open || len(rule.GetFrom()) == 0
			for _, from := range rule.GetFrom() {
				for _, principal := range from.GetSource().GetPrincipals() {
					out.Callers = append(out.Callers, m.own(principal))
				}
			}
		}
	}
	out.Scoped = out.Scoped && !open
	slices.Sort(out.Callers)
	out.Callers = slices.Compact(out.Callers)
	return out
}

// own returns a principal with the mesh's trust domain in place of a name that stands for it.
func (m *Mesh) own(principal string) string {
	domain, rest, ok := strings.Cut(principal, "/")
	if ok && (domain == "cluster.local" || slices.Contains(m.TrustDomainAliases, domain)) {
		return m.TrustDomain + "/" + rest
	}
	return principal
}
