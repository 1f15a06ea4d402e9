package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// most is how many names of one group a table gives.
const most = 8

// Table writes the matrix for people; with all, every name of every group.
func (m *Matrix) Table(w io.Writer, all bool) error {
	limit := most
	if all {
		limit = 0
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nWHO REACHES PODS\n", m.Settings)
	access := m.Access
	for i, servers := range m.Servers {
		var here []Access
		for len(access) > 0 && access[0].Servers == i {
			here, access = append(here, access[0]), access[1:]
		}
		b.WriteString("\n")
		wrapped(&b, 0, some(servers.Ports, limit))
		if len(here) == 0 {
			b.WriteString("  nobody\n")
		}
		for _, answer := range []truth.Value{truth.Yes, truth.Unknown} {
			var of []int
			for _, a := range here {
				if a.Answer == answer.String() {
					of = append(of, a.Clients)
				}
			}
			if len(of) > 0 {
				fmt.Fprintf(&b, "  %-9s", answer)
				wrapped(&b, 11, some(m.whoever(of), limit))
			}
		}
	}
	if len(m.Servers) == 0 {
		b.WriteString("\nNo pods declare a port.\n")
	}
	if len(m.Hosts) > 0 {
		b.WriteString("\nWHAT GATEWAYS LET IN FROM OUTSIDE\n")
	}
	previous := ""
	for _, h := range m.Hosts {
		if at := portOf(h.Gateway, h.Port); at != previous {
			fmt.Fprintf(&b, "\n%s\n", at)
			previous = at
		}
		fmt.Fprintf(&b, "  %-9s%s", h.Answer, hostName(h.Host))
		if len(h.Leads) > 0 {
			fmt.Fprintf(&b, " to %s", strings.Join(some(h.Leads, limit), ", "))
		}
		if h.Answer != truth.Yes.String() || len(h.Leads) == 0 {
			fmt.Fprintf(&b, ": %s", h.Reason)
		}
		b.WriteString("\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

func hostName(host string) string {
	if host == "*" {
		return "any other host"
	}
	return host
}

// whoever names groups of clients in as few words as they need.
func (m *Matrix) whoever(groups []int) []string {
	if len(groups) == m.all {
		return []string{everybody}
	}
	var names []string
	isOutside := false
	for _, i := range groups {
		names, isOutside = append(names, m.Clients[i].Workloads...), isOutside || m.Clients[i].Outside
	}
	var others []string
	for i, c := range m.Clients {
		if m.all > 0 && !slices.Contains(groups, i) {
			others = append(others, c.Workloads...)
		}
	}
	slices.Sort(names)
	slices.Sort(others)
	switch {
	case m.all > 0 && len(others) == 0:
		return []string{"every pod of the cluster, nobody outside"}
	case isOutside && len(others) <= most && len(names) > 4*len(others):
		return []string{"everybody but " + strings.Join(others, ", ")}
	case m.all > 0 && len(others) <= most && len(names) > 4*len(others):
		return []string{"every pod of the cluster but " + strings.Join(others, ", ")}
	case isOutside:
		names = append(names, outside)
	}
	return names
}

const everybody = "everybody, outside of the cluster too"
