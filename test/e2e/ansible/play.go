package ansible

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Play is one call of ansible-playbook.
type Play struct {
	// Playbook is its text; its host is called target.
	Playbook string
	// Files lie beside the playbook, by their relative paths.
	Files map[string]string
	// Inventory is its text; without it there is the target alone.
	Inventory string
	// Vars are extra variables.
	Vars map[string]any
	// Args are further arguments, Env further variables of the environment.
	Args, Env []string
}

// Run is what came of a call.
type Run struct {
	// Status is that of the exit, -1 after a signal.
	Status         int
	Stdout, Stderr string
	// Tasks are the results in the order in which they came.
	Tasks []Task
	// Folder is that of the playbook.
	Folder string
}

// Task is the result of one task on one host.
type Task struct {
	Name   string `json:"name"`
	Action string `json:"action"`
	Host   string `json:"host"`
	// Status is ok, failed, ignored, skipped or unreachable.
	Status  string         `json:"status"`
	Seconds float64        `json:"seconds"`
	Result  map[string]any `json:"result"`
}

// Changed reports whether the task says that it changed something.
func (t Task) Changed() bool {
	changed, _ := t.Result["changed"].(bool)
	return changed
}

// Message returns what the task says for a person.
func (t Task) Message() string {
	message, _ := t.Result["msg"].(string)
	return message
}

// Output is all that was printed.
func (r Run) Output() string { return r.Stdout + r.Stderr }

// Task returns the last result of the task of a name.
func (r Run) Task(tb testing.TB, name string) Task {
	tb.Helper()
	for _, task := range slices.Backward(r.Tasks) {
		if task.Name == name {
			return task
		}
	}
	require.Fail(tb, "no task has this name", "%s in:\n%s", name, r.Output())
	return Task{}
}

// Process is a call that was started.
type Process struct {
	command        *exec.Cmd
	stdout, stderr bytes.Buffer
	record, folder string
}

// Run calls ansible-playbook and waits for its end, whatever that is.
func (c *Controller) Run(tb testing.TB, play Play) Run {
	tb.Helper()
	return c.Start(tb, play).Wait(tb)
}

// Succeed is Run for a playbook that must not fail.
func (c *Controller) Succeed(tb testing.TB, play Play) Run {
	tb.Helper()
	run := c.Run(tb, play)
	require.Zero(tb, run.Status, "%s", run.Output())
	return run
}

// Fail is Run for a playbook in which a task must fail. It returns that of the last failed task too.
func (c *Controller) Fail(tb testing.TB, play Play) (Run, Task) {
	tb.Helper()
	run := c.Run(tb, play)
	require.Equal(tb, 2, run.Status, "a task should have failed:\n%s", run.Output())
	for _, task := range slices.Backward(run.Tasks) {
		if task.Status == "failed" {
			return run, task
		}
	}
	require.Fail(tb, "no task has failed", "%s", run.Output())
	return run, Task{}
}

// Start calls ansible-playbook. The caller must wait for it.
func (c *Controller) Start(tb testing.TB, play Play) *Process {
	tb.Helper()
	call := c.calls.Add(1)
	folder := filepath.Join(c.Folder, fmt.Sprintf("play-%d", call))
	// The inventory and the variables lie elsewhere: no file beside a playbook is taken for theirs.
	settings := filepath.Join(c.Folder, fmt.Sprintf("settings-%d", call))
	inventory := play.Inventory
	if inventory == "" {
		inventory = "target " + c.Host() + "\n"
	}
	vars, err := json.Marshal(play.Vars)
	require.NoError(tb, err)
	files := map[string]string{
		filepath.Join(folder, "playbook.yml"): play.Playbook,
		filepath.Join(settings, "inventory"):  inventory,
		filepath.Join(settings, "vars.json"):  string(vars),
	}
	for name, text := range play.Files {
		files[filepath.Join(folder, name)] = text
	}
	for name, text := range files {
		require.NoError(tb, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(tb, os.WriteFile(name, []byte(text), 0o600))
	}
	args := append([]string{"-i", filepath.Join(settings, "inventory"), "playbook.yml"}, play.Args...)
	if play.Vars != nil {
		args = append(args, "-e", "@"+filepath.Join(settings, "vars.json"))
	}
	p := &Process{command: c.command(tb, "ansible-playbook", args...), record: filepath.Join(settings, "record"), folder: folder}
	p.command.Dir = folder
	p.command.Env = append(append(p.command.Env, "RINGFENCE_RECORD="+p.record), play.Env...)
	p.command.Stdout, p.command.Stderr = &p.stdout, &p.stderr
	// Its workers are ended with it.
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.command.Cancel = p.Kill
	p.command.WaitDelay = 5 * time.Second
	require.NoError(tb, p.command.Start())
	return p
}

// Kill ends ansible-playbook and what it started here by SIGKILL.
func (p *Process) Kill() error { return syscall.Kill(-p.command.Process.Pid, syscall.SIGKILL) }

// Wait waits for the end and returns what came of it.
func (p *Process) Wait(tb testing.TB) Run {
	tb.Helper()
	err := p.command.Wait()
	if exit := (&exec.ExitError{}); err != nil && !errors.As(err, &exit) {
		require.NoError(tb, err)
	}
	run := Run{Status: p.command.ProcessState.ExitCode(), Stdout: p.stdout.String(), Stderr: p.stderr.String(), Folder: p.folder}
	record, err := os.ReadFile(p.record)
	if err != nil && !errors.Is(err, os.ErrNotExist) { // no task ran
		require.NoError(tb, err)
	}
	for line := range strings.Lines(string(record)) {
		var task Task
		require.NoError(tb, json.Unmarshal([]byte(line), &task), line)
		run.Tasks = append(run.Tasks, task)
	}
	return run
}
