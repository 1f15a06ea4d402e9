package reconcile_test

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// TestEditedByHand restores what somebody opened between two runs.
func TestEditedByHand(t *testing.T) {
	p := newPlatform(t, first())
	p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
	policies, err := server.Client.Kind(t.Context(), cluster.AuthorizationPolicy, p.namespace)
	require.NoError(t, err)
	o, err := policies.Get(t.Context(), "web-gateway", metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, unstructured.SetNestedSlice(o.Object, []any{map[string]any{}}, "spec", "rules"))
	require.NoError(t, unstructured.SetNestedField(o.Object, "x", "spec", "selector", "matchLabels", "foreign"))
	_, err = policies.Update(t.Context(), o, metav1.UpdateOptions{FieldManager: "kubectl-edit"})
	require.NoError(t, err)
	run := p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
	assert.True(t, run.Task(t, "Everything").Changed())
	p.assertEnforced(t)
}

// TestTwoAtOnce runs two playbooks over one owner side by side.
func TestTwoAtOnce(t *testing.T) {
	p := newPlatform(t, first())
	one := p.controller.Start(t, p.play(t, server.Admin(), everything, nil))
	two := p.controller.Start(t, p.play(t, server.Admin(), everything, nil))
	for _, run := range []ansible.Run{one.Wait(t), two.Wait(t)} {
		assert.Zero(t, run.Status, "%s", run.Output())
	}
	p.assertEnforced(t)
}

// TestKilled ends a run between two writes by SIGKILL. The next one goes on from there.
func TestKilled(t *testing.T) {
	p := newPlatform(t, first())
	others := p.others(t)
	proxy, err := server.Proxy(server.Admin(), cluster.Valid())
	require.NoError(t, err)
	defer proxy.Stop()
	proxy.On(http.MethodPut, "/gateways/web", -1, cluster.Slow(time.Minute))
	process := p.controller.Start(t, p.play(t, proxy.Access(), everything, nil))
	require.Eventually(t, func() bool {
		for _, r := range proxy.Requests() {
			if r.Method == http.MethodPut && strings.HasSuffix(r.Path, "/gateways/web") {
				return true
			}
		}
		return false
	}, time.Minute, 50*time.Millisecond)
	require.NoError(t, process.Kill())
	assert.NotZero(t, process.Wait(t).Status)
	proxy.Stop()
	assert.Empty(t, p.policies(t), "policies come last")

	p.controller.Succeed(t, p.play(t, server.Admin(), everything, nil))
	p.assertEnforced(t)
	assert.Equal(t, others, p.others(t))
}

// TestSecrets looks for what no output may hold, at the highest verbosity.
func TestSecrets(t *testing.T) {
	p := newPlatform(t, first())
	access, err := server.Token(t.Context(), p.namespace, "operator")
	require.NoError(t, err)
	kubeconfig, err := access.Kubeconfig()
	require.NoError(t, err)
	user, err := server.User(cluster.Valid(), "nobody")
	require.NoError(t, err)
	keyed, err := user.Kubeconfig()
	require.NoError(t, err)
	const password = "correct horse battery staple"
	vars := map[string]any{"token": access.Token, "server": access.Server, "password": password, "as_text": string(kubeconfig), "keyed": string(keyed)}
	play := p.play(t, server.Admin(), `
  - name: Token
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "{{ server }}", api_key: "{{ token }}", validate_certs: false}
    ignore_errors: true
  - name: Password
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "{{ server }}", username: somebody, password: "{{ password }}"}
    ignore_errors: true
  - name: Mapping
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ as_text | from_yaml }}"}
    ignore_errors: true
  - name: Key
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ keyed | from_yaml }}", bogus: 1}
    ignore_errors: true
`, vars)
	play.Args = []string{"-vvvv"}
	run := p.controller.Succeed(t, play)
	for _, name := range []string{"Token", "Password", "Mapping", "Key"} {
		assert.NotEmpty(t, run.Task(t, name).Message(), "it must have failed and said why")
	}
	for what, secret := range map[string]string{"the token": access.Token, "the password": password, "the key": string(user.Key), "a line of the key": strings.Split(string(user.Key), "\n")[1]} {
		assert.NotContains(t, run.Output(), secret, "%s is shown", what)
	}
}

// TestReadme runs the blocks of the README that want a cluster.
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
