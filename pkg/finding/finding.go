// Package finding holds what Ringfence has to say about an input or an object:
// which rule, how grave, what is wrong, where, and what to do about it.
package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Severity is how grave a finding is.
type Severity int

const (
	// Info tells what was done or noticed; nothing is asked of anybody.
	Info Severity = iota
	// Warning asks a person to look. A strict run fails on it.
	Warning
	// Error fails the run: nothing is written.
	Error
)

// String returns the name that the KRM Functions Specification gives s.
func (s Severity) String() string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	default:
		return "info"
	}
}

// Finding is one thing to say. Rule and Message are always set.
type Finding struct {
	Rule     ID
	Severity Severity
	// Message says what is wrong, with the value.
	Message string
	// Remedy says what to do.
	Remedy string
	// File is where it stands, if we read the file ourselves; Line is 1-based, 0 when unknown.
	File string
	Line int
	// Object is the object at fault; its zero value means the input as a whole.
	Object resource.Ref
	// Field is the path within Object, such as "spec.servers[0].hosts".
	Field string
	// Current and Proposed are the field's value, and the one it should have; nil when there is none.
	Current, Proposed any
}

// New returns a finding of the rule's own severity and remedy.
func New(id ID, object resource.Ref, field, format string, args ...any) Finding {
	rule := Catalogue[id]
	return Finding{
		Rule:     id,
		Severity: rule.Severity,
		Message:  fmt.Sprintf(format, args...),
		Remedy:   rule.Remedy,
		Object:   object,
		Field:    field,
	}
}

// WithRemedy returns f with a remedy of its own in place of the rule's.
func (f Finding) WithRemedy(format string, args ...any) Finding {
	f.Remedy = fmt.Sprintf(format, args...)
	return f
}

// WithValues returns f with the field's current and proposed value.
func (f Finding) WithValues(current, proposed any) Finding {
	f.Current, f.Proposed = current, proposed
	return f
}

// In returns f as found in file, at a 1-based line or 0.
func (f Finding) In(file string, line int) Finding {
	f.File, f.Line = file, line
	return f
}

// String renders f on one line without its severity:
// "file:line: Kind ns/name: field: message [rule]; remedy".
func (f Finding) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(f.File)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d", f.Line)
		}
		b.WriteString(": ")
	} else if f.Line > 0 {
		fmt.Fprintf(&b, "line %d: ", f.Line)
	}
	if !f.Object.IsZero() {
		b.WriteString(f.Object.String() + ": ")
	}
	if f.Field != "" {
		b.WriteString(f.Field + ": ")
	}
	b.WriteString(f.Message)
	fmt.Fprintf(&b, " [%s]", f.Rule)
	if f.Remedy != "" {
		b.WriteString("; " + f.Remedy)
	}
	return b.String()
}

// List is findings in the order in which they were made.
type List []Finding

// Add appends findings.
func (l *List) Add(f ...Finding) { *l = append(*l, f...) }

// Failed reports whether any of l is an error.
func (l List) Failed() bool { return l.Count(Error) > 0 }

// Count returns how many of l have the severity.
func (l List) Count(s Severity) int {
	n := 0
	for _, f := range l {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// AtLeast returns those of l with the severity or a graver one.
func (l List) AtLeast(s Severity) List {
	return slices.DeleteFunc(slices.Clone(l), func(f Finding) bool { return f.Severity < s })
}

// Strict returns l with every warning made an error.
func (l List) Strict() List {
	out := slices.Clone(l)
	for i := range out {
		if out[i].Severity == Warning {
			out[i].Severity = Error
		}
	}
	return out
}

// Sorted returns l without repetitions, errors first, then by file, object, field, rule and message.
func (l List) Sorted() List {
	out := slices.Clone(l)
	slices.SortStableFunc(out, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(b.Severity, a.Severity),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			a.Object.Compare(b.Object),
			cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Rule, b.Rule),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.CompactFunc(out, func(a, b Finding) bool {
		return a.Rule == b.Rule && a.Object == b.Object && a.Field == b.Field && a.Message == b.Message && a.File == b.File && a.Line == b.Line
	})
}
