package report

import (
	"fmt"
	"slices"
	"strings"
)

// part is a part of a difference as people read it.
type part struct {
	title string
	lines []diffLine
}

// diffLine is a change: what it is about, and words that say who.
type diffLine struct {
	subject string
	words   []string
}

// parts returns the difference in the order in which a reviewer asks.
func (d *Diff) parts() []part {
	refused := part{title: "REFUSED: cuts callers off"}
	for _, r := range d.Refused {
		what := "is enforced before its callers have sidecars"
		if r.Reason == openToEnforced {
			what = "goes from open to enforced in one step, and its callers have no sidecars yet"
		}
		refused.lines = append(refused.lines,
			diffLine{r.Workload + " " + what, some(r.Callers, most)}, diffLine{"remedy: " + r.Remedy, nil})
	}
	renamed := part{title: "BREAKING: another identity"}
	for _, r := range d.Renamed {
		renamed.lines = append(renamed.lines, diffLine{r.Workload, []string{"was " + r.Old, "is " + r.New}})
	}
	out := []part{refused, renamed}
	for _, kind := range []struct{ answer, title string }{
		{"yes", "OPENED"}, {"no", "CLOSED"}, {"unknown", "NO LONGER KNOWN"},
	} {
		p := part{title: kind.title}
		for _, c := range d.Changes {
			if c.New != kind.answer {
				continue
			}
			subject := strings.Join(some(d.Servers[c.Servers].Ports, most), ", ")
			if c.Old == "unknown" {
				subject += " (unknown before)"
			}
			p.lines = append(p.lines, diffLine{subject + " to", some(whoever(d.Clients, c.Clients, d.whole), most)})
		}
		out = append(out, p)
	}
	hosts := part{title: "HOSTS OF GATEWAYS, FROM OUTSIDE"}
	for _, h := range d.Hosts {
		host := h.Host
		if host == "*" {
			host = anyOther
		}
		line := diffLine{fmt.Sprintf("%s %s", portOf(h.Gateway, h.Port), host), []string{h.Old + " before", h.New + " now"}}
		if h.Old == h.New {
			line.words = []string{h.New}
		}
		if !slices.Equal(h.OldLeads, h.NewLeads) {
			line.words = append(line.words, leads("led to ", h.OldLeads)...)
			line.words = append(line.words, leads("leads to ", h.NewLeads)...)
		}
		hosts.lines = append(hosts.lines, line)
	}
	workloads := part{title: "WORKLOADS"}
	if len(d.Added) > 0 {
		workloads.lines = append(workloads.lines, diffLine{"added", some(d.Added, most)})
	}
	if len(d.Removed) > 0 {
		workloads.lines = append(workloads.lines, diffLine{"removed", some(d.Removed, most)})
	}
	return slices.DeleteFunc(append(out, hosts, workloads), func(p part) bool { return len(p.lines) == 0 })
}

func leads(word string, to []string) []string {
	if len(to) == 0 {
		return nil
	}
	return []string{word + strings.Join(some(to, most), " and ")}
}

const unchanged = "No access changes."
