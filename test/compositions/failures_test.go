package compositions

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOverlayThatBreaksSomethingFails changes staging's Themelio leaf in ways
// that a person would, by mistake or not, and looks at what kustomize says.
func TestOverlayThatBreaksSomethingFails(t *testing.T) {
	patch := func(text string) func(map[string]any) {
		return func(k map[string]any) { k["patches"] = []any{map[string]any{"patch": text}} }
	}
	target := func(kind, name, text string) func(map[string]any) {
		return func(k map[string]any) {
			k["patches"] = []any{map[string]any{"target": map[string]any{"kind": kind, "name": name}, "patch": text}}
		}
	}
	cases := map[string]struct {
		reason string
		// leaf and config change the kustomization of the leaf and that of its configuration.
		leaf, config func(map[string]any)
		// files are written below the leaf.
		files map[string]string
		says  []string
	}{
		"pod labels": {
			reason: "the policy would select nobody",
			leaf:   target("Deployment", "web", `- {op: replace, path: /spec/template/metadata/labels/app, value: webb}`),
			says:   []string{"Deployment themelio/web", "policy-selector"},
		},
		"container port": {
			reason: "the policy would admit nobody",
			leaf:   target("Deployment", "web", `- {op: replace, path: /spec/template/spec/containers/0/ports/0/containerPort, value: 8080}`),
			says:   []string{"Deployment themelio/web", "3000", "8080", "port-unknown"},
		},
		"host network": {
			reason: "Istio injects nothing there",
			leaf:   target("Deployment", "web", `- {op: add, path: /spec/template/spec/hostNetwork, value: true}`),
			says:   []string{"Deployment themelio/web", "enroll-host-network"},
		},
		"allow-all beside ours": {
			reason: "ALLOW policies are a union",
			leaf:   func(k map[string]any) { k["resources"] = append(k["resources"].([]any), "allow.yaml") },
			files: map[string]string{"allow.yaml": `apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata: {name: allow-all, namespace: themelio}
spec: {rules: [{}]}
`},
			says: []string{"AuthorizationPolicy themelio/allow-all", "workload-allow-wider"},
		},
		"a namespace over everything": {
			reason: "it moves the gateway out of istio-system",
			leaf:   func(k map[string]any) { k["namespace"] = "elsewhere" },
			says:   []string{"object-missing"},
		},
		"an owner patch that misses": {
			reason: "kustomize says nothing of a target that isn't there",
			config: func(k map[string]any) {
				k["patches"].([]any)[0].(map[string]any)["target"].(map[string]any)["kind"] = "Ringfnce"
			},
			says: []string{"spec.owner", "owner-missing"},
		},
		"a component too few": {
			reason: "staging is enforced",
			config: func(k map[string]any) { k["components"] = k["components"].([]any)[:2] },
			says:   []string{"security-enforcement", "ladder-component"},
		},
		"a component in the leaf": {
			reason: "there it adds its name to nothing",
			leaf:   func(k map[string]any) { k["components"] = []any{"../../../components/security-enforcement"} },
			config: func(k map[string]any) { k["components"] = k["components"].([]any)[:2] },
			says:   []string{"security-enforcement", "ladder-component"},
		},
		"another environment": {
			reason: "its components are staging's",
			config: func(k map[string]any) { k["resources"] = []any{"../../../platform/config/dev"} },
			says:   []string{"dev", "open", "ladder-component"},
		},
		"under generators": {
			reason: "a generator sees no resources",
			leaf: func(k map[string]any) {
				k["generators"] = k["transformers"]
				delete(k, "transformers")
			},
			says: []string{"generators:", "transformers:", "generator-field"},
		},
		"a workload taken out": {
			reason: "the model says that this owner has it",
			leaf:   patch("$patch: delete\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: gitlab-root-actor, namespace: themelio}\n"),
			says:   []string{"Deployment themelio/gitlab-root-actor", "object-missing"},
		},
		"a policy changed after us": {
			reason: "the verifier stands last",
			leaf: func(k map[string]any) {
				k["transformers"] = []any{"ringfence", "breaker.yaml", "verifier"}
			},
			files: map[string]string{
				"breaker.yaml": `apiVersion: builtin
kind: PatchTransformer
metadata: {name: breaker}
target: {kind: AuthorizationPolicy, name: web-allow-ingress-gateway}
patch: '- {op: remove, path: /spec/rules/0/from}'
`,
				"verifier/kustomization.yaml": `resources: [../ringfence]
patches:
- target: {kind: Ringfence}
  options: {allowNameChange: true}
  patch: |
    apiVersion: ringfence.dev/v1alpha1
    kind: Ringfence
    metadata: {name: access-verifier}
    spec: {units: [access-verifier]}
`,
			},
			says: []string{"AuthorizationPolicy themelio/web-allow-ingress-gateway", "object-stale"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			leaf := filepath.Join(copyTree(t), "overlays/staging/themelio")
			for file, change := range map[string]func(map[string]any){
				"kustomization.yaml": c.leaf, "ringfence/kustomization.yaml": c.config,
			} {
				if change != nil {
					edit(t, filepath.Join(leaf, file), change)
				}
			}
			for file, text := range c.files {
				write(t, filepath.Join(leaf, file), text)
			}
			stdout, stderr, err := try(t, nil, "kustomize", "build", "--enable-alpha-plugins", "--enable-exec", leaf)
			require.Error(t, err, c.reason)
			assert.Empty(t, string(stdout), "nothing is rendered")
			for _, text := range c.says {
				assert.Contains(t, stderr, text)
			}
		})
	}
}

