package envoy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// result is what the module returns.
type result struct {
	Failed   bool
	Passed   bool
	Msg      string
	Warnings []string
	Gateways []struct {
		Name          string
		Deployed      bool
		OK            bool
		SkippedReason string `json:"skipped_reason"`
		Checks        []struct {
			Check, Host, Answer, Reason string
			OK                          bool
			Status, Attempts            int
		}
	}
}

// probe runs the module as a playbook's own library/ holds it.
func probe(tb testing.TB, args object) result {
	tb.Helper()
	text, err := json.Marshal(args)
	require.NoError(tb, err)
	file := filepath.Join(tb.TempDir(), "args")
	require.NoError(tb, os.WriteFile(file, text, 0o600))
	command := exec.Command(built(tb, "library", "out", "library", "gateway_probe"), file)
	command.Env = append(os.Environ(), "HTTP_PROXY=http://127.0.0.1:1", "NO_PROXY=")
	stdout, err := command.Output()
	var out result
	require.NoError(tb, json.Unmarshal(stdout, &out), "%s (%v)", stdout, err)
	return out
}

// at is an entry of the module's list of gateways.
func at(name string, port int, more object) object {
	out := object{"name": name, "address": "127.0.0.1", "port": port, "hosts": []string{host}}
	maps.Copy(out, more)
	return out
}

