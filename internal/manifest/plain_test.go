package manifest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// FuzzWritePlain compares what is written without kyaml with what it writes.
func FuzzWritePlain(f *testing.F) {
	for _, text := range styles {
		f.Add([]byte(text))
	}
	for _, text := range plainTexts(f) {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) { requirePlain(t, data) })
}

// plainTexts are the objects of a measured build, and lists that are unlike them.
func plainTexts(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "test", "performance", "mix", "*.yaml"))
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	texts := []string{
		"a: yes\nb: \"yes\"\nc: 010\nd: 0\ne: -1\nf: 1e3\ng: ~\nh:\ni: null\nj: 2026-01-01\nk: 1:20\nl: .5\n",
		"a: --x=y\nb: -x\nc: ---\nd: a:b\ne: 'a: b'\nf: /a\ng: 100m\nh: 1.2.3\ni: a, b\nj: $(A)\nk: =\n",
		"a: ''\nb: \"\"\nc: ' a'\nd: \"a\\tb\"\ne: \"'\"\nf: '\"'\ng: {}\nh: []\ni: [a]\nj: {a: b}\n",
		"a:\n- - b\n  - c\n-\n- d: e\n  f:\n  - g\n  - {}\nh:\n  - i\n",
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(tb, err)
		texts = append(texts, string(text))
	}
	return texts
}

// requirePlain reports whether the text is one that can be written without kyaml.
func requirePlain(t *testing.T, data []byte) bool {
	t.Helper()
	doc, err := parse(data, 1)
	if err != nil || isEmpty(doc) {
		return false
	}
	ok := false
	for _, style := range []seqStyle{compact, wide} {
		for _, n := range []*yaml.Node{doc, doc.Content[0], {Kind: yaml.SequenceNode, Content: doc.Content}} {
			tame(n, false)
			var got []byte
			if got, ok = writePlain(n, style); ok {
				want, err := writeKyaml(n, style)
				require.NoError(t, err)
				require.Equal(t, string(want), string(got))
			}
		}
	}
	return ok
}

func TestWritePlain(t *testing.T) {
	texts := plainTexts(t)
	for _, text := range texts[4:] {
		if plain := requirePlain(t, []byte(text)); strings.Contains(text, "kind: Deployment") {
			require.True(t, plain, "Deployments are what is edited most")
		}
	}
	random := rand.New(rand.NewPCG(3, 0))
	plain := 0
	for range mutations {
		if requirePlain(t, []byte(mutate(random, texts[random.IntN(len(texts))]))) {
			plain++
		}
	}
	require.Greater(t, plain, mutations/10, "the test tries what it is about")
}
