package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// Matrix says who reaches what.
type Matrix struct {
	// Settings that the answers rest on.
	Settings Settings `json:"settings"`
	// Clients are groups of those who ask: each reaches the same ports as the others of its group.
	Clients []Clients `json:"clients"`
	// Servers are groups of ports of pods: each is reached by the same clients. Ports of
	// gateways are none of them: what they let through is said by host, in Hosts.
	Servers []Servers `json:"servers"`
	// Access is what isn't denied. Who stands in no entry for a group of servers doesn't reach it.
	Access []Access `json:"access"`
	// Hosts are the hosts of gateways, asked for from outside of the cluster.
	Hosts []Host `json:"hosts"`
	// Unjudged are objects that can't be read, or whose effect can't be told offline.
	Unjudged []Unjudged `json:"unjudged"`

	whole   bool // nobody is left out of Clients
	servers [][]server
}

// server is a port of a workload's pods.
type server struct {
	workload *access.Workload
	number   int32
}

// Servers are ports of pods that the same clients reach.
type Servers struct {
	// Ports by name: "<namespace>/<name>:<port>".
	Ports []string `json:"ports"`
}

// Access is who reaches a group of servers.
type Access struct {
	// Servers is a place in the list of that name, from 0.
	Servers int `json:"servers"`
	// Answer is "yes", or "unknown" where it depends on what objects don't say.
	Answer string `json:"answer"`
	// Clients are places in the list of that name, from 0.
	Clients []int `json:"clients"`
}

// Host is a host of a gateway.
type Host struct {
	// Gateway by name, and the port of its pods.
	Gateway string `json:"gateway"`
	Port    int32  `json:"port"`
	// Host as Gateways and VirtualServices name it; "*" for every host that none of them names.
	Host string `json:"host"`
	// Answer is "yes" where a request comes through to pods, "no" or "unknown".
	Answer string `json:"answer"`
	// Leads are the ports of pods that it leads to.
	Leads []string `json:"leads"`
	// Reason is the sentence of the step that decides.
	Reason string `json:"reason"`
}

// Options choose a part of a matrix.
type Options struct {
	// From and To are the workloads to which it is confined; nil stands for all.
	From, To *access.Workload
}

// MatrixOf judges every pair and every host.
func MatrixOf(m *access.Mesh, o Options) *Matrix {
	names, judged := Names(m), m.Matrix()
	out := &Matrix{Settings: SettingsOf(m), Clients: []Clients{}, Servers: []Servers{}, Access: []Access{}, Hosts: []Host{}, Unjudged: UnjudgedOf(m)}
	var subjects, ports []int
	for i, g := range judged.Subjects {
		if o.From == nil || slices.Contains(g.Members, o.From) {
			subjects = append(subjects, i)
		}
	}
	for i, p := range judged.Ports {
		members := judged.Destinations[p.Group].Members
		if !members[0].Gateway && (o.To == nil || slices.Contains(members, o.To)) {
			ports = append(ports, i)
		}
	}
	rows, columns := fold(len(subjects), len(ports), func(row, column int) byte { return cellOf(judged.Verdicts[subjects[row]][ports[column]]) })
	for _, row := range rows {
		c := Clients{Workloads: []string{}}
		for _, i := range row {
			members := judged.Subjects[subjects[i]].Members
			c.Outside = c.Outside || len(members) == 0
			for _, w := range members {
				if o.From == nil || o.From == w {
					c.Workloads = append(c.Workloads, names[w])
				}
			}
		}
		slices.Sort(c.Workloads)
		out.Clients = append(out.Clients, c)
	}
	for _, column := range columns {
		var members []server
		for _, i := range column {
			p := judged.Ports[ports[i]]
			for _, w := range judged.Destinations[p.Group].Members {
				if o.To == nil || o.To == w {
					members = append(members, server{w, p.Number})
				}
			}
		}
		slices.SortFunc(members, func(a, b server) int {
			return cmp.Or(cmp.Compare(names[a.workload], names[b.workload]), cmp.Compare(a.number, b.number))
		})
		var s Servers
		for _, member := range members {
			s.Ports = append(s.Ports, portOf(names[member.workload], member.number))
		}
		out.servers, out.Servers = append(out.servers, members), append(out.Servers, s)
	}
	for k, column := range columns {
		for _, answer := range []truth.Value{truth.Yes, truth.Unknown} {
			a := Access{Servers: k, Answer: answer.String()}
			for i, row := range rows {
				if judged.Verdicts[subjects[row[0]]][ports[column[0]]] == answer {
					a.Clients = append(a.Clients, i)
				}
			}
			if len(a.Clients) > 0 {
				out.Access = append(out.Access, a)
			}
		}
	}
	if o.From == nil {
		out.whole = true
		out.Hosts = hosts(m, names, o.To)
	}
	out.sort()
	return out
}

