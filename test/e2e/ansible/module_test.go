package ansible_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
)

// platform are the model and an environment of the example platform, as a playbook's files.
func platform(tb testing.TB) map[string]string {
	tb.Helper()
	out := map[string]string{}
	for name, path := range map[string]string{
		"files/model.yaml":       ansible.Path("overlays", "platform", "model", "model.yaml"),
		"files/environment.yaml": ansible.Path("overlays", "platform", "environments", "staging", "environment.yaml"),
	} {
		text, err := os.ReadFile(path)
		require.NoError(tb, err)
		out[name] = string(text)
	}
	return out
}

// TestAnswers runs a module of the tarball: its program on the host, its files from the controller.
func TestAnswers(t *testing.T) {
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			c := ansible.New(t, target)
			run := c.Succeed(t, ansible.Play{
				Playbook: play(`
- name: Paths
  ringfence.mesh.access_info: {model: model.yaml, environment: environment.yaml}
- name: Mappings
  ringfence.mesh.access_info:
    model: "{{ lookup('ansible.builtin.file', 'model.yaml') | from_yaml }}"
    environment: "{{ lookup('ansible.builtin.file', 'environment.yaml') | from_yaml }}"
- name: In the background
  ringfence.mesh.access_info: {model: model.yaml, environment: environment.yaml}
  async: 60
  poll: 1
- name: Checked
  ringfence.mesh.access_info: {model: model.yaml, environment: environment.yaml}
  check_mode: true`),
				Files: platform(t),
				Args:  []string{"-v"},
			})
			want := run.Task(t, "Paths").Result
			assert.Equal(t, "enforced", want["profile"])
			assert.NotEmpty(t, want["gateways"])
			for _, name := range []string{"Mappings", "In the background", "Checked"} {
				task := run.Task(t, name)
				assert.False(t, task.Changed(), name)
				for _, value := range []string{"gateways", "workloads", "edges", "service_accounts", "consumers"} {
					assert.Equal(t, want[value], task.Result[value], "%s: %s", name, value)
				}
			}
			assert.NotContains(t, run.Output(), "WARNING")
			assertNoTraces(t, c)
			t.Logf("%.2f s a task", run.Task(t, "Mappings").Seconds)
		})
	}
}

func TestModuleRefuses(t *testing.T) {
	t.Parallel()
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, target)
			_, task := c.Fail(t, ansible.Play{
				Playbook: play("- name: Test\n  ringfence.mesh.access_info: {modl: model.yaml}"),
			})
			assert.Contains(t, task.Message(), `Unsupported parameters for (ringfence.mesh.access_info) module: modl (did you mean "model"?). Supported parameters include: `)
		})
	}
}

// TestSecrets reaches for a server that isn't there, in each way to say who asks.
func TestSecrets(t *testing.T) {
	t.Parallel()
	type values = map[string]any
	const nowhere = "https://127.0.0.1:1"
	const kubeconfig = `
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "` + nowhere + `"}}]
users: [{name: u, user: {token: top-secret-token, client-key-data: dG9wLXNlY3JldC1rZXk=}}]
`
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, target)
			files := platform(t)
			files["files/kubeconfig"] = kubeconfig
			require.NoError(t, os.WriteFile(filepath.Join(c.RemoteHome, "kubeconfig"), []byte(kubeconfig), 0o600))
			path := map[ansible.Connection]string{ansible.Local: "kubeconfig", ansible.SSH: "~/kubeconfig"}[c.Connection]
			run := c.Succeed(t, ansible.Play{
				Playbook: play(`
- name: All
  ignore_errors: true
  ringfence.mesh.access_policies:
    model: model.yaml
    environment: environment.yaml
    owner: image-registry
    host: "{{ way.host | default(omit) }}"
    api_key: "{{ way.api_key | default(omit) }}"
    username: "{{ way.username | default(omit) }}"
    password: "{{ way.password | default(omit) }}"
    proxy: "{{ way.proxy | default(omit) }}"
    proxy_headers: "{{ way.proxy_headers | default(omit) }}"
    kubeconfig: "{{ way.kubeconfig | default(omit) }}"
    bogus: "{{ way.bogus | default(omit) }}"
  vars: {way: "{{ ways[item] }}"}
  loop: "{{ ways.keys() | sort }}"`),
				Files: files,
				Vars: values{"ways": values{
					"token":      values{"host": nowhere, "api_key": "top-secret-token"},
					"password":   values{"host": nowhere, "username": "me", "password": "top-secret-password"},
					"proxy":      values{"host": nowhere, "api_key": "top-secret-token", "proxy": "http://me:top-secret-proxy@127.0.0.1:1"},
					"headers":    values{"host": nowhere, "api_key": "top-secret-token", "proxy": "http://127.0.0.1:1", "proxy_headers": values{"proxy_basic_auth": "me:top-secret-header"}},
					"kubeconfig": values{"kubeconfig": path},
					"mapping":    values{"kubeconfig": "{{ lookup('ansible.builtin.file', 'kubeconfig') | from_yaml }}"},
					"refused":    values{"host": nowhere, "api_key": "top-secret-token", "bogus": "top-secret"},
				}},
				Args: []string{"-vvvv"},
			})
			results, ok := run.Task(t, "All").Result["results"].([]any)
			require.True(t, ok)
			require.Len(t, results, 7)
			for _, result := range results {
				result, ok := result.(map[string]any)
				require.True(t, ok)
				assert.Equal(t, true, result["failed"], "%v", result)
				if result["item"] == "refused" {
					assert.Contains(t, result["msg"], "Unsupported parameters", "%v", result)
				} else {
					assert.Contains(t, result["msg"], "connection refused", "%v", result)
				}
			}
			for _, secret := range []string{"top-secret", "dG9wLXNlY3JldC", "panic"} {
				assert.NotContains(t, run.Output(), secret)
			}
			assertNoTraces(t, c)
		})
	}
}

// TestLibrary runs a module without the collection.
func TestLibrary(t *testing.T) {
	t.Parallel()
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, target)
			c.Collections = filepath.Join(c.Folder, "none")
			files := platform(t)
			for _, name := range []string{"access_info", "access_info.yml"} {
				text, err := os.ReadFile(ansible.Path("out", "library", name))
				require.NoError(t, err, "run 'make library'")
				files["library/"+name] = string(text)
			}
			run := c.Succeed(t, ansible.Play{
				Playbook: play(`
- name: Test
  access_info:
    model: "{{ playbook_dir }}/files/model.yaml"
    environment: "{{ playbook_dir }}/files/environment.yaml"`),
				Files: files,
			})
			assert.Equal(t, "enforced", run.Task(t, "Test").Result["profile"])
			assert.Contains(t, c.Command(t, "ansible-doc", "-M", filepath.Join(run.Folder, "library"), "access_info"), "EXAMPLES")
		})
	}
}

// TestLibraryIsComplete requires each module under its name, for this machine, with its documentation.
func TestLibraryIsComplete(t *testing.T) {
	entries, err := os.ReadDir(ansible.Path("out", "library"))
	require.NoError(t, err, "run 'make library'")
	var got, want []string
	for _, entry := range entries {
		got = append(got, entry.Name())
	}
	for _, name := range moduleNames(t) {
		want = append(want, name, name+".yml")
	}
	assert.ElementsMatch(t, want, got)
	first, err := os.Stat(ansible.Path("out", "library", want[0]))
	require.NoError(t, err)
	for _, name := range moduleNames(t) {
		info, err := os.Stat(ansible.Path("out", "library", name))
		require.NoError(t, err)
		assert.True(t, os.SameFile(first, info), "%s is one file with the others", name)
	}
}
