package authz

import (
	"slices"
	"strings"
)

// Trust is the mesh's trust domain and its aliases, which name the same workloads.
type Trust struct {
	// Domains are the trust domain and then its aliases.
	Domains []string
}

// localDomain stands in a policy for the mesh's own trust domain, whatever that is.
const localDomain = "cluster.local"

// principals returns the principals that a policy's one stands for
// (pilot/pkg/security/trustdomain). Only one of the five-part form that names a
// trust domain is expanded.
func (t Trust) principals(text string) []string {
	parts := strings.Split(text, "/")
	if len(parts) != 5 || parts[0] == "*" {
		return []string{text}
	}
	if parts[0] != localDomain && !slices.ContainsFunc(t.Domains, func(d string) bool { return alike(parts[0], d) }) {
		return []string{text}
	}
	var out []string
	for _, domain := range t.Domains {
		expanded := text
		if rest, star := strings.CutPrefix(parts[0], "*"); !star || !strings.HasSuffix(domain, rest) {
			expanded = domain + "/" + strings.Join(parts[1:], "/")
		}
		if !slices.Contains(out, expanded) {
			out = append(out, expanded)
		}
	}
	return out
}

// domains returns the trust domains that a policy's one stands for.
func (t Trust) domains(text string) []string {
	if slices.Contains(t.Domains, text) {
		return t.Domains
	}
	return []string{text}
}

// alike reports whether one of two texts, either of which may have a star at an end, covers the other.
func alike(a, b string) bool {
	covers := func(pattern, text string) bool {
		rest, ok := strings.CutSuffix(pattern, "*")
		if ok && strings.HasPrefix(text, rest) {
			return true
		}
		rest, ok = strings.CutPrefix(pattern, "*")
		return ok && strings.HasSuffix(text, rest)
	}
	return a == b || b == "*" || covers(a, b) || covers(b, a)
}
