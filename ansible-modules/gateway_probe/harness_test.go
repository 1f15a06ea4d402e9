package gatewayprobe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

type object = map[string]any

// call runs the module as Ansible does.
func call(tb testing.TB, args object) object {
	tb.Helper()
	text, err := json.Marshal(args)
	require.NoError(tb, err)
	file := filepath.Join(tb.TempDir(), "args")
	require.NoError(tb, os.WriteFile(file, text, 0o600))
	var stdout bytes.Buffer
	status := ansible.Main([]ansible.Module{Module}, []string{"AnsiballZ_gateway_probe", file}, &stdout)
	var out object
	require.NoError(tb, json.Unmarshal(stdout.Bytes(), &out), stdout.String())
	require.Equal(tb, status != 0, out["failed"], stdout.String())
	require.Equal(tb, false, out["changed"], "it only reads")
	return out
}

// at returns the entry of a list of gateways for one at a URL.
func at(tb testing.TB, name, address string, more object) object {
	tb.Helper()
	u, err := url.Parse(address)
	require.NoError(tb, err)
	port, err := strconv.Atoi(u.Port())
	require.NoError(tb, err)
	out := object{"name": name, "address": u.Hostname(), "port": port}
	return merged(out, more)
}

// listen serves as a gateway that admits requests for some hosts, with any port or none.
// Without any it admits all.
func listen(tb testing.TB, hosts ...string) string {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Server", "istio-envoy")
		host, _, _ := strings.Cut(r.Host, ":")
		if len(hosts) > 0 && !slices.Contains(hosts, host) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, "RBAC: access denied")
			return
		}
		w.Header().Set("X-Envoy-Upstream-Service-Time", "1")
		_, _ = io.WriteString(w, "# TYPE welcome gauge, "+r.Header.Get("Authorization"))
	}))
	tb.Cleanup(server.Close)
	return server.URL
}

const accessModel = `apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata: {name: shop}
spec:
  owners: [{name: shop, tool: GitOps}, {name: role, tool: Ansible}]
  gateways:
  - {name: edge, owner: role, serviceAccountName: edge, hostRefs: [shop]}
  - {name: wild, owner: shop, serviceAccountName: wild, hostRefs: [wild], hostPorts: [8443]}
  - {name: gone, owner: role, serviceAccountName: gone, hostRefs: [shop]}
  - {name: identity, owner: role, serviceAccountName: identity, hostPolicy: None, hostRefs: [shop]}
`

const environment = `apiVersion: ringfence.dev/v1alpha1
kind: Environment
metadata: {name: staging}
spec:
  tier: staging
  securityProfile: enforced
  absent: {gateways: [gone]}
  dns: {shop: [shop.example.org], wild: ["*.example.net"]}
`

func document(tb testing.TB, text string) object {
	tb.Helper()
	var out object
	require.NoError(tb, yaml.Unmarshal([]byte(text), &out))
	return out
}

// checks returns what is asked of the gateway of an index: "check host".
func checks(tb testing.TB, out object, gateway int) []string {
	tb.Helper()
	var got []string
	for _, c := range as[[]any](tb, entry(tb, out, gateway)["checks"]) {
		c := as[object](tb, c)
		got = append(got, fmt.Sprintf("%s %s", c["check"], c["host"]))
	}
	return got
}

func entry(tb testing.TB, out object, gateway int) object {
	tb.Helper()
	return as[object](tb, as[[]any](tb, out["gateways"])[gateway])
}

func check(tb testing.TB, out object, gateway, check int) object {
	tb.Helper()
	return as[object](tb, as[[]any](tb, entry(tb, out, gateway)["checks"])[check])
}

// as returns a value of a result as the type that it must have.
func as[T any](tb testing.TB, value any) T {
	tb.Helper()
	out, ok := value.(T)
	require.True(tb, ok, "%v is of type %T", value, value)
	return out
}

func merged(a, b object) object {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func entryPort(tb testing.TB, at string) string {
	tb.Helper()
	u, err := url.Parse(at)
	require.NoError(tb, err)
	return u.Port()
}
