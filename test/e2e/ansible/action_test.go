package ansible_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/test/e2e/ansible"
)

// The action plugin alone: a program that echoes its arguments is the binary of each module.

const binaries = "ansible_collections/ringfence/mesh/plugins/modules/__bin__"

// buildEcho builds the program once for all tests.
var buildEcho = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // it is a temporary folder
	binary := filepath.Join(folder, "echo")
	command := exec.Command("go", "build", "-o", binary, "./echo")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building echo: %w: %s", err, output)
	}
	return os.ReadFile(binary)
})

// echoing makes the modules of a controller echo their arguments.
func echoing(tb testing.TB, c *ansible.Controller) {
	tb.Helper()
	echo, err := buildEcho()
	require.NoError(tb, err)
	folder := filepath.Join(c.Folder, "echoing")
	require.NoError(tb, os.CopyFS(folder, os.DirFS(c.Collections)))
	c.Collections = folder
	require.NoError(tb, os.WriteFile(filepath.Join(folder, binaries, "linux_"+runtime.GOARCH, "ringfence"), echo, 0o755))
}

// play is a playbook of tasks on the target without facts.
func play(tasks string) string {
	return "- name: Test\n  hosts: all\n  gather_facts: false\n  tasks:\n    " + strings.ReplaceAll(strings.TrimSpace(tasks), "\n", "\n    ") + "\n"
}

// arguments are those that the echoing module got.
func arguments(tb testing.TB, task ansible.Task) map[string]any {
	tb.Helper()
	text, ok := task.Result["arguments"].(string)
	require.True(tb, ok, "%v", task.Result)
	var out map[string]any
	require.NoError(tb, json.Unmarshal([]byte(text), &out))
	return out
}

// given are the arguments without those of Ansible and of the action plugin.
func given(tb testing.TB, task ansible.Task) map[string]any {
	tb.Helper()
	out := map[string]any{}
	for name, value := range arguments(tb, task) {
		if !strings.HasPrefix(name, "_") {
			out[name] = value
		}
	}
	return out
}

func TestArguments(t *testing.T) {
	t.Parallel()
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, target)
			echoing(t, c)
			password := filepath.Join(c.Folder, "password")
			require.NoError(t, os.WriteFile(password, []byte("of the vault"), 0o600))
			vaulted := c.Command(t, "ansible-vault", "encrypt_string", "--vault-password-file", password, "a secret")
			_, vaulted, found := strings.Cut(vaulted, "!vault |\n")
			require.True(t, found)
			indented := "          " + strings.ReplaceAll(strings.TrimSpace(strings.ReplaceAll(vaulted, "          ", "")), "\n", "\n          ")

			run := c.Succeed(t, ansible.Play{
				Playbook: play(`
- name: Written out
  vars:
    inner:
      key: !vault |
` + indented + `
  ringfence.mesh.access_info:
    owner: "{{ owner }}"
    dns: {a: b, 1: c, day: 2026-01-02, list: [1, 2.5, true, null]}
    trust_domain: "{{ omit_me | default(omit) }}"
    security_profile: "{{ inner }}"
    api_key: "{{ inner.key }}"
- name: Of one line
  ringfence.mesh.access_info: owner=gateways strict=yes`),
				Vars: map[string]any{"owner": "ümlaut"},
				Args: []string{"--vault-password-file", password, "--diff"},
			})
			task := run.Task(t, "Written out")
			assert.Equal(t, map[string]any{
				"owner":            "ümlaut",
				"dns":              map[string]any{"a": "b", "1": "c", "day": "2026-01-02", "list": []any{1.0, 2.5, true, nil}},
				"security_profile": map[string]any{"key": "a secret"},
				"api_key":          "a secret",
			}, given(t, task))
			assert.Equal(t, "ringfence.mesh.access_info", arguments(t, task)["_ringfence_module"])
			assert.Equal(t, map[string]any{}, arguments(t, task)["_ringfence_files"])
			assert.Equal(t, false, arguments(t, task)["_ansible_check_mode"])
			assert.Equal(t, true, arguments(t, task)["_ansible_diff"])
			assert.Equal(t, map[string]any{"owner": "gateways", "strict": "yes"}, given(t, run.Task(t, "Of one line")))
			if c.Connection == ansible.Local {
				assert.Equal(t, run.Folder, task.Result["folder"], "relative paths of a module start at the playbook")
			}
			assert.Equal(t, c.RemoteHome, task.Result["home"], "nothing of this machine's user takes part")
			assertNoTraces(t, c)
		})
	}
}

