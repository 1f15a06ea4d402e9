package ansible

import (
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ringfence-dev/ringfence/internal/cluster"
)

// The table of kubernetes.core (plugins/module_utils/args_common.py).
func TestConnectionOptionsAreThoseOfKubernetesCore(t *testing.T) {
	type option struct {
		Type, Elements Type
		Aliases        []string
		Secret         bool
	}
	var flat func(prefix string, options []Option) map[string]option
	flat = func(prefix string, options []Option) map[string]option {
		out := map[string]option{}
		for _, o := range options {
			out[prefix+o.Name] = option{o.kind(), o.Elements, o.Aliases, o.Secret}
			maps.Copy(out, flat(prefix+o.Name+".", o.Options))
			assert.Nil(t, o.Default, o.Name)
			assert.False(t, o.Required, o.Name)
			assert.NotEmpty(t, o.Description, o.Name)
		}
		return out
	}
	assert.Equal(t, map[string]option{
		"kubeconfig":                     {Type: Raw},
		"context":                        {Type: String},
		"host":                           {Type: String},
		"api_key":                        {Type: String, Secret: true},
		"username":                       {Type: String},
		"password":                       {Type: String, Secret: true},
		"validate_certs":                 {Type: Bool, Aliases: []string{"verify_ssl"}},
		"ca_cert":                        {Type: Path, Aliases: []string{"ssl_ca_cert"}},
		"client_cert":                    {Type: Path, Aliases: []string{"cert_file"}},
		"client_key":                     {Type: Path, Aliases: []string{"key_file"}},
		"proxy":                          {Type: String},
		"no_proxy":                       {Type: String},
		"proxy_headers":                  {Type: Dict},
		"proxy_headers.proxy_basic_auth": {Type: String, Secret: true},
		"proxy_headers.basic_auth":       {Type: String, Secret: true},
		"proxy_headers.user_agent":       {Type: String},
		"persist_config":                 {Type: Bool},
		"impersonate_user":               {Type: String},
		"impersonate_groups":             {Type: List, Elements: String},
	}, flat("", ConnectionOptions))
}

