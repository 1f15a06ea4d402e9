package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/internal/krm"
)

// input is a small build that is right, in its parts.
type input struct{ config, model, environment, resources string }

func goodInput() input {
	return input{
		config: "owner: shop\ncomponents: [security-baseline, security-enrollment, security-enforcement]\n",
		model: `apiVersion: ringfence.dev/v1alpha1
kind: AccessModel
metadata: {name: shop}
spec:
  owners: [{name: shop, tool: GitOps}, {name: role, tool: Ansible}]
  gateways:
  - {name: edge, owner: role, serviceAccountName: edge, hostRefs: [shop]}
  workloads:
  - name: web
    namespace: shop
    owner: shop
    serviceAccountName: web
    enroll: true
    ports: [{port: 3000}]
    callers: [{gateway: edge}]
`,
		environment: `apiVersion: ringfence.dev/v1alpha1
kind: Environment
metadata: {name: staging}
spec:
  tier: staging
  securityProfile: enforced
  dns: {shop: [shop.example.org]}
`,
		resources: `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  template:
    metadata:
      labels: {app: web}
    spec:
      imagePullSecrets: [{name: registry}]
      containers:
      - {name: web, image: example.org/web, ports: [{containerPort: 3000}]}
`,
	}
}

func (in input) list(tb testing.TB) []byte {
	tb.Helper()
	optional := func(s string) []byte {
		if s == "" {
			return nil
		}
		return []byte(s)
	}
	return resourceList(tb, []byte(in.config), optional(in.model), optional(in.environment), []byte(in.resources))
}

