package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Settings are those of the mesh that an answer rests on.
type Settings struct {
	// IstioVersion that answers are for; empty where nobody said.
	IstioVersion string `json:"istioVersion"`
	// TrustDomain of the mesh, and the aliases by which policies may name it.
	TrustDomain        string   `json:"trustDomain"`
	TrustDomainAliases []string `json:"trustDomainAliases"`
	// RootNamespace is the one whose policies are the whole mesh's.
	RootNamespace string `json:"rootNamespace"`
	// Revision of istiod that injects; empty for the default tag.
	Revision string `json:"revision"`
}

// SettingsOf returns those of a mesh.
func SettingsOf(m *access.Mesh) Settings {
	return Settings{m.Version, m.TrustDomain, append([]string{}, m.TrustDomainAliases...), m.RootNamespace, m.Revision}
}

// String says the settings in one line.
func (s Settings) String() string {
	parts := []string{"Istio " + cmp.Or(s.IstioVersion, "of no given version"), "trust domain " + s.TrustDomain}
	if len(s.TrustDomainAliases) > 0 {
		parts = append(parts, "aliases "+strings.Join(s.TrustDomainAliases, ", "))
	}
	return strings.Join(append(parts, "root namespace "+s.RootNamespace, "revision "+cmp.Or(s.Revision, "default")), "; ")
}

// Object names an object.
type Object struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

func objectOf(r resource.Ref) *Object {
	if r.IsZero() {
		return nil
	}
	return &Object{r.APIVersion, r.Kind, r.Namespace, r.Name}
}

// String returns "<kind> <namespace>/<name>"; nothing of none.
func (o *Object) String() string {
	if o == nil {
		return ""
	}
	return resource.Ref{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}.String()
}

// Unjudged is an object that makes answers about what it applies to unknown.
type Unjudged struct {
	Object *Object `json:"object"`
	Reason string  `json:"reason"`
	// File that holds it, with the line on which it begins: "<path>:<line>". Who has read the object fills it in.
	File string `json:"file,omitempty"`
}

// String says what isn't judged, where, and why.
func (u Unjudged) String() string {
	if u.File == "" {
		return u.Object.String() + ": " + u.Reason
	}
	return u.File + ": " + u.Object.String() + ": " + u.Reason
}

// UnjudgedOf returns the objects that a mesh can't judge, in order, each with each reason once.
func UnjudgedOf(m *access.Mesh) []Unjudged {
	list := slices.Clone(m.Unjudged)
	slices.SortFunc(list, func(a, b access.Unjudged) int {
		return cmp.Or(a.Ref.Compare(b.Ref), cmp.Compare(a.Reason, b.Reason))
	})
	out := []Unjudged{}
	for _, u := range slices.Compact(list) {
		out = append(out, Unjudged{Object: objectOf(u.Ref), Reason: u.Reason})
	}
	return out
}

// Names returns what workloads are called: "<namespace>/<name>", with the kind in
// front where several objects share it.
func Names(m *access.Mesh) map[*access.Workload]string {
	count := map[string]int{}
	for _, w := range m.Workloads {
		count[w.Ref.Namespace+"/"+w.Ref.Name]++
	}
	out := make(map[*access.Workload]string, len(m.Workloads))
	for _, w := range m.Workloads {
		name := w.Ref.Namespace + "/" + w.Ref.Name
		if count[name] > 1 {
			name = w.Ref.Kind + "/" + name
		}
		out[w] = name
	}
	return out
}

// fold puts rows together that are alike in every column, then columns that are
// alike in every row. Both come in the order of their first members.
func fold(rows, columns int, cell func(row, column int) byte) (ofRows, ofColumns [][]int) {
	line := make([]byte, columns)
	ofRows = alike(rows, func(row int) string {
		for column := range columns {
			line[column] = cell(row, column)
		}
		return string(line)
	})
	line = make([]byte, len(ofRows))
	ofColumns = alike(columns, func(column int) string {
		for i, members := range ofRows {
			line[i] = cell(members[0], column)
		}
		return string(line)
	})
	return ofRows, ofColumns
}

func alike(n int, key func(int) string) [][]int {
	at := map[string]int{}
	var out [][]int
	for i := range n {
		k := key(i)
		group, seen := at[k]
		if !seen {
			group = len(out)
			at[k] = group
			out = append(out, nil)
		}
		out[group] = append(out[group], i)
	}
	return out
}

func cellOf(v truth.Value) byte { return byte(v + 1) } //nolint:gosec // -1, 0 or 1

// writeJSON writes a value as people and tools read it.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// width is that of a line of text.
const width = 100

// wrapped writes words separated by commas in lines that begin with an indent; what
// stands before the first word counts as written.
func wrapped(b *strings.Builder, indent int, words []string) {
	words = slices.Clone(words)
	for i := range len(words) - 1 {
		words[i] += ","
	}
	spaced(b, indent, words)
}

// spaced writes words as wrapped does, with spaces alone between them.
func spaced(b *strings.Builder, indent int, words []string) {
	column := indent
	for i, word := range words {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	b.WriteString("\n")
}

// some returns words, or the first of them and how many there are more.
func some(words []string, most int) []string {
	if most <= 0 || len(words) <= most+1 {
		return words
	}
	return append(slices.Clone(words[:most]), fmt.Sprintf("and %d more", len(words)-most))
}
