package pipelines

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// TestPreCommit lets the real pre-commit build the hook from a clone, and run it in
// a repository that holds the overlays: as they are, and with a mistake.
func TestPreCommit(t *testing.T) {
	t.Parallel()
	bin, err := cluster.Bin()
	require.NoError(t, err)
	program := filepath.Join(bin, "pre-commit", "bin", "pre-commit")
	if _, err := os.Stat(program); err != nil {
		t.Skipf("%v: run `make pre-commit` in the root of the repository", err)
	}
	source := filepath.Dir(bin)
	hooks := t.TempDir() // a repository of what is here now, committed or not
	files := runIn(t, source, nil, "git", "ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate")
	for name := range strings.Lines(files) {
		name = strings.TrimSpace(name)
		text, err := os.ReadFile(filepath.Join(source, name))
		if os.IsNotExist(err) {
			continue // deleted, and not committed yet
		}
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(hooks, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(hooks, name), text, 0o644))
	}
	commit(t, hooks)
	platform := t.TempDir()
	for _, name := range []string{"components", "overlays"} {
		require.NoError(t, os.CopyFS(filepath.Join(platform, name), os.DirFS(filepath.Join(source, name))))
	}
	commit(t, platform)

	// pre-commit gives Go a path of its own; what was downloaded and compiled before serves all the same.
	cache := strings.TrimSpace(runIn(t, source, nil, "go", "env", "GOMODCACHE"))
	environment := []string{"PRE_COMMIT_HOME=" + t.TempDir(), "GOMODCACHE=" + cache, "GOFLAGS=-trimpath", "CGO_ENABLED=0"}
	try := func() (string, error) {
		c := exec.Command(program, "try-repo", hooks, "ringfence-verify", "--all-files", "--verbose")
		c.Dir, c.Env = platform, append(os.Environ(), environment...)
		output, err := c.CombinedOutput()
		return string(output), err
	}
	output, err := try()
	require.NoError(t, err, output)
	assert.Regexp(t, `staging +themelio +enforced`, output)

	model := filepath.Join(platform, "overlays", "platform", "model", "model.yaml")
	text, err := os.ReadFile(model)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(model, []byte(strings.Replace(string(text), "roleBindingRefs:", "rolebindingRefs:", 1)), 0o600))
	output, err = try()
	require.Error(t, err, output)
	assert.Contains(t, output, "[input-unknown-field]")
}

func commit(t *testing.T, dir string) {
	t.Helper()
	identity := []string{"GIT_AUTHOR_NAME=e2e", "GIT_AUTHOR_EMAIL=e2e@example.org", "GIT_COMMITTER_NAME=e2e", "GIT_COMMITTER_EMAIL=e2e@example.org"}
	for _, args := range [][]string{{"init", "--quiet"}, {"add", "--all"}, {"commit", "--quiet", "--message", "as it is"}} {
		runIn(t, dir, identity, "git", args...)
	}
}

func runIn(t *testing.T, dir string, environment []string, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), environment...)
	output, err := c.Output()
	require.NoError(t, err, "%s %s", name, strings.Join(args, " "))
	return string(output)
}