func portOf(name string, port int32) string { return fmt.Sprintf("%s:%d", name, port) }

// of returns the entries of a group of servers.
func (m *Matrix) of(servers int) []Access {
	from, _ := slices.BinarySearchFunc(m.Access, servers, func(a Access, n int) int { return a.Servers - n })
	to, _ := slices.BinarySearchFunc(m.Access, servers+1, func(a Access, n int) int { return a.Servers - n })
	return m.Access[from:to]
}

// sort brings the groups into the order of their first names.
func (m *Matrix) sort() {
	clients := order(len(m.Clients), func(i int) string {
		if len(m.Clients[i].Workloads) == 0 {
			return "~" // who is outside comes last
		}
		return m.Clients[i].Workloads[0]
	})
	servers := order(len(m.Servers), func(i int) string { return m.Servers[i].Ports[0] })
	m.Clients, m.Servers, m.servers = arranged(m.Clients, clients), arranged(m.Servers, servers), arranged(m.servers, servers)
	for i, a := range m.Access {
		m.Access[i].Servers = servers[a.Servers]
		for k, c := range a.Clients {
			a.Clients[k] = clients[c]
		}
		slices.Sort(a.Clients)
	}
	slices.SortStableFunc(m.Access, func(a, b Access) int { return a.Servers - b.Servers }) // "yes" before "unknown", as they come
}

// order returns the place of each of n things once they are sorted by name.
func order(n int, name func(int) string) []int {
	sorted := make([]int, n)
	for i := range sorted {
		sorted[i] = i
	}
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(name(a), name(b)) })
	out := make([]int, n)
	for place, i := range sorted {
		out[i] = place
	}
	return out
}

func arranged[T any](list []T, places []int) []T {
	out := make([]T, len(list))
	for i, place := range places {
		out[place] = list[i]
	}
	return out
}

// hosts asks for every host of every gateway; of one gateway where it is named, or
// those that lead to one workload.
func hosts(m *access.Mesh, names map[*access.Workload]string, to *access.Workload) []Host {
	out := []Host{}
	for _, e := range m.Entries() {
		v := m.Through(e.Request())
		if to != nil && to != e.Gateway && !slices.ContainsFunc(v.Hops, func(h access.Hop) bool { return h.Request.To == to }) {
			continue
		}
		out = append(out, hostOf(e, v, names))
	}
	return out
}

func hostOf(e access.Entry, v access.Verdict, names map[*access.Workload]string) Host {
	h := Host{Gateway: names[e.Gateway], Port: e.Port, Host: e.Host, Answer: v.Allowed.String(), Leads: []string{}, Reason: Deciding(v).Text}
	if e.Host == access.OtherHost {
		h.Host, h.Reason = "*", strings.ReplaceAll(h.Reason, fmt.Sprintf("host %q", e.Host), "such a host")
	}
	for _, hop := range v.Hops {
		h.Leads = append(h.Leads, portOf(names[hop.Request.To], hop.Request.Port))
	}
	slices.Sort(h.Leads)
	h.Leads = slices.Compact(h.Leads)
	return h
}

// Deciding returns the step that decides: the last one that isn't Yes, of a hop
// where the request comes that far; else the last one.
func Deciding(v access.Verdict) access.Step {
	for _, step := range v.Steps {
		if step.Allowed == v.Allowed && v.Allowed != truth.Yes {
			return step
		}
	}
	for _, hop := range v.Hops {
		if step := Deciding(hop.Verdict); step.Allowed == v.Allowed {
			return step
		}
	}
	if len(v.Steps) == 0 {
		return access.Step{}
	}
	return v.Steps[len(v.Steps)-1]
}

// Known says that every answer is known and every object judged.
func (m *Matrix) Known() bool {
	return len(m.Unjudged) == 0 &&
		!slices.ContainsFunc(m.Access, func(a Access) bool { return a.Answer == truth.Unknown.String() }) &&
		!slices.ContainsFunc(m.Hosts, func(h Host) bool { return h.Answer == truth.Unknown.String() })
}

// JSON writes the matrix.
func (m *Matrix) JSON(w io.Writer) error { return writeJSON(w, m) }
