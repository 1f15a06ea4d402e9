package envoy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	host     = "app.example.org"
	rejected = "rejected.invalid"
)

// The clusters.
const (
	application = "application"
	provider    = "provider"
	sidecar     = "sidecar"
	draining    = "draining" // a proxy of an application that is gone
	statistics  = "prometheus_stats"
	refusing    = "refusing"
	empty       = "empty"
	unknown     = "unknown" // has no cluster
)

// handler answers as the path tells: /<status>/<body>. It serves as the application
// and as the provider of an external authorization, which gets the path of the request.
func handler(w http.ResponseWriter, r *http.Request) {
	parts := strings.SplitN(strings.Trim(r.URL.Path, "/"), "/", 2)
	status, err := strconv.Atoi(parts[0])
	switch {
	case parts[0] == "slow":
		select { // longer than the route's timeout
		case <-time.After(3 * time.Second):
		case <-r.Context().Done():
		}
		return
	case err != nil:
		write(w, "welcome")
		return
	case status/100 == 3:
		w.Header().Set("Location", "https://login.example.org/")
	}
	w.WriteHeader(status)
	if len(parts) == 2 {
		write(w, parts[1])
	}
}

// write sends a text to a client, who may have hung up: that is the test's own.
func write(w io.Writer, text string) { _, _ = io.WriteString(w, text) }

func serve(tb testing.TB) int {
	tb.Helper()
	server := httptest.NewServer(http.HandlerFunc(handler))
	tb.Cleanup(server.Close)
	return portOf(tb, server.URL)
}

func portOf(tb testing.TB, at string) int {
	tb.Helper()
	u, err := url.Parse(at)
	require.NoError(tb, err)
	port, err := strconv.Atoi(u.Port())
	require.NoError(tb, err)
	return port
}

// gateways are one listener for each state of a gateway, and the policy of hosts in each but "open".
func gateways(tb testing.TB) []gateway {
	tb.Helper()
	policy := allow(host, host+":*")
	to := func(cluster string) []object { return []object{route(host, cluster), blackhole()} }
	return []gateway{
		{name: "enforced", filters: []object{policy}, hosts: to(application)},
		{name: "open", hosts: to(application)},
		{name: "open-wildcard", hosts: []object{route("*", application)}},
		{name: "wildcard", filters: []object{allow("*.example.org", "*.example.org:8443")}, hosts: []object{route("*.example.org", application)}},
		{name: "host-without-port", filters: []object{allow(host)}, hosts: to(application)},
		{name: "nobody", filters: []object{allowNothing()}, hosts: to(application)},
		{name: "no-route", filters: []object{policy}, hosts: []object{blackhole()}},
		{name: "no-endpoint", filters: []object{policy}, hosts: to(empty)},
		{name: "refused", filters: []object{policy}, hosts: to(refusing)},
		{name: "no-cluster", filters: []object{policy}, hosts: to(unknown)},
		{name: "backend-denies", hosts: []object{route("*", sidecar)}},
		{name: "backend-drains", filters: []object{policy}, hosts: to(draining)},
		{name: "redirect", filters: []object{policy}, hosts: []object{toHTTPS(host)}},
		{name: "login", filters: []object{authorize(provider), policy}, hosts: to(application)},
		{name: "login-narrow", filters: []object{authorize(provider, "content-type"), policy}, hosts: to(application)},
		{name: "login-any-host", filters: []object{authorize(provider), policy}, hosts: []object{route("*", application)}},
		{name: "login-unreachable", filters: []object{authorize(refusing), policy}, hosts: to(application)},
		{name: "token", filters: []object{authenticate(keySet(tb)), policy}, hosts: to(application)},
		{name: "limited", filters: []object{policy, limit()}, hosts: to(application)},
		{
			name: "hidden", filters: []object{policy}, hosts: to(application),
			manager: object{"server_header_transformation": "PASS_THROUGH"}, router: object{"suppress_envoy_headers": true},
		},
		// The proxies of two applications, of which one admits nobody and the other has no application any more.
		{name: sidecar, filters: []object{allowNothing()}, hosts: []object{route("*", application)}},
		{name: draining, hosts: []object{route("*", empty)}},
		// What Istio has on 15021 and 15090.
		{name: "status", hosts: []object{route("*", application)}},
		{name: "metrics", hosts: []object{route("*", statistics)}},
	}
}

// listening starts Envoy with all gateways. The proxies of applications and the
// administration interface are upstreams of its own.
func listening(tb testing.TB, dynamic ...gateway) *envoy {
	tb.Helper()
	chain, key := selfSigned(tb)
	all := append(gateways(tb), gateway{
		name: "tls", filters: []object{allow(host, host+":*")}, hosts: []object{route(host, application), blackhole()},
		tls: certificate(chain, key), serverNames: []string{host},
	})
	folder := tb.TempDir()
	admin := filepath.Join(folder, "admin")
	clusters := []object{
		cluster(application, address(serve(tb))), cluster(provider, address(serve(tb))),
		cluster(empty), cluster(refusing, address(1)), // nothing listens there
		cluster(statistics, pipe(admin)),
	}
	for i := range all {
		if name := all[i].name; name == sidecar || name == draining {
			all[i].pipe = filepath.Join(folder, name)
			clusters = append(clusters, cluster(name, pipe(all[i].pipe)))
		}
	}
	return start(tb, admin, all, dynamic, clusters)
}

func selfSigned(tb testing.TB) (chain, key string) {
	tb.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	template := x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{host}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &private.PublicKey, private)
	require.NoError(tb, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(tb, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}))
}

// keySet is a JWKS of one key that has signed nothing.
func keySet(tb testing.TB) string {
	tb.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	point, err := private.PublicKey.Bytes() // 4, x, y
	require.NoError(tb, err)
	coordinate := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"keys": [{"kty": "EC", "crv": "P-256", "alg": "ES256", "kid": "1", "x": %q, "y": %q}]}`, coordinate(point[1:33]), coordinate(point[33:]))
}
