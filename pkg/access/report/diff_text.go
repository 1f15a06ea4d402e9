package report

import (
	"fmt"
	"io"
	"strings"
)

// Text writes the difference for people at a terminal.
func (d *Diff) Text(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d.Settings)
	parts := d.parts()
	for _, p := range parts {
		fmt.Fprintf(&b, "\n%s\n", p.title)
		for _, line := range p.lines {
			b.WriteString("  ")
			spaced(&b, 2, strings.Fields(line.subject))
			if len(line.words) > 0 {
				b.WriteString("      ")
				wrapped(&b, 6, line.words)
			}
		}
	}
	if len(parts) == 0 {
		fmt.Fprintf(&b, "\n%s\n", unchanged)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the difference: %w", err)
	}
	return nil
}
