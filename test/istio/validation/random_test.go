package validation_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/functions"
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/modeltest"
)

// TestRandom asks the judges about what the functions make of random platforms.
func TestRandom(t *testing.T) {
	const platforms = 1000
	j := newJudges(t)
	made := 0
	for seed := range uint64(platforms) {
		for _, o := range answer(t, modeltest.Random(rand.New(rand.NewPCG(seed, 0)))) {
			made++
			for _, complaint := range j.judge(o) {
				t.Errorf("seed %d: %s\n%s", seed, complaint, o.text)
			}
		}
	}
	t.Logf("%d objects", made)
	assert.Greater(t, made, platforms)
}

// answer returns the Istio objects of a build after the functions ran; none if they refuse the build.
func answer(tb testing.TB, c modeltest.Case) []object {
	tb.Helper()
	spec := map[string]any{"owner": c.Owner, "components": c.Components}
	for name, text := range map[string]string{"model": c.Model, "environment": c.Environment} {
		document := map[string]any{}
		require.NoError(tb, yaml.Unmarshal([]byte(text), &document))
		delete(document, "apiVersion")
		delete(document, "kind")
		spec[name] = document
	}
	var items []any
	for _, document := range documents(tb, []byte(c.Resources)) {
		var item map[string]any
		require.NoError(tb, yaml.Unmarshal(document, &item))
		items = append(items, item)
	}
	list, err := yaml.Marshal(map[string]any{
		"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items,
		"functionConfig": map[string]any{
			"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.KindRingfence,
			"metadata": map[string]any{"name": "config"}, "spec": spec,
		},
	})
	require.NoError(tb, err)
	var stdout, stderr bytes.Buffer
	if krm.Function("ringfence", functions.Units, krm.Streams{In: bytes.NewReader(list), Out: &stdout, Err: &stderr}) != 0 {
		return nil
	}
	var output struct {
		Items []map[string]any `json:"items"`
	}
	require.NoError(tb, yaml.Unmarshal(stdout.Bytes(), &output))
	var texts []string
	for _, item := range output.Items {
		text, err := yaml.Marshal(item)
		require.NoError(tb, err)
		texts = append(texts, string(text))
	}
	return istioObjects(tb, fmt.Sprintf("owner %s", c.Owner), []byte(strings.Join(texts, "---\n")))
}
