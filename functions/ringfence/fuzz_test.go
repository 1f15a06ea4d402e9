package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// FuzzStdin gives every function any text.
func FuzzStdin(f *testing.F) {
	all := append(units.Names(), "ringfence")
	for i := range all {
		f.Add(uint8(i), goodInput().list(f))
	}
	f.Fuzz(func(t *testing.T, which uint8, input []byte) {
		checkRun(t, all[int(which)%len(all)], input)
	})
}

// FuzzItems gives every function any items beside a configuration that is right,
// on every rung.
func FuzzItems(f *testing.F) {
	all := append(units.Names(), "ringfence")
	files, err := filepath.Glob("../../testdata/*.txtar")
	require.NoError(f, err)
	for i, file := range files {
		f.Add(uint8(i), uint8(i), readCase(f, file).section("in/resources.yaml"))
	}
	f.Fuzz(func(t *testing.T, which, rung uint8, resources []byte) {
		in := goodInput()
		components := []string{"security-baseline", "security-enrollment", "security-enforcement"}
		rung %= 3
		in.config = "owner: shop\ncomponents: [" + strings.Join(components[:rung+1], ", ") + "]\n"
		in.environment = strings.Replace(in.environment, "enforced", model.Profile(rung).String(), 1)
		document, err := manifest.ReadStream(resources)
		if err != nil || len(document.Items()) == 0 {
			return
		}
		in.resources += "\n---\n" + string(resources)
		if _, err := manifest.ReadStream([]byte(in.resources)); err != nil {
			return
		}
		checkRun(t, all[int(which)%len(all)], in.list(t))
	})
}

// checkRun runs a function. It may not panic; a run that fails gives its items
// back as they came, and one that succeeds has nothing to do on its own output.
func checkRun(t *testing.T, name string, input []byte) {
	t.Helper()
	status, output := fuzzRun(name, input)
	if status != succeeded {
		before, err := manifest.ReadList(input)
		if err != nil {
			require.Equal(t, string(input), string(output), "text that can't be read comes back as it came")
			return
		}
		after, err := manifest.ReadList(output)
		require.NoError(t, err)
		require.Len(t, after.Items(), len(before.Items()))
		for i, item := range before.Items() {
			// The last line of a list may lack its end, which what follows it needs.
			require.Equal(t, strings.TrimRight(string(item.Text()), "\n"), strings.TrimRight(string(after.Items()[i].Text()), "\n"))
		}
		return
	}
	again, second := fuzzRun(name, output)
	require.Equal(t, succeeded, again, "the second run fails on the output of the first")
	require.Empty(t, changes(t, output, second), "the second run changes something")
}

func fuzzRun(name string, input []byte) (int, []byte) {
	var out bytes.Buffer
	status := krm.Function(name, units, krm.Streams{In: bytes.NewReader(input), Out: &out, Err: io.Discard})
	return status, out.Bytes()
}
