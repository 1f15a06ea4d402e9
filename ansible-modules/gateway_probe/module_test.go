package gatewayprobe

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

func TestWithoutModel(t *testing.T) {
	gateway := at(t, "edge", listen(t, "shop.example.org", "127.0.0.1"), object{"hosts": []string{"Shop.example.org."}})
	port := gateway["port"]
	withPort := fmt.Sprintf("accepted-with-port shop.example.org:%d", port)
	cases := map[string]struct {
		reason string
		more   object // of the gateway
		args   object
		checks []string
	}{
		"three-requests": {
			"the matrix", nil, nil,
			[]string{"accepted shop.example.org", withPort, "rejected rejected.invalid"},
		},
		"enforced-profile": {
			"an inventory says so", nil, object{"security_profile": "enforced"},
			[]string{"accepted shop.example.org", withPort, "rejected rejected.invalid"},
		},
		"other-ports": {
			"clients write others", object{"host_ports": []int{443, 80}}, nil,
			[]string{"accepted shop.example.org", "accepted-with-port shop.example.org:443", "accepted-with-port shop.example.org:80", "rejected rejected.invalid"},
		},
		"no-ports": {
			"an empty list is a list", object{"host_ports": []int{}}, nil,
			[]string{"accepted shop.example.org", "rejected rejected.invalid"},
		},
		"other-rejected-host": {
			"a platform has its own", nil, object{"rejected_host": "nobody.example.org"},
			[]string{"accepted shop.example.org", withPort, "rejected nobody.example.org"},
		},
		"everything": {
			"as told", object{"readiness": true, "readiness_port": port, "metrics_port": port, "url": fmt.Sprintf("http://127.0.0.1:%d/", port)}, nil,
			[]string{"accepted shop.example.org", withPort, "rejected rejected.invalid", "readiness ", "metrics ", "url "},
		},
		"gateway-says-before-task": {
			"the nearest counts", object{"expect_rejection": true}, object{"expect_rejection": false},
			[]string{"accepted shop.example.org", withPort, "rejected rejected.invalid"},
		},
		"task-says-before-profile": {
			"it was told", nil, object{"expect_rejection": true, "security_profile": "open"},
			[]string{"accepted shop.example.org", withPort, "rejected rejected.invalid"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			args := object{"gateways": []any{merged(gateway, c.more)}, "retries": 0}
			out := call(t, merged(args, c.args))
			require.Equal(t, false, out["failed"], "%s: %v", c.reason, out["msg"])
			assert.Equal(t, true, out["passed"])
			assert.Equal(t, c.checks, checks(t, out, 0), c.reason)
			assert.Equal(t, true, entry(t, out, 0)["ok"])
		})
	}
}

// TestProfiles: what is wanted of an unknown host follows the profile, both ways.
func TestProfiles(t *testing.T) {
	open, scoped := listen(t), listen(t, "shop.example.org")
	cases := map[string]struct {
		gateway, profile string
		says             string // of the failure; empty: it passes
	}{
		"enforced-and-scoped":   {scoped, "enforced", ""},
		"enforced-and-open":     {open, "enforced", "gateway edge: rejected: rejected.invalid got 200 from the application: the policy is missing, admits every host"},
		"open-and-open":         {open, "open", ""},
		"permissive-and-open":   {open, "permissive", ""},
		"open-and-scoped":       {scoped, "open", "gateway edge: not-rejected: rejected.invalid got 403 \"RBAC: access denied\" from the gateway: a policy is still alive"},
		"permissive-and-scoped": {scoped, "permissive", "a policy is still alive"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for way, args := range map[string]object{
				"profile": {"security_profile": c.profile},
				"told":    {"expect_rejection": c.profile == "enforced"},
				"model":   {"model": document(t, accessModel), "environment": document(t, strings.Replace(environment, "enforced", c.profile, 1))},
			} {
				gateway := at(t, "edge", c.gateway, object{"hosts": []string{"shop.example.org"}})
				out := call(t, merged(args, object{"gateways": []any{gateway}, "retries": 0}))
				assert.Equal(t, c.says == "", out["passed"], "%s: %v", way, out["msg"])
				assert.Contains(t, out["msg"], c.says)
				assert.Equal(t, c.profile == "enforced", entry(t, out, 0)["expect_rejection"])
			}
		})
	}
}

// TestModel: hosts, ports, profiles and absent gateways come from the model.
func TestModel(t *testing.T) {
	edge, wild := listen(t, "shop.example.org"), listen(t, "probe.example.net")
	args := object{
		"model": document(t, accessModel), "environment": document(t, environment), "retries": 0,
		"gateways": []any{
			at(t, "edge", edge, nil), at(t, "wild", wild, nil), object{"name": "gone"},
			at(t, "identity", listen(t), nil), merged(at(t, "edge", edge, nil), object{"deployed": "no", "address": nil}),
		},
	}
	out := call(t, args)
	require.Equal(t, false, out["failed"], out["msg"])
	assert.Equal(t, "3 of 5 gateways are deployed here, and all 9 checks passed", out["msg"])
	port := entryPort(t, edge)
	assert.Equal(t, []string{"accepted shop.example.org", "accepted-with-port shop.example.org:" + port, "rejected rejected.invalid"}, checks(t, out, 0))
	assert.Equal(t, []string{"accepted probe.example.net", "accepted-with-port probe.example.net:8443", "rejected rejected.invalid"}, checks(t, out, 1),
		"a wildcard admits the ports that are listed and no other")
	assert.Equal(t, object{"name": "gone", "deployed": false, "skipped_reason": `environment "staging" doesn't have it`, "checks": []any{}}, entry(t, out, 2))
	assert.Contains(t, checks(t, out, 3), "not-rejected rejected.invalid", "it has no host policy of ours")
	assert.Equal(t, object{"name": "edge", "deployed": false, "skipped_reason": "the task says that it isn't deployed", "checks": []any{}}, entry(t, out, 4))

	t.Run("check-mode-is-the-same", func(t *testing.T) {
		again := call(t, merged(args, object{"_ansible_check_mode": true, "_ansible_diff": true}))
		assert.Equal(t, out["msg"], again["msg"])
		assert.NotContains(t, again, "diff")
	})
	t.Run("strict-is-about-the-input-too", func(t *testing.T) {
		strict := call(t, merged(args, object{"strict": true, "security_profile": "permissive"}))
		assert.Equal(t, true, strict["failed"])
		assert.Contains(t, strict["msg"], "security_profile")
	})
}

