package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/internal/modeltest"
)

// randomCases is how many random platforms the properties are held against.
const randomCases = 50

// TestProperties holds every function, over random platforms, to what must
// always be so: it is deterministic, idempotent and surgical, it loses nothing,
// and the function and the filter give the same objects.
func TestProperties(t *testing.T) {
	succeededRuns := 0
	for seed := range uint64(randomCases) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			c := modeltest.Random(rand.New(rand.NewPCG(seed, 0)))
			in := input{
				config:      fmt.Sprintf("owner: %s\ncomponents: [%s]\n", c.Owner, strings.Join(c.Components, ", ")),
				model:       c.Model,
				environment: c.Environment,
				resources:   c.Resources,
			}
			list := in.list(t)
			for _, unit := range append(units.Names(), "ringfence") {
				first, second := runFunction(t, unit, list), runFunction(t, unit, list)
				require.Equal(t, string(first.output), string(second.output), "%s isn't deterministic", unit)
				if first.exit != succeeded {
					assert.Equal(t, texts(t, list), texts(t, first.output), "%s failed and changed its items", unit)
					if unit != "access-verifier" { // alone it judges what no function has touched yet
						assert.Empty(t, first.findings, "%s refuses what is valid", unit)
					}
					continue
				}
				again := runFunction(t, unit, first.output)
				require.Equal(t, succeeded, again.exit, "%s refuses its own output: %s", unit, again.stderr)
				require.Empty(t, changes(t, first.output, again.output), "%s isn't idempotent", unit)
				assertSurgical(t, unit, list, first.output)
				if unit == "ringfence" {
					succeededRuns++
					assertFilterAgrees(t, c, first.output)
				}
			}
		})
	}
	assert.Greater(t, succeededRuns, randomCases/2, "most random builds are right")
}

// assertSurgical checks that what a function reports is all that it changed.
func assertSurgical(t *testing.T, unit string, before, after []byte) {
	t.Helper()
	document, err := manifest.ReadList(after)
	require.NoError(t, err)
	touched := map[string]bool{}
	for _, result := range results(t, after) {
		if result.Tags["rule"] == "object-written" {
			touched[fmt.Sprint(result.ResourceRef.Kind, "/", result.ResourceRef.Namespace, "/", result.ResourceRef.Name)] = true
		}
	}
	known := texts(t, before)
	for _, item := range document.Items() {
		ref := item.Ref()
		if !slices.Contains(known, string(item.Text())) {
			assert.True(t, touched[fmt.Sprint(ref.Kind, "/", ref.Namespace, "/", ref.Name)], "%s changed %s and doesn't say so", unit, ref)
		}
	}
}

// assertFilterAgrees checks that the filter makes the objects that the function made.
func assertFilterAgrees(t *testing.T, c modeltest.Case, output []byte) {
	t.Helper()
	in := input{config: "owner: " + c.Owner, model: c.Model, environment: c.Environment, resources: c.Resources}
	status, stdout, stderr := renderFiles(t, in)
	require.Equal(t, succeeded, status, stderr)
	list, err := manifest.ReadList(output)
	require.NoError(t, err)
	stream, err := manifest.ReadStream([]byte(stdout))
	require.NoError(t, err)
	assert.Equal(t, canonical(t, list), canonical(t, stream))
}

// canonical returns the objects of a document, sorted, as JSON.
func canonical(t *testing.T, document *manifest.Document) []string {
	t.Helper()
	items := document.Items()
	slices.SortStableFunc(items, func(a, b *manifest.Item) int { return a.Ref().Compare(b.Ref()) })
	var out []string
	for _, item := range items {
		content, err := item.Decode()
		require.NoError(t, err)
		data, err := json.Marshal(content)
		require.NoError(t, err)
		out = append(out, string(data))
	}
	return out
}
