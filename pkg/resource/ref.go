package resource

import (
	"cmp"
	"strings"
)

// Ref names one object. Namespace is empty for a cluster-scoped object, and for
// an object that leaves its namespace to the one who applies it.
type Ref struct {
	APIVersion string // as written: "v1", "apps/v1"
	Kind       string
	Namespace  string
	Name       string
}

// Group returns the API group: "apps" of "apps/v1", "" of "v1".
func (r Ref) Group() string {
	group, _, found := strings.Cut(r.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// IsZero reports whether r names nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

// Key returns r without its version: what an API server holds to be one object.
func (r Ref) Key() Key {
	return Key{Group: r.Group(), Kind: r.Kind, Namespace: r.Namespace, Name: r.Name}
}

// String renders r as people write it: "Deployment themelio/web".
func (r Ref) String() string {
	var b strings.Builder
	b.WriteString(cmp.Or(r.Kind, "object"))
	b.WriteByte(' ')
	if r.Namespace != "" {
		b.WriteString(r.Namespace)
		b.WriteByte('/')
	}
	b.WriteString(cmp.Or(r.Name, "(no name)"))
	return b.String()
}

// Compare orders by kind, namespace, name and API version.
func (r Ref) Compare(o Ref) int {
	return cmp.Or(
		cmp.Compare(r.Kind, o.Kind),
		cmp.Compare(r.Namespace, o.Namespace),
		cmp.Compare(r.Name, o.Name),
		cmp.Compare(r.APIVersion, o.APIVersion),
	)
}

// Key identifies one object across the versions of its API.
type Key struct {
	Group     string
	Kind      string
	Namespace string
	Name      string
}
