package probe

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// quick is a prober that asks once.
func quick() *Prober { return &Prober{Timeout: 5 * time.Second} }

// gateway is the description of one that listens at a URL.
func gateway(tb testing.TB, at string) Gateway {
	tb.Helper()
	u, err := url.Parse(at)
	require.NoError(tb, err)
	host, text, err := net.SplitHostPort(u.Host)
	require.NoError(tb, err)
	number, err := strconv.Atoi(text)
	require.NoError(tb, err)
	return Gateway{
		Name: "edge", Scheme: u.Scheme, Address: host, Port: number, Path: "/", Method: http.MethodGet,
		Hosts: []Host{{Name: "app.example.org"}}, Rejects: true, RejectedHost: "rejected.invalid",
	}
}

func serve(tb testing.TB, h http.Handler) Gateway {
	tb.Helper()
	server := httptest.NewServer(h)
	tb.Cleanup(server.Close)
	return gateway(tb, server.URL)
}

func probe(tb testing.TB, p *Prober, g Gateway) Report {
	tb.Helper()
	report, err := p.Probe(tb.Context(), g)
	require.NoError(tb, err)
	return report
}

func find(tb testing.TB, r Report, name string) Check {
	tb.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	require.FailNow(tb, "no such check", "%s among %v", name, r.Checks)
	return Check{}
}

// envoy answers as a gateway with a policy of hosts does: requests for others are denied.
func envoy(application http.HandlerFunc, hosts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(hosts, r.Host) {
			deny(w)
			return
		}
		w.Header().Set("Server", "istio-envoy")
		w.Header().Set(upstreamHeader, "1")
		application(w, r)
	}
}

func deny(w http.ResponseWriter) {
	w.Header().Set("Server", "istio-envoy")
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusForbidden)
	write(w, rbacText)
}

// write sends a text to a client, who may have hung up: that is the test's own.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

func ok(http.ResponseWriter, *http.Request) {}
