package report

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Diff says which accesses a change of the objects opens and closes.
type Diff struct {
	// Settings that the answers rest on.
	Settings Settings `json:"settings"`
	// Added and Removed are workloads that only the new or only the old objects make.
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	// Renamed are workloads whose identity changes: policies that name the old one stop to admit them.
	Renamed []Renamed `json:"renamed"`
	// Clients and Servers are groups that every change treats alike, as in a Matrix.
	Clients []Clients `json:"clients"`
	Servers []Servers `json:"servers"`
	// Changes are by answer, opened ones first.
	Changes []Change `json:"changes"`
	// Hosts of gateways that answer otherwise, or lead elsewhere, from outside of the cluster.
	Hosts []HostChange `json:"hosts"`
	// Refused are changes that cut callers off, whatever order pods restart in.
	Refused []Refusal `json:"refused"`
	// Unjudged are objects of either side that can't be read, or whose effect can't be told offline.
	Unjudged []Unjudged `json:"unjudged"`

	whole bool
}

// Renamed is a workload whose identity changes.
type Renamed struct {
	Workload string `json:"workload"`
	// Old and New are principals: "<trust domain>/ns/<namespace>/sa/<name>".
	Old string `json:"old"`
	New string `json:"new"`
}

// Change is an answer that changes for clients of a group of servers.
type Change struct {
	// Servers is a place in the list of that name, from 0.
	Servers int `json:"servers"`
	// Old and New are "yes", "no" or "unknown"; of what isn't there "no".
	Old string `json:"old"`
	New string `json:"new"`
	// Clients are places in the list of that name, from 0.
	Clients []int `json:"clients"`
}

// HostChange is a host of a gateway for which the answer, or where it leads, changes.
type HostChange struct {
	Gateway string `json:"gateway"`
	Port    int32  `json:"port"`
	// Host as Gateways and VirtualServices name it; "*" for every host that none of them names.
	Host string `json:"host"`
	// Old and New are "yes", "no" or "unknown".
	Old string `json:"old"`
	New string `json:"new"`
	// OldLeads and NewLeads are the ports of pods that it leads to.
	OldLeads []string `json:"oldLeads"`
	NewLeads []string `json:"newLeads"`
}

// Refusal is a step that skips another one.
type Refusal struct {
	// Workload is the destination that the change enforces.
	Workload string `json:"workload"`
	// Reason is "open-to-enforced" where it had no proxy itself, else "callers-not-enrolled".
	Reason string `json:"reason"`
	// Callers are those whom its policies name, and who had no proxy before the change.
	Callers []string `json:"callers"`
	// Remedy says what to do first.
	Remedy string `json:"remedy"`
}

// Reasons of a Refusal.
const (
	openToEnforced     = "open-to-enforced"
	callersNotEnrolled = "callers-not-enrolled"
)

// side is one of the two sets of objects.
type side struct {
	mesh   *access.Mesh
	matrix *access.Matrix
	names  map[*access.Workload]string
	// workloads, the rows and the columns of the matrix by what names them on both sides.
	workloads map[resource.Ref]*access.Workload
	rows      map[resource.Ref]int
	columns   map[column]int
}

type column struct {
	ref  resource.Ref
	port int32
}

// nameless is who is outside of the cluster.
var nameless resource.Ref

func sideOf(m *access.Mesh) side {
	s := side{m, m.Matrix(), Names(m), map[resource.Ref]*access.Workload{}, map[resource.Ref]int{}, map[column]int{}}
	for i, g := range s.matrix.Subjects {
		if len(g.Members) == 0 {
			s.rows[nameless] = i
		}
		for _, w := range g.Members {
			s.rows[keyOf(w)], s.workloads[keyOf(w)] = i, w
		}
	}
	for i, p := range s.matrix.Ports {
		for _, w := range s.matrix.Destinations[p.Group].Members {
			if !w.Gateway {
				s.columns[column{keyOf(w), p.Number}] = i
			}
		}
	}
	return s
}

// keyOf names a workload whatever version of its API it is written in.
func keyOf(w *access.Workload) resource.Ref {
	return resource.Ref{APIVersion: w.Ref.Group(), Kind: w.Ref.Kind, Namespace: w.Ref.Namespace, Name: w.Ref.Name}
}

// ask answers for a client and a server by their places; what isn't there reaches nothing.
func (s side) ask(row, column int) truth.Value {
	if row < 0 || column < 0 {
		return truth.No
	}
	return s.matrix.Verdicts[row][column]
}

