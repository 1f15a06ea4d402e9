package cluster

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"k8s.io/client-go/rest"
)

// How fast requests may follow each other: a run makes a few dozen, and an API
// server has its own defence against more (API Priority and Fairness).
const (
	requestsPerSecond = 50
	requestBurst      = 100
)

// Config says where an API server is and who calls it. Its fields are the options
// of kubernetes.core's modules, and mean the same; an empty one is not given.
type Config struct {
	// Host is the address of the API server: "https://10.0.0.1:6443".
	Host string
	// APIKey is a bearer token.
	APIKey string
	// Kubeconfig and the context in it, which is the current one when empty.
	Kubeconfig Kubeconfig
	Context    string
	// Username and Password count together only.
	Username, Password string
	// ClientCert, ClientKey and CACert are files in PEM.
	ClientCert, ClientKey, CACert string
	// ValidateCerts is true when nil, unless the kubeconfig says otherwise.
	ValidateCerts *bool
	// Proxy is the URL of a proxy, and NoProxy a list of hosts, domains and networks
	// that aren't reached through one. Without Proxy those of the kubeconfig and of
	// the environment (HTTPS_PROXY) count.
	Proxy, NoProxy string
	ProxyHeaders   ProxyHeaders
	// ImpersonateUser and ImpersonateGroups are on whose behalf requests are made.
	ImpersonateUser   string
	ImpersonateGroups []string
	// UserAgent names the program to the API server.
	UserAgent string
}

// REST resolves the connection: the host with complete credentials, else the
// kubeconfig or context, else the service account of the pod that this runs in,
// else the default kubeconfig. What else is given replaces what that says, field by
// field. Errors name files and fields, and hold nothing of their content.
func (c Config) REST() (*rest.Config, error) {
	return c.resolve(inCluster)
}

func (c Config) resolve(inCluster func() (*rest.Config, error)) (*rest.Config, error) {
	if err := c.checkHost(); err != nil {
		return nil, err
	}
	out, err := c.base(inCluster)
	if err != nil {
		return nil, err
	}
	if err := c.overlay(out); err != nil {
		return nil, err
	}
	out.QPS, out.Burst, out.UserAgent = requestsPerSecond, requestBurst, c.UserAgent
	if out.ExecProvider != nil {
		// A plugin that asks for a password would wait for an answer without end.
		out.ExecProvider.StdinUnavailable = true
		out.ExecProvider.StdinUnavailableMessage = "nobody is there to answer it"
	}
	if err := checkTLS(out); err != nil {
		return nil, fmt.Errorf("preparing TLS for %s: %w; look at ca_cert, client_cert and client_key, or at their like in the kubeconfig", out.Host, err)
	}
	return out, nil
}

// checkTLS tries out what client-go would fail at with the first request only, or
// pass over: half a client certificate.
func checkTLS(out *rest.Config) error {
	if _, err := rest.TLSConfigFor(out); err != nil {
		return err
	}
	loaded := rest.CopyConfig(out)
	if err := rest.LoadTLSFiles(loaded); err != nil {
		return err
	}
	switch cert, key := loaded.CertData, loaded.KeyData; {
	case len(cert) == 0 && len(key) == 0:
		return nil
	case len(cert) == 0:
		return errors.New("there is a client key without its certificate")
	case len(key) == 0:
		return errors.New("there is a client certificate without its key")
	default:
		_, err := tls.X509KeyPair(cert, key)
		return err
	}
}

// base returns the connection before what is given beside replaces its fields.
func (c Config) base(inCluster func() (*rest.Config, error)) (*rest.Config, error) {
	switch {
	case c.selfContained():
		return &rest.Config{Host: c.Host}, nil
	case c.Kubeconfig.given() || c.Context != "":
		return c.fromKubeconfig()
	}
	out, err := inCluster()
	if err == nil {
		if c.Host != "" {
			out.Host = c.Host
		}
		return out, nil
	}
	out, configErr := c.fromKubeconfig()
	switch {
	case configErr == nil:
		return out, nil
	case errors.Is(configErr, errNoKubeconfig) && c.Host != "":
		return nil, fmt.Errorf("host is %q without complete credentials, and %w: give api_key, or client_cert and client_key, or username and password, or kubeconfig", c.Host, configErr)
	case errors.Is(configErr, errNoKubeconfig):
		return nil, fmt.Errorf("no connection is given, this runs in no pod (%w), and %w: give kubeconfig, or host and api_key", err, configErr)
	}
	return nil, configErr
}

