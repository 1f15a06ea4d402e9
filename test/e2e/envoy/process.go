package envoy

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// started is how long Envoy may take to be live; a loaded machine needs some of it.
const started = time.Minute

// repository returns the root of the repository.
func repository(tb testing.TB) string {
	tb.Helper()
	folder, err := os.Getwd()
	require.NoError(tb, err)
	for dir := folder; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tools", "envoy.mk")); err == nil {
			return dir
		}
	}
	require.FailNow(tb, "no repository", "%s isn't in it", folder)
	return ""
}

// built returns the path of what a make target builds.
func built(tb testing.TB, target string, path ...string) string {
	tb.Helper()
	out := filepath.Join(append([]string{repository(tb)}, path...)...)
	if _, err := os.Stat(out); err != nil {
		require.FailNow(tb, "something is not built", "%v: run `make %s` in the root of the repository", err, target)
	}
	return out
}

// envoy is a running one.
type envoy struct {
	// admin asks its administration interface; ports are those of its listeners, by their names.
	admin *http.Client
	ports map[string]int
	// folder is watched: dynamic.json in it holds the listeners that may change.
	folder string
}

// start runs Envoy with its administration interface on a socket, with listeners that stay, and
// with some that may change, and waits until it serves them all.
func start(tb testing.TB, admin string, fixed, dynamic []gateway, clusters []object) *envoy {
	tb.Helper()
	e := &envoy{folder: tb.TempDir(), admin: &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", admin)
		},
	}}}
	require.NoError(tb, e.change(dynamic...))
	listeners := []object{}
	for _, g := range fixed {
		listeners = append(listeners, g.listener())
	}
	bootstrap, err := json.Marshal(object{
		"node":             object{"id": "edge", "cluster": "edge"},
		"admin":            object{"address": pipe(admin)},
		"static_resources": object{"listeners": listeners, "clusters": clusters},
		"dynamic_resources": object{"lds_config": object{"path_config_source": object{
			"path": filepath.Join(e.folder, "dynamic.json"), "watched_directory": object{"path": e.folder},
		}}},
	})
	require.NoError(tb, err)
	config := filepath.Join(tb.TempDir(), "bootstrap.json")
	require.NoError(tb, os.WriteFile(config, bootstrap, 0o600))
	ended := run(tb, built(tb, "bin/envoy", "bin", "envoy"), "--config-path", config,
		"--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warning")

	for deadline := time.Now().Add(started); ; time.Sleep(50 * time.Millisecond) {
		if strings.TrimSpace(e.get("/ready")) == "LIVE" && e.readPorts() && len(e.ports) == len(fixed)+len(dynamic) {
			return e
		}
		select {
		case <-ended:
			require.FailNow(tb, "Envoy ended")
		default:
			require.True(tb, time.Now().Before(deadline), "Envoy isn't live after %s", started)
		}
	}
}

// run starts a program, and ends it with the test. Its log is the test's where the test
// fails. What it returns is closed once the program has ended.
func run(tb testing.TB, program string, args ...string) <-chan struct{} {
	tb.Helper()
	var log bytes.Buffer
	command := exec.Command(program, args...)
	command.Stdout, command.Stderr = &log, &log
	command.SysProcAttr = endWithParent()
	started, ended := make(chan error), make(chan struct{})
	go func() {
		// Linux takes the thread that started a process for its parent, and this one must outlive it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := command.Start()
		started <- err
		if err == nil {
			_ = command.Wait() // it is killed, or its log says why it ended
		}
		close(ended)
	}()
	require.NoError(tb, <-started)
	tb.Cleanup(func() {
		_ = command.Process.Kill() // the only error is that it has ended
		<-ended
		if tb.Failed() {
			tb.Logf("the log of %s (%v):\n%s", filepath.Base(program), command.ProcessState, log.String())
		}
	})
	return ended
}

// change replaces the listeners that may change, in one step.
func (e *envoy) change(gateways ...gateway) error {
	resources := []object{}
	for _, g := range gateways {
		listener := g.listener()
		listener["@type"] = "type.googleapis.com/envoy.config.listener.v3.Listener"
		resources = append(resources, listener)
	}
	text, err := json.Marshal(object{"resources": resources})
	if err != nil {
		return err
	}
	fresh := filepath.Join(e.folder, "fresh.json")
	if err := os.WriteFile(fresh, text, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, filepath.Join(e.folder, "dynamic.json"))
}

// readPorts asks Envoy on which ports it listens.
func (e *envoy) readPorts() bool {
	var found struct {
		Listeners []struct {
			Name    string `json:"name"`
			Address struct {
				Socket struct {
					Port int `json:"port_value"`
				} `json:"socket_address"`
			} `json:"local_address"`
		} `json:"listener_statuses"`
	}
	if err := json.Unmarshal([]byte(e.get("/listeners?format=json")), &found); err != nil {
		return false
	}
	e.ports = map[string]int{}
	for _, l := range found.Listeners { // a socket has none
		e.ports[l.Name] = l.Address.Socket.Port
	}
	return true
}

// get returns what the administration interface answers, or what went wrong.
func (e *envoy) get(path string) string {
	response, err := e.admin.Get("http://admin" + path)
	if err != nil {
		return err.Error()
	}
	text, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return fmt.Sprint(err)
	}
	return string(text)
}
