package modules_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ringfence-dev/ringfence/internal/clustertest"
	"github.com/ringfence-dev/ringfence/internal/modeltest"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// randomCases is how many random platforms the properties are held against.
const randomCases = 40

// TestProperties holds access_policies, over random platforms, to what must always
// be so: it makes the objects that the functions make, a second run changes
// nothing, what it doesn't list as changed is as it was, and after the way down
// nothing of the owner's policies is left.
func TestProperties(t *testing.T) {
	succeeded := 0
	for seed := range uint64(randomCases) {
		random := modeltest.Random(rand.New(rand.NewPCG(seed, 1)))
		c := &testCase{archive: &txtar.Archive{Files: []txtar.File{
			{Name: "in/config.yaml", Data: fmt.Appendf(nil, "owner: %s\n", random.Owner)},
			{Name: "in/model.yaml", Data: []byte(random.Model)},
			{Name: "in/environment.yaml", Data: []byte(random.Environment)},
			{Name: "in/resources.yaml", Data: []byte(random.Resources)},
		}}}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			build := c.build(t)
			server, loaded := c.server(t)
			if !loaded || build.failed {
				return
			}
			succeeded++
			before := contents(t, server)
			params := c.params(t, server)
			first := runModule(t, "access_policies", params)
			require.False(t, first.failed, first.msg)
			assert.Equal(t, build.generated, generatedOf(t, server), "the objects are the same bytes")
			for name, content := range contents(t, server) {
				if before[name] != content {
					assert.True(t, slices.ContainsFunc(first.changes, func(change string) bool { return change == "create "+name || change == "update "+name }), "%s changed unsaid", name)
				}
			}
			again := runModule(t, "access_policies", params)
			require.False(t, again.failed, again.msg)
			assert.Empty(t, again.changes, "a second run changes nothing")

			params["state"] = "absent"
			down := runModule(t, "access_policies", params)
			if down.failed { // a foreign deny-all would be left alone over a gateway
				assert.Contains(t, down.msg, "gateway-locked-out")
				return
			}
			for _, o := range server.Objects("AuthorizationPolicy", "PeerAuthentication") {
				assert.NotEqual(t, random.Owner, o.GetLabels()["ringfence.dev/owner"], "%s %s is left", o.GetKind(), o.GetName())
			}
		})
	}
	assert.Greater(t, succeeded, randomCases/2, "most random platforms are right")
}

// contents returns what a cluster holds, by name.
func contents(t *testing.T, server *clustertest.Server) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, o := range server.Objects() {
		text, err := json.Marshal(o.Object)
		require.NoError(t, err)
		out[resource.Ref{Kind: o.GetKind(), Namespace: o.GetNamespace(), Name: o.GetName()}.String()] = string(text)
	}
	return out
}

func faultJSON(tb testing.TB) map[string]any {
	tb.Helper()
	var out map[string]any
	require.NoError(tb, json.Unmarshal([]byte(faultModel), &out))
	return out
}
