package manifest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// tokens are what makes YAML text mean something else.
var tokens = []string{
	"- ", "-", ": ", ":", " #", "#", "'", `"`, "''", `\`, `\n`, `\x41`, "|", ">", "|+", ">-2", "&a ", "*a", "!t ", "!!str ",
	"{", "}", "{}", "[", "]", "[]", ",", "? ", "?", "%", "\t", " ", "  ", "\n", "\n\n", "\n---\n", "\n...\n", "---", "\r\n", "\r",
	"é", "\u2028", "\u0085", "\ufeff", "<<: ", "~", "null", "@", "`", "a", "0", "kind: X\n", "name: y\n", "items:\n", "\n# c\n", "\n  # c\n",
}

// mutate changes text in a few places.
func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(3) {
		lines := strings.SplitAfter(text, "\n")
		i, j := r.IntN(len(lines)), r.IntN(len(lines))
		at := r.IntN(len(lines[i]) + 1)
		switch r.IntN(10) {
		case 0:
			lines = slices.Delete(lines, i, i+1)
		case 1:
			lines = slices.Insert(lines, j, lines[i])
		case 2:
			lines[i], lines[j] = lines[j], lines[i]
		case 3:
			lines[i] = strings.Repeat(" ", 1+r.IntN(3)) + lines[i]
		case 4:
			lines[i] = strings.TrimPrefix(lines[i], strings.Repeat(" ", 1+r.IntN(2)))
		case 5:
			if at > 0 {
				lines[i] = lines[i][:at-1] + lines[i][at:]
			}
		case 6:
			lines = lines[:i+1]
			lines[i] = lines[i][:at]
		default:
			lines[i] = lines[i][:at] + tokens[r.IntN(len(tokens))] + lines[i][at:]
		}
		text = strings.Join(lines, "")
	}
	return text
}

// mutations is how many texts of a kind a run tries: the same ones each time.
const mutations = 300

// Text that was damaged at random is refused, or read as the whole parse reads
// it.
func TestMutated(t *testing.T) { testMutated(t, rand.New(rand.NewPCG(1, 2)), mutations) }

func testMutated(t *testing.T, r *rand.Rand, n int) {
	t.Helper()
	var streams, lists []string
	for _, name := range sortedKeys(styles) {
		streams = append(streams, styles[name], "---\n"+styles[name]+"---\n"+styles[name])
		lists = append(lists, listOf(styles[name]))
	}
	for _, name := range sortedKeys(frames) {
		lists = append(lists, frames[name])
	}
	accepted, text := 0, ""
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("text: %q\n%s", text, text)
		}
	})
	try := func(read func([]byte) (*Document, error), seed string) {
		text = mutate(r, seed)
		if fuzzRead(t, read, []byte(text)) {
			accepted++
		}
	}
	for range n {
		try(ReadStream, streams[r.IntN(len(streams))])
		try(ReadList, lists[r.IntN(len(lists))])
		stream, list := generate(r)
		try(ReadStream, stream)
		try(ReadList, list)
	}
	t.Logf("%d of %d texts accepted", accepted, 4*n)
}
