package ansible

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alias is the name of the server in the client's configuration.
const alias = "loopback"

// server is OpenSSH's own server, which lets the current user in by a key made for it.
type server struct {
	clientConfig string
}

// startServer starts a server that ends with the test. Its sessions have the given home folder.
func startServer(tb testing.TB, folder, home string) *server {
	tb.Helper()
	require.NoError(tb, os.Mkdir(folder, 0o700))
	me, err := user.Current()
	require.NoError(tb, err)
	if os.Getuid() == 0 {
		// Where the server that root starts locks its unprivileged part up: the package leaves making it to the
		// system's start.
		require.NoError(tb, os.MkdirAll("/run/sshd", 0o755))
	}
	for _, key := range []string{"host", "user"} {
		output, err := exec.CommandContext(tb.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(folder, key)).CombinedOutput()
		require.NoError(tb, err, "%s", output)
	}
	port := freePort(tb)
	s := &server{clientConfig: filepath.Join(folder, "ssh_config")}
	hostKey, err := os.ReadFile(filepath.Join(folder, "host.pub"))
	require.NoError(tb, err)
	for name, text := range map[string]string{
		"sshd_config": fmt.Sprintf(`ListenAddress 127.0.0.1:%[1]d
HostKey %[2]s/host
AuthorizedKeysFile %[2]s/user.pub
AllowUsers %[3]s
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
PidFile none
MaxStartups 100
MaxSessions 100
Subsystem sftp internal-sftp
SetEnv HOME=%[4]s
`, port, folder, me.Username, home),
		"ssh_config": fmt.Sprintf(`Host %[1]s
HostName 127.0.0.1
HostKeyAlias %[1]s
Port %[2]d
User %[3]s
IdentityFile %[4]s/user
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile %[4]s/known_hosts
GlobalKnownHostsFile /dev/null
StrictHostKeyChecking yes
`, alias, port, me.Username, folder),
		"known_hosts": alias + " " + string(hostKey),
	} {
		require.NoError(tb, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	s.start(tb, folder, port)
	return s
}

func (s *server) start(tb testing.TB, folder string, port int) {
	tb.Helper()
	log, err := os.Create(filepath.Join(folder, "log"))
	require.NoError(tb, err)
	// It starts itself anew for each connection, by its full name.
	command := exec.CommandContext(context.WithoutCancel(tb.Context()), Path("bin", "sshd"), "-D", "-e", "-f", filepath.Join(folder, "sshd_config"))
	command.Stdout, command.Stderr = log, log
	require.NoError(tb, command.Start())
	tb.Cleanup(func() {
		s.closeSessions(tb, filepath.Join(filepath.Dir(folder), "cp"))
		require.NoError(tb, command.Process.Kill())
		_ = command.Wait() // it was killed
		require.NoError(tb, log.Close())
	})
	listening := fmt.Sprintf("Server listening on 127.0.0.1 port %d.", port)
	if !assert.Eventually(tb, func() bool {
		text, err := os.ReadFile(log.Name())
		return err == nil && strings.Contains(string(text), listening)
	}, 10*time.Second, 20*time.Millisecond) {
		text, err := os.ReadFile(log.Name())
		require.NoError(tb, err)
		require.Fail(tb, "sshd doesn't listen", "%s", text)
	}
}

// closeSessions ends the connections that the clients keep open for further tasks.
func (s *server) closeSessions(tb testing.TB, sockets string) {
	tb.Helper()
	paths, err := filepath.Glob(filepath.Join(sockets, "*"))
	require.NoError(tb, err)
	for _, path := range paths {
		output, err := exec.CommandContext(context.WithoutCancel(tb.Context()), "ssh", "-F", s.clientConfig, "-o", "ControlPath="+path, "-O", "exit", alias).CombinedOutput()
		require.NoError(tb, err, "%s", output)
	}
}

func freePort(tb testing.TB) int {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	defer func() { require.NoError(tb, listener.Close()) }()
	address, ok := listener.Addr().(*net.TCPAddr)
	require.True(tb, ok)
	return address.Port
}
