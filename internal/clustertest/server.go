package clustertest

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Options of a Server.
type Options struct {
	// TLS has it serve by TLS, with a certificate of its own.
	TLS bool
	// Token is the one that requests must bear; empty for none.
	Token string
	// Without are groups, or group-versions, that it doesn't serve: missing CRDs.
	Without []string
	// RequireNamespaces refuses objects in namespaces that don't exist.
	RequireNamespaces bool
}

// Server is an API server in memory.
type Server struct {
	options Options
	kinds   []kind
	http    *httptest.Server

	mu       sync.Mutex
	store    store
	admits   []func(operation string, o *unstructured.Unstructured) error
	hooks    []hook
	forbids  []forbidden
	requests []Request
}

// New starts a server that ends with the test.
func New(tb testing.TB, o Options) *Server {
	tb.Helper()
	s := &Server{options: o, kinds: served(o.Without), store: newStore()}
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	if o.TLS {
		s.http.EnableHTTP2 = true
		s.http.StartTLS()
	} else {
		s.http.Start()
	}
	tb.Cleanup(func() {
		s.http.CloseClientConnections() // a request that hangs would hold the end up
		s.http.Close()
	})
	return s
}

// URL returns the address.
func (s *Server) URL() string { return s.http.URL }

// CA returns the certificate that signs the server's, in PEM; nil without TLS.
func (s *Server) CA() []byte {
	if !s.options.TLS {
		return nil
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
}

// RESTConfig returns a connection to the server, fast enough for tests.
func (s *Server) RESTConfig() *rest.Config {
	return &rest.Config{
		Host: s.URL(), BearerToken: s.options.Token, TLSClientConfig: rest.TLSClientConfig{CAData: s.CA()}, QPS: -1,
	}
}

// Kubeconfig writes a kubeconfig for the server and returns its path.
func (s *Server) Kubeconfig(tb testing.TB) string {
	tb.Helper()
	const name = "clustertest"
	config := api.NewConfig()
	config.Clusters[name] = &api.Cluster{Server: s.URL(), CertificateAuthorityData: s.CA()}
	config.AuthInfos[name] = &api.AuthInfo{Token: s.options.Token}
	config.Contexts[name] = &api.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	text, err := clientcmd.Write(*config)
	require.NoError(tb, err)
	path := filepath.Join(tb.TempDir(), "kubeconfig")
	require.NoError(tb, os.WriteFile(path, text, 0o600))
	return path
}
