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
	for i, servers := range m.Servers {
		b.WriteString("\n")
		wrapped(&b, 0, some(servers.Ports, limit))
		here := m.of(i)
		if len(here) == 0 {
			b.WriteString("  nobody\n")
		}
		for _, a := range here {
			fmt.Fprintf(&b, "  %-9s", a.Answer)
			wrapped(&b, 11, some(whoever(m.Clients, a.Clients, m.whole), limit))
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
		fmt.Fprintf(&b, "  %-9s%s", h.Answer, hostName(h, m.Hosts))
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

// hostName returns what a host is called among the hosts that are listed: "*" is any
// other than those of the same port of the gateway, if there are some.
func hostName(h Host, listed []Host) string {
	if h.Host != "*" {
		return h.Host
	}
	if slices.ContainsFunc(listed, func(o Host) bool { return o.Host != "*" && o.Gateway == h.Gateway && o.Port == h.Port }) {
		return anyOther
	}
	return "any host"
}

const anyOther = "any other host"