// TestNotDeployed: a gateway that isn't there is no failure, and needs neither an address nor a host.
func TestNotDeployed(t *testing.T) {
	out := call(t, object{
		"gateways": []any{object{"name": "gone", "deployed": false}, object{"name": "edge", "deployed": "false"}},
		"model":    document(t, accessModel), "security_profile": "enforced", // its hosts are nowhere
	})
	assert.Equal(t, false, out["failed"], out["msg"])
	assert.Equal(t, true, out["passed"])
	assert.Equal(t, "none of the gateways is deployed here", out["skipped_reason"])
	assert.Len(t, out["gateways"], 2)
}

// TestFailuresComeTogether: one gateway that fails keeps no other from being asked.
func TestFailuresComeTogether(t *testing.T) {
	hosts := object{"hosts": []string{"shop.example.org"}}
	out := call(t, object{"retries": 1, "delay": 0.01, "gateways": []any{
		at(t, "open", listen(t), hosts), at(t, "down", "http://127.0.0.1:1", hosts), at(t, "scoped", listen(t, "shop.example.org"), hosts),
	}})
	assert.Equal(t, true, out["failed"])
	assert.Equal(t, false, out["passed"])
	lines := strings.Split(as[string](t, out["msg"]), "\n")
	require.Len(t, lines, 5, "a line for each failure: %s", out["msg"])
	assert.Equal(t, "4 of 9 checks failed:", lines[0])
	assert.Contains(t, lines[1], "gateway open: rejected: rejected.invalid got 200")
	for _, line := range lines[2:] {
		assert.Regexp(t, `^gateway down: .*connection refused: .*look at`, line)
	}
	for i, ok := range []bool{false, false, true} {
		assert.Equal(t, ok, entry(t, out, i)["ok"])
	}
	down := check(t, out, 1, 0)
	assert.Equal(t, "unreachable", down["answer"])
	assert.InDelta(t, 2, down["attempts"], 0, "it was tried again")
	assert.InDelta(t, 0, down["status"], 0)
	assert.Greater(t, down["duration"], 0.0)
}

// TestSecrets: headers are sent, and are nowhere in the output, though the application repeats them.
func TestSecrets(t *testing.T) {
	gateway := at(t, "edge", listen(t, "shop.example.org"), object{"hosts": []string{"shop.example.org"}})
	out := call(t, object{"gateways": []any{gateway}, "headers": object{"authorization": "Bearer s3cr3t-token"}, "_ansible_verbosity": 4})
	require.Equal(t, false, out["failed"], out["msg"])
	text, err := json.Marshal(out)
	require.NoError(t, err)
	assert.NotContains(t, string(text), "s3cr3t")
	rejected := check(t, out, 0, 2)
	assert.Equal(t, "RBAC: access denied", rejected["body"], "Envoy's own texts are shown")
}

// TestWarning: what the checks could not tell is a warning, and an error where the task is strict.
func TestWarning(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	args := object{"gateways": []any{at(t, "edge", server.URL, object{"hosts": []string{"shop.example.org"}})}, "expect_rejection": false}
	out := call(t, args)
	assert.Equal(t, true, out["passed"])
	require.Len(t, out["warnings"], 1)
	assert.Contains(t, as[[]any](t, out["warnings"])[0], "gateway edge: no answer of the application carries")
	out = call(t, merged(args, object{"strict": true}))
	assert.Equal(t, true, out["failed"])
	assert.Contains(t, out["msg"], "0 of 3 checks failed, with 1 warnings:\ngateway edge: no answer")
}

// TestInterrupted: a run that is stopped says what was found until then, and is no success.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() }))
	t.Cleanup(server.Close)
	gateway := at(t, "edge", server.URL, object{"deployed": true, "scheme": "http", "path": "/", "method": "GET", "hosts": []any{"shop.example.org"}})
	gateway["port"] = int64(as[int](t, gateway["port"]))
	result, err := Module.Run(ctx, &ansible.Call{Params: object{
		"gateways": []any{gateway, gateway}, "rejected_host": "rejected.invalid", "timeout": 5.0, "successes": int64(1),
	}})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "probing gateway edge")
	assert.Equal(t, false, result.Values["passed"])
	gateways := as[[]any](t, result.Values["gateways"])
	require.Len(t, gateways, 1, "the other one was not asked")
	assert.Equal(t, false, as[object](t, gateways[0])["ok"])
}
