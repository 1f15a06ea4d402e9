package istio_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	securityv1beta1 "istio.io/api/security/v1beta1"
	"sigs.k8s.io/yaml"

	"os"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/test/istio/random"
)

// istioModule returns the folder of Istio's module.
func istioModule(tb testing.TB) string {
	tb.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "istio.io/istio").Output()
	require.NoError(tb, err)
	return strings.TrimSpace(string(dir))
}

// TestBuilderData compares over the policies of which Istio's own tests build filters.
func TestBuilderData(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(istioModule(t), "pilot/pkg/security/authz/builder/testdata/*/*-in.yaml"))
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	var total tally
	for _, file := range files {
		policies := policiesIn(t, file)
		for _, domains := range [][]string{{"td1"}, {"td1", "cluster.local"}, {"cluster.local", "td1", "foobar"}, {"cluster.local"}} {
			for i, http := range []bool{true, false} {
				s := random.New(*seed + uint64(i))
				pair := newPair(t, policies, authz.Trust{Domains: domains}, http, true)
				for range *requests {
					if !pair.compare(t, s, s.Likely(policies, http), &total) {
						t.Fatalf("%s:\n%s", file, pair)
					}
				}
			}
		}
	}
	t.Logf("%d files: %s; no disagreement", len(files), total)
	assert.Positive(t, total.allowed)
}

func policiesIn(tb testing.TB, file string) []random.Policy {
	tb.Helper()
	data, err := os.ReadFile(file)
	require.NoError(tb, err)
	var out []random.Policy
	for text := range strings.SplitSeq(string(data), "\n---") {
		var object struct {
			Metadata struct {
				Name, Namespace string
				Annotations     map[string]string
			}
			Spec any
		}
		require.NoError(tb, yaml.Unmarshal([]byte(text), &object))
		if object.Metadata.Name == "" {
			continue
		}
		p := random.Policy{
			Namespace: object.Metadata.Namespace, Name: object.Metadata.Name,
			DryRun: object.Metadata.Annotations["istio.io/dry-run"] == "true", Spec: &securityv1beta1.AuthorizationPolicy{},
		}
		spec, err := yaml.Marshal(object.Spec)
		require.NoError(tb, err)
		spec, err = yaml.YAMLToJSON(spec)
		require.NoError(tb, err)
		require.NoError(tb, protojson.Unmarshal(spec, p.Spec))
		out = append(out, p)
	}
	require.NotEmpty(tb, out, file)
	return out
}