func TestConnection(t *testing.T) {
	yes, no := true, false
	for name, test := range map[string]struct {
		params map[string]any
		files  map[string]File
		env    map[string]string
		want   cluster.Config
		// secret are texts that no output may hold afterwards.
		secret []string
	}{
		"nothing": {},
		"everything": {
			params: map[string]any{
				"host": "https://api", "api_key": "the-key", "context": "prod", "username": "ann", "password": "the-password",
				"client_cert": "/cert", "client_key": "/key", "ca_cert": "/ca", "validate_certs": false, "persist_config": true,
				"proxy": "http://bob:the-proxy-password@proxy", "no_proxy": ".local", "impersonate_user": "eve", "impersonate_groups": []any{"a", "", "b"},
				"proxy_headers": map[string]any{"basic_auth": "u:first", "proxy_basic_auth": "u:second", "user_agent": "agent"},
			},
			env: map[string]string{
				"K8S_AUTH_CERT_FILE": "/other", "K8S_AUTH_KEY_FILE": "/other", "K8S_AUTH_SSL_CA_CERT": "/other", "K8S_AUTH_VERIFY_SSL": "true",
				"K8S_AUTH_PROXY_HEADERS_USER_AGENT": "other",
			},
			want: cluster.Config{
				Host: "https://api", APIKey: "the-key", Context: "prod", Username: "ann", Password: "the-password",
				ClientCert: "/cert", ClientKey: "/key", CACert: "/ca", ValidateCerts: &no,
				Proxy: "http://bob:the-proxy-password@proxy", NoProxy: ".local", ImpersonateUser: "eve", ImpersonateGroups: []string{"a", "b"},
				ProxyHeaders: cluster.ProxyHeaders{BasicAuth: "u:first", ProxyBasicAuth: "u:second", UserAgent: "agent"},
			},
			secret: []string{"the-key", "the-password", "the-proxy-password", "first", "second"},
		},
		"second-names-in-the-environment": {
			env: map[string]string{
				"K8S_AUTH_CERT_FILE": "/cert", "K8S_AUTH_KEY_FILE": "/key", "K8S_AUTH_SSL_CA_CERT": "/ca", "K8S_AUTH_VERIFY_SSL": "No",
				"K8S_AUTH_PROXY_HEADERS_BASIC_AUTH": "u:first", "K8S_AUTH_PROXY_HEADERS_PROXY_BASIC_AUTH": "u:second", "K8S_AUTH_PROXY_HEADERS_USER_AGENT": "agent",
			},
			want: cluster.Config{
				ClientCert: "/cert", ClientKey: "/key", CACert: "/ca", ValidateCerts: &no,
				ProxyHeaders: cluster.ProxyHeaders{BasicAuth: "u:first", ProxyBasicAuth: "u:second", UserAgent: "agent"},
			},
			secret: []string{"first", "second"},
		},
		"an-unclear-word-validates": {env: map[string]string{"K8S_AUTH_VERIFY_SSL": "perhaps"}, want: cluster.Config{ValidateCerts: &yes}},
		"given-headers-are-not-completed": {
			params: map[string]any{"proxy_headers": map[string]any{"user_agent": "agent"}},
			env:    map[string]string{"K8S_AUTH_PROXY_HEADERS_BASIC_AUTH": "u:first"},
			want:   cluster.Config{ProxyHeaders: cluster.ProxyHeaders{UserAgent: "agent"}},
		},
		"kubeconfig-by-path": {
			params: map[string]any{"kubeconfig": "/missing"},
			want:   cluster.Config{Kubeconfig: cluster.Kubeconfig{Path: "/missing"}},
		},
		"kubeconfig-from-the-controller": {
			params: map[string]any{"kubeconfig": "/path"},
			files:  map[string]File{"kubeconfig": {Path: "/path", Content: []byte("users: [{user: {token: the-token}}]")}},
			want:   cluster.Config{Kubeconfig: cluster.Kubeconfig{Path: "/path", Content: []byte("users: [{user: {token: the-token}}]")}},
			secret: []string{"the-token"},
		},
		"kubeconfig-as-a-mapping": {
			params: map[string]any{"kubeconfig": map[string]any{"users": []any{map[string]any{"user": map[string]any{"token": "the-token"}}}}},
			want:   cluster.Config{Kubeconfig: cluster.Kubeconfig{Content: []byte(`{"users":[{"user":{"token":"the-token"}}]}`)}},
			secret: []string{"the-token"},
		},
		"an-empty-mapping-is-no-kubeconfig": {params: map[string]any{"kubeconfig": map[string]any{}}},
		"kubeconfig-as-a-text": {
			params: map[string]any{"kubeconfig": "users:\n- user: {token: the-token}"},
			want:   cluster.Config{Kubeconfig: cluster.Kubeconfig{Path: "users:\n- user: {token: the-token}"}},
			secret: []string{"the-token"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("HOME", t.TempDir())
			t.Setenv("KUBECONFIG", "")
			for _, variable := range []string{"CERT_FILE", "KEY_FILE", "SSL_CA_CERT", "VERIFY_SSL", "PROXY_HEADERS_BASIC_AUTH", "PROXY_HEADERS_PROXY_BASIC_AUTH", "PROXY_HEADERS_USER_AGENT"} {
				t.Setenv(envAuth+variable, test.env[envAuth+variable])
			}
			call := &Call{Params: test.params, Files: test.files}
			test.want.UserAgent = "ringfence/" + Version
			assert.Equal(t, test.want, call.Connection())
			for _, secret := range test.secret {
				assert.NotContains(t, call.masked("before "+secret+" after"), secret)
			}
			public := strings.Join([]string{"https://api", "ann", "prod", "/cert", "/key", "agent", "/path"}, " ")
			assert.Equal(t, public, call.masked(public))
		})
	}
}