// assertNoTraces requires that nothing is left of the modules on the host. What ran in the background is looked
// after every five seconds (ansible's async_wrapper.py).
func assertNoTraces(tb testing.TB, c *ansible.Controller) {
	tb.Helper()
	assert.Eventually(tb, func() bool {
		entries, err := os.ReadDir(filepath.Join(c.Folder, "tmp", "host"))
		return err == nil && len(entries) == 0
	}, 15*time.Second, 50*time.Millisecond, "temporary files were left on the host")
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, version := range ansible.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.Local})
			echoing(t, c)
			run := c.Succeed(t, ansible.Play{Playbook: `
- name: Test
  hosts: all
  gather_facts: false
  collections: [ringfence.mesh]
  module_defaults:
    group/ringfence.mesh.model: {owner: of the group, strict: true}
    ringfence.mesh.workload_policy: {owner: of the module}
  tasks:
    - name: Full name
      ringfence.mesh.workload_policy: {}
    - name: Short name
      tenant_policy: {strict: false}
    - name: Name given by a variable
      vars: {module: access_info}
      action: "ringfence.mesh.{{ module }}"
`})
			for name, want := range map[string]struct {
				module string
				given  map[string]any
			}{
				"Full name":                {"workload_policy", map[string]any{"owner": "of the module", "strict": true}},
				"Short name":               {"tenant_policy", map[string]any{"owner": "of the group", "strict": false}},
				"Name given by a variable": {"access_info", map[string]any{"owner": "of the group", "strict": true}},
			} {
				task := run.Task(t, name)
				assert.Equal(t, "ringfence.mesh."+want.module, arguments(t, task)["_ringfence_module"], name)
				assert.Equal(t, want.given, given(t, task), name)
			}
		})
	}
}

// TestGroup holds what module_defaults of one group do for both collections; a stand-in takes the place of kubernetes.core.
func TestGroup(t *testing.T) {
	t.Parallel()
	for _, version := range ansible.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.Local})
			echoing(t, c)
			for name, text := range map[string]string{
				"meta/runtime.yml": "action_groups:\n  k8s: [k8s]\n",
				"plugins/modules/k8s.py": `
from ansible.module_utils.basic import AnsibleModule
module = AnsibleModule({"host": {}})
module.exit_json(arguments=module.jsonify({"host": module.params["host"]}))
`,
			} {
				name = filepath.Join(c.Collections, "ansible_collections", "kubernetes", "core", name)
				require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
				require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
			}
			run := c.Succeed(t, ansible.Play{Playbook: `
- name: Test
  hosts: all
  gather_facts: false
  module_defaults:
    group/ringfence.mesh.k8s: {host: https://one}
  tasks:
    - name: Ours
      ringfence.mesh.workload_policy: {}
    - name: Theirs
      kubernetes.core.k8s: {}
    - name: Without a server
      ringfence.mesh.access_info: {}
`})
			assert.Equal(t, map[string]any{"host": "https://one"}, given(t, run.Task(t, "Ours")))
			assert.Equal(t, map[string]any{"host": "https://one"}, given(t, run.Task(t, "Theirs")))
			assert.Empty(t, given(t, run.Task(t, "Without a server")))
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, target)
			echoing(t, c)
			password := filepath.Join(c.Folder, "password")
			require.NoError(t, os.WriteFile(password, []byte("of the vault"), 0o600))
			vaulted := filepath.Join(c.Folder, "vaulted.yaml")
			require.NoError(t, os.WriteFile(vaulted, []byte("of: the vault\n"), 0o600))
			c.Command(t, "ansible-vault", "encrypt", "--vault-password-file", password, vaulted)

			run := c.Succeed(t, ansible.Play{
				Playbook: play(`
- name: Of a role
  ansible.builtin.include_role: {name: gateway}
- name: Of the playbook
  ringfence.mesh.access_info: {model: model.yaml, environment: environments/dev.yaml}
- name: Absolute
  ringfence.mesh.access_info: {model: "{{ vaulted }}"}
- name: Mappings
  ringfence.mesh.access_info: {model: {a: b}, environment: {c: d}}`),
				Files: map[string]string{
					"roles/gateway/tasks/main.yml":   "- name: In the role\n  ringfence.mesh.access_info: {model: model.yaml}\n",
					"roles/gateway/files/model.yaml": "of: the role\n",
					"files/model.yaml":               "of: the playbook\n",
					"environments/dev.yaml":          "of: dev\n",
				},
				Vars: map[string]any{"vaulted": vaulted},
				Args: []string{"--vault-password-file", password},
			})
			for name, want := range map[string]map[string]any{
				"gateway : In the role": {"model": file("model.yaml", "of: the role\n")},
				"Of the playbook":       {"model": file("model.yaml", "of: the playbook\n"), "environment": file("environments/dev.yaml", "of: dev\n")},
				"Absolute":              {"model": file(vaulted, "of: the vault\n")},
				"Mappings":              {},
			} {
				assert.Equal(t, want, arguments(t, run.Task(t, name))["_ringfence_files"], name)
			}
			assert.Equal(t, map[string]any{"model": "model.yaml", "environment": "environments/dev.yaml"}, given(t, run.Task(t, "Of the playbook")))
			assertNoTraces(t, c)
		})
	}
}

