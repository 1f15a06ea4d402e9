package probe

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestValidate: what can't be asked is said before anything is sent, all of it at once.
func TestValidate(t *testing.T) {
	valid := gateway(t, "http://10.0.0.1:30080")
	valid.Hosts = []Host{{Name: "app.example.org", Ports: []int{30080}}}
	valid.Readiness, valid.Metrics = &Endpoint{"10.0.0.1", 30021, "/healthz/ready"}, &Endpoint{"10.0.0.1", 15090, "/stats/prometheus"}
	valid.URL = "https://app.example.org/?a=b"
	require.NoError(t, valid.Validate())
	for name, address := range map[string]string{"name": "node-1.example.org", "short name": "node1", "IPv6": "fd00::1"} {
		g := valid
		g.Address = address
		require.NoError(t, g.Validate(), name)
	}

	cases := map[string]struct {
		change func(*Gateway)
		says   string
	}{
		"no-scheme":              {func(g *Gateway) { g.Scheme = "" }, `scheme: "" is neither http nor https`},
		"other-scheme":           {func(g *Gateway) { g.Scheme = "ftp" }, `scheme: "ftp"`},
		"no-address":             {func(g *Gateway) { g.Address = "" }, "address: it is empty"},
		"address-is-url":         {func(g *Gateway) { g.Address = "http://10.0.0.1" }, `address: "http://10.0.0.1" is neither`},
		"address-with-port":      {func(g *Gateway) { g.Address = "10.0.0.1:80" }, "address: \"10.0.0.1:80\" has a port"},
		"address-in-brackets":    {func(g *Gateway) { g.Address = "[fd00::1]" }, "brackets"},
		"address-with-user":      {func(g *Gateway) { g.Address = "user@10.0.0.1" }, "address:"},
		"port-zero":              {func(g *Gateway) { g.Port = 0 }, "port: 0 is no port number"},
		"port-too-large":         {func(g *Gateway) { g.Port = 65536 }, "port: 65536"},
		"no-hosts":               {func(g *Gateway) { g.Hosts = nil }, "hosts: there is none"},
		"wildcard-host":          {func(g *Gateway) { g.Hosts[0].Name = "*.example.org" }, "hosts: "},
		"host-with-port":         {func(g *Gateway) { g.Hosts[0].Name = "app.example.org:80" }, "hosts: "},
		"host-that-splits":       {func(g *Gateway) { g.Hosts[0].Name = "app\r\nX: y" }, "hosts: "},
		"port-of-host":           {func(g *Gateway) { g.Hosts[0].Ports = []int{-1} }, "host_ports: -1"},
		"no-rejected-host":       {func(g *Gateway) { g.RejectedHost = "" }, "rejected_host: "},
		"rejected-host-is-known": {func(g *Gateway) { g.RejectedHost = "APP.example.org" }, "rejected_host: \"APP.example.org\" is one of"},
		"path-empty":             {func(g *Gateway) { g.Path = "" }, "path: "},
		"path-relative":          {func(g *Gateway) { g.Path = "a" }, "path: "},
		"path-is-authority":      {func(g *Gateway) { g.Path = "//evil.example.org/" }, "path: "},
		"path-is-url":            {func(g *Gateway) { g.Path = "http://evil.example.org/" }, "path: "},
		"path-malformed":         {func(g *Gateway) { g.Path = "/%zz" }, "path: "},
		"readiness-address":      {func(g *Gateway) { g.Readiness.Address = "" }, "readiness_address: "},
		"readiness-port":         {func(g *Gateway) { g.Readiness.Port = 0 }, "readiness_port: "},
		"metrics-path":           {func(g *Gateway) { g.Metrics.Path = "x" }, "metrics_path: "},
		"url-relative":           {func(g *Gateway) { g.URL = "app.example.org" }, "url: it has no host"},
		"url-without-host":       {func(g *Gateway) { g.URL = "https://:443/" }, "url: it has no host"},
		"url-of-a-file":          {func(g *Gateway) { g.URL = "file://host/etc/passwd" }, "url: \"file\""},
		"url-malformed":          {func(g *Gateway) { g.URL = "https://a b/" }, "url: it is no URL"},
		"url-with-password":      {func(g *Gateway) { g.URL = "https://me:s3cr3t@app.example.org/" }, "url: it holds a user or password"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := valid
			g.Hosts = []Host{{Name: "app.example.org"}}
			readiness, metrics := *valid.Readiness, *valid.Metrics
			g.Readiness, g.Metrics = &readiness, &metrics
			c.change(&g)
			err := g.Validate()
			require.ErrorContains(t, err, c.says)
			assert.NotContains(t, err.Error(), "s3cr3t")
			report, err := quick().Probe(t.Context(), g)
			require.Error(t, err)
			assert.Empty(t, report.Checks, "nothing is sent")
		})
	}
	t.Run("all-at-once", func(t *testing.T) {
		err := Gateway{}.Validate()
		for _, field := range []string{"scheme", "address", "port", "path", "hosts", "rejected_host"} {
			require.ErrorContains(t, err, field+": ")
		}
	})
}
