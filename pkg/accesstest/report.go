package accesstest

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access/report"
)

// Report is what became of the cases of a run.
type Report struct {
	// Settings of the mesh that the answers rest on.
	Settings report.Settings `json:"settings"`
	// Cases are in the order in which they were asked.
	Cases []Line `json:"cases"`
	// Passed, Failed and Skipped count them. A case that can't be asked has failed.
	Passed  int `json:"passed"`
	Failed  int `json:"failed"`
	Skipped int `json:"skipped"`
	// Unjudged are objects that can't be read, or whose effect can't be told offline.
	Unjudged []report.Unjudged `json:"unjudged"`
}

// Line is what became of one case, or of one of its hosts.
type Line struct {
	// Test is the name of the AccessTest, Case that of the case.
	Test string `json:"test"`
	Case string `json:"case"`
	// Status is passed, failed, wrong or skipped.
	Status Status `json:"status"`
	// Profile is the rung of the destination: open, permissive or enforced.
	Profile string `json:"profile"`
	// From and To are as in the case; Port is 0 where it couldn't be asked.
	From string `json:"from"`
	To   string `json:"to"`
	Port int32  `json:"port,omitempty"`
	Host string `json:"host,omitempty"`
	// Expected is Allowed, Denied or Unknown; empty where the case has no answer for the rung.
	Expected string `json:"expected,omitempty"`
	// Answer is what the judge says; empty where it wasn't asked.
	Answer string `json:"answer,omitempty"`
	// Text says why it failed, is wrong or was skipped; Reason is the case's own.
	Text   string `json:"text,omitempty"`
	Reason string `json:"reason,omitempty"`
	// File holds the case, with its line: "<path>:<line>".
	File string `json:"file,omitempty"`
}

// ReportOf makes a report of results.
func ReportOf(s Suite, results []Result) *Report {
	out := &Report{Settings: report.SettingsOf(s.Mesh), Cases: []Line{}, Unjudged: report.UnjudgedOf(s.Mesh)}
	for _, r := range results {
		line := Line{
			Test: r.Test, Case: r.Case.Name, Status: r.Status, Profile: r.Profile.String(), From: r.Case.From.String(), To: r.Case.To.String(),
			Port: r.Request.Port, Host: r.Host, Expected: string(r.Case.Expect[r.Profile]), Text: r.Text, Reason: r.Case.Reason,
		}
		if at := r.Case.Origin; at.File != "" {
			line.File = fmt.Sprintf("%s:%d", at.File, at.Line)
		}
		switch r.Status {
		case Passed:
			out.Passed++
		case Skipped:
			out.Skipped++
		case Failed, Wrong:
			out.Failed++
		}
		if r.Status == Passed || r.Status == Failed {
			line.Answer = string(answers[r.Verdict.Allowed])
		}
		out.Cases = append(out.Cases, line)
	}
	return out
}

// JSON writes the report.
func (r *Report) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("writing JSON: %w", err)
	}
	return nil
}

// Text writes the report for people.
func (r *Report) Text(w io.Writer, colour bool) error {
	var b strings.Builder
	paint := func(status Status) string {
		word := fmt.Sprintf("%-7s", status)
		code := map[Status]string{Passed: "32", Failed: "31", Wrong: "31", Skipped: "33"}[status]
		if colour {
			return "\x1b[" + code + "m" + word + "\x1b[0m"
		}
		return word
	}
	fmt.Fprintln(&b, r.Settings)
	test := ""
	for _, c := range r.Cases {
		if c.Test != test {
			fmt.Fprintf(&b, "\n%s\n", c.Test)
			test = c.Test
		}
		fmt.Fprintf(&b, "  %s  %s", paint(c.Status), c.Case)
		if c.Host != "" {
			fmt.Fprintf(&b, " (host %s)", c.Host)
		}
		if c.Status == Skipped {
			fmt.Fprintf(&b, ": %s", c.Text)
		}
		b.WriteByte('\n')
		if c.Status != Failed && c.Status != Wrong {
			continue
		}
		for _, line := range []struct{ label, text string }{{"", c.Text}, {"reason: ", c.Reason}, {"case: ", c.File}} {
			if line.text != "" {
				fmt.Fprintf(&b, "           %s%s\n", line.label, line.text)
			}
		}
	}
	fmt.Fprintf(&b, "\n%d passed, %d failed, %d skipped\n", r.Passed, r.Failed, r.Skipped)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
