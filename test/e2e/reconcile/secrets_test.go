package reconcile_test

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// leaky are tasks that all fail, each at another place where a secret is at hand.
const leaky = `
  - name: Refused
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "{{ server }}", api_key: "{{ token }}", validate_certs: false}
    ignore_errors: true
  - name: Unknown authority
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "{{ server }}", api_key: "{{ token }}"}
    ignore_errors: true
  - name: Unknown token
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "{{ server }}", api_key: "{{ password }}", validate_certs: false}
    ignore_errors: true
  - name: Unknown parameter
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "{{ server }}", api_key: "{{ token }}", bogus: 1}
    ignore_errors: true
  - name: Password
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "{{ server }}", username: somebody, password: "{{ password }}", validate_certs: false}
    ignore_errors: true
  - name: Password in the address
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "https://somebody:{{ password | urlencode }}@127.0.0.1:1", api_key: "{{ token }}"}
    ignore_errors: true
  - name: Password of the proxy
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "https://192.0.2.1:6443", api_key: "{{ token }}", proxy: "http://127.0.0.1:1", proxy_headers: {proxy_basic_auth: "somebody:{{ password }}"}}
    ignore_errors: true
  - name: Kubeconfig with a token
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ tokened }}"}
    ignore_errors: true
  - name: Kubeconfig with a key
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ keyed }}"}
    ignore_errors: true
  - name: Kubeconfig with a key beside an unknown parameter
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ keyed }}", bogus: 1}
    ignore_errors: true
  - name: Kubeconfig whose key is in PEM
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ pem }}"}
    ignore_errors: true
  - name: Kubeconfig whose user is a token
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ flat }}"}
    ignore_errors: true
  - name: Kubeconfig as text
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ text }}"}
    ignore_errors: true
  - name: In the background
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ omit }}", host: "{{ server }}", api_key: "{{ token }}", validate_certs: false}
    async: 60
    poll: 1
    ignore_errors: true
  - name: Left in the background
    ringfence.mesh.gateway_host_policy: {gateway: web-gateway, kubeconfig: "{{ keyed }}", bogus: 1}
    async: 60
    poll: 0
    register: job
  - name: Left behind
    ansible.builtin.async_status: {jid: "{{ job.ansible_job_id }}"}
    register: answer
    until: answer.finished
    delay: 1
    ignore_errors: true
`

// TestSecrets looks for what no output may hold, at the highest verbosity, and in
// no file that is left.
func TestSecrets(t *testing.T) {
	t.Parallel()
	for _, connection := range []ansible.Connection{ansible.Local, ansible.SSH} {
		t.Run(string(connection), func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, ansible.Target{Version: first().Version, Connection: connection})
			access, err := server.Token(t.Context(), p.namespace, "operator")
			require.NoError(t, err)
			user, err := server.User(cluster.Valid(), "nobody")
			require.NoError(t, err)
			const password = "correct horse battery staple"
			inPEM := kubeconfig(t, user)
			inPEM["users"].([]any)[0].(map[string]any)["user"].(map[string]any)["client-key-data"] = string(user.Key)
			flat := kubeconfig(t, access)
			flat["users"].([]any)[0].(map[string]any)["user"] = access.Token
			text, err := access.Kubeconfig()
			require.NoError(t, err)
			play := p.play(t, server.Admin(), leaky, map[string]any{
				"token": access.Token, "server": access.Server, "password": password, "text": string(text),
				"tokened": kubeconfig(t, access), "keyed": kubeconfig(t, user), "pem": inPEM, "flat": flat,
			})
			play.Args = []string{"-vvvv", "--diff"}
			run := p.controller.Succeed(t, play)
			for line := range strings.Lines(leaky) {
				if name, ok := strings.CutPrefix(line, "  - name: "); ok && !strings.HasPrefix(name, "Left in") {
					task := run.Task(t, strings.TrimSpace(name))
					assert.Equal(t, "ignored", task.Status, name)
					assert.NotEmpty(t, task.Message(), "it must have failed and said why")
				}
			}
			secrets := secretsOf(access.Token, password, user.Key)
			results, err := json.Marshal(run.Tasks)
			require.NoError(t, err)
			assertSilent(t, secrets, "the output", run.Output())
			assertSilent(t, secrets, "the results", string(results))
			left := 0
			require.NoError(t, filepath.WalkDir(p.controller.Folder, func(path string, entry fs.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				if folder, _, _ := strings.Cut(strings.TrimPrefix(path, p.controller.Folder+"/"), "/"); strings.HasPrefix(folder, "settings-") {
					return nil // what this test wrote for Ansible to read
				}
				if strings.Contains(path, "/ansible-tmp-") {
					return nil // what Ansible hands to a module, as long as that runs in the background
				}
				content, err := os.ReadFile(path)
				require.NoError(t, err)
				assertSilent(t, secrets, path, string(content))
				if strings.Contains(path, "/async/") {
					left++
				}
				return nil
			}))
			assert.Positive(t, left, "the file of a job that was left in the background is there to be looked at")
		})
	}
}

// kubeconfig returns an access as the mapping that a playbook has of it.
func kubeconfig(tb testing.TB, access cluster.Access) map[string]any {
	tb.Helper()
	text, err := access.Kubeconfig()
	require.NoError(tb, err)
	var out map[string]any
	require.NoError(tb, yaml.Unmarshal(text, &out))
	return out
}

// secretsOf returns in what forms the secrets might be shown, and parts of them.
func secretsOf(token, password string, key []byte) map[string]string {
	out := map[string]string{
		"the password": password, "the password in an address": strings.ReplaceAll(password, " ", "%20"),
		"the password in a header": base64.StdEncoding.EncodeToString([]byte("somebody:" + password)),
		"the key in a kubeconfig":  base64.StdEncoding.EncodeToString(key)[60:120],
		"a line of the key":        strings.Split(string(key), "\n")[1],
	}
	for i, part := range strings.Split(token, ".")[1:] {
		out[[]string{"what the token says", "the token's signature"}[i]] = part
	}
	return out
}

func assertSilent(t *testing.T, secrets map[string]string, where, text string) {
	t.Helper()
	for what, secret := range secrets {
		assert.False(t, strings.Contains(text, secret), "%s holds %s", where, what) //nolint:testifylint // a failure must not print megabytes
	}
}
