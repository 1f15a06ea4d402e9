package pipelines

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

var block = regexp.MustCompile("(?s)\n```yaml[^\n]*\n(.*?)\n```\n")

// TestPage reads the configurations of the page strictly, and the hook's.
func TestPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs", "pipelines.md"))
	require.NoError(t, err)
	hooks, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	require.NoError(t, err)
	found := block.FindAllStringSubmatch(string(page), -1)
	require.NotEmpty(t, found)
	for _, match := range append(found, []string{"", string(hooks)}) {
		for document := range strings.SplitSeq(match[1], "\n---\n") {
			var content any
			require.NoError(t, yaml.UnmarshalStrict([]byte(document), &content), document)
			assert.NotNil(t, content, document)
		}
	}
}

// TestHook runs what pre-commit would, once it has built the hook.
func TestHook(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	require.NoError(t, err)
	var hooks []struct {
		Entry        string   `json:"entry"`
		Args         []string `json:"args"`
		Dependencies []string `json:"additional_dependencies"`
	}
	require.NoError(t, yaml.Unmarshal(text, &hooks))
	require.Len(t, hooks, 1)
	require.Equal(t, []string{"./functions/ringfence"}, hooks[0].Dependencies, "which of two executables of one name comes last is chance without it")
	words := strings.Fields(hooks[0].Entry)
	c := command(t, root, executable(t, words[0]), append(words[1:], hooks[0].Args...)...)
	output, err := c.CombinedOutput()
	require.NoError(t, err, string(output))
	assert.Contains(t, string(output), "staging              themelio")
}
