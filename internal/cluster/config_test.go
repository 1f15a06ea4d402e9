package cluster

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"
)

// files are what the connections of a test may name.
type files struct {
	dir, cert, key, ca string
	// staging and production are kubeconfigs, token is a file.
	staging, production, token string
}

// home gives a test an environment in which nothing is configured, and files.
func home(tb testing.TB) files {
	tb.Helper()
	f := files{dir: tb.TempDir()}
	tb.Setenv("HOME", filepath.Join(f.dir, "home"))
	for _, name := range []string{"KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"} {
		tb.Setenv(name, "")
	}
	f.cert, f.key = keyPair(tb, f.dir, "client")
	f.ca, _ = keyPair(tb, f.dir, "ca")
	f.token = f.write(tb, "token", "token-of-a-file\n")
	f.staging = f.write(tb, "staging", `
apiVersion: v1
kind: Config
current-context: staging
contexts:
- {name: staging, context: {cluster: staging, user: staging}}
- {name: insecure, context: {cluster: insecure, user: staging}}
- {name: basic, context: {cluster: staging, user: basic}}
- {name: certificate, context: {cluster: staging, user: certificate}}
- {name: file, context: {cluster: staging, user: file}}
- {name: exec, context: {cluster: staging, user: exec}}
- {name: oidc, context: {cluster: staging, user: oidc}}
- {name: as, context: {cluster: staging, user: as}}
- {name: nobody, context: {cluster: staging, user: missing}}
- {name: nowhere, context: {cluster: missing, user: staging}}
- {name: proxied, context: {cluster: proxied, user: staging}}
- {name: badproxy, context: {cluster: badproxy, user: staging}}
clusters:
- {name: staging, cluster: {server: "https://staging:6443/", certificate-authority: ca.crt, tls-server-name: kubernetes}}
- {name: insecure, cluster: {server: "https://staging:6443", insecure-skip-tls-verify: true}}
- {name: proxied, cluster: {server: "https://staging:6443", proxy-url: "socks5h://user:proxy-password@proxy:1080"}}
- {name: badproxy, cluster: {server: "https://staging:6443", proxy-url: "user:proxy-password@proxy:1080"}}
users:
- {name: staging, user: {token: staging-token}}
- {name: basic, user: {username: ann, password: staging-password}}
- {name: certificate, user: {client-certificate: client.crt, client-key: client.key}}
- {name: file, user: {tokenFile: token}}
- {name: exec, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: IfAvailable, env: [{name: LOGIN_SECRET, value: login-secret}, {name: AWS_PROFILE, value: dev}]}}}
- {name: oidc, user: {auth-provider: {name: oidc, config: {idp-issuer-url: https://idp, client-id: us, client-secret: idp-secret, id-token: idp-token, refresh-token: idp-refresh}}}}
- {name: as, user: {token: staging-token, as: robot, as-groups: [robots]}}
`)
	f.production = f.write(tb, "production", `
current-context: production
contexts:
- {name: production, context: {cluster: production, user: production}}
- {name: staging, context: {cluster: production, user: production}}
clusters:
- {name: production, cluster: {server: "https://production:6443"}}
users:
- {name: production, user: {token: production-token}}
`)
	return f
}

