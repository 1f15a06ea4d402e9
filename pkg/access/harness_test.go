package access_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// source is an object in memory.
type source struct{ content map[string]any }

func (s *source) Ref() resource.Ref {
	return resource.Ref{
		APIVersion: resource.String(s.content, "apiVersion"), Kind: resource.String(s.content, "kind"),
		Namespace: resource.String(s.content, "metadata", "namespace"), Name: resource.String(s.content, "metadata", "name"),
	}
}

func (s *source) Decode() (map[string]any, error) { return s.content, nil }

func (s *source) Mentions(text string) bool {
	data, err := json.Marshal(s.content)
	return err != nil || bytes.Contains(data, []byte(text))
}

func meshOf(tb testing.TB, settings access.Settings, texts ...string) *access.Mesh {
	tb.Helper()
	set := resource.NewSet()
	decoder := yaml.NewDecoder(strings.NewReader(strings.Join(texts, "\n---\n")))
	for {
		var content any
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return access.New(set, settings)
		}
		require.NoError(tb, err)
		if content == nil {
			continue
		}
		data, err := json.Marshal(content) // numbers as JSON has them
		require.NoError(tb, err)
		object := map[string]any{}
		require.NoError(tb, json.Unmarshal(data, &object))
		set.Add(&source{object})
	}
}

// environment returns what the example platform's applications build in an environment.
func environment(tb testing.TB, name string) string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "test", "compositions", "testdata", name, "*.yaml"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	var texts []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(tb, err)
		texts = append(texts, string(data))
	}
	return strings.Join(texts, "\n---\n")
}

func workload(tb testing.TB, m *access.Mesh, name string) *access.Workload {
	tb.Helper()
	w, err := m.Workload(name)
	require.NoError(tb, err)
	return w
}
