package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, `write what commands print into the pages; outputs with "..." are never written`)

// A page is one session in an empty directory. What the word after the language
// of a block says is done, in the order of the page:
//
//	```yaml file                is written to the file that its first line names: "# shop/kustomization.yaml"
//	```yaml append=model.yaml   is appended to a file, two columns to the right
//	```sh test                  is run by sh -eu, with bin/ first on PATH
//	```sh test dir=ringfence    is run there
//	```sh test fails            must fail
//	```sh test needs=kpt        is left out where the machine has no such command
//	```sh test needs=cluster    is run by the end-to-end tests alone, which have a cluster and say so in RINGFENCE_CLUSTER
//	```text output              is what the block before it must print on both streams; "..." stands for anything
//
// A comment "<!-- sh test", which readers don't see, is such a block as well; $ROOT is the repository.
func TestPages(t *testing.T) {
	t.Parallel()
	root := repository(t)
	require.FileExists(t, filepath.Join(root, "bin", "ringfence"), `run "make build tools" first`)
	require.FileExists(t, filepath.Join(root, "bin", "kustomize"), `run "make build tools" first`)
	for _, page := range testedPages(t) {
		name, err := filepath.Rel(root, page)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := session{root: root, dir: t.TempDir()}
			found := blocksOf(t, page)
			for i := range found {
				s.run(t, fmt.Sprintf("%s:%d", name, found[i].line), &found[i])
			}
			if *update {
				write(t, page, found)
			}
		})
	}
}

// block is a fenced block, or a comment that stands for one.
type block struct {
	line     int
	language string
	words    []string
	text     string
}

// word returns the value of "key=value" among the words.
func (b block) word(key string) string {
	for _, word := range b.words {
		if value, ok := strings.CutPrefix(word, key+"="); ok {
			return value
		}
	}
	return ""
}

func (b block) has(word string) bool { return slices.Contains(b.words, word) }

var (
	fence   = regexp.MustCompile("^```([a-z]+)((?: [^ ]+)*)$")
	comment = regexp.MustCompile(`^<!-- (sh|yaml)((?: [^ ]+)+)$`)
)

func blocksOf(t *testing.T, page string) []block {
	t.Helper()
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	var out []block
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines); i++ {
		match, end := fence.FindStringSubmatch(lines[i]), "```"
		if match == nil {
			match, end = comment.FindStringSubmatch(lines[i]), "-->"
		}
		if match == nil {
			require.False(t, strings.HasPrefix(lines[i], "```"), "%s:%d: a block needs a language and ends with its own fence", page, i+1)
			continue
		}
		n := slices.Index(lines[i+1:], end)
		require.GreaterOrEqual(t, n, 0, "%s:%d: the block has no end", page, i+1)
		out = append(out, block{i + 1, match[1], strings.Fields(match[2]), strings.Join(lines[i+1:i+1+n], "\n") + "\n"})
		i += n + 1
	}
	return out
}

// write puts the outputs that changed into a page, from its end on.
func write(t *testing.T, page string, found []block) {
	t.Helper()
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	lines := strings.Split(string(data), "\n")
	for i, old := range slices.Backward(blocksOf(t, page)) {
		if old.text != found[i].text {
			text := strings.Split(strings.TrimSuffix(found[i].text, "\n"), "\n")
			lines = slices.Replace(lines, old.line, old.line+strings.Count(old.text, "\n"), text...)
		}
	}
	require.NoError(t, os.WriteFile(page, []byte(strings.Join(lines, "\n")), 0o600))
}

type session struct {
	root, dir string
	// output of the last command; skipped says that it wasn't run.
	output  string
	skipped bool
}

func (s *session) run(t *testing.T, at string, b *block) {
	t.Helper()
	switch {
	case b.has("file"):
		first, _, _ := strings.Cut(b.text, "\n")
		name, ok := strings.CutPrefix(first, "# ")
		require.True(t, ok, "%s: the first line names the file", at)
		s.write(t, name, b.text, os.O_TRUNC)
	case b.word("append") != "":
		s.write(t, b.word("append"), indented(b.text), os.O_APPEND)
	case b.has("test"):
		s.command(t, at, *b)
	case b.has("output") && !s.skipped:
		s.compare(t, at, b)
	case b.has("output"):
	default:
		require.Empty(t, slices.DeleteFunc(b.words, func(w string) bool { return w == "output" }), "%s: words that say nothing", at)
	}
}

// compare holds an expected output against what was printed; spaces at the ends
// of lines and empty lines at the end don't count.
func (s *session) compare(t *testing.T, at string, b *block) {
	t.Helper()
	got := strings.TrimRight(trailing.ReplaceAllString(s.output, ""), "\n") + "\n"
	switch {
	case strings.Contains(b.text, "..."):
		assert.Regexp(t, pattern(b.text), got, "%s: what the block before it prints", at)
	case *update:
		b.text = got
	default:
		assert.Equal(t, b.text, got, "%s: what the block before it prints; -update writes it", at)
	}
}

func (s *session) write(t *testing.T, name, text string, how int) {
	t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|how, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString(text)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}

func (s *session) command(t *testing.T, at string, b block) {
	t.Helper()
	if needed := b.word("needs"); needed != "" {
		if _, err := exec.LookPath(needed); needed == "cluster" {
			s.skipped = os.Getenv("RINGFENCE_CLUSTER") == ""
		} else {
			s.skipped = err != nil
		}
		if s.skipped {
			t.Logf("%s: left out, for there is no %s here", at, needed)
			return
		}
	}
	s.skipped = false
	command := exec.Command("sh", "-eu", "-c", b.text)
	command.Dir = filepath.Join(s.dir, filepath.FromSlash(b.word("dir")))
	command.Env = append(os.Environ(),
		"ROOT="+s.root,
		"PATH="+filepath.Join(s.root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"),
		"MAKEFLAGS=", "MAKELEVEL=", "NO_COLOR=1") // a page is no part of the make that runs the test
	output, err := command.CombinedOutput()
	s.output = string(output)
	if b.has("fails") {
		require.Error(t, err, "%s: it must fail and printed\n%s", at, output)
	} else {
		require.NoError(t, err, "%s: it printed\n%s", at, output)
	}
}

var trailing = regexp.MustCompile(`(?m) +$`)

// pattern returns the regular expression of an expected output with gaps.
func pattern(text string) *regexp.Regexp {
	var b strings.Builder
	b.WriteString(`^`)
	for line := range strings.Lines(text) {
		if line == "...\n" {
			b.WriteString(`(?:.*\n)*?`)
		} else {
			b.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`))
		}
	}
	return regexp.MustCompile(b.String() + `$`)
}

// testedPages returns the pages of this package's own.
func testedPages(t *testing.T) []string {
	t.Helper()
	found, err := pages(repository(t))
	require.NoError(t, err)
	return slices.DeleteFunc(found, func(page string) bool {
		rel, err := filepath.Rel(repository(t), page)
		require.NoError(t, err)
		return strings.HasPrefix(filepath.ToSlash(rel), "overlays/") || strings.HasPrefix(filepath.ToSlash(rel), "components/")
	})
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	return root
}
