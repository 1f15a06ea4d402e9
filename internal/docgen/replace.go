package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// sources are what generated parts are made of.
type sources struct {
	units  []unit
	types  map[string]wireType
	groups []group
	// reports are the rules that each unit can report, by its name.
	reports map[string][]finding.ID
}

func readSources(root string) (*sources, error) {
	types, err := readTypes(root)
	if err != nil {
		return nil, err
	}
	groups, err := readGroups(root)
	if err != nil {
		return nil, err
	}
	reports, err := readReports(root, groups)
	if err != nil {
		return nil, err
	}
	return &sources{units: units, types: types, groups: groups, reports: reports}, nil
}

var (
	opening = regexp.MustCompile(`^<!-- docgen: ([a-z-]+)(?: (\S+))? -->$`)
	closing = "<!-- /docgen -->"
)

// replace returns a page with its generated parts written anew.
func (s *sources) replace(page string) (string, error) {
	var out []string
	lines := strings.Split(page, "\n")
	for i := 0; i < len(lines); i++ {
		out = append(out, lines[i])
		match := opening.FindStringSubmatch(lines[i])
		if match == nil {
			continue
		}
		end := slices.Index(lines[i+1:], closing)
		if end < 0 {
			return "", fmt.Errorf("line %d: %q has no %q", i+1, lines[i], closing)
		}
		part, err := s.part(match[1], match[2])
		if err != nil {
			return "", fmt.Errorf("line %d: %q: %w", i+1, lines[i], err)
		}
		out = append(out, strings.TrimRight(part, "\n"), closing)
		i += end + 1
	}
	return strings.Join(out, "\n"), nil
}

func (s *sources) part(name, argument string) (string, error) {
	switch name {
	case "units":
		return s.unitTable(), nil
	case "modules":
		return moduleTable(moduleLink), nil
	case "collection":
		return moduleTable(code), nil
	case "unit":
		return s.unitSummary(argument)
	case "unit-rules":
		return s.unitRules(argument)
	case "rules":
		return s.ruleTables(), nil
	case "fields":
		return s.fieldTable(argument)
	}
	return "", fmt.Errorf("there is no part %q", name)
}

// table renders rows in Markdown; the first one is the head.
func table(rows ...[]string) string {
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return b.String()
}

var markdown = strings.NewReplacer("<", "&lt;", "|", `\|`, "*", `\*`)

// prose escapes plain text for a cell of a table.
func prose(text string) string { return markdown.Replace(strings.Join(strings.Fields(text), " ")) }

func code(text string) string { return "`" + text + "`" }

func linked(name, target string) string { return "[" + code(name) + "](" + target + ")" }
