package ansible

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/internal/cluster"
)

// The parameters of a connection.
const (
	paramKubeconfig        = "kubeconfig"
	paramContext           = "context"
	paramHost              = "host"
	paramAPIKey            = "api_key"
	paramUsername          = "username"
	paramPassword          = "password"
	paramClientCert        = "client_cert"
	paramClientKey         = "client_key"
	paramCACert            = "ca_cert"
	paramValidateCerts     = "validate_certs"
	paramProxy             = "proxy"
	paramNoProxy           = "no_proxy"
	paramProxyHeaders      = "proxy_headers"
	paramProxyBasicAuth    = "proxy_basic_auth"
	paramBasicAuth         = "basic_auth"
	paramUserAgent         = "user_agent"
	paramPersistConfig     = "persist_config"
	paramImpersonateUser   = "impersonate_user"
	paramImpersonateGroups = "impersonate_groups"
)

// envAuth begins the name of every environment variable of a connection.
const envAuth = "K8S_AUTH_"

// ConnectionOptions are the options of a module that talks to an API server: those
// of kubernetes.core's modules, so that one module_defaults serves both collections.
var ConnectionOptions = []Option{
	{
		Name: paramKubeconfig, Type: Raw, Env: envAuth + "KUBECONFIG", SecretUnlessPath: true,
		Description: []string{
			"The kubeconfig: a path, several paths with colons between, or the document as a mapping.",
			"With a local connection a path is looked up on the controller as for other files of a role or playbook (C(files/)), " +
				"and may be encrypted with Ansible Vault. Otherwise it is a path on the host where the module runs.",
			"Without it, and without O(host) and complete credentials or O(context), a pod's own service account counts, then E(KUBECONFIG), then C(~/.kube/config).",
			"Of two entries of the same name in several files the first counts. Where the files have different current contexts, O(context) must say which one is meant.",
		},
	},
	{
		Name: paramContext, Env: envAuth + "CONTEXT",
		Description: []string{"The context in the kubeconfig. The default is its current context."},
	},
	{
		Name: paramHost, Env: envAuth + "HOST",
		Description: []string{
			"The URL of the API server.",
			"With O(api_key), with O(client_cert) and O(client_key), or with O(username) and O(password), nothing else is looked at. " +
				"Otherwise it replaces the address that the kubeconfig or the pod's service account has.",
		},
	},
	{
		Name: paramAPIKey, Env: envAuth + "API_KEY", Secret: true,
		Description: []string{"The bearer token. It replaces the token, password or plugin of the kubeconfig."},
	},
	{
		Name: paramUsername, Env: envAuth + "USERNAME",
		Description: []string{
			"The name for HTTP basic authentication, which counts together with O(password) only, and not beside O(api_key).",
			"API servers themselves don't take it any more; what stands before one may.",
		},
	},
	{
		Name: paramPassword, Env: envAuth + "PASSWORD", Secret: true,
		Description: []string{"The password for HTTP basic authentication; see O(username)."},
	},
	{
		Name: paramClientCert, Type: Path, Aliases: []string{"cert_file"}, Env: envAuth + "CLIENT_CERT",
		Description: []string{
			"The file of the client certificate, in PEM, on the host where the module runs. It replaces that of the kubeconfig.",
			"The environment variable E(K8S_AUTH_CERT_FILE) is looked at as well.",
		},
	},
	{
		Name: paramClientKey, Type: Path, Aliases: []string{"key_file"}, Env: envAuth + "CLIENT_KEY", Public: true,
		Description: []string{
			"The file of the key of O(client_cert), in PEM, on the host where the module runs.",
			"The environment variable E(K8S_AUTH_KEY_FILE) is looked at as well.",
		},
	},
	{
		Name: paramCACert, Type: Path, Aliases: []string{"ssl_ca_cert"}, Env: envAuth + "CA_CERT",
		Description: []string{
			"The file of the certificates, in PEM, that sign the API server's, on the host where the module runs. It replaces that of the kubeconfig.",
			"The environment variable E(K8S_AUTH_SSL_CA_CERT) is looked at as well.",
		},
	},
	{
		Name: paramValidateCerts, Type: Bool, Aliases: []string{"verify_ssl"}, Env: envAuth + "VALIDATE_CERTS",
		Description: []string{
			"Whether the API server's certificate is checked. The default is what the kubeconfig says, else V(true); with O(ca_cert) it is V(true).",
			"The environment variable E(K8S_AUTH_VERIFY_SSL) is looked at as well.",
		},
	},
	{
		Name: paramProxy, Env: envAuth + "PROXY",
		Description: []string{
			"The URL of the proxy to the API server, by http, https or socks5. The default is that of the kubeconfig, else that of E(HTTPS_PROXY).",
		},
	},
	{
		Name: paramNoProxy, Env: envAuth + "NO_PROXY",
		Description: []string{"Hosts, domains, addresses and networks, with commas between, that are reached without a proxy."},
	},
	{
		Name: paramProxyHeaders, Type: Dict,
		Description: []string{
			"What the proxy is told with the request for a tunnel.",
			"Without it the environment variables E(K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH), E(K8S_AUTH_PROXY_HEADERS_BASIC_AUTH) and E(K8S_AUTH_PROXY_HEADERS_USER_AGENT) are looked at.",
		},
		Options: []Option{
			{Name: paramProxyBasicAuth, Secret: true, Description: []string{"The name and password for the proxy, with a colon between."}},
			{Name: paramBasicAuth, Secret: true, Description: []string{"A name and password for the header Authorization, with a colon between."}},
			{Name: paramUserAgent, Description: []string{"The name of the program, for the header User-Agent."}},
		},
	},
	{
		Name: paramPersistConfig, Type: Bool, Env: envAuth + "PERSIST_CONFIG",
		Description: []string{
			"Accepted for the sake of common defaults, and without effect: a token that is renewed serves the one task, and no kubeconfig is ever written.",
		},
	},
	{
		Name: paramImpersonateUser, Env: envAuth + "IMPERSONATE_USER",
		Description: []string{"The user on whose behalf the requests are made. It replaces that of the kubeconfig, its groups included."},
	},
	{
		Name: paramImpersonateGroups, Type: List, Elements: String, Env: envAuth + "IMPERSONATE_GROUPS",
		Description: []string{"The groups on whose behalf the requests are made, beside O(impersonate_user)."},
	},
}

