package tenantpolicy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHoldApplication(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ reason, config, want string }{
		"none":          {"there was no annotation", "", "holdApplicationUntilProxyStarts: true"},
		"empty-mapping": {"nothing to keep", "{}", "holdApplicationUntilProxyStarts: true"},
		"block": {
			"what is there stays, in its order", "concurrency: 2\nproxyMetadata:\n  B: \"1\"\n  A: x\n",
			"concurrency: 2\nproxyMetadata:\n  B: \"1\"\n  A: x\nholdApplicationUntilProxyStarts: true\n",
		},
		"no-newline":      {"none is added", "concurrency: 2", "concurrency: 2\nholdApplicationUntilProxyStarts: true"},
		"json":            {"JSON stays JSON", `{"concurrency": 2}`, `{"concurrency": 2, "holdApplicationUntilProxyStarts": true}`},
		"flow":            {"as its neighbours", `{concurrency: 2}`, `{concurrency: 2, holdApplicationUntilProxyStarts: true}`},
		"true":            {"byte for byte", "{ holdApplicationUntilProxyStarts:  true }  # yes", "{ holdApplicationUntilProxyStarts:  true }  # yes"},
		"yes":             {"YAML 1.1's true, which Istio reads", "holdApplicationUntilProxyStarts: yes\n", "holdApplicationUntilProxyStarts: yes\n"},
		"snake-case":      {"Istio reads this too, and refuses both together", "hold_application_until_proxy_starts: true", "hold_application_until_proxy_starts: true"},
		"snake-case-off":  {"under the name that is there", "hold_application_until_proxy_starts: false", "hold_application_until_proxy_starts: true"},
		"false":           {"it is switched on", "holdApplicationUntilProxyStarts: false\nconcurrency: 2\n", "holdApplicationUntilProxyStarts: true\nconcurrency: 2\n"},
		"a-string":        {"Istio wants a boolean", `holdApplicationUntilProxyStarts: "true"`, "holdApplicationUntilProxyStarts: true"},
		"comments":        {"they may go, and stay where they can", "# why\nconcurrency: 2 # two\n", "# why\nconcurrency: 2 # two\nholdApplicationUntilProxyStarts: true\n"},
		"only-a-comment":  {"it says nothing", "# nothing", "holdApplicationUntilProxyStarts: true"},
		"long-flow-lines": {"nothing is folded", `{a: "` + long + `"}`, `{a: "` + long + `", holdApplicationUntilProxyStarts: true}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := holdApplication(test.config)
			require.NoError(t, err, test.reason)
			assert.Equal(t, test.want, got, test.reason)
			again, err := holdApplication(got)
			require.NoError(t, err)
			assert.Equal(t, got, again, "a second time changes nothing")
		})
	}
}

const long = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