func (f files) write(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(f.dir, name)
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(tb, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func keyPair(tb testing.TB, dir, name string) (cert, key string) {
	tb.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(tb, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	require.NoError(tb, err)
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(tb, err)
	cert, key = filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	require.NoError(tb, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(tb, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}), 0o600))
	return cert, key
}

// connection is what of a rest.Config says where and who.
type connection struct {
	host, token, tokenFile, username, password string
	cert, key, ca, serverName                  string
	insecure                                   bool
	plugin, provider                           string
	as                                         rest.ImpersonationConfig
}

func of(c *rest.Config) connection {
	out := connection{
		host: c.Host, token: strings.TrimSpace(c.BearerToken), tokenFile: c.BearerTokenFile, username: c.Username, password: c.Password,
		cert: c.CertFile, key: c.KeyFile, ca: c.CAFile, serverName: c.ServerName, insecure: c.Insecure, as: c.Impersonate,
	}
	if c.ExecProvider != nil {
		out.plugin = c.ExecProvider.Command
	}
	if c.AuthProvider != nil {
		out.provider = c.AuthProvider.Name
	}
	return out
}

var (
	yes, no = true, false
	pod     = connection{host: "https://10.0.0.1:443", token: "pod-token", tokenFile: "/var/run/token"}
)

func TestREST(t *testing.T) {
	f := home(t)
	staging := connection{host: "https://staging:6443", token: "staging-token", ca: f.ca, serverName: "kubernetes"}
	production := connection{host: "https://production:6443", token: "production-token"}
	with := func(c connection, change func(*connection)) connection { change(&c); return c }
	for name, test := range map[string]struct {
		config Config
		// inPod says that there is a service account; env are the kubeconfigs of KUBECONFIG.
		inPod bool
		env   string
		want  connection
	}{
		"host-and-token-need-nothing-else": {
			config: Config{Host: "https://api:6443", APIKey: "key"}, inPod: true, env: f.staging,
			want: connection{host: "https://api:6443", token: "key"},
		},
		"host-loses-its-last-slashes": {
			config: Config{Host: "https://api:6443/k8s/clusters/c-1//", APIKey: "key"},
			want:   connection{host: "https://api:6443/k8s/clusters/c-1", token: "key"},
		},
		"host-and-token-come-before-a-kubeconfig-that-is-not-even-read": {
			config: Config{Host: "https://api:6443", APIKey: "key", Kubeconfig: Kubeconfig{Path: "/missing"}, Context: "missing"},
			want:   connection{host: "https://api:6443", token: "key"},
		},
		"host-and-password-need-nothing-else": {
			config: Config{Host: "https://api:6443", Username: "ann", Password: "secret"}, inPod: true, env: f.staging,
			want: connection{host: "https://api:6443", username: "ann", password: "secret"},
		},
		"host-and-certificate-need-nothing-else": {
			config: Config{Host: "https://api:6443", ClientCert: f.cert, ClientKey: f.key}, inPod: true, env: f.staging,
			want: connection{host: "https://api:6443", cert: f.cert, key: f.key},
		},
		"of-token-and-password-the-token-counts": {
			config: Config{Host: "https://api:6443", APIKey: "key", Username: "ann", Password: "secret"},
			want:   connection{host: "https://api:6443", token: "key"},
		},
		"a-token-and-a-certificate-go-together": {
			config: Config{Host: "https://api:6443", APIKey: "key", ClientCert: f.cert, ClientKey: f.key, CACert: f.ca},
			want:   connection{host: "https://api:6443", token: "key", cert: f.cert, key: f.key, ca: f.ca},
		},
		"host-alone-replaces-that-of-the-pod": {
			config: Config{Host: "https://api:6443"}, inPod: true, env: f.staging,
			want: with(pod, func(c *connection) { c.host = "https://api:6443" }),
		},
		"host-alone-replaces-that-of-the-default-kubeconfig": {
			config: Config{Host: "https://api:6443"}, env: f.staging,
			want: with(staging, func(c *connection) { c.host = "https://api:6443" }),
		},
		"host-alone-replaces-that-of-the-named-kubeconfig": {
			config: Config{Host: "https://api:6443", Kubeconfig: Kubeconfig{Path: f.staging}}, inPod: true,
			want: with(staging, func(c *connection) { c.host = "https://api:6443" }),
		},
		"host-with-a-name-but-no-password-is-host-alone": {
			config: Config{Host: "https://api:6443", Username: "ann", ClientCert: ""}, env: f.staging,
			want: with(staging, func(c *connection) { c.host = "https://api:6443" }),
		},
		"kubeconfig-comes-before-the-pod-and-the-environment": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}}, inPod: true, env: f.production,
			want: staging,
		},
		"context-comes-before-the-pod": {
			config: Config{Context: "production"}, inPod: true, env: f.production,
			want: production,
		},
		"context-is-looked-up-in-the-kubeconfig": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "basic"},
			want:   with(staging, func(c *connection) { c.token, c.username, c.password = "", "ann", "staging-password" }),
		},
		"pod-comes-before-the-default-kubeconfig": {inPod: true, env: f.staging, want: pod},
		"default-kubeconfig-is-last":              {env: f.staging, want: staging},
		"KUBECONFIG-may-name-missing-files":       {env: "/missing:" + f.production + "::/missing", want: production},
		"of-two-kubeconfigs-the-first-entry-counts": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.production + ":" + f.staging}, Context: "staging"},
			want:   production,
		},
		"several-kubeconfigs-complete-each-other": {
			config: Config{Context: "basic"}, env: f.production + ":" + f.staging,
			want: with(staging, func(c *connection) { c.token, c.username, c.password = "", "ann", "staging-password" }),
		},
		"kubeconfig-is-content": {
			config: Config{Kubeconfig: Kubeconfig{Content: []byte(`{"current-context":"a","contexts":[{"name":"a","context":{"cluster":"a","user":"a"}}],
				"clusters":[{"name":"a","cluster":{"server":"https://a"}}],"users":[{"name":"a","user":{"token":"t"}}]}`)}},
			want: connection{host: "https://a", token: "t"},
		},
		"token-replaces-that-of-the-kubeconfig": {
			config: Config{APIKey: "key", Kubeconfig: Kubeconfig{Path: f.staging}},
			want:   with(staging, func(c *connection) { c.token = "key" }),
		},
		"token-replaces-that-of-the-default-kubeconfig": {
			config: Config{APIKey: "key"}, env: f.staging,
			want: with(staging, func(c *connection) { c.token = "key" }),
		},
		"token-replaces-that-of-the-pod": {
			config: Config{APIKey: "key"}, inPod: true,
			want: with(pod, func(c *connection) { c.token, c.tokenFile = "key", "" }),
		},
		"token-replaces-a-plugin": {
			config: Config{APIKey: "key", Kubeconfig: Kubeconfig{Path: f.staging}, Context: "exec"},
			want:   with(staging, func(c *connection) { c.token = "key" }),
		},
		"token-replaces-a-password": {
			config: Config{APIKey: "key", Kubeconfig: Kubeconfig{Path: f.staging}, Context: "basic"},
			want:   with(staging, func(c *connection) { c.token = "key" }),
		},
		"token-leaves-a-certificate": {
			config: Config{APIKey: "key", Kubeconfig: Kubeconfig{Path: f.staging}, Context: "certificate"},
			want:   with(staging, func(c *connection) { c.token, c.cert, c.key = "key", f.cert, f.key }),
		},
		"password-replaces-a-token": {
			config: Config{Username: "bob", Password: "secret", Kubeconfig: Kubeconfig{Path: f.staging}},
			want:   with(staging, func(c *connection) { c.token, c.username, c.password = "", "bob", "secret" }),
		},
		"half-a-password-replaces-nothing": {
			config: Config{Password: "secret", Kubeconfig: Kubeconfig{Path: f.staging}},
			want:   staging,
		},
		"certificate-goes-with-the-token-of-the-kubeconfig": {
			config: Config{ClientCert: f.cert, ClientKey: f.key, Kubeconfig: Kubeconfig{Path: f.staging}},
			want:   with(staging, func(c *connection) { c.cert, c.key = f.cert, f.key }),
		},
		"ca-replaces-that-of-the-kubeconfig": {
			config: Config{CACert: f.cert, Kubeconfig: Kubeconfig{Path: f.staging}},
			want:   with(staging, func(c *connection) { c.ca = f.cert }),
		},
		"certificates-are-not-looked-at-when-told-so": {
			config: Config{ValidateCerts: &no, Kubeconfig: Kubeconfig{Path: f.staging}},
			want:   with(staging, func(c *connection) { c.ca, c.insecure = "", true }),
		},
		"a-ca-is-ignored-when-told-so": {
			config: Config{Host: "https://api:6443", APIKey: "key", ValidateCerts: &no, CACert: f.ca},
			want:   connection{host: "https://api:6443", token: "key", insecure: true},
		},
		"kubeconfig-may-turn-validation-off": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "insecure"},
			want:   connection{host: "https://staging:6443", token: "staging-token", insecure: true},
		},
		"validation-is-turned-on-again": {
			config: Config{ValidateCerts: &yes, Kubeconfig: Kubeconfig{Path: f.staging}, Context: "insecure"},
			want:   connection{host: "https://staging:6443", token: "staging-token"},
		},
		"a-ca-turns-validation-on-again": {
			config: Config{CACert: f.ca, Kubeconfig: Kubeconfig{Path: f.staging}, Context: "insecure"},
			want:   connection{host: "https://staging:6443", token: "staging-token", ca: f.ca},
		},
		"token-comes-from-a-file": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "file"},
			want:   with(staging, func(c *connection) { c.token, c.tokenFile = "token-of-a-file", f.token }),
		},
		"plugin-lies-beside-the-kubeconfig": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "exec"},
			want:   with(staging, func(c *connection) { c.token, c.plugin = "", filepath.Join(f.dir, "login") }),
		},
		"oidc-is-known": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "oidc"},
			want:   with(staging, func(c *connection) { c.token, c.provider = "", "oidc" }),
		},
		"a-user-that-is-not-there-is-nobody": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "nobody"},
			want:   with(staging, func(c *connection) { c.token = "" }),
		},
		"kubeconfig-impersonates": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "as"},
			want: with(staging, func(c *connection) {
				c.as = rest.ImpersonationConfig{UserName: "robot", Groups: []string{"robots"}, Extra: map[string][]string{}}
			}),
		},
		"impersonation-replaces-that-of-the-kubeconfig": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "as", ImpersonateUser: "ann"},
			want:   with(staging, func(c *connection) { c.as = rest.ImpersonationConfig{UserName: "ann"} }),
		},
		"impersonation-with-groups": {
			config: Config{Host: "https://api", APIKey: "key", ImpersonateUser: "ann", ImpersonateGroups: []string{"a", "b"}},
			want: connection{host: "https://api", token: "key",
				as: rest.ImpersonationConfig{UserName: "ann", Groups: []string{"a", "b"}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", test.env)
			got, err := test.config.resolve(func() (*rest.Config, error) {
				if !test.inPod {
					return nil, errors.New("no pod")
				}
				return &rest.Config{Host: pod.host, BearerToken: pod.token, BearerTokenFile: pod.tokenFile}, nil
			})
			require.NoError(t, err)
			assert.Equal(t, test.want, of(got))
		})
	}
}