// Connection returns the connection that the parameters and the environment
// describe, and keeps its secrets out of all output from here on.
func (c *Call) Connection() cluster.Config {
	out := cluster.Config{
		Host: c.String(paramHost), APIKey: c.String(paramAPIKey),
		Kubeconfig: c.kubeconfig(), Context: c.String(paramContext),
		Username: c.String(paramUsername), Password: c.String(paramPassword),
		ClientCert: c.stringOrEnv(paramClientCert, "CERT_FILE"), ClientKey: c.stringOrEnv(paramClientKey, "KEY_FILE"),
		CACert: c.stringOrEnv(paramCACert, "SSL_CA_CERT"), ValidateCerts: c.validateCerts(),
		Proxy: c.String(paramProxy), NoProxy: c.String(paramNoProxy), ProxyHeaders: c.proxyHeaders(),
		ImpersonateUser:   c.String(paramImpersonateUser),
		ImpersonateGroups: slices.DeleteFunc(c.Strings(paramImpersonateGroups), func(group string) bool { return group == "" }),
		UserAgent:         "ringfence/" + Version,
	}
	for _, secret := range out.Secrets() {
		c.Secret(secret)
	}
	return out
}

// kubeconfig returns the document, which the controller may have read, or its path.
func (c *Call) kubeconfig() cluster.Kubeconfig {
	if file, ok := c.Files[paramKubeconfig]; ok {
		return cluster.Kubeconfig{Path: file.Path, Content: file.Content}
	}
	switch value := c.Params[paramKubeconfig].(type) {
	case nil:
		return cluster.Kubeconfig{}
	case string:
		return cluster.Kubeconfig{Path: value}
	default:
		if mapping, ok := value.(map[string]any); ok && len(mapping) == 0 {
			return cluster.Kubeconfig{} // kubernetes.core takes it for none, too
		}
		text, err := json.Marshal(value)
		if err != nil {
			text = []byte("null") // which is no kubeconfig either
		}
		return cluster.Kubeconfig{Content: text}
	}
}

// stringOrEnv returns a parameter, or what the second name of its environment
// variable holds.
func (c *Call) stringOrEnv(param, env string) string {
	if c.Has(param) {
		return c.String(param)
	}
	return os.Getenv(envAuth + env)
}

// validateCerts reads the second name of the environment variable as
// kubernetes.core does: what isn't clearly a no is a yes.
func (c *Call) validateCerts() *bool {
	if c.Has(paramValidateCerts) {
		value := c.Bool(paramValidateCerts)
		return &value
	}
	word := os.Getenv(envAuth + "VERIFY_SSL")
	if word == "" {
		return nil
	}
	value := !slices.Contains([]string{"0", "false", "no"}, strings.ToLower(word))
	return &value
}

func (c *Call) proxyHeaders() cluster.ProxyHeaders {
	value := func(name string) string { return os.Getenv(envAuth + "PROXY_HEADERS_" + strings.ToUpper(name)) }
	if c.Has(paramProxyHeaders) {
		headers := Call{Params: c.Dict(paramProxyHeaders)}
		value = headers.String
	}
	return cluster.ProxyHeaders{
		BasicAuth: value(paramBasicAuth), ProxyBasicAuth: value(paramProxyBasicAuth), UserAgent: value(paramUserAgent),
	}
}
