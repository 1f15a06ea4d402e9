package changelog

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const good = `# Changelog

What changed.

## [Unreleased]

### Added

- A thing
  of two lines.

### Fixed

- Another.

## [0.2.0] - 2026-03-01

### Removed

- Something.

## [0.2.0-rc.1] - 2026-03-01

The first candidate.

[Unreleased]: https://example.org/compare/v0.2.0...main
[0.2.0]: https://example.org/compare/v0.2.0-rc.1...v0.2.0
[0.2.0-rc.1]: https://example.org/commits/v0.2.0-rc.1
`

func TestExtract(t *testing.T) {
	log, err := Parse(good)
	require.NoError(t, err)
	text, err := log.Extract("0.2.0")
	require.NoError(t, err)
	assert.Equal(t, `# Changelog

## [0.2.0] - 2026-03-01

### Removed

- Something.

[0.2.0]: https://example.org/compare/v0.2.0-rc.1...v0.2.0
`, text)
	text, err = log.Extract(Unreleased)
	require.NoError(t, err)
	assert.Contains(t, text, "## [Unreleased]\n\n### Added\n\n- A thing\n  of two lines.\n\n### Fixed\n")

	_, err = log.Extract("0.3.0")
	require.EqualError(t, err, "there is no section ## [0.3.0]; rename ## [Unreleased] to it, with a date, and add a new one above")
}

func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ old, replacement, want string }{
		"title":            {"# Changelog", "# Changes", `line 1: "# Changes" isn't "# Changelog"`},
		"no unreleased":    {"## [Unreleased]", "## [0.3.0] - 2026-04-01", "the first section isn't ## [Unreleased]"},
		"dated unreleased": {"## [Unreleased]", "## [Unreleased] - 2026-04-01", "[Unreleased]: it has a date"},
		"no brackets":      {"## [0.2.0] - 2026-03-01", "## 0.2.0 - 2026-03-01", `"## 0.2.0 - 2026-03-01" isn't`},
		"no date":          {"## [0.2.0] - 2026-03-01", "## [0.2.0]", `[0.2.0]: its date ""`},
		"no such date":     {"## [0.2.0] - 2026-03-01", "## [0.2.0] - 2026-02-30", `its date "2026-02-30"`},
		"no version":       {"## [0.2.0-rc.1]", "## [0.2]", "[0.2]: it isn't a semantic version"},
		"v":                {"## [0.2.0] ", "## [v0.2.0] ", "[v0.2.0]: it isn't a semantic version"},
		"order":            {"[0.2.0-rc.1]", "[0.2.1]", "line 22: 0.2.1 stands below 0.2.0; the newest version comes first"},
		"again":            {"[0.2.0-rc.1]", "[0.2.0]", "0.2.0 stands below 0.2.0"},
		"dates":            {"rc.1] - 2026-03-01", "rc.1] - 2026-03-02", "line 22: 2026-03-02 is younger than 2026-03-01 above it"},
		"kind":             {"### Fixed", "### Repaired", `line 12: [Unreleased]: "Repaired" isn't one of Added, Changed`},
		"kinds' order":     {"### Fixed", "### Added", `"Added" comes too late or again`},
		"empty kind":       {"- Another.", "", `nothing stands under "Fixed"`},
		"empty first kind": {"- A thing\n  of two lines.", "", `nothing stands under "Added"`},
		"empty version":    {"The first candidate.", "", "[0.2.0-rc.1]: it says nothing"},
		"no reference":     {"[0.2.0]: https://example.org/compare/v0.2.0-rc.1...v0.2.0", "", "there is no reference [0.2.0]: https://"},
		"other reference":  {"[0.2.0]: https", "[0.1.0]: https", "a reference to [0.1.0], and there is no such section above"},
		"two references":   {"[0.2.0]: https", "[Unreleased]: https", "a second reference to [Unreleased]"},
		"text at the end":  {"/v0.2.0-rc.1\n", "/v0.2.0-rc.1\nMore.\n", `"More." stands after the references`},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.ReplaceAll(good, c.old, c.replacement)
			require.NotEqual(t, good, text)
			_, err := Parse(text)
			require.ErrorContains(t, err, c.want)
		})
	}
	_, err := Parse("")
	require.Error(t, err)
}

// TestOurs holds the changelog of this repository to the form.
func TestOurs(t *testing.T) {
	text, err := os.ReadFile("../../../../CHANGELOG.md")
	require.NoError(t, err)
	log, err := Parse(string(text))
	require.NoError(t, err)
	_, err = log.Extract(Unreleased)
	require.NoError(t, err)
}