// TestUnionFails breaks what only the builds of an environment together can show.
func TestUnionFails(t *testing.T) {
	cases := map[string]struct {
		reason string
		change func(t *testing.T, overlays string)
		dirs   []string // default: staging and dev
		says   []string
	}{
		"a production overlay without a component": {
			reason: "a production Application registers overlays that include both security components",
			change: func(t *testing.T, overlays string) {
				replaceIn(t, filepath.Join(overlays, "platform/environments/production/environment.yaml"), "securityProfile: enforced", "securityProfile: permissive")
				for _, app := range []string{"themelio", "argocd", "waldur-site-agent", "tenants"} {
					replaceIn(t, filepath.Join(overlays, "production", app, "ringfence/kustomization.yaml"), "- ../../../../components/security-enforcement\n", "")
				}
			},
			dirs: []string{"production"},
			says: []string{"Application argocd/themelio", "security-enforcement", "application-component", "production-relaxed"},
		},
		"a caller's build is missing": {
			reason: "gitlab-root-actor trusts Waldur's identity, and nobody makes it",
			change: func(t *testing.T, overlays string) {
				require.NoError(t, os.RemoveAll(filepath.Join(overlays, "staging/waldur-site-agent")))
			},
			says: []string{"waldur-site-agent-cloud-gitlab-sync", "principal-nowhere"},
		},
		"an Application of another environment": {
			reason: "staging would deploy what dev renders",
			change: func(t *testing.T, overlays string) {
				replaceIn(t, filepath.Join(overlays, "staging/argocd/kustomization.yaml"), "staging", "dev")
			},
			says: []string{"Application argocd/themelio", "application-environment"},
		},
		"an overlay without Ringfence": {
			reason: "its objects would be judged by nobody",
			change: func(t *testing.T, overlays string) {
				write(t, filepath.Join(overlays, "staging/forgotten/kustomization.yaml"), "resources: [../../base/waldur-site-agent]\n")
			},
			says: []string{"staging/forgotten", "build-unjudged"},
		},
		"two builds of one owner": {
			reason: "each would prune what the other makes",
			change: func(t *testing.T, overlays string) {
				require.NoError(t, os.CopyFS(filepath.Join(overlays, "staging/again"), os.DirFS(filepath.Join(overlays, "staging/themelio"))))
			},
			says: []string{"themelio", "owner-conflict"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			overlays := filepath.Join(copyTree(t), "overlays")
			c.change(t, overlays)
			args := []string{"verify", "--strict"}
			if c.dirs == nil {
				c.dirs = []string{"staging", "dev"}
			}
			for _, dir := range c.dirs {
				args = append(args, filepath.Join(overlays, dir))
			}
			_, stderr, err := try(t, nil, "ringfence", args...)
			require.Error(t, err, c.reason)
			for _, text := range c.says {
				assert.Contains(t, stderr, text)
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		_, stderr, err := try(t, nil, "ringfence", "verify", "--strict", filepath.Join(root, "overlays/staging"), filepath.Join(root, "overlays/dev"))
		require.NoError(t, err, stderr)
	})
}

func replaceIn(t *testing.T, path, old, fresh string) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(data), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(data), old, fresh)), 0o600))
}
