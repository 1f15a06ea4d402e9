package kpt

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// whole is the example that runs every function.
func whole(t *testing.T) string {
	t.Helper()
	return Folder(t, filepath.Join(Root(t), "functions", "ringfence", "examples", "enforced"))
}

// rendered returns a package as "kpt fn render" makes it.
func rendered(t *testing.T, kpt, folder string) string {
	t.Helper()
	out := Folder(t, folder)
	Run(t, "", kpt, "fn", "render", out, "--allow-exec")
	return out
}

// texts returns the files of a package that kpt reads.
func texts(t *testing.T, folder string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, file := range Files(t, folder) {
		if filepath.Ext(file) == ".yaml" && !strings.HasPrefix(file, expected) || filepath.Base(file) == kptfile {
			out[file] = Read(t, folder, file)
		}
	}
	return out
}

// each runs a test with every kpt that there is.
func each(t *testing.T, test func(t *testing.T, kpt string)) {
	t.Helper()
	t.Parallel()
	for _, kpt := range All(t) {
		t.Run(Version(t, kpt), func(t *testing.T) {
			t.Parallel()
			test(t, kpt)
		})
	}
}

// TestEval runs the examples that succeed one function at a time.
func TestEval(t *testing.T) {
	each(t, func(t *testing.T, kpt string) {
		for _, e := range Examples(t) {
			if e.Config.ExitCode != 0 || strings.HasPrefix(e.Name, "staging-") {
				continue
			}
			folder := Folder(t, e.Dir)
			Run(t, "", kpt, "fn", "eval", folder, "--exec", e.Function, "--fn-config", filepath.Join(folder, "ringfence.yaml"))
			assert.Equal(t, texts(t, rendered(t, kpt, e.Dir)), texts(t, folder), e.Dir)
		}
	})
}

// TestSourceAndSink pipes a package through the function without kpt running it.
func TestSourceAndSink(t *testing.T) {
	each(t, func(t *testing.T, kpt string) {
		folder := whole(t)
		list := Run(t, "", kpt, "fn", "source", folder, "--fn-config", filepath.Join(folder, "ringfence.yaml"))
		out := Run(t, list.Stdout, Built(t, "build", "ringfence"))
		sink := filepath.Join(t.TempDir(), "sink")
		Run(t, out.Stdout, kpt, "fn", "sink", sink)
		assert.Equal(t, texts(t, rendered(t, kpt, folder)), texts(t, sink))
	})
}

// TestSourceOfAFailure pipes a package that is refused: its objects come out as they went in.
func TestSourceOfAFailure(t *testing.T) {
	kpt := Built(t, "kpt", "kpt")
	folder := Folder(t, filepath.Join(Root(t), "functions", "ringfence", "examples", "component-missing"))
	list := Run(t, "", kpt, "fn", "source", folder, "--fn-config", filepath.Join(folder, "ringfence.yaml"))
	out := Try(t, list.Stdout, Built(t, "build", "ringfence"))
	assert.Equal(t, 1, out.Status)
	type resourceList struct {
		Items   []any `json:"items"`
		Results []any `json:"results"`
	}
	var before, after resourceList
	require.NoError(t, yaml.Unmarshal([]byte(list.Stdout), &before))
	require.NoError(t, yaml.Unmarshal([]byte(out.Stdout), &after))
	assert.Equal(t, before.Items, after.Items)
	assert.NotEmpty(t, after.Results)
}

