package ansible

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// Connection is how Ansible reaches the host that the modules run on.
type Connection string

// The connections that are tested.
const (
	Local Connection = "local"
	SSH   Connection = "ssh"
)

// Target is a version of ansible-core and how it reaches its host.
type Target struct {
	Version    string
	Connection Connection
}

// String returns the name of a test with it.
func (t Target) String() string { return t.Version + "-" + string(t.Connection) }

// Targets are all pinned versions over all connections.
func Targets() []Target {
	var out []Target
	for _, version := range session.versions {
		for _, connection := range []Connection{Local, SSH} {
			out = append(out, Target{version, connection})
		}
	}
	return out
}

// Versions are the pinned versions of ansible-core.
func Versions() []string { return slices.Clone(session.versions) }

// Controller is one installation of Ansible with one host to manage, called target.
type Controller struct {
	Target
	// Folder holds all that is the controller's own: its configuration, its home, the temporary files of both
	// sides.
	Folder string
	// Home is the home folder of who runs Ansible, RemoteHome that of the user on the host.
	Home, RemoteHome string
	// Collections is the folder to find ansible_collections in. A test may set another one.
	Collections string

	ssh *server
	// calls counts those of ansible-playbook.
	calls atomic.Int64
}

// New returns a controller that has the collection installed. What it needs goes away with the test.
func New(tb testing.TB, target Target) *Controller {
	tb.Helper()
	require.NotEmpty(tb, session.folder, "TestMain must call ansible.Main")
	folder, err := os.MkdirTemp(session.folder, "") //nolint:usetesting // the path of tb.TempDir is too long for a socket
	require.NoError(tb, err)
	c := &Controller{
		Target: target, Folder: folder,
		Home: filepath.Join(folder, "home"), RemoteHome: filepath.Join(folder, "remote"),
	}
	for _, name := range []string{"home", "remote", "tmp", "cp"} {
		require.NoError(tb, os.Mkdir(filepath.Join(folder, name), 0o700))
	}
	if target.Connection == Local {
		c.RemoteHome = c.Home
	} else {
		c.ssh = startServer(tb, filepath.Join(folder, "sshd"), c.RemoteHome)
	}
	c.Collections = collections(tb, target.Version)
	return c
}

// collections returns the folder in which the collection is installed for a version.
func collections(tb testing.TB, version string) string {
	tb.Helper()
	session.mu.Lock()
	defer session.mu.Unlock()
	if folder := session.collections[version]; folder != "" {
		return folder
	}
	c := &Controller{Target: Target{Version: version}, Folder: filepath.Join(session.folder, "install-"+version)}
	c.Home, c.Collections = filepath.Join(c.Folder, "home"), filepath.Join(c.Folder, "collections")
	for _, folder := range []string{c.Home, filepath.Join(c.Folder, "tmp")} {
		require.NoError(tb, os.MkdirAll(folder, 0o700))
	}
	output := c.Command(tb, "ansible-galaxy", "collection", "install", "--offline", "-p", c.Collections, session.tarball)
	require.Contains(tb, output, "ringfence.mesh:0.1.0 was installed successfully")
	session.collections[version] = c.Collections
	return c.Collections
}

// Host returns the variables by which an inventory makes a host the controller's target.
func (c *Controller) Host() string {
	if c.Connection == Local {
		return "ansible_connection=local"
	}
	return "ansible_connection=ssh ansible_host=" + alias
}

// Command runs one of Ansible's commands and returns what it prints on standard output.
func (c *Controller) Command(tb testing.TB, name string, args ...string) string {
	tb.Helper()
	command := c.command(tb, name, args...)
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(tb, command.Run(), "%s %s:\n%s%s", name, strings.Join(args, " "), &stdout, &stderr)
	return stdout.String()
}

func (c *Controller) command(tb testing.TB, name string, args ...string) *exec.Cmd {
	tb.Helper()
	configuration := filepath.Join(c.Folder, "ansible.cfg")
	require.NoError(tb, os.WriteFile(configuration, []byte(c.configuration()), 0o600))
	programs := Path("bin", "ansible", c.Version, "bin")
	command := exec.CommandContext(tb.Context(), filepath.Join(programs, name), args...)
	command.Dir = c.Folder
	// Nothing of the caller's environment: neither ANSIBLE_* nor K8S_AUTH_* nor a KUBECONFIG.
	command.Env = []string{
		"PATH=" + programs + ":/usr/local/bin:/usr/bin:/bin",
		"HOME=" + c.Home,
		"TMPDIR=" + filepath.Join(c.Folder, "tmp"),
		"LC_ALL=C.UTF-8",
		"PYTHONDONTWRITEBYTECODE=1",
		"ANSIBLE_CONFIG=" + configuration,
	}
	return command
}

func (c *Controller) configuration() string {
	settings := fmt.Sprintf(`[defaults]
collections_path = %[2]s
stdout_callback = recorded
callback_plugins = %[3]s/test/e2e/ansible/callback
interpreter_python = %[3]s/bin/ansible/%[4]s/bin/python
local_tmp = %[1]s/tmp/controller
remote_tmp = %[1]s/tmp/host
async_dir = %[1]s/tmp/async
nocolor = True
localhost_warning = False
timeout = 30
`, c.Folder, c.Collections, session.root, c.Version)
	if c.ssh != nil {
		settings += fmt.Sprintf(`[ssh_connection]
ssh_args = -F %s -o ControlMaster=auto -o ControlPersist=60s
control_path_dir = %s
`, c.ssh.clientConfig, filepath.Join(c.Folder, "cp"))
	}
	return settings
}
