package cluster

import (
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// Access is a way to an API server: where it is, whom it trusts, who asks.
type Access struct {
	Server    string // https://127.0.0.1:6443
	Authority []byte // of the server's certificate, in PEM
	// Who asks, by a certificate or by a token.
	Certificate, Key []byte
	Token            string
}

// Config returns it for client-go, without a limit of requests.
func (a Access) Config() *rest.Config {
	return &rest.Config{
		Host:           a.Server,
		BearerToken:    a.Token,
		QPS:            -1,
		WarningHandler: rest.NoWarnings{},
		TLSClientConfig: rest.TLSClientConfig{
			CAData: a.Authority, CertData: a.Certificate, KeyData: a.Key,
		},
	}
}

// Kubeconfig returns it as a kubeconfig with everything inside.
func (a Access) Kubeconfig() ([]byte, error) {
	user := map[string]any{}
	if a.Token != "" {
		user["token"] = a.Token
	}
	if a.Certificate != nil {
		user["client-certificate-data"], user["client-key-data"] = a.Certificate, a.Key
	}
	const name = "e2e"
	text, err := yaml.Marshal(map[string]any{
		"apiVersion":      "v1",
		"kind":            "Config",
		"current-context": name,
		"contexts":        []any{map[string]any{"name": name, "context": map[string]any{"cluster": name, "user": name}}},
		"users":           []any{map[string]any{"name": name, "user": user}},
		"clusters": []any{map[string]any{"name": name, "cluster": map[string]any{
			"server": a.Server, "certificate-authority-data": a.Authority,
		}}},
	})
	if err != nil {
		return nil, fmt.Errorf("writing a kubeconfig for %s: %w", a.Server, err)
	}
	return text, nil
}

// WriteKubeconfig writes the kubeconfig into a file, for its owner alone.
func (a Access) WriteKubeconfig(path string) error {
	text, err := a.Kubeconfig()
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return fmt.Errorf("writing a kubeconfig: %w", err)
	}
	return nil
}
