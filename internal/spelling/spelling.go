// Package spelling finds the name that somebody may have meant.
package spelling

import (
	"fmt"
	"strings"
)

// DidYouMean returns ` (did you mean "model"?)` where one of the known names is
// close enough to a name, else nothing.
func DidYouMean(name string, known []string) string {
	best, distance := "", (len(name)+2)/3
	for _, k := range known {
		if d := edits(strings.ToLower(name), strings.ToLower(k), distance); d < distance || d == distance && best == "" {
			best, distance = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
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
