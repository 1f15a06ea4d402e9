package manifest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/kio"
)

// corpus returns the manifests of other projects that lie beside the
// repository, if they do.
func corpus(t *testing.T) []string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		require.NotEqual(t, dir, filepath.Dir(dir), "the folder of go.mod")
		dir = filepath.Dir(dir)
	}
	files, err := filepath.Glob(filepath.Join(dir, "..", "shared", "corpus", "*.yaml"))
	require.NoError(t, err)
	return files
}

// What other projects ship is read without the parser, and means what the whole
// parse says.
func TestCorpus(t *testing.T) {
	files := corpus(t)
	if len(files) == 0 {
		t.Log("no corpus at hand")
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			stream, refused := readable(t, data)
			list := listOfAll(t, stream)
			d, err := ReadStream(stream)
			require.NoError(t, err)
			parsed := 0
			for _, it := range d.Items() {
				if it.node != nil {
					parsed++
				}
			}
			t.Logf("%d objects, %d took the parser, %d documents refused", len(d.Items()), parsed, refused)
			require.LessOrEqual(t, parsed, 1)
			check := func(read func([]byte) (*Document, error), text []byte) {
				d, err := read(text)
				require.NoError(t, err)
				requireAgrees(t, d, text)
				if len(text) < 1<<19 {
					requireChanges(t, read, text, len(text))
				}
			}
			check(ReadList, list)
			if len(stream) < 1<<20 { // the whole parse takes long
				check(ReadStream, stream)
			}
		})
	}
}

// readable returns data without the documents that are refused, each of which
// the whole parse refuses, too, or kustomize would, and their number.
func readable(t *testing.T, data []byte) (stream []byte, refused int) {
	t.Helper()
	if _, err := ReadStream(data); err == nil {
		return data, 0
	}
	var good []string
	for text := range strings.SplitSeq("\n"+string(data), "\n---\n") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		_, err := ReadStream([]byte(text + "\n"))
		if err == nil {
			good = append(good, text)
			continue
		}
		refused++
		objects, wholeErr := wholeParse([]byte(text))
		if wholeErr == nil && !strings.Contains(err.Error(), "stands twice") {
			var v any
			require.Error(t, objects[0].Decode(&v), "refused with: %v", err)
		}
		t.Logf("refused: %v", err)
	}
	return []byte(strings.Join(good, "\n---\n") + "\n"), refused
}

// listOfAll wraps a stream into a list, as kyaml writes it.
func listOfAll(t *testing.T, stream []byte) []byte {
	t.Helper()
	nodes, err := (&kio.ByteReader{Reader: bytes.NewReader(stream), DisableUnwrapping: true}).Read()
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, kio.ByteWriter{
		Writer: &b, WrappingKind: kio.ResourceListKind, WrappingAPIVersion: kio.ResourceListAPIVersion, KeepReaderAnnotations: true,
	}.Write(nodes))
	return b.Bytes()
}
