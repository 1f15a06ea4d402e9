package manifest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// generator writes random objects in the many ways that YAML allows.
type generator struct {
	*rand.Rand
	strings.Builder
	n int // keys so far
}

func (g *generator) pick(of ...string) string { return of[g.IntN(len(of))] }
func (g *generator) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(g, format, args...)
}
func (g *generator) maybe(n int) bool { return g.IntN(n) == 0 }

// object writes one object at an indentation.
func (g *generator) object(indent int) {
	pad := strings.Repeat(" ", indent)
	lines := []func(){
		func() { g.WriteString("apiVersion: " + g.pick("v1", "apps/v1", `"v1"`, "'a.b/v1'") + "\n") },
		func() { g.WriteString("kind: " + g.pick("Deployment", `"Pod"`, "'Role' # role", "X  ") + "\n") },
		func() {
			g.WriteString("metadata:" + g.pick("", " # m") + "\n")
			deep := pad + g.pick("  ", "    ", " ")
			g.printf("%sname: %s%d\n", deep, g.pick("web", "3scale-", "a.b-"), g.IntN(100))
			if g.maybe(2) {
				g.printf("%snamespace: %s\n", deep, g.pick("themelio", `"default"`, "'x'"))
			}
		},
	}
	for range 1 + g.IntN(5) {
		lines = append(lines, func() { g.entry(indent, 4) })
	}
	g.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	for i, line := range lines {
		if i > 0 {
			g.between(indent)
			g.WriteString(pad)
		}
		line()
	}
}

// between writes, now and then, what may stand between two lines.
func (g *generator) between(indent int) {
	for g.maybe(6) {
		g.WriteString(g.pick("", "", "   ", "# low", strings.Repeat(" ", indent)+"# a: b 'c", "      # - deep") + "\n")
	}
}

// entry writes a key with its value; the key's indentation is already written.
func (g *generator) entry(indent, depth int) {
	g.n++
	g.printf(g.pick("k%d:", "k%d:", `"k %d":`, "'k%d: #':", "a/b.c-%d:", "é%d:"), g.n)
	g.value(indent, depth, false)
}

// value writes a value after a colon or a dash, with its line break.
func (g *generator) value(indent, depth int, entry bool) {
	switch kind := g.IntN(10); {
	case depth > 0 && kind < 3:
		g.mapping(indent, depth, entry)
	case depth > 0 && kind < 5:
		g.sequence(indent, depth, entry)
	case kind == 5:
		g.block(indent)
	case kind == 6:
		g.WriteString(" " + g.flow(3) + g.pick("", " # flow", "  ") + "\n")
	case kind == 7:
		g.multiLine(indent)
	default:
		g.WriteString(" " + g.pick("1", "0x1F", "true", "~", "null", "", "2024-01-02", "1.5e3", "word", "two words", "a:b", "http://x/#y",
			"-1", "--flag=x", "it's", `say "x"`, "a#b", "x # c", `"q\n\t\"\\ \u00e9\x41"`, "'s ''q'' # no'", `""`, "''", "é", "a{b}") + "\n")
	}
}

func (g *generator) mapping(indent, depth int, entry bool) {
	deep := indent + 1 + g.IntN(3)
	if entry && g.maybe(2) {
		spaces := 1 + g.IntN(2)
		g.WriteString(strings.Repeat(" ", spaces))
		deep = indent + 1 + spaces
	} else {
		g.WriteString(g.pick("", " ", " # map") + "\n")
		g.between(deep)
		g.WriteString(strings.Repeat(" ", deep))
	}
	for i := range 1 + g.IntN(3) {
		if i > 0 {
			g.between(deep)
			g.WriteString(strings.Repeat(" ", deep))
		}
		g.entry(deep, depth-1)
	}
}

func (g *generator) sequence(indent, depth int, entry bool) {
	deep := indent + g.IntN(4)
	if entry {
		deep = indent + 1 + g.IntN(3)
	}
	g.WriteString(g.pick("", " ", " # seq") + "\n")
	for range 1 + g.IntN(3) {
		g.between(deep)
		g.WriteString(strings.Repeat(" ", deep) + "-")
		g.value(deep, depth-1, true)
	}
}

