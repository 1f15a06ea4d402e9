package modeltest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/modeltest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

func TestRandomIsValid(t *testing.T) {
	for seed := range uint64(300) {
		c := modeltest.Random(rand.New(rand.NewPCG(seed, 1)))
		require.Equal(t, c, modeltest.Random(rand.New(rand.NewPCG(seed, 1))), "the same seed gives the same case")
		models, findings := model.ParseDocuments("model.yaml", []byte(c.Model))
		environments, more := model.ParseDocuments("environment.yaml", []byte(c.Environment))
		findings.Add(more...)
		require.Empty(t, findings, c.Model+c.Environment)
		request, findings := model.Parse(model.Documents{Models: models, Environments: environments}, v1alpha1.RingfenceSpec{Owner: c.Owner})
		require.Empty(t, findings.AtLeast(finding.Warning), "seed %d:\n%s---\n%s", seed, c.Model, c.Environment)
		require.Equal(t, model.GitOps, request.Owner.Tool)
		decoder := yaml.NewDecoder(strings.NewReader(c.Resources))
		seen := map[string]bool{}
		for {
			var o struct {
				Kind     string
				Metadata struct{ Namespace, Name string }
			}
			if err := decoder.Decode(&o); err != nil {
				require.EqualError(t, err, "EOF")
				break
			}
			key := fmt.Sprint(o)
			require.False(t, seen[key], key)
			seen[key] = true
		}
	}
}
