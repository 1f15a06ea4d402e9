package probe

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRequests is about what goes over the wire.
func TestRequests(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // a proxy of the environment would be asked in the gateway's place
	var (
		mu   sync.Mutex
		seen []string
	)
	g := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, fmt.Sprintf("%s %s %s %s %q %q %q", r.Proto, r.Method, r.Host, r.URL, r.Header.Get("User-Agent"), r.Header.Get("Authorization"), r.Header.Get("Accept-Encoding")))
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	g.Method, g.Path = http.MethodOptions, "/a%2Fb/?q=1"
	g.Hosts = []Host{{Name: "app.example.org", Ports: []int{g.Port}}, {Name: "probe.example.net", Ports: []int{80, 8443}}}
	g.Readiness = &Endpoint{Address: g.Address, Port: g.Port, Path: "/healthz/ready"}
	g.Metrics = &Endpoint{Address: g.Address, Port: g.Port, Path: "/stats/prometheus"}
	g.URL = fmt.Sprintf("http://127.0.0.1:%d/public?token=1", g.Port)
	p := quick()
	p.Headers = http.Header{"authorization": {"Bearer secret"}}
	report := probe(t, p, g)

	const agent = `"ringfence-gateway-probe"`
	with := func(host string) string {
		return fmt.Sprintf(`HTTP/1.1 OPTIONS %s /a%%2Fb/?q=1 %s "Bearer secret" ""`, host, agent)
	}
	at := fmt.Sprintf("127.0.0.1:%d", g.Port)
	assert.Equal(t, []string{
		with("app.example.org"), with(fmt.Sprintf("app.example.org:%d", g.Port)),
		with("probe.example.net"), with("probe.example.net:80"), with("probe.example.net:8443"),
		with("rejected.invalid"),
		fmt.Sprintf(`HTTP/1.1 GET %s /healthz/ready %s "" ""`, at, agent),
		fmt.Sprintf(`HTTP/1.1 GET %s /stats/prometheus %s "" ""`, at, agent),
		fmt.Sprintf(`HTTP/1.1 OPTIONS %s /public?token=1 %s "Bearer secret" ""`, at, agent),
	}, seen, "one after the other, each once, no redirect followed, credentials to nobody but the gateway")

	var names, urls []string
	for _, c := range report.Checks {
		names, urls = append(names, c.Name+" "+c.Host), append(urls, c.URL)
	}
	assert.Equal(t, []string{
		"accepted app.example.org", fmt.Sprintf("accepted-with-port app.example.org:%d", g.Port),
		"accepted probe.example.net", "accepted-with-port probe.example.net:80", "accepted-with-port probe.example.net:8443",
		"rejected rejected.invalid", "readiness ", "metrics ", "url ",
	}, names)
	assert.Equal(t, "http://"+at+"/public", urls[len(urls)-1], "a query may hold a token")
}

// TestHandshake: only the Host header is foreign, so that a listener that picks its
// certificate by name still answers.
func TestHandshake(t *testing.T) {
	var names []string
	server := httptest.NewUnstartedServer(envoy(ok, "app.example.org"))
	server.TLS = &tls.Config{GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		names = append(names, hello.ServerName)
		return nil, nil //nolint:nilnil // the server's own configuration is to be used
	}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a client that trusts nobody hangs up
	server.StartTLS()
	t.Cleanup(server.Close)
	p := quick()
	p.Insecure = true
	report := probe(t, p, gateway(t, server.URL))
	assert.True(t, report.OK(), report.Failures())
	assert.Equal(t, []string{"app.example.org", "app.example.org"}, names)

	p.Insecure = false
	report = probe(t, p, gateway(t, server.URL))
	require.Len(t, report.Failures(), 2)
	assert.Contains(t, report.Failures()[0], "certificate")
}

func TestEndpoints(t *testing.T) {
	cases := map[string]struct {
		status int
		body   string
		want   map[string]string // what the reason of each check holds; empty: it is fine
	}{
		"healthy":         {200, "# TYPE envoy_server_uptime gauge\nenvoy_server_uptime{} 3\n", map[string]string{Readiness: "", Metrics: "", URL: ""}},
		"starting":        {503, "PRE_INITIALIZING", map[string]string{Readiness: "got 503 from the gateway's proxy: it isn't ready", Metrics: "look at the port", URL: "look at the application's pods"}},
		"another-service": {200, "<html>welcome</html>", map[string]string{Readiness: "", Metrics: "no metrics in Prometheus' form", URL: ""}},
		"not-found":       {404, "", map[string]string{Readiness: "it isn't ready", Metrics: "aren't there", URL: "no VirtualService"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				write(w, c.body)
			}))
			g.Readiness, g.Metrics = &Endpoint{g.Address, g.Port, "/healthz/ready"}, &Endpoint{g.Address, g.Port, "/stats/prometheus"}
			g.URL = fmt.Sprintf("http://%s:%d/", g.Address, g.Port)
			report := probe(t, quick(), g)
			for check, says := range c.want {
				got := find(t, report, check)
				assert.Equal(t, says == "", got.OK, got.Reason)
				assert.Contains(t, got.Reason, says)
			}
		})
	}
	t.Run("nothing-listens", func(t *testing.T) {
		g := serve(t, http.HandlerFunc(ok))
		g.Readiness, g.Metrics, g.URL = &Endpoint{g.Address, 1, "/"}, &Endpoint{g.Address, 1, "/"}, "http://127.0.0.1:1"
		report := probe(t, quick(), g)
		for check, says := range map[string]string{Readiness: "15021", Metrics: "15090", URL: "look at the address"} {
			assert.Contains(t, find(t, report, check).Reason, says)
		}
	})
}

// TestStatusOfURL: codes that are told stand in the place of the judgement.
func TestStatusOfURL(t *testing.T) {
	g := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	g.URL, g.URLStatus = fmt.Sprintf("http://%s:%d/", g.Address, g.Port), []int{200, 418}
	assert.True(t, find(t, probe(t, quick(), g), URL).OK)
	g.URLStatus = []int{200, 302}
	got := find(t, probe(t, quick(), g), URL)
	assert.False(t, got.OK)
	assert.Contains(t, got.Reason, "got 418")
	assert.Contains(t, got.Reason, "it should be 200 or 302")
	g.URL = "http://127.0.0.1:1/"
	assert.Contains(t, find(t, probe(t, quick(), g), URL).Reason, "got no answer: dial tcp")
}