// place returns what a map has for a key, -1 where it has nothing.
func place[K comparable](m map[K]int, key K) int {
	if i, ok := m[key]; ok {
		return i
	}
	return -1
}

// DiffOf compares two sets of objects.
func DiffOf(before, after *access.Mesh) *Diff {
	old, now := sideOf(before), sideOf(after)
	out := &Diff{
		Settings: SettingsOf(after), Added: []string{}, Removed: []string{}, Renamed: []Renamed{}, Clients: []Clients{}, Servers: []Servers{},
		Changes: []Change{}, Hosts: []HostChange{}, Refused: []Refusal{}, whole: true,
	}
	for key, w := range now.workloads {
		was, there := old.workloads[key]
		switch {
		case !there:
			out.Added = append(out.Added, now.names[w])
		case was.Principal() != w.Principal():
			out.Renamed = append(out.Renamed, Renamed{now.names[w], was.Principal(), w.Principal()})
		}
	}
	for key, w := range old.workloads {
		if now.workloads[key] == nil {
			out.Removed = append(out.Removed, old.names[w])
		}
	}
	slices.Sort(out.Added)
	slices.Sort(out.Removed)
	slices.SortFunc(out.Renamed, func(a, b Renamed) int { return cmp.Compare(a.Workload, b.Workload) })
	out.compare(old, now)
	out.hosts(old, now)
	out.refuse(old, now)
	out.Unjudged = UnjudgedOf(after)
	for _, u := range UnjudgedOf(before) {
		if !slices.ContainsFunc(out.Unjudged, func(o Unjudged) bool { return *o.Object == *u.Object && o.Reason == u.Reason }) {
			out.Unjudged = append(out.Unjudged, u)
		}
	}
	return out
}

// both are the places of one client, or one server, on the two sides.
type both struct{ old, now int }

// paired puts what has the same places on both sides together.
func paired[K comparable](old, now map[K]int) (groups []both, members map[both][]K) {
	members = map[both][]K{}
	add := func(key K) {
		b := both{place(old, key), place(now, key)}
		if members[b] == nil {
			groups = append(groups, b)
		}
		members[b] = append(members[b], key)
	}
	for key := range now {
		add(key)
	}
	for key := range old {
		if _, there := now[key]; !there {
			add(key)
		}
	}
	slices.SortFunc(groups, func(a, b both) int { return cmp.Or(a.now-b.now, a.old-b.old) })
	return groups, members
}

// compare finds the pairs whose answers change, by groups.
func (d *Diff) compare(old, now side) {
	name := func(key resource.Ref) string {
		if w := now.workloads[key]; w != nil {
			return now.names[w]
		}
		return old.names[old.workloads[key]]
	}
	clients, ofClients := paired(old.rows, now.rows)
	servers, ofServers := paired(old.columns, now.columns)
	cell := func(row, column int) (was, is truth.Value) {
		c, s := clients[row], servers[column]
		return old.ask(c.old, s.old), now.ask(c.now, s.now)
	}
	rows, columns := fold(len(clients), len(servers), func(row, column int) byte {
		was, is := cell(row, column)
		if was == is {
			return 0
		}
		return 1 + 3*cellOf(was) + cellOf(is)
	})
	for _, row := range rows {
		c := Clients{Workloads: []string{}}
		for _, i := range row {
			for _, key := range ofClients[clients[i]] {
				if key == nameless {
					c.Outside = true
				} else {
					c.Workloads = append(c.Workloads, name(key))
				}
			}
		}
		slices.Sort(c.Workloads)
		d.Clients = append(d.Clients, c)
	}
	for k, column := range columns {
		var s Servers
		for _, i := range column {
			for _, key := range ofServers[servers[i]] {
				s.Ports = append(s.Ports, portOf(name(key.ref), key.port))
			}
		}
		slices.Sort(s.Ports)
		d.Servers = append(d.Servers, s)
		changes := map[[2]truth.Value][]int{}
		for i, row := range rows {
			if was, is := cell(row[0], column[0]); was != is {
				changes[[2]truth.Value{was, is}] = append(changes[[2]truth.Value{was, is}], i)
			}
		}
		for answers, of := range changes {
			d.Changes = append(d.Changes, Change{k, answers[0].String(), answers[1].String(), of})
		}
	}
	d.sort()
}

