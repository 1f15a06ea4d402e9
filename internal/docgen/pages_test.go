package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// TestFresh holds the generated parts against what would be generated now.
func TestFresh(t *testing.T) {
	sources := read(t)
	for path, page := range readPages(t) {
		want, err := sources.replace(page)
		require.NoError(t, err, path)
		assert.Equal(t, want, page, `%s is stale: run "make generate"`, path)
	}
}

// TestUnits holds the table of units against the folders.
func TestUnits(t *testing.T) {
	root := repository(t)
	names := units.Names()
	folders, err := filepath.Glob(filepath.Join(root, "functions", "*", "fn.go"))
	require.NoError(t, err)
	for i := range folders {
		folders[i] = filepath.Base(filepath.Dir(folders[i]))
	}
	assert.ElementsMatch(t, folders, names, "functions/ and functions/units.go")

	readme := readPages(t)["README.md"]
	for _, name := range names {
		assert.Contains(t, readme, "](functions/"+name+"/README.md)", "README.md has no row for %s", name)
		assert.FileExists(t, filepath.Join(root, "functions", name, "README.md"))
	}
	components, err := filepath.Glob(filepath.Join(root, "components", "*", "kustomization.yaml"))
	require.NoError(t, err)
	for _, component := range components {
		name := filepath.Base(filepath.Dir(component))
		text, err := os.ReadFile(component)
		require.NoError(t, err)
		if !strings.Contains(string(text), "kind: Ringfence") {
			continue // it selects no unit
		}
		assert.Contains(t, readme, "](components/"+name+"/README.md)", "no unit in README.md is selected by component %s", name)
	}
}

// TestFields requires a table for each type that people write.
func TestFields(t *testing.T) {
	page := readPages(t)["docs/input.md"]
	for name := range read(t).types {
		switch name {
		case "TypeMeta", "AccessModel", "AccessTest", "Environment", "Ringfence", "IntOrString": // apiVersion, kind, metadata and spec; a scalar
		default:
			assert.Contains(t, page, "<!-- docgen: fields "+name+" -->", "docs/input.md has no table of %s", name)
		}
	}
}

func TestReplace(t *testing.T) {
	s := &sources{types: map[string]wireType{"Owner": {fields: []wireField{{name: "name", typ: "string", required: true, doc: "Name <a|b>."}}}}}
	for name, c := range map[string]struct{ page, want, err string }{
		"table":         {page: "a\n<!-- docgen: fields Owner -->\nold\n<!-- /docgen -->\nb", want: "a\n<!-- docgen: fields Owner -->\n| field | type | meaning |\n| --- | --- | --- |\n| `name` | string, required | Name &lt;a\\|b>. |\n<!-- /docgen -->\nb"},
		"nothing-to-do": {page: "a\nb\n", want: "a\nb\n"},
		"no-end":        {page: "<!-- docgen: fields Owner -->\n", err: "has no"},
		"unknown-part":  {page: "<!-- docgen: figures -->\n<!-- /docgen -->\n", err: `there is no part "figures"`},
		"unknown-type":  {page: "<!-- docgen: fields Owned -->\n<!-- /docgen -->\n", err: `there is no type "Owned"`},
		"unknown-unit":  {page: "<!-- docgen: unit web -->\n<!-- /docgen -->\n", err: `there is no unit "web"`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := s.replace(c.page)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

// TestRules holds the rules that pages mention against the catalogue.
func TestRules(t *testing.T) {
	pages := readPages(t)
	for id := range finding.Catalogue {
		assert.Contains(t, pages["docs/rules.md"], `<a id="`+string(id)+`"></a>`, "docs/rules.md has no rule %s", id)
	}
	mentioned := regexp.MustCompile(`rules\.md#([a-z-]+)|\[([a-z]+(?:-[a-z]+)+)\](?:;|$)`)
	for path, page := range pages {
		for _, match := range mentioned.FindAllStringSubmatch(page, -1) {
			id := finding.ID(match[1] + match[2])
			assert.Contains(t, finding.Catalogue, id, "%s mentions a rule that there isn't", path)
		}
	}
}

var target = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinks follows relative links, to headings and anchors too.
func TestLinks(t *testing.T) {
	root := repository(t)
	pages := readPages(t)
	for path, page := range pages {
		for _, match := range target.FindAllStringSubmatch(withoutBlocks(page), -1) {
			link, err := url.Parse(match[1])
			require.NoError(t, err, "%s: %s", path, match[1])
			if link.Scheme != "" {
				continue
			}
			to := path
			if link.Path != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(path), link.Path))
				if _, err := os.Stat(filepath.Join(root, to)); err != nil {
					assert.Fail(t, "broken link", "%s: %s leads nowhere", path, match[1])
					continue
				}
			}
			if link.Fragment != "" {
				assert.Contains(t, anchorsOf(pages[to]), link.Fragment, "%s: %s leads to no heading", path, match[1])
			}
		}
	}
}

// TestIndex requires a link from README.md to each page of docs/.
func TestIndex(t *testing.T) {
	pages := readPages(t)
	for path := range pages {
		if strings.HasPrefix(path, "docs/") {
			assert.Contains(t, pages["README.md"], "]("+path+")", "README.md leads to %s", path)
		}
	}
}

var (
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchor  = regexp.MustCompile(`<a id="([^"]+)"></a>`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchorsOf returns what a link can name on a page, as GitHub makes it of headings.
func anchorsOf(page string) []string {
	var out []string
	for _, match := range heading.FindAllStringSubmatch(withoutBlocks(page), -1) {
		text := dropped.ReplaceAllString(strings.ToLower(match[1]), "")
		out = append(out, strings.ReplaceAll(text, " ", "-"))
	}
	for _, match := range anchor.FindAllStringSubmatch(page, -1) {
		out = append(out, match[1])
	}
	return out
}

// withoutBlocks returns a page without what its session does and prints.
func withoutBlocks(page string) string {
	var out []string
	end := ""
	for line := range strings.Lines(page) {
		text := strings.TrimSuffix(line, "\n")
		switch {
		case end == "" && fence.MatchString(text):
			end = "```"
		case end == "" && comment.MatchString(text):
			end = "-->"
		case end == "":
			out = append(out, line)
		case text == end:
			end = ""
		}
	}
	return strings.Join(out, "")
}

func read(t *testing.T) *sources {
	t.Helper()
	out, err := readSources(repository(t))
	require.NoError(t, err)
	return out
}

// readPages returns the pages by their paths in the repository.
func readPages(t *testing.T) map[string]string {
	t.Helper()
	root := repository(t)
	found, err := pages(root)
	require.NoError(t, err)
	require.NotEmpty(t, found)
	out := map[string]string{}
	for _, page := range found {
		data, err := os.ReadFile(page)
		require.NoError(t, err)
		rel, err := filepath.Rel(root, page)
		require.NoError(t, err)
		out[filepath.ToSlash(rel)] = string(data)
	}
	require.Contains(t, out, "README.md")
	return out
}