func TestRESTDefaultPlace(t *testing.T) {
	f := home(t)
	text, err := os.ReadFile(f.production)
	require.NoError(t, err)
	f.write(t, "home/.kube/config", string(text))
	for name, test := range map[string]struct {
		config Config
		env    string
		want   string
	}{
		"home":             {want: "https://production:6443"},
		"tilde":            {config: Config{Kubeconfig: Kubeconfig{Path: "~/.kube/config"}}, env: f.staging, want: "https://production:6443"},
		"KUBECONFIG-first": {env: f.staging, want: "https://staging:6443"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", test.env)
			got, err := test.config.REST()
			require.NoError(t, err)
			assert.Equal(t, test.want, got.Host)
		})
	}
}

func TestRESTLimits(t *testing.T) {
	f := home(t)
	got, err := Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "exec", UserAgent: "ringfence/1.0"}.REST()
	require.NoError(t, err)
	assert.InDelta(t, 50, got.QPS, 0)
	assert.Equal(t, 100, got.Burst)
	assert.Equal(t, "ringfence/1.0", got.UserAgent)
	assert.True(t, got.ExecProvider.StdinUnavailable)
}

func TestRESTErrors(t *testing.T) {
	f := home(t)
	const hidden = "hidden-value"
	content := func(text string) Kubeconfig { return Kubeconfig{Content: []byte(text)} }
	file := func(name, text string) Kubeconfig { return Kubeconfig{Path: f.write(t, name, text)} }
	for name, test := range map[string]struct {
		config Config
		env    string
		want   string
	}{
		"nothing-at-all": {
			want: `no connection is given, this runs in no pod (KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT aren't set), and there is no kubeconfig at "` +
				filepath.Join(f.dir, "home", ".kube", "config") + `": give kubeconfig, or host and api_key`,
		},
		"KUBECONFIG-names-nothing": {env: "/missing", want: `there is no kubeconfig at "/missing", which KUBECONFIG names`},
		"host-without-credentials": {
			config: Config{Host: "https://api:6443", Username: "ann"},
			want:   `host is "https://api:6443" without complete credentials, and there is no kubeconfig at`,
		},
		"host-without-scheme":   {config: Config{Host: "api:6443", APIKey: hidden}, want: `host is "api:6443": write it with its scheme`},
		"host-is-an-ip-address": {config: Config{Host: "10.0.0.1:6443", APIKey: hidden}, want: "host is no URL: write it as"},
		"host-with-credentials": {config: Config{Host: "https://ann:" + hidden + "@api:6443"}, want: "host has credentials in it: give them as"},
		"host-with-a-query":     {config: Config{Host: "https://api:6443?token=" + hidden}, want: "host has more than an address in it"},
		"kubeconfig-missing":    {config: Config{Kubeconfig: Kubeconfig{Path: "/missing"}}, want: `kubeconfig "/missing" doesn't exist: give a path on the machine`},
		"kubeconfigs-missing":   {config: Config{Kubeconfig: Kubeconfig{Path: "/a:/b"}}, want: `kubeconfig "/a:/b" doesn't exist`},
		"kubeconfig-is-a-folder": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.dir}}, want: `reading kubeconfig "` + f.dir + `": is a directory`,
		},
		"kubeconfig-too-large": {
			config: Config{Kubeconfig: file("large", strings.Repeat("#\n", maxFile))}, want: "it has more than 4194304 bytes",
		},
		"kubeconfig-is-a-text": {
			config: Config{Kubeconfig: Kubeconfig{Path: "users:\n- token: " + hidden}}, want: "kubeconfig is a text and no path",
		},
		"kubeconfig-is-json-as-text": {
			config: Config{Kubeconfig: Kubeconfig{Path: `{"users": "` + hidden + `"}`}}, want: "kubeconfig is a text and no path",
		},
		"kubeconfig-is-no-yaml": {
			config: Config{Kubeconfig: file("no-yaml", "users:\n- token: *"+hidden)},
			want:   `kubeconfig "` + filepath.Join(f.dir, "no-yaml") + `" is no kubeconfig`,
		},
		"kubeconfig-has-a-broken-line": {
			config: Config{Kubeconfig: file("broken", "users:\n- name: a\n token: "+hidden)},
			want:   `broken" is no kubeconfig (line 2 is no YAML): compare it with one that kubectl accepts`,
		},
		"kubeconfig-is-of-another-type": {
			config: Config{Kubeconfig: content(`{"users": [{"name": "a", "user": {"token": ["` + hidden + `"]}}]}`)},
			want:   "the value of kubeconfig is no kubeconfig (the value of AuthInfo.users.user.token is of another type)",
		},
		"kubeconfig-is-a-word": {config: Config{Kubeconfig: content(hidden)}, want: "is no kubeconfig"},
		"kubeconfig-is-of-another-kind": {
			config: Config{Kubeconfig: content(`{"apiVersion": "v1", "kind": "Secret", "data": {"token": "` + hidden + `"}}`)}, want: "is no kubeconfig",
		},
		"key-is-no-base64": {
			config: Config{Kubeconfig: content(`{"users": [{"name": "a", "user": {"client-key-data": "` + hidden + `"}}]}`)}, want: "is no kubeconfig",
		},
		"kubeconfig-is-empty": {config: Config{Kubeconfig: file("empty", "")}, want: `empty" has no current context: name one in context`},
		"no-such-context": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "prod"},
			want:   `kubeconfig "` + f.staging + `" has no context "prod": kubectl config get-contexts lists`,
		},
		"no-such-cluster": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "nowhere"},
			want:   `context "nowhere" of kubeconfig "` + f.staging + `" names a cluster that isn't in it`,
		},
		"two-current-contexts": {
			env:  f.staging + ":" + f.production,
			want: `kubeconfig "` + f.staging + `" and kubeconfig "` + f.production + `" have different current contexts: name the one to use in context`,
		},
		"certificate-missing": {
			config: Config{Host: "https://api", ClientCert: "/missing", ClientKey: f.key},
			want:   `reading client_cert: "/missing": no such file or directory: give the path of a file on the machine`,
		},
		"key-missing": {config: Config{Host: "https://api", ClientCert: f.cert, ClientKey: "/missing"}, want: `reading client_key: "/missing"`},
		"ca-missing":  {config: Config{Host: "https://api", APIKey: hidden, CACert: "/missing"}, want: `reading ca_cert: "/missing"`},
		"ca-is-none": {
			config: Config{Host: "https://api", APIKey: hidden, CACert: f.write(t, "none.crt", hidden)},
			want:   "preparing TLS for https://api: unable to load root certificates",
		},
		"key-is-of-another-certificate": {
			config: Config{Host: "https://api", ClientCert: f.ca, ClientKey: f.key},
			want:   "private key does not match public key",
		},
		"certificate-without-key": {
			config: Config{ClientCert: f.cert, Kubeconfig: Kubeconfig{Path: f.staging}},
			want:   "preparing TLS for https://staging:6443: there is a client certificate without its key; look at",
		},
		"key-without-certificate": {
			config: Config{ClientKey: f.key, Kubeconfig: Kubeconfig{Path: f.staging}},
			want:   "there is a client key without its certificate; look at",
		},
		"groups-without-user": {
			config: Config{Host: "https://api", APIKey: hidden, ImpersonateGroups: []string{"a"}},
			want:   "impersonate_groups are given without a user: give impersonate_user as well",
		},
		"proxy-without-scheme": {
			config: Config{Host: "https://api", APIKey: hidden, Proxy: "ann:" + hidden + "@proxy:3128"},
			want:   "proxy is no URL of http, https or socks5: write it as",
		},
		"proxy-of-the-kubeconfig-without-scheme": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}, Context: "badproxy"},
			want:   `the proxy-url of context "badproxy" of kubeconfig "` + f.staging + `" is no URL`,
		},
		"proxy-password-without-colon": {
			config: Config{Host: "https://api", APIKey: hidden, ProxyHeaders: ProxyHeaders{ProxyBasicAuth: hidden}},
			want:   "proxy_headers.proxy_basic_auth has no colon: write it as user:password",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBECONFIG", test.env)
			_, err := test.config.REST()
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), hidden)
			assert.NotContains(t, err.Error(), "proxy-password")
			assert.NotContains(t, err.Error(), "staging-token")
		})
	}
}

