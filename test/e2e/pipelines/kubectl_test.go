// Package pipelines applies builds to a real API server with the real kubectl, as
// docs/pipelines.md says.
package pipelines

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// policies are the kinds that a lower rung no longer derives.
const policies = "authorizationpolicies.security.istio.io,peerauthentications.security.istio.io"

// prune removes the policies of one owner that a build doesn't hold.
var prune = []string{
	"apply", "--prune", "-l", "ringfence.dev/owner=themelio",
	"--prune-allowlist=security.istio.io/v1/AuthorizationPolicy", "--prune-allowlist=security.istio.io/v1/PeerAuthentication",
}

// TestKubectl brings Themelio from enforced to permissive: a plain apply leaves
// the policies, a prune by our label takes them and nobody else's.
func TestKubectl(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("there is no kubectl")
	}
	bin, err := cluster.Bin()
	require.NoError(t, err)
	server, err := cluster.Start(t.Context(), t.TempDir(), bin)
	require.NoError(t, err)
	t.Cleanup(server.Stop)
	k := kubectl{dir: t.TempDir()}
	require.NoError(t, server.Admin().WriteKubeconfig(k.config()))
	for name, environment := range map[string]string{"enforced.yaml": "staging", "permissive.yaml": "staging-permissive"} {
		k.build(t, bin, name, environment)
	}
	require.NoError(t, server.Client.Apply(t.Context(), "somebody", "", []byte(foreign)))

	k.run(t, "apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "enforced.yaml")
	k.run(t, "apply", "-f", "enforced.yaml")
	enforced := k.policies(t)
	assert.Contains(t, enforced, "web-allow-ingress-gateway")
	assert.Contains(t, enforced, "istio-ingressgateway-web")
	k.run(t, "diff", "-f", "enforced.yaml") // fails when something differs

	k.run(t, "apply", "-f", "permissive.yaml")
	assert.Equal(t, enforced, k.policies(t), "a plain apply removes nothing")

	k.run(t, append(prune, "-f", "permissive.yaml")...)
	assert.Equal(t, []string{"of-somebody"}, k.policies(t))
	assert.Contains(t, k.run(t, "get", "deployments,serviceaccounts", "-n", "themelio", "-o", "name"), "deployment.apps/web", "no other kind is pruned")
}

const foreign = `
apiVersion: v1
kind: Namespace
metadata: {name: istio-system}
---
apiVersion: v1
kind: Namespace
metadata: {name: themelio}
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: of-somebody, namespace: themelio}
spec: {selector: {matchLabels: {app: other}}, rules: [{}]}
`

// kubectl runs in a directory that holds its kubeconfig and the builds.
type kubectl struct{ dir string }

func (k kubectl) config() string { return filepath.Join(k.dir, "kubeconfig") }

func (k kubectl) run(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.Command("kubectl", args...)
	command.Dir = k.dir
	command.Env = append(os.Environ(), "KUBECONFIG="+k.config())
	output, err := command.CombinedOutput()
	require.NoError(t, err, "kubectl %s: %s", strings.Join(args, " "), output)
	return string(output)
}

func (k kubectl) build(t *testing.T, bin, name, environment string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.Command(filepath.Join(bin, "ringfence"), "build", filepath.Join(bin, "..", "overlays", environment, "themelio"))
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(t, command.Run(), stderr.String())
	require.NoError(t, os.WriteFile(filepath.Join(k.dir, name), stdout.Bytes(), 0o600))
}

// policies returns the names of all policies.
func (k kubectl) policies(t *testing.T) []string {
	t.Helper()
	return strings.Fields(k.run(t, "get", policies, "-A", "-o", "jsonpath={.items[*].metadata.name}"))
}
