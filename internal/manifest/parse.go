package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// maxAliased bounds how many nodes aliases may add to one object.
const maxAliased = 100_000

// lineError is a fault in text, at a line of the whole input, counted from 1.
type lineError struct {
	line int
	text string
}

func (e *lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.text) }

func errorAt(line int, format string, args ...any) error {
	return &lineError{line: line, text: fmt.Sprintf(format, args...)}
}

// parse reads text, whose first line is the given line of the input, with the
// real parser, as one document. The result is a document node that holds one
// node, free of duplicate keys, of aliases and of merge keys; nil for a text
// without content.
func parse(text []byte, line int) (*yaml.Node, error) {
	doc, err := decode(text)
	if err != nil {
		n, what := locate(text, err)
		return nil, errorAt(line+n-1, "%s", what)
	}
	if doc == nil {
		return nil, nil
	}
	c := checker{offset: line - 1, sizes: make(map[*yaml.Node]int)}
	if _, err := c.check(doc, 0); err != nil {
		return nil, err
	}
	if c.aliased {
		if _, err := expand(doc); err != nil {
			return nil, errorAt(line, "expanding aliases: %v", err)
		}
	}
	return doc, nil
}

// decode runs the parser alone. It refuses a second document and turns a panic
// of the parser into an error.
func decode(text []byte) (doc *yaml.Node, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("the YAML parser gave up: %v", p)
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return &first, nil
	case err != nil:
		return nil, err
	}
	return nil, &lineError{line: second.Line, text: afterEnd}
}

const afterEnd = `text after the end of the document: put "---" on a line of its own before it`

var yamlError = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

// locate returns the line of text that err is about and the message alone. The
// parser's own line is right for what its scanner finds; where it has none, or
// names the start of the collection around the fault, the fault is looked for:
// it is where the text stops being readable from its start.
func locate(text []byte, err error) (line int, what string) {
	if at, ok := errors.AsType[*lineError](err); ok {
		return at.line, at.text
	}
	m := yamlError.FindStringSubmatch(err.Error())
	what = err.Error()[len(m[0]):]
	line, _ = strconv.Atoi(m[1])
	const affordable = 1 << 18
	if line > 0 && !strings.HasPrefix(what, "did not find expected") || len(text) > affordable {
		return max(line, 1), what
	}
	ends := []int{0}
	for pos := 0; pos < len(text); {
		_, pos = cutLine(text, pos)
		ends = append(ends, pos)
	}
	good, bad := max(line-1, 0), len(ends)-1
	for bad-good > 1 {
		middle := (good + bad) / 2
		if _, err := decode(text[:ends[middle]]); err == nil {
			good = middle
		} else {
			bad = middle
		}
	}
	if what == "did not find expected <document start>" {
		what = afterEnd
	}
	return max(bad, 1), what
}

// checker walks a parsed document before anyone else does.
type checker struct {
	offset  int                // of the document's lines in the input
	aliased bool               // aliases or merge keys were met
	sizes   map[*yaml.Node]int // of the nodes behind aliases, expanded; 0 while inside
	added   int                // values that aliases add
}

// check refuses what the parser lets pass and returns how many nodes n is with
// its aliases expanded.
func (c *checker) check(n *yaml.Node, depth int) (size int, err error) {
	if depth > maxDepth+1 { // the document itself is no level
		return 0, errorAt(n.Line+c.offset, "nested deeper than %d levels", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		return c.checkAlias(n, depth)
	}
	if n.Kind == yaml.MappingNode {
		if err := c.checkKeys(n); err != nil {
			return 0, err
		}
	}
	size = 1
	for _, child := range n.Content {
		more, err := c.check(child, depth+1)
		if err != nil {
			return 0, err
		}
		size += more
	}
	return size, nil
}

func (c *checker) checkAlias(n *yaml.Node, depth int) (size int, err error) {
	c.aliased = true
	size, seen := c.sizes[n.Alias]
	if seen && size == 0 {
		return 0, errorAt(n.Line+c.offset, "the anchor %q contains itself", n.Value)
	}
	if !seen {
		c.sizes[n.Alias] = 0
		if size, err = c.check(n.Alias, depth); err != nil {
			return 0, err
		}
		c.sizes[n.Alias] = size
	}
	if c.added += size; c.added > maxAliased {
		return 0, errorAt(n.Line+c.offset, "aliases expand to more than %d values", maxAliased)
	}
	return size, nil
}

func (c *checker) checkKeys(n *yaml.Node) error {
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			return errorAt(key.Line+c.offset, "a key is a list, a mapping or an alias: keys must be plain strings")
		}
		if isNull(key) && key.Value == "" {
			return errorAt(key.Line+c.offset, "a key is missing before its colon")
		}
		if first, twice := seen[key.Value]; twice {
			return errorAt(key.Line+c.offset, "the key %q stands twice in one mapping, first on line %d: keep one of them",
				key.Value, first+c.offset)
		}
		seen[key.Value] = key.Line
		if key.Tag == yaml.MergeTag {
			c.aliased = true
		}
	}
	return nil
}