// sort brings everything into an order that no map decides.
func (d *Diff) sort() {
	clients := order(len(d.Clients), func(i int) string {
		if len(d.Clients[i].Workloads) == 0 {
			return "~" // who is outside comes last
		}
		return d.Clients[i].Workloads[0]
	})
	servers := order(len(d.Servers), func(i int) string { return d.Servers[i].Ports[0] })
	d.Clients, d.Servers = arranged(d.Clients, clients), arranged(d.Servers, servers)
	for i := range d.Changes {
		c := &d.Changes[i]
		c.Servers = servers[c.Servers]
		for k, client := range c.Clients {
			c.Clients[k] = clients[client]
		}
		slices.Sort(c.Clients)
	}
	slices.SortFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(rank(a.New)-rank(b.New), a.Servers-b.Servers, strings.Compare(a.Old, b.Old))
	})
}

// rank puts what opens first, then what closes, then what isn't known.
func rank(answer string) int { return slices.Index([]string{"yes", "no", "unknown"}, answer) }

// hosts asks both sides for every host that one of them names.
func (d *Diff) hosts(old, now side) {
	type entry struct {
		gateway resource.Ref
		port    int32
		host    string
	}
	var all []entry
	for _, s := range []side{old, now} {
		for _, e := range s.mesh.Entries() {
			all = append(all, entry{keyOf(e.Gateway), e.Port, e.Host})
		}
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(a.gateway.Compare(b.gateway), cmp.Compare(a.port, b.port), cmp.Compare(a.host, b.host))
	})
	for _, e := range slices.Compact(all) {
		ask := func(s side) Host {
			w := s.workloads[e.gateway]
			if w == nil {
				return Host{Answer: truth.No.String(), Leads: []string{}}
			}
			entry := access.Entry{Gateway: w, Port: e.port, Host: e.host}
			return hostOf(entry, s.mesh.Through(entry.Request()), s.names)
		}
		was, is := ask(old), ask(now)
		if was.Answer == is.Answer && slices.Equal(was.Leads, is.Leads) {
			continue
		}
		d.Hosts = append(d.Hosts, HostChange{
			cmp.Or(is.Gateway, was.Gateway), e.port, cmp.Or(is.Host, was.Host), was.Answer, is.Answer, was.Leads, is.Leads,
		})
	}
}

// refuse finds destinations that are enforced before their callers can say who they are.
func (d *Diff) refuse(old, now side) {
	callers := map[string][]*access.Workload{}
	for _, w := range now.mesh.Workloads {
		callers[w.Principal()] = append(callers[w.Principal()], w)
	}
	for _, w := range now.mesh.Workloads {
		was := old.workloads[keyOf(w)]
		if w.Gateway || was == nil || enforced(old.mesh.Protection(was)) {
			continue
		}
		protection := now.mesh.Protection(w)
		if !enforced(protection) {
			continue
		}
		r := Refusal{Workload: now.names[w], Reason: callersNotEnrolled, Callers: []string{}}
		for _, principal := range protection.Callers {
			for _, caller := range callers[principal] {
				if before := old.workloads[keyOf(caller)]; before != nil && !before.Gateway && before.Proxy.Holds == truth.No {
					r.Callers = append(r.Callers, now.names[caller])
				}
			}
		}
		if len(r.Callers) == 0 {
			continue
		}
		slices.Sort(r.Callers)
		r.Callers = slices.Compact(r.Callers)
		r.Remedy = "give the callers their sidecars in a change of its own and let their pods restart, then enforce"
		if was.Proxy.Holds == truth.No {
			r.Reason = openToEnforced
			r.Remedy = "give " + now.names[w] + " and its callers their sidecars in a change of its own (profile permissive) and let their pods restart, then enforce"
		}
		d.Refused = append(d.Refused, r)
	}
	slices.SortFunc(d.Refused, func(a, b Refusal) int { return cmp.Compare(a.Workload, b.Workload) })
}

func enforced(p access.Protection) bool { return p.Strict || p.Scoped }

// Changed says that an answer, an identity, or where a host leads changes.
func (d *Diff) Changed() bool {
	return len(d.Changes)+len(d.Hosts)+len(d.Renamed)+len(d.Added)+len(d.Removed) > 0
}

// JSON writes the difference.
func (d *Diff) JSON(w io.Writer) error { return writeJSON(w, d) }
