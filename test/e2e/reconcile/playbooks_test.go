package reconcile_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// gateways are those that Ansible owns in the example platform (DD-0025, section 3).
var gateways = []string{
	"istio-ingressgateway", "istio-ingressgateway-ceph-dashboard", "istio-ingressgateway-gitlab", "istio-ingressgateway-grafana",
	"istio-ingressgateway-image-cache", "istio-ingressgateway-mlflow", "istio-ingressgateway-mlflow-router",
	"istio-ingressgateway-prometheus", "istio-ingressgateway-service", "istio-ingressgateway-waldur",
}

// environments are the inventories, with the profile that their Environment says.
var environments = map[string]string{"local": "open", "dev": "open", "staging": "enforced", "production": "enforced"}

func inventory(environment string) string {
	return ansible.Path("ansible-modules", "example", "inventory", environment)
}

// TestInventories load with the values of the documents that the overlays have.
func TestInventories(t *testing.T) {
	for _, version := range ansible.Versions() {
		c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.Local})
		for environment, profile := range environments {
			out := c.Command(t, "ansible", "-i", inventory(environment), "localhost", "-m", "ansible.builtin.debug", "-a", "msg={{ security_profile }}/{{ dns.gitlab | first }}/{{ istio_version }}")
			assert.Regexp(t, `"msg": "`+profile+`/gitlab\.[a-z.]+/\d+\.\d+\.\d+"`, out, "%s: %s", version, environment)
		}
		for _, playbook := range []string{"gateways", "down", "parity"} {
			c.Command(t, "ansible-playbook", "-i", inventory("staging"), "--syntax-check", "ringfence.mesh."+playbook)
		}
	}
}

// TestPlaybooks takes the ten gateways of the example platform up, each as its
// owner, and everything down again.
func TestPlaybooks(t *testing.T) {
	ctx := t.Context()
	const namespace = "istio-system"
	require.NoError(t, server.Client.Apply(ctx, "test", "", []byte("{apiVersion: v1, kind: Namespace, metadata: {name: istio-system}}")))
	var deployments strings.Builder
	for _, name := range gateways {
		deployments.WriteString(deployment(name, "istio-proxy", ""))
	}
	require.NoError(t, server.Client.Apply(ctx, "test", namespace, []byte(deployments.String())))
	other := "{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: istio-ingressgateway-web}, spec: {selector: {matchLabels: {app: istio-ingressgateway-web}}, rules: [{}]}}"
	require.NoError(t, server.Client.Apply(ctx, "argocd-controller", namespace, []byte(other)))
	before, err := server.Client.Get(ctx, cluster.AuthorizationPolicy, namespace, "istio-ingressgateway-web")
	require.NoError(t, err)

	c := ansible.New(t, first())
	kubeconfig := filepath.Join(c.Home, ".kube", "config")
	require.NoError(t, os.MkdirAll(filepath.Dir(kubeconfig), 0o700))
	require.NoError(t, server.Admin().WriteKubeconfig(kubeconfig))
	play := func(playbook, environment string, args ...string) string {
		return c.Command(t, "ansible-playbook", append([]string{"-i", inventory(environment), "-e", "gateway_propagation_delay=1", "ringfence.mesh." + playbook}, args...)...)
	}
	policies := func() []string {
		resources, err := server.Client.Kind(ctx, cluster.AuthorizationPolicy, namespace)
		require.NoError(t, err)
		list, err := resources.List(ctx, metav1.ListOptions{LabelSelector: "ringfence.dev/model=platform"})
		require.NoError(t, err)
		var out []string
		for _, o := range list.Items {
			out = append(out, o.GetName())
		}
		return out
	}
	changed := regexp.MustCompile(`changed=(\d+)`)

	play("gateways", "staging", "--check", "--diff")
	assert.Empty(t, policies(), "check mode makes nothing")

	// A gateway that lets the rejected host through: the next ones aren't touched.
	leaky := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Envoy-Upstream-Service-Time", "1")
	}))
	defer leaky.Close()
	host, port, err := net.SplitHostPort(leaky.Listener.Addr().String())
	require.NoError(t, err)
	_, failed := c.Fail(t, ansible.Play{
		Playbook: "- ansible.builtin.import_playbook: ringfence.mesh.gateways\n",
		Args:     []string{"-i", inventory("staging")},
		Vars: map[string]any{
			"gateway_propagation_delay": 1,
			"ringfence_addresses":       map[string]any{gateways[0]: map[string]any{"address": host, "port": port}},
		},
	})
	assert.Contains(t, failed.Message(), "rejected.invalid got 200 from the application")
	assert.Equal(t, gateways[:1], policies(), "the first gateway failed its probe, and there it stopped")

	play("gateways", "staging")
	assert.Equal(t, gateways, policies())
	assert.Equal(t, "0", changed.FindStringSubmatch(play("gateways", "staging"))[1], "the second run changes nothing")
	play("gateways", "staging", "-e", "security_profile=permissive")
	assert.Empty(t, policies(), "below enforced there are none")
	play("gateways", "local")
	assert.Empty(t, policies(), "nor below permissive")
	play("gateways", "staging")
	assert.Equal(t, gateways, policies())
	play("down", "staging")
	assert.Empty(t, policies(), "nothing is left")
	after, err := server.Client.Get(ctx, cluster.AuthorizationPolicy, namespace, "istio-ingressgateway-web")
	require.NoError(t, err)
	assert.Equal(t, before, after, "what GitOps owns stays as it is, to the last field")
}

// TestParity compares an inventory with what kustomize made of the overlays of its
// environment, and of another one.
func TestParity(t *testing.T) {
	c := ansible.New(t, first())
	play := func(rendered string) ansible.Play {
		return ansible.Play{
			Playbook: "- ansible.builtin.import_playbook: ringfence.mesh.parity\n",
			Args:     []string{"-i", inventory("staging")},
			Vars:     map[string]any{"ringfence_rendered": []string{ansible.Path("test", "compositions", "testdata", rendered)}},
		}
	}
	c.Succeed(t, play("staging"))
	_, failed := c.Fail(t, play("dev"))
	for _, rule := range []string{"parity-profile", "parity-host", "parity-consumer"} {
		assert.Contains(t, failed.Message(), "["+rule+"]", "every disagreement is listed")
	}
}