func file(path, content string) map[string]any {
	return map[string]any{"path": path, "content": content}
}

func TestFilesRefused(t *testing.T) {
	t.Parallel()
	for _, version := range ansible.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.Local})
			for name, test := range map[string]struct{ reason, arguments, want string }{
				"missing":    {"no module guesses a model", "{model: nowhere.yaml}", "model: Could not find or access 'nowhere.yaml'"},
				"folder":     {"it has no content", "{environment: files}", "environment: "},
				"text":       {"a mapping says that it is no path", `{model: "a: b\nc: d\n"}`, "model: it is text of several lines; give a mapping"},
				"binary":     {"no encoding is guessed", "{model: latin1}", "latin1 is no UTF-8 text at byte 4"},
				"vaulted":    {"without its password", "{model: vaulted}", "model: "},
				"no file":    {"the default one would be another cluster's", "{kubeconfig: ':'}", "kubeconfig: it names no file"},
				"kubeconfig": {"it would be that of the environment", "{kubeconfig: nowhere}", "kubeconfig: Could not find or access 'nowhere'"},
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					run, task := c.Fail(t, ansible.Play{
						Playbook: play("- name: Test\n  ringfence.mesh.access_info: " + test.arguments),
						Files: map[string]string{
							"files/latin1":  "key \xe4 hidden",
							"files/vaulted": "$ANSIBLE_VAULT;1.1;AES256\n6162\n",
						},
					})
					assert.Contains(t, task.Message(), test.want, test.reason)
					assert.NotContains(t, run.Output(), "hidden")
					assert.NotContains(t, run.Output(), "exception", "a mistake of the user's is none")
				})
			}
		})
	}
}

func TestKubeconfig(t *testing.T) {
	t.Parallel()
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, target)
			echoing(t, c)
			run := c.Succeed(t, ansible.Play{
				Playbook: play(`
- name: One
  ringfence.mesh.workload_policy: {kubeconfig: one}
- name: Several
  ringfence.mesh.workload_policy: {kubeconfig: "one:two"}
- name: Mapping
  ringfence.mesh.workload_policy: {kubeconfig: {a: b}}`),
				Files: map[string]string{"files/one": "1", "files/two": "2"},
			})
			one, several := run.Task(t, "One"), run.Task(t, "Several")
			folder := filepath.Join(run.Folder, "files")
			if c.Connection == ansible.Local {
				assert.Equal(t, filepath.Join(folder, "one"), given(t, one)["kubeconfig"])
				assert.Equal(t, map[string]any{"kubeconfig": file(filepath.Join(folder, "one"), "1")}, arguments(t, one)["_ringfence_files"])
				assert.Equal(t, filepath.Join(folder, "one")+":"+filepath.Join(folder, "two"), given(t, several)["kubeconfig"])
			} else { // as in kubernetes.core: it lies on the host
				assert.Equal(t, "one", given(t, one)["kubeconfig"])
				assert.Equal(t, map[string]any{}, arguments(t, one)["_ringfence_files"])
				assert.Equal(t, "one:two", given(t, several)["kubeconfig"])
			}
			assert.Equal(t, map[string]any{}, arguments(t, several)["_ringfence_files"])
			assert.Equal(t, map[string]any{"a": "b"}, given(t, run.Task(t, "Mapping"))["kubeconfig"])
		})
	}
}

// TestSilence holds that no argument and no file shows, however much is printed.
func TestSilence(t *testing.T) {
	t.Parallel()
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, target)
			echoing(t, c)
			run := c.Succeed(t, ansible.Play{
				Playbook: play("- name: Test\n  ringfence.mesh.workload_policy: {silent: true, api_key: '{{ key }}', model: model, kubeconfig: '{{ config }}'}"),
				Files:    map[string]string{"files/model": "top-secret-model", "files/config": "top-secret-config"},
				Vars:     map[string]any{"key": "top-secret-key", "config": map[ansible.Connection]any{ansible.Local: "config", ansible.SSH: map[string]any{"a": "top-secret-mapping"}}[c.Connection]},
				Args:     []string{"-vvvv"},
			})
			assert.Contains(t, run.Output(), "EXEC")
			assert.NotContains(t, run.Output(), "top-secret")
			assertNoTraces(t, c)
		})
	}
}

