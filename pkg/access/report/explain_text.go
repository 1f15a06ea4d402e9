package report

import (
	"fmt"
	"io"
	"strings"
)

// Text writes the explanation for people, one line a step; with colour, for a terminal.
func (e *Explanation) Text(w io.Writer, colour bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", e.Settings)
	e.text(&b, "", colour)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the explanation: %w", err)
	}
	return nil
}

func (a Answer) text(b *strings.Builder, indent string, colour bool) {
	fmt.Fprintf(b, "%s%s to %s: %s\n", indent, a.From, portOf(a.To, a.Port), painted(a.Answer, 0, colour))
	for _, s := range a.Steps {
		fmt.Fprintf(b, "%s  %-13s%s%s", indent, s.Stage, painted(s.Answer, 9, colour), s.Text)
		if s.Object != nil {
			fmt.Fprintf(b, " [%s]", strings.TrimSpace(s.Object.String()+" "+s.Field))
		}
		b.WriteString("\n")
	}
	for _, h := range a.Hops {
		b.WriteString("\n")
		h.text(b, indent+"  ", colour)
	}
}

// painted returns an answer in as many columns: green, red or yellow where colours are wanted.
func painted(answer string, columns int, colour bool) string {
	text := fmt.Sprintf("%-*s", columns, answer)
	if !colour {
		return text
	}
	return map[string]string{"yes": "\x1b[32m", "no": "\x1b[31m", "unknown": "\x1b[33m"}[answer] + text + "\x1b[0m"
}
