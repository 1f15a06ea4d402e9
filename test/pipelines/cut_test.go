package pipelines

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCut cuts builds at every "---" and within every document. What render
// accepts then has begun every object that the model names for this owner; what
// the model knows by a selector alone may be missing, and so may what it doesn't know.
func TestCut(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reason string
		// accepted is how many documents must have begun.
		accepted int
	}{
		"themelio":          {"its Job is named, and stands before an AuthorizationPolicy that nobody needs", 16},
		"argocd":            {"its VirtualService is named, and stands before such a policy", 13},
		"waldur-site-agent": {"its Job is named, and stands last", 8},
		"tenants":           {"the model knows tenants by labels: any part of the build looks whole", 1},
	}
	for owner, c := range cases {
		t.Run(owner, func(t *testing.T) {
			t.Parallel()
			whole := build(t, "base/"+owner)
			for _, at := range cuts(whole) {
				begun := 1 + bytes.Count(whole[:at], []byte("\n---\napi"))
				stdout, stderr, err := run(t, whole[:at], "ringfence", renderArgs(owner)...)
				if err != nil {
					assert.Empty(t, string(stdout), "cut at byte %d", at)
					assert.NotEqual(t, len(whole), at, string(stderr))
					continue
				}
				assert.NotEmpty(t, stdout, "cut at byte %d", at)
				assert.GreaterOrEqual(t, begun, c.accepted, "%s: cut at byte %d, after %q", c.reason, at, whole[max(0, at-40):at])
			}
		})
	}
}

// cuts returns the end of the text, where each document ends, and three places within each.
func cuts(text []byte) []int {
	var out []int
	pos := 0
	for document := range bytes.SplitAfterSeq(text, []byte("\n---\n")) {
		lines := bytes.SplitAfter(document, []byte("\n"))
		half := len(bytes.Join(lines[:len(lines)/2], nil))
		out = append(out, pos+len(lines[0]), pos+half, pos+half+3)
		pos += len(document)
		out = append(out, pos)
	}
	return out
}

// TestKilledWhileWriting kills what writes more into a pipe than the pipe holds: the
// reader gets the beginning, and then the end of the input as if that were all.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var many strings.Builder
	for i := range 4 {
		fmt.Fprintf(&many, "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings-%d\n  namespace: profile-alice\ndata:\n", i)
		for j := range 2000 {
			fmt.Fprintf(&many, "  setting-%04d: how something is to be\n", j)
		}
	}
	for name, text := range map[string]string{"many.yaml": many.String(), "kustomization.yaml": "resources: [many.yaml]\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	for name, c := range map[string]struct {
		stdin string
		args  []string
	}{
		"kustomize": {"", []string{"build", dir}},
		"ringfence": {many.String(), renderArgs("tenants")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole, stderr, err := run(t, []byte(c.stdin), name, c.args...)
			require.NoError(t, err, string(stderr))
			require.Greater(t, len(whole), 200_000)

			reader, writer, err := os.Pipe()
			require.NoError(t, err)
			command := exec.Command(executable(t, name), c.args...)
			command.Stdin, command.Stdout = strings.NewReader(c.stdin), writer
			require.NoError(t, command.Start())
			require.NoError(t, writer.Close())
			first := make([]byte, 1)
			_, err = io.ReadFull(reader, first)
			require.NoError(t, err)
			require.NoError(t, command.Process.Kill())
			require.Error(t, command.Wait())
			rest, err := io.ReadAll(reader)
			require.NoError(t, err)
			require.NoError(t, reader.Close())
			assert.Less(t, 1+len(rest), len(whole), "a pipe holds 64 KiB")
			assert.True(t, bytes.HasPrefix(whole, slices.Concat(first, rest)))
		})
	}
}