func (g *generator) block(indent int) {
	deep := 1 + g.IntN(3)
	hint := g.pick("", "", fmt.Sprint(deep))
	g.WriteString(" " + g.pick("|", ">") + g.pick("", "-", "+") + hint + g.pick("", " # block") + "\n")
	pad := strings.Repeat(" ", indent+deep)
	for i := range g.IntN(5) {
		switch {
		case g.maybe(4):
			g.WriteString(g.pick("", " ", pad) + "\n")
		case i == 0 && hint == "":
			g.WriteString(pad + g.pick("text", "# text", "- text", "k: v", "'") + "\n")
		default:
			g.WriteString(pad + g.pick("text", "  deep", "\ttab", "# no comment", "---", `"`, "é ") + "\n")
		}
	}
}

func (g *generator) multiLine(indent int) {
	pad := strings.Repeat(" ", indent+1+g.IntN(3))
	quote := g.pick("", `"`, "'")
	g.WriteString(g.pick(" ", "\n"+pad) + quote + "first")
	for range 1 + g.IntN(3) {
		g.WriteString(g.pick("\n", "\n", "  \n", "\n\n") + pad + g.pick("more", "- dash", "a:b", "[x", "it is", quote+"x"))
	}
	g.WriteString(quote + g.pick("", "  ", " # end") + "\n")
}

func (g *generator) flow(depth int) string {
	if depth == 0 || g.maybe(3) {
		return g.pick("a", "1", `"q,\"]"`, "'it''s }'", "a b", "-1", "x/y:z", "null", "true")
	}
	var parts []string
	mapping := g.maybe(2)
	for i := range g.IntN(4) {
		part := g.flow(depth - 1)
		if mapping {
			part = g.pick(fmt.Sprintf("k%d: ", i), fmt.Sprintf(`"k%d":`, i), fmt.Sprintf("'k%d':  ", i)) + part
		}
		parts = append(parts, part)
	}
	inner := strings.Join(parts, g.pick(", ", ",", " , "))
	if mapping {
		return g.pick("{", "{ ") + inner + g.pick("}", " }")
	}
	return g.pick("[", "[ ") + inner + g.pick("]", " ]")
}

// generate writes a stream and a list of a few random objects.
func generate(r *rand.Rand) (stream, list string) {
	g := &generator{Rand: r}
	for i := range 1 + r.IntN(3) {
		if i > 0 && g.maybe(4) {
			g.WriteString("... # end\n")
		}
		if i > 0 || g.maybe(2) {
			g.WriteString(g.pick("---\n", "--- # next\n", "---  \n"))
		}
		g.between(0)
		g.object(0)
	}
	stream = g.String()

	g = &generator{Rand: r}
	g.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n")
	if g.maybe(3) {
		g.WriteString("functionConfig:")
		g.mapping(0, 2, false)
	}
	g.WriteString("items:" + g.pick("", " # items") + "\n")
	dash := g.IntN(3)
	for range 1 + r.IntN(3) {
		g.between(dash)
		g.WriteString(strings.Repeat(" ", dash) + "- ")
		g.object(dash + 2)
	}
	g.between(0)
	if g.maybe(3) {
		g.WriteString("results:")
		g.sequence(0, 2, false)
	}
	return stream, g.String()
}

// Random objects, written in random ways, are read as the whole parse reads
// them, hardly ever with the parser's help.
func TestGenerated(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var text string
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("text: %q\n%s", text, text)
		}
	})
	objects, parsed := 0, 0
	try := func(read func([]byte) (*Document, error)) {
		d, err := read([]byte(text))
		if err != nil {
			_, wholeErr := wholeParse([]byte(text))
			require.Error(t, wholeErr, "refused with: %v", err)
			return
		}
		for _, it := range d.Items() {
			objects++
			if it.node != nil {
				parsed++
			}
		}
		fuzzRead(t, read, []byte(text))
	}
	for range mutations {
		var list string
		text, list = generate(r)
		try(ReadStream)
		text = list
		try(ReadList)
	}
	t.Logf("%d objects, of which %d took the parser", objects, parsed)
	require.Less(t, parsed*20, objects, "objects that took the parser")
}
