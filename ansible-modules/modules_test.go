package modules

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

const (
	collection   = "ringfence.mesh"
	actionPlugin = "binary"
)

// names returns those of the modules for which keep is true, sorted.
func names(keep func(ansible.Module) bool) []string {
	var out []string
	for _, m := range Modules {
		if keep(m) {
			out = append(out, m.Name)
		}
	}
	slices.Sort(out)
	return out
}

func everyone(ansible.Module) bool { return true }

func having(option string) func(ansible.Module) bool {
	return func(m ansible.Module) bool {
		return slices.ContainsFunc(m.Options, func(o ansible.Option) bool { return o.Name == option })
	}
}

// TestTable requires that each folder with a module is in the table, under its name.
func TestTable(t *testing.T) {
	files, err := fs.Glob(os.DirFS("."), "*/module.go")
	require.NoError(t, err)
	folders := make([]string, 0, len(files))
	for _, file := range files {
		folders = append(folders, filepath.Dir(file))
	}
	assert.Equal(t, folders, names(everyone))
}

// runtimeFile is the part of a collection's meta/runtime.yml that ours has.
type runtimeFile struct {
	RequiresAnsible string                 `yaml:"requires_ansible"`
	ActionGroups    map[string][]yaml.Node `yaml:"action_groups"`
	PluginRouting   struct {
		Modules map[string]struct {
			ActionPlugin string `yaml:"action_plugin"`
		} `yaml:"modules"`
	} `yaml:"plugin_routing"`
}

// TestRuntime requires that Ansible runs each module by the action plugin, and
// that a group holds the modules which take its defaults: Ansible gives a default
// to each module of the group, and a module refuses what it doesn't know.
func TestRuntime(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("collection", "meta", "runtime.yml"))
	require.NoError(t, err)
	var runtime runtimeFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&runtime))

	assert.Equal(t, ">=2.16.0", runtime.RequiresAnsible)
	var routed []string
	for name, routing := range runtime.PluginRouting.Modules {
		assert.Equal(t, collection+"."+actionPlugin, routing.ActionPlugin, name)
		routed = append(routed, name)
	}
	assert.ElementsMatch(t, names(everyone), routed)
	assert.FileExists(t, filepath.Join("collection", "plugins", "action", actionPlugin+".py"))

	groups := map[string][]string{}
	extended := map[string][]string{}
	for group, entries := range runtime.ActionGroups {
		for _, entry := range entries {
			if entry.Kind == yaml.ScalarNode {
				groups[group] = append(groups[group], entry.Value)
				continue
			}
			var metadata struct {
				Metadata struct {
					Extend []string `yaml:"extend_group"`
				} `yaml:"metadata"`
			}
			require.NoError(t, entry.Decode(&metadata), group)
			extended[group] = metadata.Metadata.Extend
		}
	}
	assert.Equal(t, map[string][]string{"k8s": names(having("kubeconfig")), "model": names(having("model"))}, groups)
	assert.Equal(t, map[string][]string{"k8s": {"kubernetes.core.k8s"}}, extended)
}
