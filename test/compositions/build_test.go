package compositions

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaves returns every leaf of the example platform.
func leaves(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, "overlays/*/*/ringfence/kustomization.yaml"))
	require.NoError(t, err)
	require.Len(t, found, 20, "five environments of four applications")
	for i := range found {
		found[i] = filepath.Dir(filepath.Dir(found[i]))
	}
	return found
}

// TestBuildIsKustomizeBuild builds every leaf in process and with the real
// kustomize, which runs the function: the same objects, and the same warnings.
func TestBuildIsKustomizeBuild(t *testing.T) {
	for _, leaf := range leaves(t) {
		t.Run(filepath.Base(filepath.Dir(leaf))+"/"+filepath.Base(leaf), func(t *testing.T) {
			t.Parallel()
			stdout, warnings, err := try(t, nil, "ringfence", "build", leaf)
			require.NoError(t, err, warnings)
			want, functionWarnings, err := try(t, nil, "kustomize", "build", "--enable-alpha-plugins", "--enable-exec", leaf)
			require.NoError(t, err, functionWarnings)
			assert.Equal(t, objects(t, want), objects(t, stdout))
			assert.Equal(t, replaced(functionWarnings, "ringfence: ", "ringfence build: "), warnings)
		})
	}
}

// TestVerifyBuildsEitherWay: in process or with an executable, verify says the same.
func TestVerifyBuildsEitherWay(t *testing.T) {
	overlays := filepath.Join(root, "overlays/staging")
	bin, err := filepath.Abs(filepath.Join(root, "bin/kustomize"))
	require.NoError(t, err)
	table, notes, err := try(t, nil, "ringfence", "verify", overlays)
	require.NoError(t, err, notes)
	want, wantNotes, err := try(t, nil, "ringfence", "verify", "--kustomize", bin, overlays)
	require.NoError(t, err, wantNotes)
	assert.Equal(t, string(want), string(table))
	assert.ElementsMatch(t, lines(wantNotes), lines(notes), "in the order in which builds end")
}

// TestBuildOfABase builds what names no Ringfence with what flags say.
func TestBuildOfABase(t *testing.T) {
	want := objects(t, filter(t, filepath.Join(root, "overlays/staging/waldur-site-agent")))
	at := filepath.Join(copyTree(t), "overlays/staging/waldur-site-agent")
	edit(t, filepath.Join(at, "kustomization.yaml"), func(k map[string]any) { delete(k, "transformers") })
	platform := filepath.Join(root, "overlays/platform")
	for name, args := range map[string][]string{
		"a Ringfence without owner": {"--environment", filepath.Join(platform, "config/staging")},
		"documents":                 {"--environment", filepath.Join(platform, "environments/staging")},
		"files":                     {"--model", filepath.Join(platform, "model/model.yaml"), "--environment", filepath.Join(platform, "environments/staging/environment.yaml")},
		"a directory and a file":    {"--model", filepath.Join(platform, "model"), "--environment", filepath.Join(platform, "environments/staging/environment.yaml")},
	} {
		t.Run(name, func(t *testing.T) {
			got := run(t, nil, "ringfence", append([]string{"build", "--owner", "waldur-site-agent", at}, args...)...)
			assert.Equal(t, want, objects(t, got))
		})
	}
}

func TestBuildNeedsNoHome(t *testing.T) {
	t.Setenv("HOME", "/nonexistent")
	require.NoError(t, os.Unsetenv("HOME"))
	run(t, nil, "ringfence", "build", filepath.Join(root, "overlays/staging/tenants"))
}