// TestMatrix asks every gateway, in the profile that has a policy and in one that has none.
func TestMatrix(t *testing.T) {
	e := listening(t)
	old := oldProxy(t, e.ports["enforced"])
	tls := object{"scheme": "https"}
	cases := map[string]struct {
		gateway string
		port    int // other than the gateway's own
		more    object
		// enforced and open are the checks that fail where the host policy is wanted, and where it isn't.
		enforced, open []string
	}{
		"scoped":             {gateway: "enforced", open: []string{"rejected.invalid got 403 \"RBAC: access denied\" from the gateway: a policy is still alive"}},
		"scoped-404":         {gateway: "enforced", more: object{"path": "/404/no%20such%20page"}, open: []string{"still alive"}},
		"scoped-tls":         {gateway: "tls", more: tls, open: []string{"still alive"}},
		"no-policy":          {gateway: "open", enforced: []string{"rejected.invalid got 404 from the gateway, which has no route for it: it is unknown and yet not denied"}},
		"no-policy-wildcard": {gateway: "open-wildcard", enforced: []string{"rejected.invalid got 200 from the application: the policy is missing, admits every host"}},
		"application-denies": {
			gateway: "open-wildcard", more: object{"path": "/403/not%20yours"},
			enforced: []string{"rejected.invalid got 403 from the application or an external authorization: the policy is missing"},
		},
		"backend-denies": {
			gateway: "backend-denies",
			enforced: []string{
				"got 403 \"RBAC: access denied\" from the application's own proxy: the gateway admits the host", ":PORT got 403",
				"rejected.invalid got 403 \"RBAC: access denied\" from the application's own proxy: the request passed the gateway",
			},
			open: []string{"the gateway admits the host", ":PORT got 403"},
		},
		"backend-drains": {
			gateway: "backend-drains", enforced: []string{"got 503 \"no healthy upstream\" from the application", ":PORT got 503"},
			open: []string{"got 503", ":PORT got 503", "still alive"},
		},
		"wildcard": {
			gateway: "wildcard", more: object{"hosts": []string{"*.example.org"}, "host_ports": []int{8443}},
			open: []string{"still alive"},
		},
		"wildcard-other-port": {
			gateway: "wildcard", more: object{"hosts": []string{"*.example.org"}, "host_ports": []int{30080}},
			enforced: []string{"probe.example.org:30080 got 403 \"RBAC: access denied\" from the gateway: its policies don't admit this host"},
			open:     []string{"probe.example.org:30080 got 403", "still alive"},
		},
		"host-without-port": {
			gateway: "host-without-port", enforced: []string{":PORT got 403 \"RBAC: access denied\" from the gateway: its policies don't admit"},
			open: []string{":PORT got 403", "still alive"},
		},
		"nobody": {
			gateway: "nobody", enforced: []string{"accepted: app.example.org got 403", ":PORT got 403"},
			open: []string{"got 403", ":PORT got 403", "still alive"},
		},
		"no-route": {
			gateway: "no-route", enforced: []string{"got 404 from the gateway, which has no route for it: no VirtualService", ":PORT got 404"},
			open: []string{"got 404", ":PORT got 404", "still alive"},
		},
		"no-endpoint": {
			gateway: "no-endpoint", enforced: []string{"got 503 \"no healthy upstream\" from the gateway", ":PORT got 503"},
			open: []string{"got 503", ":PORT got 503", "still alive"},
		},
		"refused": {
			gateway: "refused", enforced: []string{"got 503 \"upstream connect error or disconnect/reset before headers.", ":PORT got 503"},
			open: []string{"got 503", ":PORT got 503", "still alive"},
		},
		"no-cluster": {
			gateway: "no-cluster", enforced: []string{"got 503 from the gateway", ":PORT got 503"},
			open: []string{"got 503", ":PORT got 503", "still alive"},
		},
		"redirect":       {gateway: "redirect", open: []string{"still alive"}},
		"login":          {gateway: "login", more: object{"path": "/302"}, open: []string{"still alive"}},
		"login-narrow":   {gateway: "login-narrow", more: object{"path": "/401"}, open: []string{"still alive"}},
		"login-any-host": {gateway: "login-any-host", more: object{"path": "/302"}, enforced: []string{"rejected.invalid got 302 from the application or an external authorization: the policy is missing"}},
		"login-unreachable": {
			gateway: "login-unreachable", enforced: []string{"got 403 from the gateway: no policy of hosts says that", ":PORT got 403"},
			open: []string{"got 403", ":PORT got 403", "still alive"},
		},
		"token": {gateway: "token", enforced: []string{"rejected.invalid got 401 from an authentication before the application: it was asked before the policy of hosts"}},
		"http10": {
			gateway: "enforced", port: old, enforced: []string{"got 426 \"Upgrade Required\"", ":PORT got 426", "rejected.invalid got 426"},
			open: []string{"got 426", ":PORT got 426", "rejected.invalid got 426 \"Upgrade Required\" from the gateway: the request reached it as HTTP/1.0"},
		},
		"plain-for-tls": {
			gateway: "tls", enforced: []string{"got no answer", "got no answer", "rejected.invalid got no answer"},
			open: []string{"got no answer", "got no answer", "rejected.invalid got no answer"},
		},
		"tls-for-plain": {
			gateway: "enforced", more: tls, enforced: []string{"got no answer", "got no answer", "rejected.invalid got no answer: tls: first record"},
			open: []string{"got no answer", "got no answer", "rejected.invalid got no answer"},
		},
		"hidden":        {gateway: "hidden", open: []string{"still alive"}},
		"wrong-address": {port: 1, enforced: []string{"connection refused", "connection refused", "connection refused"}, open: []string{"connection refused", "connection refused", "connection refused"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			port := e.ports[c.gateway]
			if c.port != 0 {
				port = c.port
			}
			for profile, failures := range map[string][]string{"enforced": c.enforced, "open": c.open} {
				out := probe(t, object{
					"gateways": []object{at(name, port, c.more)}, "security_profile": profile, "retries": 0, "validate_certs": false,
				})
				assert.Equal(t, len(failures) == 0, out.Passed, "%s: %s", profile, out.Msg)
				assert.Equal(t, !out.Passed, out.Failed)
				lines := strings.Split(out.Msg, "\n")[1:]
				if assert.Len(t, lines, len(failures), "%s: %s", profile, out.Msg) {
					for i, says := range failures {
						assert.Contains(t, lines[i], strings.ReplaceAll(says, "PORT", fmt.Sprint(port)), profile)
					}
				}
				assert.Equal(t, c.gateway == "hidden", len(out.Warnings) > 0, "%s: %v", profile, out.Warnings)
			}
		})
	}
}

// oldProxy is a proxy that speaks HTTP/1.0 to a gateway, as nginx does unless it is told otherwise.
func oldProxy(tb testing.TB, port int) int {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close() //nolint:errcheck // the client closed it first, or not
				if err := relay(conn, port); err != nil {
					write(conn, "HTTP/1.1 500 Internal Server Error\r\n\r\n"+err.Error())
				}
			}()
		}
	}()
	return portOf(tb, "http://"+listener.Addr().String())
}