func TestAsync(t *testing.T) {
	t.Parallel()
	for _, target := range ansible.Targets() {
		t.Run(target.String(), func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, target)
			echoing(t, c)
			run := c.Succeed(t, ansible.Play{
				Playbook: play(`
- name: Polled
  ringfence.mesh.access_info: {model: model}
  async: 60
  poll: 1
- name: Started
  ringfence.mesh.access_info: {model: model}
  async: 60
  poll: 0
  register: job
- name: Asked for
  ansible.builtin.async_status: {jid: "{{ job.ansible_job_id }}"}
  register: answer
  until: answer.finished
  delay: 1`),
				Files: map[string]string{"files/model": "a: b"},
			})
			want := map[string]any{"model": file("model", "a: b")}
			assert.Equal(t, want, arguments(t, run.Task(t, "Polled"))["_ringfence_files"])
			assert.Equal(t, want, arguments(t, run.Task(t, "Asked for"))["_ringfence_files"])
			assert.Empty(t, run.Task(t, "Asked for").Result["stderr"], "nothing but the answer was printed")
		})
	}
}

func TestCheckMode(t *testing.T) {
	t.Parallel()
	for _, version := range ansible.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.Local})
			echoing(t, c)
			run := c.Succeed(t, ansible.Play{Playbook: play("- name: Test\n  ringfence.mesh.workload_policy: {}"), Args: []string{"--check"}})
			task := run.Task(t, "Test")
			assert.Equal(t, "ok", task.Status, "the module runs, and changes nothing")
			assert.Equal(t, true, arguments(t, task)["_ansible_check_mode"])
			assert.Equal(t, false, arguments(t, task)["_ansible_diff"])
		})
	}
}

// TestArchitecture sets facts by set_fact, as gathering does.
func TestArchitecture(t *testing.T) {
	t.Parallel()
	const facts = "- name: Facts\n  ansible.builtin.set_fact: {architecture: %, system: Linux, cacheable: true}\n"
	const module = "- name: Test\n  ringfence.mesh.access_info: {}\n"
	for _, version := range ansible.Versions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			t.Run("facts-of-the-host", func(t *testing.T) {
				c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.SSH})
				_, task := c.Fail(t, ansible.Play{Playbook: play(strings.Replace(facts, "%", "riscv64", 1) + module)})
				assert.Equal(t, "ringfence.mesh has no binary for Linux riscv64, which target is; there are some for linux/amd64 and linux/arm64", task.Message())
			})
			t.Run("facts-spare-a-question", func(t *testing.T) {
				t.Parallel()
				c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.SSH})
				echoing(t, c)
				machine := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
				run := c.Succeed(t, ansible.Play{Playbook: play(strings.Replace(facts, "%", machine, 1) + module), Args: []string{"-vvv"}})
				assert.NotContains(t, run.Output(), "uname -s -m")
				run = c.Succeed(t, ansible.Play{Playbook: play(module), Args: []string{"-vvv"}})
				assert.Contains(t, run.Output(), "uname -s -m")
			})
			t.Run("delegated", func(t *testing.T) {
				t.Parallel()
				c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.SSH})
				echoing(t, c)
				run := c.Succeed(t, ansible.Play{Playbook: play(strings.Replace(facts, "%", "riscv64", 1) + module + "  delegate_to: localhost\n")})
				assert.Equal(t, "ok", run.Task(t, "Test").Status, "the facts are those of another host")
			})
			t.Run("no-binaries", func(t *testing.T) {
				t.Parallel()
				c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.Local})
				echoing(t, c)
				require.NoError(t, os.RemoveAll(filepath.Join(c.Collections, binaries)))
				_, task := c.Fail(t, ansible.Play{Playbook: play(module)})
				assert.Contains(t, task.Message(), "it has none at all: build and install its tarball")
			})
			t.Run("mode-0644", func(t *testing.T) {
				t.Parallel()
				c := ansible.New(t, ansible.Target{Version: version, Connection: ansible.SSH})
				echoing(t, c)
				require.NoError(t, filepath.WalkDir(filepath.Join(c.Collections, binaries), func(path string, d fs.DirEntry, err error) error {
					if err == nil && !d.IsDir() {
						err = os.Chmod(path, 0o644)
					}
					return err
				}))
				c.Succeed(t, ansible.Play{Playbook: play(module)})
			})
		})
	}
}
