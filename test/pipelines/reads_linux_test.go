package pipelines

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// call is a run of bin/ringfence under a name.
type call struct {
	name  string
	args  []string
	stdin []byte
	// files are what the arguments name.
	files map[string][]byte
}

// calls are each function's, the command's as a function, and render's.
func calls(t *testing.T) map[string]call {
	t.Helper()
	list := resourceList(t, "themelio")
	out := map[string]call{"ringfence": {name: "ringfence", stdin: list}}
	folders, err := filepath.Glob(filepath.Join(root, "functions", "*", "fn.go"))
	require.NoError(t, err)
	require.NotEmpty(t, folders)
	for _, folder := range folders {
		name := filepath.Base(filepath.Dir(folder))
		out[name] = call{name: name, stdin: list}
	}
	render := call{name: "ringfence", stdin: build(t, "base/themelio"), files: map[string][]byte{}}
	for _, arg := range renderArgs("themelio") {
		if strings.HasSuffix(arg, ".yaml") {
			text, err := os.ReadFile(arg)
			require.NoError(t, err)
			arg = filepath.Base(arg)
			render.files[arg] = text
		}
		render.args = append(render.args, arg)
	}
	out["render"] = render
	return out
}

// resourceList is what kustomize hands to an application's functions in staging.
func resourceList(t *testing.T, owner string) []byte {
	t.Helper()
	var items []any
	for part := range strings.SplitSeq(string(build(t, "base/"+owner)), "\n---\n") {
		var item map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(part), &item))
		items = append(items, item)
	}
	var config map[string]any
	require.NoError(t, yaml.Unmarshal(build(t, "staging/"+owner+"/ringfence"), &config))
	out, err := yaml.Marshal(map[string]any{"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items, "functionConfig": config})
	require.NoError(t, err)
	return out
}

// result is all that a run says.
type result struct {
	stdout, stderr string
	status         int
}

// TestNeedsNothing runs the executable where there is nothing but itself and what
// the arguments name: no environment, no other file, no network, no privilege.
func TestNeedsNothing(t *testing.T) {
	t.Parallel()
	places := map[string]func(*exec.Cmd){
		"no environment": func(*exec.Cmd) {},
		"another environment": func(c *exec.Cmd) {
			c.Env = []string{"LANG=tr_TR.UTF-8", "TZ=Asia/Tokyo", "HOME=/nowhere", "GOMAXPROCS=1", "PATH=/nowhere"}
		},
		"empty root": func(c *exec.Cmd) { inside(c) },
		"nobody in an empty root": func(c *exec.Cmd) {
			inside(c).Credential = &syscall.Credential{Uid: 65534, Gid: 65534, NoSetGroups: true}
		},
		"no network": func(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET} },
	}
	for name, call := range calls(t) {
		dir := directory(t, call)
		want := try(t, prepare(dir, call, os.Environ()))
		require.Equal(t, name != "access-verifier", want.status == 0, "what nothing was rendered into isn't accepted: %s", want.stderr)
		require.NotEmpty(t, want.stdout)
		for place, enter := range places {
			t.Run(name+"/"+place, func(t *testing.T) {
				t.Parallel()
				command := prepare(dir, call, []string{})
				enter(command)
				assert.Equal(t, want, try(t, command))
			})
		}
	}
}

// inside makes the command's directory its root.
func inside(c *exec.Cmd) *syscall.SysProcAttr {
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: c.Dir}
	c.Path, c.Dir = "/"+filepath.Base(c.Path), "/"
	return c.SysProcAttr
}

// directory returns one that holds the executable and what the arguments name.
func directory(t *testing.T, c call) string {
	t.Helper()
	dir := t.TempDir()
	for _, at := range []string{dir, filepath.Dir(dir)} {
		require.NoError(t, os.Chmod(at, 0o755)) // for nobody
	}
	text, err := os.ReadFile(executable(t, "ringfence"))
	require.NoError(t, err)
	// A process that another test starts in between would hold the file open for writing, and then
	// nobody can run it (golang/go#22315).
	syscall.ForkLock.RLock()
	err = os.WriteFile(filepath.Join(dir, c.name), text, 0o755)
	syscall.ForkLock.RUnlock()
	require.NoError(t, err)
	for name, text := range c.files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	return dir
}

func prepare(dir string, c call, environment []string) *exec.Cmd {
	command := exec.Command(filepath.Join(dir, c.name), c.args...)
	command.Dir, command.Env, command.Stdin = dir, environment, bytes.NewReader(c.stdin)
	return command
}

func try(t *testing.T, command *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("only root may do this here: %v", err)
	}
	if _, exited := errors.AsType[*exec.ExitError](err); !exited {
		require.NoError(t, err)
	}
	return result{stdout.String(), stderr.String(), command.ProcessState.ExitCode()}
}

// kernel is what Go's runtime reads: how many processors there are, and how large pages are.
var kernel = regexp.MustCompile(`^(/proc/self/|/sys/fs/cgroup/|/sys/kernel/mm/transparent_hugepage/)`)

var quoted = regexp.MustCompile(`"([^"]*)"`)

// TestReads lists what is opened, where there is a strace: what the arguments
// name, and nothing else. Nothing is run, and no socket is made.
func TestReads(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("there is no strace")
	}
	for name, call := range calls(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := directory(t, call)
			log := filepath.Join(t.TempDir(), "log")
			inner := prepare(dir, call, os.Environ())
			command := exec.Command(strace, append([]string{"-f", "-o", log, "-e", "trace=%file,%network", inner.Path}, call.args...)...)
			command.Dir, command.Stdin = dir, inner.Stdin
			if got := try(t, command); strings.Contains(got.stderr, "strace: ") {
				t.Skipf("strace can't do this here: %s", got.stderr)
			}
			text, err := os.ReadFile(log)
			require.NoError(t, err)
			opened := map[string]bool{}
			for line := range strings.Lines(string(text)) {
				if strings.Contains(line, "execve(") {
					assert.Contains(t, line, dir, "it runs nothing but itself")
					continue
				}
				assert.NotRegexp(t, `\b(socket|connect|bind)\(`, line)
				for _, match := range quoted.FindAllStringSubmatch(line, 1) {
					if match[1] != inner.Path && !kernel.MatchString(match[1]) {
						opened[match[1]] = true
					}
				}
			}
			assert.ElementsMatch(t, slices.Collect(maps.Keys(call.files)), slices.Collect(maps.Keys(opened)))
		})
	}
}
