package validation_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"istio.io/istio/pkg/log"
)

// root is the project's.
const root = "../../.."

// TestMain silences Istio, whose stores log what they skip.
func TestMain(m *testing.M) {
	for _, scope := range log.Scopes() {
		scope.SetOutputLevel(log.ErrorLevel)
	}
	os.Exit(m.Run())
}

// moduleDir returns the folder of a module that the tests depend on.
func moduleDir(tb testing.TB, module string) string {
	tb.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	require.NoError(tb, err)
	return strings.TrimSpace(string(dir))
}