// selfContained reports whether the fields suffice without any other source.
func (c Config) selfContained() bool {
	return c.Host != "" && (c.APIKey != "" || c.basicAuth() || c.ClientCert != "" && c.ClientKey != "")
}

func (c Config) basicAuth() bool { return c.Username != "" && c.Password != "" }

// checkHost refuses an address without scheme, which would mean plain HTTP, and
// one with credentials, which every message about the connection would show.
func (c Config) checkHost() error {
	if c.Host == "" {
		return nil
	}
	u, err := url.Parse(c.Host)
	switch {
	case strings.Contains(c.Host, "@"):
		return errors.New("host has credentials in it: give them as username and password, or as api_key")
	case err != nil:
		return errors.New("host is no URL: write it as https://10.0.0.1:6443")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		return fmt.Errorf("host is %q: write it with its scheme, as https://10.0.0.1:6443", c.Host)
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("host has more than an address in it: write it as https://10.0.0.1:6443")
	}
	return nil
}

// overlay replaces the fields of a connection for which others are given.
func (c Config) overlay(out *rest.Config) error {
	out.Host = strings.TrimRight(out.Host, "/")
	switch {
	case c.APIKey != "":
		withoutIdentity(out)
		out.BearerToken = c.APIKey
	case c.basicAuth():
		withoutIdentity(out)
		out.Username, out.Password = c.Username, c.Password
	}
	if err := c.overlayTLS(&out.TLSClientConfig); err != nil {
		return err
	}
	if err := c.overlayProxy(out); err != nil {
		return err
	}
	if c.ImpersonateUser != "" {
		out.Impersonate = rest.ImpersonationConfig{UserName: c.ImpersonateUser}
	}
	if len(c.ImpersonateGroups) > 0 {
		if out.Impersonate.UserName == "" {
			return errors.New("impersonate_groups are given without a user: give impersonate_user as well")
		}
		out.Impersonate.Groups = c.ImpersonateGroups
	}
	return nil
}

// withoutIdentity takes out of a connection who calls, but for a client
// certificate, which may go with a token.
func withoutIdentity(out *rest.Config) {
	out.BearerToken, out.BearerTokenFile = "", ""
	out.Username, out.Password = "", ""
	out.ExecProvider, out.AuthProvider, out.AuthConfigPersister = nil, nil, nil
}

func (c Config) overlayTLS(out *rest.TLSClientConfig) error {
	for _, file := range []struct {
		option, path string
		name         *string
		data         *[]byte
	}{
		{"client_cert", c.ClientCert, &out.CertFile, &out.CertData},
		{"client_key", c.ClientKey, &out.KeyFile, &out.KeyData},
		{"ca_cert", c.CACert, &out.CAFile, &out.CAData},
	} {
		if file.path == "" {
			continue
		}
		if err := readable(file.path); err != nil {
			return fmt.Errorf("reading %s: %w: give the path of a file on the machine where the module runs", file.option, err)
		}
		*file.name, *file.data = file.path, nil
	}
	switch {
	case c.ValidateCerts != nil:
		out.Insecure = !*c.ValidateCerts
	case c.CACert != "":
		out.Insecure = false // nobody names a CA in order not to look at it
	}
	if out.Insecure {
		out.CAFile, out.CAData = "", nil // client-go refuses to have both
	}
	return nil
}

func readable(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("%q: %w", path, cause(err))
	}
	return file.Close()
}

// cause returns what is wrong with a file, without its path.
func cause(err error) error {
	if fault, ok := errors.AsType[*os.PathError](err); ok {
		return fault.Err
	}
	return err
}

// serviceAccountCA is where a pod finds the CA of its API server.
const serviceAccountCA = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"

// inCluster returns the connection of a pod's service account, which must be
// whole: client-go would go on without its CA, and log that.
func inCluster() (*rest.Config, error) {
	if os.Getenv("KUBERNETES_SERVICE_HOST") == "" || os.Getenv("KUBERNETES_SERVICE_PORT") == "" {
		return nil, errors.New("KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT aren't set")
	}
	ca, err := os.Stat(serviceAccountCA)
	if err != nil {
		return nil, err
	}
	if ca.Size() == 0 {
		return nil, fmt.Errorf("%s is empty", serviceAccountCA)
	}
	out, err := rest.InClusterConfig()
	switch {
	case err != nil:
		return nil, err
	case out.BearerToken == "":
		return nil, fmt.Errorf("%s is empty", out.BearerTokenFile)
	}
	return out, nil
}
