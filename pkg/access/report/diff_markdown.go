package report

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the difference for a merge request.
func (d *Diff) Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("## Who can reach what\n\n")
	parts := d.parts()
	for _, p := range parts {
		title, rest, _ := strings.Cut(p.title, ":")
		fmt.Fprintf(&b, "### %s%s%s\n\n", title[:1], strings.ToLower(title[1:]), rest)
		for _, line := range p.lines {
			fmt.Fprintf(&b, "- %s", escaped(line.subject))
			for i, word := range line.words {
				b.WriteString([]string{": ", ", "}[min(i, 1)] + escaped(word))
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	if len(parts) == 0 {
		b.WriteString(unchanged + "\n\n")
	}
	if len(d.Unjudged) > 0 {
		b.WriteString("### Not judged\n\n")
		for _, u := range d.Unjudged {
			fmt.Fprintf(&b, "- %s\n", escaped(u.String()))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "%s.\n", escaped(d.Settings.String()))
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing Markdown: %w", err)
	}
	return nil
}

// markdown is what names and messages may hold that Markdown or HTML would read.
var markdown = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "&", "&amp;", "|", `\|`,
	"@", "&#64;", "#", `\#`, "!", `\!`, "~", `\~`, "\n", " ")

func escaped(text string) string { return markdown.Replace(text) }
