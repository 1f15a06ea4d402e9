package main

import (
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	schemas "github.com/ringfence-dev/ringfence/api/v1alpha1/schema"
)

func TestSchemasAreFresh(t *testing.T) {
	files, err := generate(os.DirFS("../../api/v1alpha1"))
	require.NoError(t, err)
	var names []string
	for _, name := range schemas.Names() {
		names = append(names, name+".schema.json")
	}
	assert.Len(t, names, len(files))
	for name, want := range files {
		got, err := os.ReadFile("../../api/v1alpha1/schema/" + name)
		require.NoError(t, err)
		assert.Contains(t, names, name)
		assert.Equal(t, string(want), string(got), "run go generate ./...")
	}
}

func TestRefuses(t *testing.T) {
	for name, c := range map[string]struct{ reason, field, want string }{
		"no-comment":     {"the comment is the description", "A string `json:\"a\"`", "it has no comment"},
		"unknown-rule":   {"a misspelt rule would be none", "// A.\n// +enums=a\nA string `json:\"a\"`", `reading rule "enums=a": there is no such rule`},
		"unknown-format": {"a misspelt format would be none", "// A.\n// +format=dns\nA string `json:\"a\"`", `reading rule "format=dns": there is no such format`},
		"bad-number":     {"a number", "// A.\n// +minItems=x\nA []string `json:\"a\"`", `reading rule "minItems=x": strconv.Atoi: parsing "x": invalid syntax`},
		"unknown-type":   {"it is declared elsewhere", "// A.\nA time.Time `json:\"a\"`", "no schema for a Go type of this form: *ast.SelectorExpr"},
		"missing-type":   {"it is declared nowhere", "// A.\nA Nothing `json:\"a\"`", "there is no type Nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			source := "package a\n// AccessModel is one.\ntype AccessModel struct {\n" + c.field + "\n}\n"
			_, err := generate(fstest.MapFS{"a.go": {Data: []byte(source)}})
			require.ErrorContains(t, err, c.want, c.reason)
		})
	}
}
