package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEveryWay runs every way once on ten resources, so that none can rot. What
// takes an executable that isn't there is left out, and said.
func TestEveryWay(t *testing.T) {
	var out, progress bytes.Buffer
	err := run(t.Context(), []string{"--bin", "../../bin", "--sizes", "10", "--large", "10", "--streams", "10", "--runs", "1"}, &out, &progress)
	require.NoError(t, err)
	t.Log("\n" + out.String())
	assert.Equal(t, 2+len(ways)+3+1, strings.Count(out.String(), "\n"), "a line for each way")
	for line := range strings.Lines(progress.String()) {
		if strings.Contains(line, "not measured") {
			t.Log(line)
		}
	}
}

func TestMissing(t *testing.T) {
	var out, progress bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"--bin", t.TempDir(), "--sizes", "10", "--large", "", "--streams", ""}, &out, &progress))
	assert.Equal(t, len(ways), strings.Count(out.String(), "not measured"), "nothing is left out in silence")
	assert.Contains(t, progress.String(), "not measured")
}

func TestBadFlags(t *testing.T) {
	for _, args := range [][]string{{"--sizes", "ten"}, {"--sizes", "0"}, {"--runs", "0"}, {"--unknown"}} {
		assert.Error(t, run(t.Context(), args, new(bytes.Buffer), new(bytes.Buffer)), args)
	}
}

func TestGenerate(t *testing.T) {
	first, firstText := generated(t)
	second, secondText := generated(t)
	assert.Equal(t, firstText, secondText, "the same each time")
	assert.Equal(t, first.model, second.model)
	assert.Equal(t, 10, first.ours)
	assert.Equal(t, 999, strings.Count(firstText, "\n---\n"))
	for _, kind := range []string{"Deployment", "Service", "ConfigMap", "ServiceAccount", "VirtualService", "Gateway", "CustomResourceDefinition"} {
		assert.Contains(t, firstText, "kind: "+kind+"\n")
	}
}

func generated(t *testing.T) (in input, text string) {
	t.Helper()
	in, err := generate(1_000, filepath.Join(t.TempDir(), "resources.yaml"))
	require.NoError(t, err)
	data, err := os.ReadFile(in.resources)
	require.NoError(t, err)
	return in, string(data)
}
