// Package changelog reads a changelog in the form of Keep a Changelog:
// https://keepachangelog.com/en/1.1.0/
package changelog

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// Unreleased is the section of what no version has yet.
const Unreleased = "Unreleased"

// kinds are what a third-level heading may say, in this order.
var kinds = []string{"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}

var (
	heading   = regexp.MustCompile(`^## \[([^\]]+)\](?: - (\S+))?$`)
	reference = regexp.MustCompile(`^\[([^\]]+)\]: (https://\S+)$`)
)

// Changelog is a changelog that is well-formed.
type Changelog struct{ sections []section }

type section struct {
	line       int
	name, date string
	// lines below the heading.
	lines []string
	// link is where the heading leads.
	link string
}

// Parse reads a changelog and returns everything that is wrong with it.
func Parse(text string) (Changelog, error) {
	out, problems := split(text)
	problems = append(problems, out.order()...)
	for _, s := range out.sections {
		problems = append(problems, s.check()...)
	}
	return out, errors.Join(problems...)
}

// split cuts the text at its headings and takes the references from its end.
func split(text string) (Changelog, []error) {
	var out Changelog
	var problems []error
	wrong := func(line int, format string, args ...any) {
		problems = append(problems, fmt.Errorf("line %d: "+format, append([]any{line}, args...)...))
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "# Changelog" {
		wrong(1, "%q isn't %q", lines[0], "# Changelog")
	}
	links := map[string]bool{}
	for i, line := range lines {
		match, link := heading.FindStringSubmatch(line), reference.FindStringSubmatch(line)
		switch {
		case match != nil:
			out.sections = append(out.sections, section{line: i + 1, name: match[1], date: match[2]})
		case strings.HasPrefix(line, "## "):
			wrong(i+1, "%q isn't ## [Unreleased] or ## [1.2.3] - 2026-01-31", line)
		case link != nil:
			at := slices.IndexFunc(out.sections, func(s section) bool { return s.name == link[1] })
			switch {
			case at < 0:
				wrong(i+1, "a reference to [%s], and there is no such section above", link[1])
			case links[link[1]]:
				wrong(i+1, "a second reference to [%s]", link[1])
			default:
				out.sections[at].link = link[2]
			}
			links[link[1]] = true
		case len(links) > 0 && line != "":
			wrong(i+1, "%q stands after the references", line)
		case len(out.sections) > 0:
			last := &out.sections[len(out.sections)-1]
			last.lines = append(last.lines, line)
		}
	}
	return out, problems
}

// order checks that what is new stands above what is old.
func (c Changelog) order() []error {
	if len(c.sections) == 0 || c.sections[0].name != Unreleased {
		return []error{fmt.Errorf("the first section isn't ## [%s]", Unreleased)}
	}
	var problems []error
	for i, s := range c.sections {
		if i < 2 {
			continue
		}
		previous := c.sections[i-1]
		if semver.Compare("v"+s.name, "v"+previous.name) >= 0 {
			problems = append(problems, fmt.Errorf("line %d: %s stands below %s; the newest version comes first", s.line, s.name, previous.name))
		}
		if s.date > previous.date {
			problems = append(problems, fmt.Errorf("line %d: %s is younger than %s above it", s.line, s.date, previous.date))
		}
	}
	return problems
}

// check returns what is wrong with a section by itself.
func (s section) check() []error {
	var problems []error
	wrong := func(line int, format string, args ...any) {
		problems = append(problems, fmt.Errorf("line %d: [%s]: "+format, append([]any{line, s.name}, args...)...))
	}
	switch _, err := time.Parse(time.DateOnly, s.date); {
	case s.name == Unreleased && s.date != "":
		wrong(s.line, "it has a date")
	case s.name == Unreleased:
	case semver.Canonical("v"+s.name) != "v"+s.name:
		wrong(s.line, "it isn't a semantic version")
	case err != nil:
		wrong(s.line, "its date %q isn't one such as 2026-01-31", s.date)
	}
	if s.link == "" {
		wrong(s.line, "there is no reference [%s]: https://… at the end", s.name)
	}
	if s.name != Unreleased && s.empty() {
		wrong(s.line, "it says nothing")
	}
	last, entries := -1, 1
	for i, line := range s.lines {
		name, ok := strings.CutPrefix(line, "### ")
		switch at := slices.Index(kinds, name); {
		case ok && at < 0:
			wrong(s.line+1+i, "%q isn't one of %s", name, strings.Join(kinds, ", "))
		case ok && at <= last:
			wrong(s.line+1+i, "%q comes too late or again; the order is %s", name, strings.Join(kinds, ", "))
		case ok && entries == 0:
			wrong(s.line+1+i, "nothing stands under %q", kinds[last])
		}
		if ok {
			last, entries = max(last, slices.Index(kinds, name)), 0
		} else if strings.HasPrefix(line, "- ") {
			entries++
		}
	}
	if entries == 0 && last >= 0 {
		wrong(s.line+len(s.lines), "nothing stands under %q", kinds[last])
	}
	return problems
}

func (s section) empty() bool { return strings.TrimSpace(strings.Join(s.lines, "")) == "" }

// Extract returns the section of a version as a changelog of its own. The name is 1.2.3 or Unreleased.
func (c Changelog) Extract(name string) (string, error) {
	at := slices.IndexFunc(c.sections, func(s section) bool { return s.name == name })
	if at < 0 {
		return "", fmt.Errorf("there is no section ## [%s]; rename ## [%s] to it, with a date, and add a new one above", name, Unreleased)
	}
	s := c.sections[at]
	title := "## [" + s.name + "]"
	if s.date != "" {
		title += " - " + s.date
	}
	return fmt.Sprintf("# Changelog\n\n%s\n\n%s\n\n[%s]: %s\n", title, strings.TrimSpace(strings.Join(s.lines, "\n")), s.name, s.link), nil
}
