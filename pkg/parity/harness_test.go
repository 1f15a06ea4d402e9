package parity_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/rendered"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/parity"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// inventory is what the tests' inventory says beside the exceptions of a case.
var inventory = model.Inventory{
	SecurityProfile: "enforced",
	DNS:             map[string][]string{"web": {"web.example.org"}, "service": {"service.example.org"}, "unused": {"no host"}},
}

// testCase changes one thing in an environment where inventory and GitOps agree.
type testCase struct {
	reason string
	// inventory and model change what is compared with, environment is further text of an Environment's spec.
	inventory   func(*model.Inventory)
	model       []edit
	environment string
	options     parity.Options
	// rendered changes what is rendered; add is rendered in a file of its own.
	rendered []edit
	add      string
	// profile is what is inferred, "enforced" where it is empty.
	profile string
	// want are the findings: "rule Kind namespace/name field".
	want []string
	// says are parts of the findings' texts.
	says []string
}

// edit is one change of a text. What is to be changed stands there once; an edit
// without new text takes out the document that the old one is a part of.
type edit struct{ from, to string }

func without(part string) edit { return edit{from: part} }

func edited(tb testing.TB, text string, edits []edit) string {
	tb.Helper()
	for _, e := range edits {
		require.Equal(tb, 1, strings.Count(text, e.from), "%q stands there once", e.from)
		if e.to != "" {
			text = strings.Replace(text, e.from, e.to, 1)
			continue
		}
		var kept []string
		for document := range strings.SplitSeq(text, "\n---\n") {
			if !strings.Contains(document, e.from) {
				kept = append(kept, document)
			}
		}
		text = strings.Join(kept, "\n---\n")
	}
	return text
}

func testdata(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(tb, err)
	return string(text)
}

func (c testCase) platform(tb testing.TB) *model.Platform {
	tb.Helper()
	values := inventory
	values.DNS = maps.Clone(inventory.DNS)
	if c.inventory != nil {
		c.inventory(&values)
	}
	documents := model.Documents{Inventory: &values}
	models, findings := model.ParseDocuments("model.yaml", []byte(edited(tb, testdata(tb, "model.yaml"), c.model)))
	require.Empty(tb, findings)
	documents.Models = models
	if c.environment != "" {
		text := "apiVersion: ringfence.dev/v1alpha1\nkind: Environment\nmetadata: {name: test}\nspec:\n  tier: staging\n" + c.environment
		documents.Environments, findings = model.ParseDocuments("environment.yaml", []byte(text))
		require.Empty(tb, findings)
	}
	platform, findings := model.ParseUnion(documents)
	require.False(tb, findings.Failed(), "%v", findings)
	return platform
}

func (c testCase) set(tb testing.TB) *resource.Set {
	tb.Helper()
	dir := tb.TempDir()
	require.NoError(tb, os.WriteFile(filepath.Join(dir, "rendered.yaml"), []byte(edited(tb, testdata(tb, "rendered.yaml"), c.rendered)), 0o600))
	require.NoError(tb, os.WriteFile(filepath.Join(dir, "add.yaml"), []byte(c.add), 0o600))
	set, err := rendered.DefaultLimits.Read(dir)
	require.NoError(tb, err)
	return set
}

// short renders a finding without its words.
func short(f finding.Finding) string {
	words := []string{string(f.Rule)}
	if !f.Object.IsZero() {
		words = append(words, f.Object.String())
	}
	if f.Field != "" {
		words = append(words, f.Field)
	}
	return strings.Join(words, " ")
}

func check(t *testing.T, cases map[string]testCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			report := parity.Check(c.platform(t), c.set(t), c.options)
			var got []string
			text := ""
			for _, f := range report.Findings {
				got = append(got, short(f))
				text += f.String() + "\n"
				assert.NotEmpty(t, f.Message)
				assert.NotEmpty(t, f.Remedy, "a person has to know what to do")
			}
			assert.ElementsMatch(t, c.want, got, "%s\n%s", c.reason, text)
			for _, part := range c.says {
				assert.Contains(t, text, part, c.reason)
			}
			profile := c.profile
			if profile == "" {
				profile = "enforced"
			}
			assert.Equal(t, profile, report.Profile.Rendered, c.reason)
		})
	}
}
