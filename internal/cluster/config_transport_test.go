package cluster

import (
	"encoding/base64"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// call sends one request over a connection and returns the status.
func call(tb testing.TB, c Config) (int, error) {
	tb.Helper()
	config, err := c.REST()
	require.NoError(tb, err)
	client, err := rest.HTTPClientFor(config)
	require.NoError(tb, err)
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, config.Host+"/version", http.NoBody)
	require.NoError(tb, err)
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// apiServer answers every request, and returns the header of the last one.
func apiServer(tb testing.TB) (server *httptest.Server, ca string, last func() http.Header) {
	tb.Helper()
	var (
		mu     sync.Mutex
		header http.Header
	)
	server = httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		header = r.Header
	}))
	tb.Cleanup(server.Close)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return server, files{dir: tb.TempDir()}.write(tb, "server.crt", string(text)), func() http.Header {
		mu.Lock()
		defer mu.Unlock()
		return header
	}
}

// tunnel is a proxy for one address, whatever it is asked for, that keeps the
// requests for tunnels.
type tunnel struct {
	to string

	mu       sync.Mutex
	requests []*http.Request
}

func (p *tunnel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.requests = append(p.requests, r)
	p.mu.Unlock()
	server, err := (&net.Dialer{}).DialContext(r.Context(), "tcp", p.to)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusOK)
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		_ = server.Close()
		return
	}
	go func() {
		_, _ = io.Copy(server, buffered)
		_ = server.Close()
	}()
	_, _ = io.Copy(client, server)
	_ = client.Close()
}

func TestConnectionProxy(t *testing.T) {
	f := home(t)
	server, ca, last := apiServer(t)
	for name, test := range map[string]struct {
		host    string
		noProxy string
		headers ProxyHeaders
		// kubeconfig has the proxy, in place of the option.
		kubeconfig bool
		want       http.Header
		direct     bool
	}{
		"plain":                 {want: http.Header{}},
		"in-the-kubeconfig":     {kubeconfig: true, want: http.Header{}},
		"other-hosts-excepted":  {noProxy: "localhost,10.0.0.0/8", want: http.Header{}},
		"host-excepted":         {noProxy: ".com", direct: true},
		"kubeconfig's-excepted": {noProxy: "example.com", kubeconfig: true, direct: true},
		"with-a-password": {
			headers: ProxyHeaders{ProxyBasicAuth: "ann:se:cret"},
			want:    http.Header{"Proxy-Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("ann:se:cret"))}},
		},
		"with-headers": {
			kubeconfig: true,
			headers:    ProxyHeaders{BasicAuth: "bob:two", UserAgent: "agent/1.0", ProxyBasicAuth: "ann:one"},
			want: http.Header{
				"Authorization":       {"Basic " + base64.StdEncoding.EncodeToString([]byte("bob:two"))},
				"Proxy-Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte("ann:one"))},
				"User-Agent":          {"agent/1.0"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			proxy := &tunnel{to: server.Listener.Addr().String()}
			listener := httptest.NewServer(proxy)
			defer listener.Close()
			// The certificate is for example.com, which only the proxy can reach.
			c := Config{Host: "https://example.com", APIKey: "key", CACert: ca, NoProxy: test.noProxy, ProxyHeaders: test.headers, Proxy: listener.URL}
			if test.kubeconfig {
				c.Host, c.Proxy = "", ""
				c.Kubeconfig.Path = f.write(t, filepath.Join(name, "config"), `{current-context: a, contexts: [{name: a, context: {cluster: a}}],
					clusters: [{name: a, cluster: {server: "https://example.com", proxy-url: "`+listener.URL+`"}}]}`)
			}
			if test.direct {
				config, err := c.REST()
				require.NoError(t, err)
				u, err := config.Proxy(&http.Request{URL: &url.URL{Scheme: "https", Host: "example.com"}})
				require.NoError(t, err)
				assert.Nil(t, u)
				return
			}
			status, err := call(t, c)
			require.NoError(t, err)
			assert.Equal(t, http.StatusOK, status)
			assert.Equal(t, "Bearer key", last().Get("Authorization"))
			require.Len(t, proxy.requests, 1)
			got := proxy.requests[0]
			assert.Equal(t, http.MethodConnect, got.Method)
			if test.headers.UserAgent == "" {
				got.Header.Del("User-Agent")
			}
			assert.Equal(t, test.want, got.Header)
		})
	}
}

func TestConnectionCredentials(t *testing.T) {
	f := home(t)
	server, ca, last := apiServer(t)
	f.write(t, "credential.json", `{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "plugin-token"}}`)
	plugin := func(arg string) Kubeconfig {
		return Kubeconfig{Path: f.write(t, "plugin-"+arg, `{current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}],
			clusters: [{name: a, cluster: {server: "`+server.URL+`", certificate-authority: "`+ca+`"}}],
			users: [{name: a, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: cat, interactiveMode: Never, args: ["`+filepath.Join(f.dir, arg)+`"]}}}]}`)}
	}
	for name, test := range map[string]struct {
		config  Config
		want    http.Header
		failure string
	}{
		"token":    {config: Config{Host: server.URL, APIKey: "key", CACert: ca}, want: http.Header{"Authorization": {"Bearer key"}}},
		"password": {config: Config{Host: server.URL, Username: "ann", Password: "secret", CACert: ca}, want: http.Header{"Authorization": {"Basic YW5uOnNlY3JldA=="}}},
		"plugin":   {config: Config{Kubeconfig: plugin("credential.json")}, want: http.Header{"Authorization": {"Bearer plugin-token"}}},
		"token-before-plugin": {
			config: Config{APIKey: "key", Kubeconfig: plugin("missing.json")}, want: http.Header{"Authorization": {"Bearer key"}},
		},
		"plugin-fails": {config: Config{Kubeconfig: plugin("missing.json")}, failure: "getting credentials: exec: executable cat failed with exit code 1"},
		"impersonation": {
			config: Config{Host: server.URL, APIKey: "key", CACert: ca, ImpersonateUser: "ann", ImpersonateGroups: []string{"a", "b"}},
			want:   http.Header{"Authorization": {"Bearer key"}, "Impersonate-User": {"ann"}, "Impersonate-Group": {"a", "b"}},
		},
		"unknown-ca":         {config: Config{Host: server.URL, APIKey: "key"}, failure: "x509: certificate signed by unknown authority"},
		"unknown-ca-ignored": {config: Config{Host: server.URL, APIKey: "key", ValidateCerts: &no}, want: http.Header{"Authorization": {"Bearer key"}}},
		"user-agent":         {config: Config{Host: server.URL, APIKey: "key", CACert: ca, UserAgent: "ringfence/1.0"}, want: http.Header{"User-Agent": {"ringfence/1.0"}}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, test.config)
			if test.failure != "" {
				require.ErrorContains(t, err, test.failure)
				return
			}
			require.NoError(t, err)
			for header, value := range test.want {
				assert.Equal(t, value, last()[header])
			}
		})
	}
}
