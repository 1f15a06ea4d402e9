package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/manifest"
)

// TestCorpus runs every function over manifests that no one here wrote, where
// they are at hand: beside the repository, in shared/corpus. Nothing in them is
// the model's, so everything must come out byte for byte, whatever is found.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("../../../shared/corpus/*.yaml")
	require.NoError(t, err)
	if len(files) == 0 {
		t.Log("no corpus at hand")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			in := goodInput()
			for document := range strings.SplitSeq("\n"+string(text), "\n---\n") {
				if _, err := manifest.ReadStream([]byte(document)); err != nil {
					t.Logf("a document is left out: %v", err) // some samples are none of YAML, or a List
					continue
				}
				in.resources += "---\n" + document + "\n"
			}
			list := in.list(t)
			for _, unit := range append(units.Names(), "ringfence") {
				var stdout, stderr bytes.Buffer
				status := krm.Function(unit, units, krm.Streams{In: bytes.NewReader(list), Out: &stdout, Err: &stderr})
				t.Logf("%s: %d\n%s", unit, status, &stderr)
				before, after := texts(t, list), texts(t, stdout.Bytes())
				require.GreaterOrEqual(t, len(after), len(before))
				assert.Equal(t, before[1:], after[1:len(before)], "%s changed what isn't the model's", unit)
			}
		})
	}
}
