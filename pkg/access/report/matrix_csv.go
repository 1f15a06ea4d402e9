package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// CSV writes one line for each pair of groups, with their names separated by
// spaces; with all, one for each pair of workloads, what is denied as well. Then
// come the hosts of gateways.
func (m *Matrix) CSV(w io.Writer, all bool) error {
	out := csv.NewWriter(w)
	line := func(fields ...string) { _ = out.Write(fields) } // Error returns the first fault of all
	line("# " + m.Settings.String())
	line("from", "to", "host", "answer", "leads")
	for i, servers := range m.Servers {
		answers := map[int]string{}
		for _, a := range m.of(i) {
			for _, client := range a.Clients {
				answers[client] = a.Answer
			}
		}
		for k, clients := range m.Clients {
			answer, ok := answers[k]
			if !all {
				if ok {
					line(strings.Join(clients.names(), " "), strings.Join(servers.Ports, " "), "", answer, "")
				}
				continue
			}
			if !ok {
				answer = truth.No.String()
			}
			for _, port := range servers.Ports {
				for _, client := range clients.names() {
					line(client, port, "", answer, "")
				}
			}
		}
	}
	for _, h := range m.Hosts {
		line(outside, h.Gateway+":"+strconv.Itoa(int(h.Port)), h.Host, h.Answer, strings.Join(h.Leads, " "))
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}
