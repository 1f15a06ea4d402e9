package kpt

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long one command may take; a loaded machine needs some of it.
const patience = 2 * time.Minute

// Result is what a command did.
type Result struct {
	Status         int
	Stdout, Stderr string
	// Command is what was run, for messages.
	Command string
}

// Line returns the standard output without the end of its last line.
func (r Result) Line() string { return strings.TrimSuffix(r.Stdout, "\n") }

// Run runs a command that must succeed.
func Run(tb testing.TB, stdin, name string, args ...string) Result {
	tb.Helper()
	out := Try(tb, stdin, name, args...)
	require.Zero(tb, out.Status, "%s\n%s%s", out.Command, out.Stdout, out.Stderr)
	return out
}

// Try runs a command with our executables first on PATH.
func Try(tb testing.TB, stdin, name string, args ...string) Result {
	tb.Helper()
	path := "PATH=" + filepath.Join(Root(tb), "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	return TryWith(tb, []string{path}, stdin, name, args...)
}

// TryWith runs a command with variables of its own beside the test's.
func TryWith(tb testing.TB, environment []string, stdin, name string, args ...string) Result {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &stdout, &stderr
	command.Env = append(os.Environ(), environment...)
	err := command.Run()
	require.NotNil(tb, command.ProcessState, "%s: %v", command, err)
	return Result{command.ProcessState.ExitCode(), stdout.String(), stderr.String(), command.String()}
}

// git runs git over a package, without anybody's own settings.
func git(tb testing.TB, folder string, args ...string) string {
	tb.Helper()
	environment := []string{
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_DIFF_OPTS=", "GIT_CEILING_DIRECTORIES=" + filepath.Dir(folder),
	}
	out := TryWith(tb, environment, "", "git", append([]string{
		"-C", folder, "-c", "user.name=test", "-c", "user.email=test@example.org", "-c", "core.abbrev=7",
	}, args...)...)
	require.Zero(tb, out.Status, "%s\n%s", out.Command, out.Stderr)
	return out.Stdout
}

// Commit makes a package a repository of its own, with all that is in it.
func Commit(tb testing.TB, folder string) {
	tb.Helper()
	git(tb, folder, "init", "--quiet")
	git(tb, folder, "add", "--all")
	git(tb, folder, "commit", "--quiet", "--message", "before")
}

// Diff returns what has changed since Commit, new files too.
func Diff(tb testing.TB, folder string) string {
	tb.Helper()
	git(tb, folder, "add", "--all")
	return git(tb, folder, "diff", "--cached")
}