func TestSecrets(t *testing.T) {
	f := home(t)
	base64Of := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	key := "-----BEGIN PRIVATE KEY-----\nkey\n-----END PRIVATE KEY-----\n"
	for name, test := range map[string]struct {
		config        Config
		want, without []string
	}{
		"options": {
			config: Config{
				Host: "https://api", APIKey: "key", Username: "ann", Password: "secret", Proxy: "http://bob:pass%20word@proxy:3128",
				ProxyHeaders: ProxyHeaders{BasicAuth: "ann:one", ProxyBasicAuth: "bob:two"},
			},
			want: []string{
				"key", "secret", base64Of("ann:secret"), "pass%20word", "pass word", base64Of("bob:pass word"),
				"ann:one", "one", base64Of("ann:one"), "bob:two", "two", base64Of("bob:two"),
			},
			without: []string{"ann", "bob", "", "https://api"},
		},
		"kubeconfig": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.staging}},
			want: []string{
				"staging-token", "staging-password", "token-of-a-file", "login-secret", "idp-secret", "idp-token", "idp-refresh", "proxy-password",
			},
			without: []string{"ann", "dev", "us", "https://idp", "token", "oidc", "kubernetes"},
		},
		"several-kubeconfigs": {
			config: Config{Kubeconfig: Kubeconfig{Path: f.production + ":" + f.staging}},
			want:   []string{"staging-token", "production-token"},
		},
		"content": {
			config: Config{Kubeconfig: Kubeconfig{Content: []byte(`{"users": [{"user": {"client-key-data": "` + base64Of(key) + `", "client-key": "/a/path"}}]}`)}},
			want:   []string{key, base64Of(key)}, without: []string{"/a/path"},
		},
		"content-that-the-host-makes-needless": {
			config: Config{Host: "https://api", APIKey: "key", Kubeconfig: Kubeconfig{Content: []byte(`{"users": [{"user": {"token": "other"}}]}`)}},
			want:   []string{"key", "other"},
		},
		"content-that-is-no-kubeconfig": {
			config: Config{Kubeconfig: Kubeconfig{Content: []byte(`{"users": {"token": "secret", "refresh_token": {"a": ["b"]}}}`)}},
			want:   []string{"secret"},
		},
		"text-in-place-of-a-path": {
			config: Config{Kubeconfig: Kubeconfig{Path: "users:\n- user: {token: secret}"}},
			want:   []string{"secret", "users:\n- user: {token: secret}"},
		},
		"malformed-proxy": {config: Config{Host: "https://api", APIKey: "k", Proxy: "ann:secret@proxy"}, want: []string{"secret"}},
		"malformed-host":  {config: Config{Host: "https://ann:sec%zzret@api"}, want: []string{"sec%zzret"}},
		"missing-file":    {config: Config{Kubeconfig: Kubeconfig{Path: "/missing"}, APIKey: "key"}, want: []string{"key"}},
		"no-yaml":         {config: Config{Kubeconfig: Kubeconfig{Content: []byte("\t{")}, APIKey: "key"}, want: []string{"key"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.config.Secrets()
			assert.Subset(t, got, test.want)
			for _, public := range test.without {
				assert.NotContains(t, got, public)
			}
		})
	}
}
