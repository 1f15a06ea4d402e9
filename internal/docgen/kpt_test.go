package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// TestAsKpt hands the function the README's package as "kpt fn render" does: each
// item with its file, the configuration both as functionConfig and as an item.
// Where there is a kpt, TestPages runs that as well.
func TestAsKpt(t *testing.T) {
	root := repository(t)
	s := session{root: root, dir: t.TempDir()}
	for _, b := range blocksOf(t, filepath.Join(root, "README.md")) {
		if b.has("file") {
			s.run(t, fmt.Sprintf("README.md:%d", b.line), &b)
		}
	}
	document := func(name string) map[string]any {
		data, err := os.ReadFile(filepath.Join(s.dir, name))
		require.NoError(t, err)
		out := map[string]any{}
		require.NoError(t, yaml.Unmarshal(data, &out))
		metadata, ok := out["metadata"].(map[string]any)
		require.True(t, ok)
		annotations, ok := metadata["annotations"].(map[string]any)
		if !ok {
			annotations = map[string]any{}
			metadata["annotations"] = annotations
		}
		annotations["internal.config.kubernetes.io/path"] = filepath.Base(name)
		annotations["internal.config.kubernetes.io/index"] = "0"
		return out
	}
	config := document("package/ringfence.yaml")
	list, err := yaml.Marshal(map[string]any{
		"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "functionConfig": config,
		"items": []any{document("orders/deployment.yaml"), document("platform/model/model.yaml"), document("platform/staging/environment.yaml"), config},
	})
	require.NoError(t, err)

	command := exec.Command(filepath.Join(root, "bin", "ringfence"))
	var stdout, stderr bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = bytes.NewReader(list), &stdout, &stderr
	require.NoError(t, command.Run(), stderr.String())
	assert.Contains(t, stdout.String(), "internal.config.kubernetes.io/path: ringfence/orders_authorizationpolicy_orders-allow-callers.yaml")
	assert.Contains(t, stdout.String(), "kind: AccessModel", "local configuration stays in the package")
}
