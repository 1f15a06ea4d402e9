package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

const (
	// ready is how long an engine may take to answer; a loaded machine needs some of it.
	ready = time.Minute
	// stopped is how long it may take to end before it is killed.
	stopped = 20 * time.Second
	// HostVariable names the engine for every client: docker, kustomize, kpt.
	HostVariable = "DOCKER_HOST"
)

// Engine is a Docker engine that answers.
type Engine struct {
	// Version is the engine's.
	Version string
	// Driver keeps its images: overlay2, or vfs where the machine can't stack file systems.
	Driver string

	folder string
	ended  <-chan struct{}
	daemon *exec.Cmd
	log    *bytes.Buffer
}

// Start returns the engine that DOCKER_HOST names, else the machine's, else a new
// one; DOCKER_HOST is then set to it, so start it before anything runs in parallel.
func Start() (*Engine, error) {
	e := &Engine{}
	if e.answers() == nil {
		return e, nil
	}
	if host := os.Getenv(HostVariable); host != "" {
		return nil, fmt.Errorf("no engine answers at %s=%s: %w", HostVariable, host, e.answers())
	}
	daemon, err := lookDaemon()
	if err != nil {
		return nil, err
	}
	var failures []error
	for _, driver := range []string{"overlay2", "vfs"} { // vfs works everywhere, and copies whole images
		e, err := start(daemon, driver)
		if err == nil {
			return e, nil
		}
		failures = append(failures, fmt.Errorf("with storage driver %s: %w", driver, err))
	}
	return nil, fmt.Errorf("starting an engine: %w", errors.Join(failures...))
}

// lookDaemon finds dockerd; Debian has it in a folder that not everybody's PATH names.
func lookDaemon() (string, error) {
	if path, err := exec.LookPath("dockerd"); err == nil {
		return path, nil
	}
	if path, err := exec.LookPath("/usr/sbin/dockerd"); err == nil {
		return path, nil
	}
	return "", errors.New("there is no Docker engine: run `make engine` in the root of the repository, or set DOCKER_HOST")
}

func start(daemon, driver string) (*Engine, error) {
	folder, err := os.MkdirTemp("", "ringfence-engine-") // short: a socket's path has at most 107 bytes
	if err != nil {
		return nil, fmt.Errorf("making its folder: %w", err)
	}
	in := func(name string) string { return filepath.Join(folder, name) }
	// The machine's own settings may contradict these.
	if err := os.WriteFile(in("daemon.json"), []byte("{}"), 0o600); err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	e := &Engine{folder: folder, log: &bytes.Buffer{}}
	e.daemon = exec.Command(daemon, "--host", "unix://"+in("docker.sock"), "--data-root", in("data"), "--exec-root", in("exec"),
		"--pidfile", in("dockerd.pid"), "--config-file", in("daemon.json"), "--storage-driver", driver,
		// No function has a network, so the host's is none of the engine's business.
		"--iptables=false", "--ip6tables=false", "--ip-forward=false", "--bridge=none",
		"--exec-opt", "native.cgroupdriver=cgroupfs")
	e.daemon.Stdout, e.daemon.Stderr = e.log, e.log
	e.daemon.SysProcAttr = apart()
	started, ended := make(chan error), make(chan struct{})
	e.ended = ended
	go func() {
		// Linux takes the thread that started a process for its parent, and this one must outlive it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := e.daemon.Start()
		started <- err
		if err == nil {
			_ = e.daemon.Wait() // it is ended, or its log says why it ended
		}
		close(ended)
	}()
	if err := <-started; err != nil {
		return nil, errors.Join(err, os.RemoveAll(folder))
	}
	if err := os.Setenv(HostVariable, "unix://"+in("docker.sock")); err != nil {
		return nil, errors.Join(err, e.Stop())
	}
	for deadline := time.Now().Add(ready); ; time.Sleep(100 * time.Millisecond) {
		err := e.answers()
		if err == nil {
			return e, nil
		}
		select {
		case <-ended:
			err = fmt.Errorf("it ended:\n%s", e.log)
		default:
			if time.Now().Before(deadline) {
				continue
			}
		}
		return nil, errors.Join(err, e.Stop())
	}
}

// answers asks the engine that the environment names who it is.
func (e *Engine) answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "docker", "info", "--format", "{{.ServerVersion}} {{.Driver}} {{json .ServerErrors}}").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	words := strings.Fields(string(out))
	if len(words) < 2 {
		return fmt.Errorf("docker says %q", out)
	}
	e.Version, e.Driver = words[0], words[1]
	return nil
}

// Own says that the engine was started by Start.
func (e *Engine) Own() bool { return e.daemon != nil }

// Stop ends an engine that was started, by its own process, and removes its folder.
func (e *Engine) Stop() error {
	if !e.Own() {
		return nil
	}
	failures := []error{os.Unsetenv(HostVariable)}
	_ = e.daemon.Process.Signal(syscall.SIGTERM) // the only error is that it has ended
	select {
	case <-e.ended:
	case <-time.After(stopped):
		_ = e.daemon.Process.Kill()
		<-e.ended
	}
	return errors.Join(append(failures, os.RemoveAll(e.folder))...)
}
