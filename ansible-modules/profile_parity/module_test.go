package profileparity_test

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestEnvironmentAgainstInventory checks that what the Environment says otherwise is
// a disagreement here, although other modules only warn.
func TestEnvironmentAgainstInventory(t *testing.T) {
	file, params := environmentOf(t, "staging")
	params["environment"], params["rendered"] = file, []string{filepath.Join(exampleBuilds, "staging")}
	params["istio_version"] = "1.32.0"
	a := run(t, params)
	assert.True(t, a.Failed)
	assert.Equal(t, []string{"input-overridden istio_version"}, a.disagreements())
	assert.Equal(t, "1.31.4", a.Disagreements[0].Rendered)
	assert.Equal(t, "1.32.0", a.Disagreements[0].Inventory)
	assert.True(t, strings.HasPrefix(a.Msg, "the inventory (security_profile enforced) and what is rendered (enforced) disagree in one place:\nistio_version: "), a.Msg)
}

func TestOwners(t *testing.T) {
	_, params := environmentOf(t, "production")
	params["rendered"], params["owners"] = []string{filepath.Join(exampleBuilds, "production", "themelio.yaml")}, []string{"themelio"}
	a := run(t, params)
	assert.False(t, a.Failed, a.Msg)
	assert.Equal(t, 4, a.Checked["workloads"])

	params["owners"] = []string{"themelio", "argocd"}
	assert.Equal(t, []string{
		"parity-missing Deployment istio-system/istio-ingressgateway-argocd", "parity-missing Gateway argocd/argocd", "parity-missing VirtualService argocd/argocd",
	}, run(t, params).disagreements())

	params["owners"] = []string{"monitoring"}
	assert.Contains(t, run(t, params).Msg, `owners: the objects of owner "monitoring" are written by Ansible, not by GitOps`)
}

func TestStrict(t *testing.T) {
	_, params := environmentOf(t, "staging")
	delete(params, "istio_version")
	params["rendered"] = []string{mutated(t, mutation{})}
	a := run(t, params)
	assert.False(t, a.Failed, a.Msg)
	assert.Equal(t, []string{"parity-version-unknown istio_version"}, a.disagreements())
	assert.Equal(t, "warning", a.Disagreements[0].Severity)
	assert.Len(t, a.Warnings, 1)

	params["strict"] = true
	a = run(t, params)
	assert.True(t, a.Failed)
	assert.Equal(t, "error", a.Disagreements[0].Severity)
	assert.Empty(t, a.Warnings)
}

func TestRefuses(t *testing.T) {
	empty := t.TempDir()
	secret := write(t, t.TempDir(), "a.yaml", "hunter2")
	for name, c := range map[string]struct {
		change map[string]any
		want   string
	}{
		"no-files":            {map[string]any{"rendered": []string{}}, "rendered: no file or directory is named"},
		"empty-directory":     {map[string]any{"rendered": []string{empty}}, "holds no *.yaml, *.yml or *.json"},
		"no-such-file":        {map[string]any{"rendered": []string{filepath.Join(empty, "gone")}}, "no such file or directory"},
		"no-manifest":         {map[string]any{"rendered": []string{secret}}, "it is no object"},
		"one-empty-of-two":    {map[string]any{"rendered": []string{filepath.Join(exampleBuilds, "staging"), empty}}, "holds no *.yaml, *.yml or *.json"},
		"rendered-missing":    {map[string]any{"rendered": nil}, "missing required arguments: rendered"},
		"no-version":          {map[string]any{"istio_version": "newest"}, `istio_version: "newest" is no version such as 1.31.4`},
		"no-profile":          {map[string]any{"security_profile": nil}, "security_profile"},
		"model-can't-be-read": {map[string]any{"model": filepath.Join(empty, "gone.yaml")}, "gone.yaml"},
		"no-owner-option":     {map[string]any{"owner": "themelio"}, "owner"},
	} {
		t.Run(name, func(t *testing.T) {
			_, params := environmentOf(t, "staging")
			params["rendered"] = []string{filepath.Join(exampleBuilds, "staging")}
			maps.Copy(params, c.change)
			a := run(t, params)
			assert.True(t, a.Failed)
			assert.Contains(t, a.Msg, c.want)
			assert.NotContains(t, a.Msg, "hunter2")
			assert.Nil(t, a.Checked)
		})
	}
}
