package reconcile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// TestReadme runs the blocks of the README that want a cluster. It shares the
// namespace of TestPlaybooks, and runs before whatever is parallel.
func TestReadme(t *testing.T) {
	namespace := "istio-system"
	require.NoError(t, server.Client.Apply(t.Context(), "test", "", []byte("{apiVersion: v1, kind: Namespace, metadata: {name: istio-system}}")))
	require.NoError(t, server.Client.Apply(t.Context(), "test", namespace, []byte(strings.TrimPrefix(deployment("istio-ingressgateway-image-cache", "istio-proxy", ""), "---\n"))))
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	require.NoError(t, server.Admin().WriteKubeconfig(kubeconfig))
	versions := ansible.Versions()
	programs := ansible.Path("bin", "ansible", versions[len(versions)-1], "bin")
	command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "TestPages/README.md", "./internal/docgen")
	command.Dir = ansible.Path()
	command.Env = append(os.Environ(),
		"PATH="+programs+string(os.PathListSeparator)+os.Getenv("PATH"), "RINGFENCE_CLUSTER=1", "K8S_AUTH_KUBECONFIG="+kubeconfig,
		"ANSIBLE_HOME="+filepath.Join(dir, "home"), "ANSIBLE_COLLECTIONS_PATH="+filepath.Join(dir, "collections"))
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	_, err = server.Client.Get(t.Context(), cluster.AuthorizationPolicy, namespace, "istio-ingressgateway-image-cache")
	require.NoError(t, err, "the playbook of the README brings the policy about")
	policies, err := server.Client.Kind(t.Context(), cluster.AuthorizationPolicy, namespace)
	require.NoError(t, err)
	require.NoError(t, policies.Delete(t.Context(), "istio-ingressgateway-image-cache", metav1.DeleteOptions{}))
}
