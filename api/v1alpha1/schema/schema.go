// Package schema holds the JSON Schemas (draft 7) of the documents of
// ringfence.dev/v1alpha1, for editors and other checkers. They are generated
// from the wire types, and say less than parsing does: references, hosts and
// names that must be unique are beyond them.
package schema

import (
	"embed"
	"slices"
	"strings"
)

//go:generate go run ../../../internal/schemagen .. .

//go:embed *.schema.json
var files embed.FS

const suffix = ".schema.json"

// Names returns the names of the schemas: the kinds in lower case, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // an embedded folder can be read
	}
	out := make([]string, 0, len(entries))
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), suffix))
	}
	slices.Sort(out)
	return out
}

// Of returns the schema of a kind, whatever the case of its letters, and whether there is one.
func Of(kind string) ([]byte, bool) {
	data, err := files.ReadFile(strings.ToLower(kind) + suffix)
	return data, err == nil
}