// TestBadInput says what a person reads when the input is wrong, and that
// nothing is lost and nothing is let through then.
func TestBadInput(t *testing.T) {
	replace := func(part *string, old, fresh string) { *part = strings.Replace(*part, old, fresh, 1) }
	cases := map[string]struct {
		reason string
		change func(*input)
		// says are what the messages hold.
		says []string
	}{
		"unknown-field": {
			reason: "a misspelt field would be a missing one",
			change: func(in *input) { replace(&in.model, "enroll: true", "enrol: true") },
			says:   []string{"spec.workloads[0].enrol", "there is no such field", "input-unknown-field"},
		},
		"duplicate-name": {
			reason: "one of two entries would be ignored",
			change: func(in *input) { replace(&in.model, "name: role, tool", "name: shop, tool") },
			says:   []string{`spec.owners[1].name`, `"shop"`, "input-duplicate-name"},
		},
		"unknown-caller": {
			reason: "its principal would be nobody's",
			change: func(in *input) { replace(&in.model, "gateway: edge}]", "gateway: egde}]") },
			says:   []string{"spec.workloads[0].callers[0].gateway", `"egde"`, "input-undefined-reference"},
		},
		"host-with-a-port": {
			reason: "Istio's host patterns have ports of their own",
			change: func(in *input) { replace(&in.environment, "shop.example.org", `"shop.example.org:8443"`) },
			says:   []string{"spec.dns.shop[0]", `"shop.example.org:8443"`, "port", "input-host"},
		},
		"missing-dns-name": {
			reason: "an enabled gateway without a host",
			change: func(in *input) { replace(&in.environment, "dns: {shop:", "dns: {other:") },
			says:   []string{"spec.dns.shop", `"edge"`, "input-missing"},
		},
		"number-for-a-name": {
			reason: "8000 is no name to YAML",
			change: func(in *input) { replace(&in.model, "serviceAccountName: web", "serviceAccountName: 8000") },
			says:   []string{"serviceAccountName", "8000", `quote it: "8000"`, "input-wrong-type"},
		},
		"several-at-once": {
			reason: "all problems come together",
			change: func(in *input) {
				replace(&in.model, "owner: role", "owner: nobody")
				replace(&in.model, "port: 3000", "port: 70000")
				replace(&in.environment, "enforced", "enforcing")
			},
			says: []string{`"nobody"`, "70000", `"enforcing"`},
		},
		"workload-not-among-the-resources": {
			reason: "a policy for nobody protects nothing",
			change: func(in *input) { replace(&in.resources, "name: web\n", "name: web2\n") },
			says:   []string{"Deployment shop/web", "object-missing"},
		},
		"no-environment": {
			reason: "nothing says which profile it is",
			change: func(in *input) { in.environment = "" },
			says:   []string{"no Environment was given"},
		},
		"no-model": {
			reason: "nothing says who may call",
			change: func(in *input) { in.model = "" },
			says:   []string{"no AccessModel was given"},
		},
		"empty-owner": {
			reason: "a kustomize patch whose target is misspelt leaves it so, and kustomize says nothing",
			change: func(in *input) { replace(&in.config, "owner: shop", `owner: ""`) },
			says:   []string{"spec.owner", "it is empty", "owner-missing"},
		},
		"unknown-owner": {
			reason: "a typo must not be an owner of nothing",
			change: func(in *input) { replace(&in.config, "owner: shop", "owner: shpo") },
			says:   []string{`"shpo"`, "shop, role"},
		},
		"owner-of-another-tool": {
			reason: "Ansible writes its objects",
			change: func(in *input) { replace(&in.config, "owner: shop", "owner: role") },
			says:   []string{`"role"`, "Ansible", "owner-tool"},
		},
		"model-among-the-items-says-something-else": {
			reason: "two models are one too many",
			change: func(in *input) { in.resources += "---\n" + strings.Replace(in.model, "port: 3000", "port: 3001", 1) },
			says:   []string{"AccessModel shop", "input-ambiguous"},
		},
		"missing-component": {
			reason: "the environment is enforced",
			change: func(in *input) { replace(&in.config, ", security-enforcement", "") },
			says:   []string{"security-enforcement", "enforced", "ladder-component"},
		},
		"superfluous-component": {
			reason: "the environment is open",
			change: func(in *input) { replace(&in.environment, "enforced", "open") },
			says:   []string{"security-enforcement", "open", "ladder-component"},
		},
		"large-model": {
			reason: "kustomize takes minutes over it, and nobody wrote it by hand",
			change: func(in *input) {
				replace(&in.model, "{name: shop}", `{name: shop, annotations: {note: "`+strings.Repeat("x", 10<<20)+`"}}`)
			},
			says: []string{"more than the 1048576 bytes"},
		},
		"wrong-kind-of-value": {
			reason: "an object where a list belongs",
			change: func(in *input) { replace(&in.model, "ports: [{port: 3000}]", "ports: {port: 3000}") },
			says:   []string{"spec.workloads[0].ports", "a mapping", "list"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			in := goodInput()
			c.change(&in)
			list := in.list(t)
			got := runFunction(t, "ringfence", list)
			assert.Equal(t, failed, got.exit, c.reason)
			for _, text := range c.says {
				assert.Contains(t, got.stderr, text)
			}
			assert.Equal(t, texts(t, list), texts(t, got.output), "the items come back as they were")
			assert.Contains(t, string(got.output), "severity: error", "the results say why")

			status, stdout, stderr := renderFiles(t, in)
			if name == "empty-owner" || strings.Contains(name, "component") {
				return // the filter takes these from its command line
			}
			assert.NotEqual(t, succeeded, status)
			assert.Empty(t, stdout, "a filter emits nothing")
			for _, text := range c.says {
				if !strings.HasPrefix(text, "spec.owner") {
					assert.Contains(t, stderr, text)
				}
			}
		})
	}
}

// TestGoodInput is what the cases above start from.
func TestGoodInput(t *testing.T) {
	in := goodInput()
	got := runFunction(t, "ringfence", in.list(t))
	assert.Equal(t, succeeded, got.exit, got.stderr)
	assert.Empty(t, got.findings)
	status, stdout, stderr := renderFiles(t, in)
	assert.Equal(t, succeeded, status, stderr)
	assert.Contains(t, stdout, "kind: PeerAuthentication")
	assert.Empty(t, stderr)
}

