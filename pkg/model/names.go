package model

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// plainKey is a key that a path holds as it is.
var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func join(path, name string) string {
	switch {
	case !plainKey.MatchString(name):
		return path + "[" + strconv.Quote(name) + "]"
	case path == "":
		return name
	default:
		return path + "." + name
	}
}

func index(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// quoted names an entry of the model as findings do: `workload "web"`.
func quoted(kind, name string) string { return fmt.Sprintf("%s %q", kind, name) }

// hint is what may have been meant by a name that isn't among the known ones, or
// which there are. It is worked out where it is printed.
type hint struct {
	name  string
	known []string
}

// String returns `did you mean "callers"?`, or the known names.
func (h hint) String() string {
	best, distance := "", len(h.name)/3
	for _, k := range h.known[:min(len(h.known), 1000)] {
		if d := edits(strings.ToLower(h.name), strings.ToLower(k), distance); d < distance || d == distance && best == "" {
			best, distance = k, d
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("did you mean %q?", best)
	case len(h.known) == 0:
		return "there are none"
	default:
		return "there are " + listed(h.known)
	}
}

// listed lists names, as many as one reads.
func listed(names []string) string {
	const enough = 20
	if len(names) > enough {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:enough], ", "), len(names)-enough)
	}
	return strings.Join(names, ", ")
}

// edits returns how many letters have to be changed, added or removed to make b
// of a, or more than limit where it is more than that.
func edits(a, b string, limit int) int {
	if max(len(a)-len(b), len(b)-len(a)) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
