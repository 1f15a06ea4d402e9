package profileparity_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/functions"
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/modeltest"
)

// randomCases is how many random platforms the property is held against.
const randomCases = 100

// TestAgreesWithTheFunctions renders the archives of the functions' tests, and
// random platforms, by the functions themselves: what they make agrees with the
// input that they make it from.
func TestAgreesWithTheFunctions(t *testing.T) {
	compared := 0
	files, err := filepath.Glob("../../testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		require.NoError(t, err)
		in := map[string]string{}
		for _, section := range archive.Files {
			in[section.Name] = string(section.Data)
		}
		var config v1alpha1.RingfenceSpec
		require.NoError(t, yaml.Unmarshal([]byte(in["in/config.yaml"]), &config))
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			compared += agrees(t, config.Owner, in["in/model.yaml"], in["in/environment.yaml"], in["in/resources.yaml"])
		})
	}
	assert.Greater(t, compared, len(files)/3)

	compared = 0
	for seed := range uint64(randomCases) {
		c := modeltest.Random(rand.New(rand.NewPCG(seed, 2)))
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			compared += agrees(t, c.Owner, c.Model, c.Environment, c.Resources)
		})
	}
	assert.Greater(t, compared, randomCases/2)
}

// agrees returns 1 where there was something to compare.
func agrees(t *testing.T, owner, model, environment, resources string) int {
	t.Helper()
	config := v1alpha1.RingfenceSpec{Owner: owner}
	for _, unit := range functions.Units {
		config.Units = append(config.Units, unit.Name)
	}
	var text, stderr bytes.Buffer
	in := strings.Join([]string{model, environment, resources}, "\n---\n")
	if (krm.Filter{Config: config}).Render("ringfence", functions.Units, krm.Streams{In: strings.NewReader(in), Out: &text, Err: &stderr}) != 0 || text.Len() == 0 {
		return 0
	}
	dir := t.TempDir()
	a := run(t, map[string]any{
		"model": write(t, dir, "model.yaml", model), "environment": write(t, dir, "environment.yaml", environment),
		"owners": []string{owner}, "rendered": []string{write(t, dir, "rendered.yaml", text.String())},
	})
	if len(a.Disagreements) == 1 && a.Disagreements[0].Rule == "parity-nothing" {
		return 0
	}
	assert.False(t, a.Failed, a.Msg)
	assert.Contains(t, []string{a.Profile.Inventory, "unknown"}, a.Profile.Rendered)
	return 1
}
