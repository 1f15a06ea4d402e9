package engine_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/test/e2e/engine"
)

// TestStop starts an engine of one's own where none answers: it leaves neither process nor folder.
func TestStop(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	e, err := engine.Start()
	require.NoError(t, err)
	if !e.Own() {
		t.Skipf("an engine %s answers already", e.Version)
	}
	host := os.Getenv(engine.HostVariable)
	require.NotEmpty(t, host)
	require.NoError(t, e.Stop())
	assert.Empty(t, os.Getenv(engine.HostVariable))
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left)
	assert.Error(t, exec.Command("docker", "--host", host, "version").Run())
}