// relay sends one request on, as HTTP/1.0 knows it, and the answer back.
func relay(client net.Conn, port int) error {
	request, err := http.ReadRequest(bufio.NewReader(client))
	if err != nil {
		return err
	}
	gateway, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	defer gateway.Close() //nolint:errcheck // it is only read
	if _, err := fmt.Fprintf(gateway, "GET / HTTP/1.0\r\nHost: %s\r\n\r\n", request.Host); err != nil {
		return err
	}
	response, err := http.ReadResponse(bufio.NewReader(gateway), request)
	if err != nil {
		return err
	}
	return response.Write(client)
}

// TestEverything asks for all that can be asked for, of gateways that a model describes.
func TestEverything(t *testing.T) {
	e := listening(t)
	out := probe(t, object{
		"model": object{
			"apiVersion": "ringfence.dev/v1alpha1", "kind": "AccessModel", "metadata": object{"name": "shop"},
			"spec": object{
				"owners": []object{{"name": "role", "tool": "Ansible"}},
				"gateways": []object{
					{"name": "edge", "owner": "role", "serviceAccountName": "edge", "hostRefs": []string{"app"}},
					{"name": "gone", "owner": "role", "serviceAccountName": "gone", "hostRefs": []string{"app"}},
				},
			},
		},
		"environment": object{
			"apiVersion": "ringfence.dev/v1alpha1", "kind": "Environment", "metadata": object{"name": "staging"},
			"spec": object{"tier": "staging", "securityProfile": "enforced", "absent": object{"gateways": []string{"gone"}}, "dns": object{"app": []string{host}}},
		},
		"gateways": []object{
			{
				"name": "edge", "address": "127.0.0.1", "port": e.ports["enforced"],
				"readiness": true, "readiness_port": e.ports["status"], "metrics_port": e.ports["metrics"],
				"url": fmt.Sprintf("http://localhost:%d/401", e.ports["open-wildcard"]), "url_status": []int{401},
			},
			{"name": "gone"},
		},
		"retries": 0,
	})
	require.False(t, out.Failed, out.Msg)
	assert.Equal(t, "1 of 2 gateways are deployed here, and all 6 checks passed", out.Msg)
	require.Len(t, out.Gateways, 2)
	var checks []string
	for _, c := range out.Gateways[0].Checks {
		checks = append(checks, fmt.Sprintf("%s %s %d %s", c.Check, c.Host, c.Status, c.Answer))
	}
	assert.Equal(t, []string{
		"accepted app.example.org 200 application",
		fmt.Sprintf("accepted-with-port app.example.org:%d 200 application", e.ports["enforced"]),
		"rejected rejected.invalid 403 denied", "readiness  200 proxy", "metrics  200 proxy", "url  401 application",
	}, checks)
	assert.False(t, out.Gateways[1].Deployed)
	assert.Contains(t, out.Gateways[1].SkippedReason, "staging")
}

// TestPolicyArrives changes a live gateway's policy while the module waits for it, in both directions.
func TestPolicyArrives(t *testing.T) {
	edge := gateway{name: "edge", hosts: []object{route("*", application)}}
	scoped := edge
	scoped.filters = []object{allow(host, host+":*")}
	e := listening(t, edge)
	ask := func(profile string) result {
		return probe(t, object{
			"gateways": []object{at("edge", e.ports["edge"], nil)}, "security_profile": profile, "retries": 100, "delay": 0.1, "successes": 3,
		})
	}
	for _, step := range []struct {
		profile string
		gateway gateway
		kind    string
	}{{"enforced", scoped, "denied"}, {"permissive", edge, "application"}} {
		t.Run(step.profile, func(t *testing.T) {
			changed := make(chan error)
			go func() {
				time.Sleep(time.Second)
				changed <- e.change(step.gateway)
			}()
			out := ask(step.profile)
			require.NoError(t, <-changed)
			require.True(t, out.Passed, out.Msg)
			checks := out.Gateways[0].Checks
			last := checks[len(checks)-1]
			assert.Equal(t, rejected, last.Host)
			assert.Equal(t, step.kind, last.Answer)
			assert.Greater(t, last.Attempts, 3, "it was asked until the policy was there, or gone")
		})
	}
}
