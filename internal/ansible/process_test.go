package ansible

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/klog/v2"
)

// asModule says to the test executable that it is the executable of the modules.
const asModule = "RINGFENCE_TEST_AS_MODULE"

func TestMain(m *testing.M) {
	if os.Getenv(asModule) != "" {
		os.Exit(Main(loud(), os.Args, os.Stdout))
	}
	os.Exit(m.Run())
}

// loud returns modules that print, crash and wait.
func loud() []Module {
	module := func(name string, do func(context.Context, *Call) (Result, error)) Module {
		return Module{Name: name, Summary: "Be " + name, Options: []Option{{Name: "password", Secret: true}, {Name: "ready"}}, Run: do}
	}
	return []Module{
		module("printing", func(_ context.Context, c *Call) (Result, error) {
			fmt.Println(c.String("password"))
			fmt.Fprintln(os.Stderr, c.String("password"))
			println(c.String("password"))
			log.Print(c.String("password"))
			slog.Error(c.String("password"))
			klog.Error(c.String("password"))
			klog.Flush()
			return Result{Message: "quiet"}, nil
		}),
		module("crashing", func(_ context.Context, c *Call) (Result, error) {
			done := make(chan struct{})
			go func() { panic(c.String("password")) }()
			<-done
			return Result{}, nil
		}),
		module("waiting", func(ctx context.Context, c *Call) (Result, error) {
			if err := os.WriteFile(c.String("ready"), nil, 0o600); err != nil {
				return Result{}, err
			}
			<-ctx.Done()
			return Result{Changed: true}, fmt.Errorf("waiting: %w", ctx.Err())
		}),
		module("stubborn", func(_ context.Context, c *Call) (Result, error) {
			if err := os.WriteFile(c.String("ready"), nil, 0o600); err != nil {
				return Result{}, err
			}
			select {}
		}),
	}
}

// start runs the test executable as a module.
func start(tb testing.TB, name string) (cmd *exec.Cmd, ready string, stdout, stderr *strings.Builder) {
	tb.Helper()
	dir := tb.TempDir()
	ready = filepath.Join(dir, "ready")
	file := filepath.Join(dir, "arguments")
	require.NoError(tb, os.WriteFile(file, fmt.Appendf(nil, `{"_ringfence_module": %q, "password": "hunter2", "ready": %q}`, name, ready), 0o600))
	self, err := os.Executable()
	require.NoError(tb, err)
	cmd = exec.CommandContext(tb.Context(), self, file)
	cmd.Env = append(os.Environ(), asModule+"=yes")
	stdout, stderr = &strings.Builder{}, &strings.Builder{}
	cmd.Stdout, cmd.Stderr = io.Writer(stdout), io.Writer(stderr)
	require.NoError(tb, cmd.Start())
	return cmd, ready, stdout, stderr
}

// TestQuiet: whatever a library prints, the result stands alone.
func TestQuiet(t *testing.T) {
	cmd, _, stdout, stderr := start(t, "printing")
	require.NoError(t, cmd.Wait())
	assert.Equal(t, "quiet", parsed(t, []byte(stdout.String()))["msg"])
	assert.NotContains(t, stdout.String(), "hunter2")
	assert.Empty(t, stderr.String())
}

// TestCrash: a goroutine's panic ends the process, and Ansible sees that there is no result.
func TestCrash(t *testing.T) {
	cmd, _, stdout, stderr := start(t, "crashing")
	var exit *exec.ExitError
	require.ErrorAs(t, cmd.Wait(), &exit)
	assert.NotZero(t, exit.ExitCode())
	assert.Empty(t, stdout.String())
	assert.Empty(t, stderr.String(), "the runtime would print the panic's value")
}

func TestSignals(t *testing.T) {
	for name, signal := range map[string]syscall.Signal{"terminated": syscall.SIGTERM, "interrupt": syscall.SIGINT} {
		t.Run(name, func(t *testing.T) {
			cmd, ready, stdout, stderr := start(t, "waiting")
			await(t, ready)
			require.NoError(t, cmd.Process.Signal(signal))
			var exit *exec.ExitError
			require.ErrorAs(t, cmd.Wait(), &exit)
			assert.Equal(t, 1, exit.ExitCode())
			result := parsed(t, []byte(stdout.String()))
			assert.Equal(t, "stopped before the end ("+name+" signal received): waiting: context canceled", result["msg"])
			assert.Equal(t, true, result["changed"], "what was done is told")
			assert.Empty(t, stderr.String())
		})
	}
}

// TestSecondSignal ends a module that doesn't listen.
func TestSecondSignal(t *testing.T) {
	cmd, ready, stdout, _ := start(t, "stubborn")
	await(t, ready)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			require.ErrorIs(t, err, os.ErrProcessDone)
		}
		select {
		case err := <-ended:
			require.Error(t, err)
			assert.Empty(t, stdout.String())
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// await waits for a file.
func await(tb testing.TB, file string) {
	tb.Helper()
	require.Eventually(tb, func() bool {
		_, err := os.Stat(file)
		return !errors.Is(err, os.ErrNotExist)
	}, 10*time.Second, 5*time.Millisecond)
}