// renderFiles runs the filter with the model and the Environment in files.
func renderFiles(t *testing.T, in input) (status int, stdout, stderr string) {
	t.Helper()
	dir := t.TempDir()
	var config struct{ Owner string }
	require.NoError(t, yaml.Unmarshal([]byte(in.config), &config))
	args := []string{"render", "--owner", config.Owner}
	for flag, text := range map[string]string{"model": in.model, "environment": in.environment} {
		if text == "" {
			continue
		}
		file := filepath.Join(dir, flag+".yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		args = append(args, "--"+flag, file)
	}
	var out, err bytes.Buffer
	status = run("ringfence", args, krm.Streams{In: strings.NewReader(in.resources), Out: &out, Err: &err})
	return status, out.String(), err.String()
}

// TestNameOfAConfigurationChoosesNothing: a configuration that is named after a
// unit still runs everything that its components select.
func TestNameOfAConfigurationChoosesNothing(t *testing.T) {
	list := goodInput().list(t)
	want := runFunction(t, "ringfence", list)
	for _, unit := range units.Names() {
		named := bytes.Replace(list, []byte("    name: config\n"), []byte("    name: "+unit+"\n"), 1)
		require.NotEqual(t, string(list), string(named))
		got := runFunction(t, "ringfence", named)
		require.Equal(t, succeeded, got.exit, got.stderr)
		assert.Equal(t, texts(t, want.output), texts(t, got.output), unit)
	}
}

// TestUnreadableInput is about text that no list can be made of: it comes back as it came.
func TestUnreadableInput(t *testing.T) {
	bomb := "a0: &a0 [x]"
	for i := range 12 {
		bomb += fmt.Sprintf("\n    a%d: &a%d [%s]", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	cases := map[string]struct {
		reason, text string
		says         []string
	}{
		"malformed": {
			reason: "it is no YAML",
			text:   "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: [\n",
			says:   []string{"line"},
		},
		"wrong-version": {
			reason: "another specification",
			text:   "apiVersion: config.kubernetes.io/v9\nkind: ResourceList\nitems: []\n",
			says:   []string{"config.kubernetes.io/v9", "config.kubernetes.io/v1"},
		},
		"empty": {
			reason: "the build before this failed",
			text:   "",
			says:   []string{"standard input"},
		},
		"deep-nesting": {
			reason: "nobody writes it",
			text:   "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- a: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000) + "\n",
			says:   []string{"line 4"},
		},
		"alias-bomb": {
			reason: "ten aliases of ten aliases, twelve times over",
			text:   "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n  data:\n    " + bomb + "\n",
			says:   []string{"alias"},
		},
		"no-configuration": {
			reason: "kustomize was given none",
			text:   "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n",
			says:   []string{"functionConfig", "Ringfence"},
		},
		"configuration-of-another-kind": {
			reason: "kpt's configMap, say",
			text: "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: a}\n" +
				"functionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data: {owner: shop}\n",
			says: []string{"functionConfig", "ConfigMap", "Ringfence"},
		},
		"generator": {
			reason: "under generators: the only item is the configuration itself",
			text: "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: ringfence.dev/v1alpha1\n  kind: Ringfence\n  metadata: {name: c}\n  spec: {owner: shop}\n" +
				"functionConfig:\n  apiVersion: ringfence.dev/v1alpha1\n  kind: Ringfence\n  metadata: {name: c}\n  spec: {owner: shop}\n",
			says: []string{"generators:", "transformers:"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, unit := range append(units.Names(), "ringfence") {
				got := runFunction(t, unit, []byte(c.text))
				assert.Equal(t, failed, got.exit, c.reason)
				for _, text := range c.says {
					assert.Contains(t, got.stderr, text, unit)
				}
				if !bytes.Contains(got.output, []byte("results:")) {
					assert.Equal(t, c.text, string(got.output))
				}
			}
		})
	}
}