// TestSubpackages renders packages in packages: each with a pipeline of its own, or the outer one
// for all that is in it. New objects lie in the package whose pipeline made them.
func TestSubpackages(t *testing.T) {
	const outer = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: outer\n"
	each(t, func(t *testing.T, kpt string) {
		t.Run("own-pipelines", func(t *testing.T) {
			folder := t.TempDir()
			Write(t, folder, map[string]string{kptfile: outer})
			examples := filepath.Join(Root(t), "functions")
			for name, from := range map[string]string{"shop": "ringfence/examples/enforced", "orders": "workload-policy-generator/examples/callers"} {
				require.NoError(t, os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(examples, from))))
			}
			Run(t, "", kpt, "fn", "render", folder, "--allow-exec")
			for name, from := range map[string]string{"shop": "ringfence/examples/enforced", "orders": "workload-policy-generator/examples/callers"} {
				alone := rendered(t, kpt, filepath.Join(examples, from))
				assert.Equal(t, texts(t, alone), texts(t, filepath.Join(folder, name)), "%s alone", name)
			}
			assert.Equal(t, outer, Read(t, folder, kptfile))
		})
		t.Run("one-fails", func(t *testing.T) {
			folder := t.TempDir()
			Write(t, folder, map[string]string{kptfile: outer})
			examples := filepath.Join(Root(t), "functions", "ringfence", "examples")
			for name, from := range map[string]string{"a": "enforced", "b": "component-missing"} {
				require.NoError(t, os.CopyFS(filepath.Join(folder, name), os.DirFS(filepath.Join(examples, from))))
			}
			Commit(t, folder)
			out := Try(t, "", kpt, "fn", "render", folder, "--allow-exec")
			assert.Equal(t, 1, out.Status)
			assert.Empty(t, Diff(t, folder), "nothing is written, of the package that succeeds neither")
		})
		t.Run("outer-pipeline", func(t *testing.T) {
			folder := whole(t)
			want := PackageObjects(t, rendered(t, kpt, folder))
			for name, files := range map[string][]string{"front": {"shop.yaml"}, "back": {"orders.yaml", "service-account.yaml"}} {
				Write(t, folder, map[string]string{name + "/" + kptfile: strings.Replace(outer, "outer", name, 1)})
				for _, file := range files {
					// Two packages may have a file of one name.
					require.NoError(t, os.Rename(filepath.Join(folder, file), filepath.Join(folder, name, strings.Replace(file, "orders", "shop", 1))))
				}
			}
			Commit(t, folder)
			Run(t, "", kpt, "fn", "render", folder, "--allow-exec")
			assert.Equal(t, want, PackageObjects(t, folder))
			for _, file := range []string{"ringfence/shop_serviceaccount_orders.yaml", "ringfence/shop_serviceaccount_shop.yaml"} {
				assert.FileExists(t, filepath.Join(folder, file))
			}
			first := Diff(t, folder)
			Run(t, "", kpt, "fn", "render", folder, "--allow-exec")
			assert.Equal(t, first, Diff(t, folder), "a second run changes nothing")
		})
	})
}

// TestRemoved takes an environment down: what is no longer derived leaves its file, and an empty file goes.
func TestRemoved(t *testing.T) {
	each(t, func(t *testing.T, kpt string) {
		folder := rendered(t, kpt, whole(t))
		for file, change := range map[string][2]string{
			"environment.yaml": {"securityProfile: enforced", "securityProfile: open"},
			"ringfence.yaml":   {"  - security-enrollment\n  - security-enforcement\n", ""},
		} {
			before := Read(t, folder, file)
			require.Contains(t, before, change[0])
			Write(t, folder, map[string]string{file: strings.Replace(before, change[0], change[1], 1)})
		}
		Run(t, "", kpt, "fn", "render", folder, "--allow-exec")
		left, err := filepath.Glob(filepath.Join(folder, "ringfence", "*"))
		require.NoError(t, err)
		for i := range left {
			left[i] = filepath.Base(left[i])
		}
		assert.Equal(t, []string{"shop_serviceaccount_orders.yaml", "shop_serviceaccount_shop.yaml"}, left)
		assert.NotContains(t, Read(t, folder, "shop.yaml"), "sidecar.istio.io/inject")
	})
}

// TestMessages holds what kpt says where something is missing: docs/troubleshooting.md quotes it.
func TestMessages(t *testing.T) {
	each(t, func(t *testing.T, kpt string) {
		folder := whole(t)
		Commit(t, folder)
		nowhere := t.TempDir() // but for git, which kpt wants
		git, err := exec.LookPath("git")
		require.NoError(t, err)
		require.NoError(t, os.Symlink(git, filepath.Join(nowhere, "git")))
		for name, c := range map[string]struct {
			environment, args []string
			says              string
		}{
			"allow-exec":      {args: []string{folder}, says: "must run with `--allow-exec` option to allow running function binaries"},
			"not-on-the-path": {environment: []string{"PATH=" + nowhere}, args: []string{folder, "--allow-exec"}, says: `exec: "ringfence": executable file not found in $PATH`},
		} {
			t.Run(name, func(t *testing.T) {
				out := TryWith(t, c.environment, "", kpt, append([]string{"fn", "render"}, c.args...)...)
				assert.Equal(t, 1, out.Status)
				assert.Contains(t, out.Stderr, c.says)
				assert.Empty(t, Diff(t, folder))
			})
		}
	})
}
