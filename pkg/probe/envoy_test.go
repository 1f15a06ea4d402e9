package probe

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorded says of each answer in testdata/envoy what it means. test/e2e/envoy recorded them,
// and holds them against Envoy.
var recorded = map[string]Kind{
	"application":            Application,
	"application-other-case": Application,
	"application-with-port":  Application,
	"application-redirect":   Application,
	"application-401":        Application,
	"application-403":        Application,
	"application-404":        Application,
	"application-404-empty":  Application,
	"application-500":        ApplicationError,
	"application-wildcard":   Application,
	"application-open":       Application,
	"application-hidden":     Application,
	"application-slow":       Unavailable,
	"backend-denies":         DeniedBehind,
	"backend-drains":         ApplicationError,
	"denied":                 Denied,
	"denied-no-host":         Denied,
	"denied-suffix":          Denied,
	"denied-prefix":          Denied,
	"denied-with-port":       Denied,
	"denied-wildcard-port":   Denied,
	"denied-without-rules":   Denied,
	"denied-before-route":    Denied,
	"denied-before-redirect": Denied,
	"denied-hidden":          Denied,
	"denied-after-login":     Denied,
	"denied-without-login":   Denied,
	"http10":                 HTTP10,
	"http10-rejected":        HTTP10,
	"limited":                GatewayError,
	"login-redirect":         Application, // its headers are passed on, the upstream header among them
	"login-401":              Application,
	"login-403":              Application,
	"login-403-empty":        Application,
	"login-any-host":         Application,
	"login-narrow-redirect":  Redirect,
	"login-narrow-401":       Authentication,
	"login-narrow-403":       Authentication,
	"login-narrow-403-empty": DeniedUnexplained, // it looks as one that can't be reached
	"login-unreachable":      DeniedUnexplained,
	"no-cluster":             Unavailable,
	"no-endpoint":            Unavailable,
	"no-route":               NoRoute,
	"no-route-open":          NoRoute,
	"redirect-to-https":      Redirect,
	"refused":                Unavailable,
	"token-missing":          Authentication,
}

func TestEnvoy(t *testing.T) {
	files, err := filepath.Glob("testdata/envoy/*.http")
	require.NoError(t, err)
	assert.Len(t, files, len(recorded), "each answer has a meaning")
	for name, want := range recorded {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile("testdata/envoy/" + name + ".http")
			require.NoError(t, err)
			head, body, found := strings.Cut(string(text), "\n\n")
			require.True(t, found)
			answer := strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + body
			g := raw(t, func(conn net.Conn, _ *http.Request) { write(conn, answer) })
			for _, rejects := range []bool{true, false} {
				g.Rejects = rejects
				for _, check := range probe(t, quick(), g).Checks {
					assert.Equal(t, want.String(), check.Kind.String(), check.Reason)
					assert.Equal(t, body, check.Body)
				}
			}
		})
	}
}
