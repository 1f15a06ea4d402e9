package report

import (
	"cmp"
	"slices"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Graph is a picture of who reaches what: of workloads by namespace, of the hosts of
// gateways, of what is outside. Its size is that of groups and of names.
type Graph struct {
	Settings Settings `json:"settings"`
	// Namespace to which a picture is confined, with its neighbours; empty for none.
	Namespace string `json:"namespace"`
	Nodes     []Node `json:"nodes"`
	// Clients are nodes that reach the same. The group that has nobody else in it has who is outside.
	Clients []Members `json:"clients"`
	// Servers are ports of nodes that the same clients reach.
	Servers [][]Port `json:"servers"`
	Edges   []Edge   `json:"edges"`
	// Reasons are the sentences that edges name by their places.
	Reasons  []string   `json:"reasons"`
	Unjudged []Unjudged `json:"unjudged"`
}

// Node is a workload, or something outside of the mesh that objects name.
type Node struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Kind      string `json:"kind"`
	// Principal of the pods' certificates, and what is known of their proxy.
	Principal string `json:"principal,omitempty"`
	Proxy     string `json:"proxy,omitempty"`
	Gateway   bool   `json:"gateway,omitempty"`
	// External says that no pods of these objects are behind it.
	External bool `json:"external,omitempty"`
	// Serves says that the pods declare a port.
	Serves bool `json:"serves,omitempty"`
	// Open says that everybody reaches a port of it, from outside of the cluster too.
	Open bool `json:"open,omitempty"`
	// Hosts are a gateway's.
	Hosts []Host `json:"hosts,omitempty"`
}

// Members are a group of clients.
type Members struct {
	Nodes   []int `json:"nodes"`
	Outside bool  `json:"outside,omitempty"`
}

// Port is a port of a node.
type Port struct {
	Node   int   `json:"node"`
	Number int32 `json:"port"`
}

// Edge says that clients reach servers.
type Edge struct {
	// Clients and Servers are places in the lists of these names. Omitted is how many
	// groups of clients there are where they were too many for a picture.
	Clients []int `json:"clients"`
	Omitted int   `json:"omitted,omitempty"`
	Servers int   `json:"servers"`
	// Answer is "yes" or "unknown".
	Answer string `json:"answer"`
	// Everybody says that nobody is left out, those outside of the cluster included.
	Everybody bool `json:"everybody,omitempty"`
	// Reasons are the places of the sentences, one for each group of clients; -1 where it was left out.
	Reasons []int `json:"reasons"`
}

// proxied is what is known of a workload's proxy, before why.
var proxied = map[truth.Value]string{truth.Yes: "a proxy: ", truth.No: "no proxy: ", truth.Unknown: "perhaps a proxy: "}

// What a graph holds at most, whatever the objects are: pairs of groups, and pairs
// that it gives a reason for.
const (
	maxPairs   = 100_000
	maxReasons = 10_000
)

// Omitted returns for how many groups of servers there were too many clients to draw.
func (g *Graph) Omitted() int {
	n := 0
	for _, e := range g.Edges {
		n += min(e.Omitted, 1)
	}
	return n
}

// GraphOf judges every pair and every host. The objects are those of the mesh, for
// what they name outside of it.
func GraphOf(m *access.Mesh, objects []*resource.Object, namespace string) *Graph {
	names, matrix := Names(m), MatrixOf(m, Options{})
	out := &Graph{Settings: matrix.Settings, Namespace: namespace, Unjudged: matrix.Unjudged, Nodes: []Node{}, Clients: []Members{}, Servers: [][]Port{}, Edges: []Edge{}, Reasons: []string{}}
	sorted := slices.Clone(m.Workloads)
	slices.SortStableFunc(sorted, func(a, b *access.Workload) int {
		return cmp.Or(cmp.Compare(a.Ref.Namespace, b.Ref.Namespace), cmp.Compare(names[a], names[b]))
	})
	at := map[string]int{}
	for i, w := range sorted {
		at[names[w]] = i
		n := Node{Name: names[w], Namespace: w.Ref.Namespace, Kind: w.Ref.Kind, Principal: w.Principal(), Proxy: proxied[w.Proxy.Holds] + w.Proxy.Reason, Gateway: w.Gateway}
		if w.Gateway {
			n.Hosts = slices.DeleteFunc(slices.Clone(matrix.Hosts), func(h Host) bool { return h.Gateway != n.Name })
		}
		out.Nodes = append(out.Nodes, n)
	}
	for _, c := range matrix.Clients {
		members := Members{Nodes: []int{}, Outside: c.Outside}
		for _, name := range c.Workloads {
			members.Nodes = append(members.Nodes, at[name])
		}
		out.Clients = append(out.Clients, members)
	}
	for _, s := range matrix.servers {
		ports := make([]Port, 0, len(s))
		for _, p := range s {
			ports = append(ports, Port{at[names[p.workload]], p.number})
			out.Nodes[at[names[p.workload]]].Serves = true
		}
		out.Servers = append(out.Servers, ports)
	}
	out.edges(m, matrix, sorted)
	out.external(objects)
	return out
}

// edges adds what the matrix admits, each with why.
func (g *Graph) edges(m *access.Mesh, matrix *Matrix, workloads []*access.Workload) {
	places, left, pairs := map[string]int{}, maxReasons, maxPairs
	for _, a := range matrix.Access {
		e := Edge{Clients: a.Clients, Servers: a.Servers, Answer: a.Answer, Reasons: []int{}}
		e.Everybody = a.Answer == truth.Yes.String() && len(a.Clients) == len(g.Clients)
		if pairs -= len(a.Clients); pairs < 0 {
			pairs += len(a.Clients)
			e.Clients, e.Omitted = []int{}, len(a.Clients)
			g.Edges = append(g.Edges, e)
			continue
		}
		to := g.Servers[a.Servers][0]
		for _, i := range a.Clients {
			left--
			if left < 0 {
				e.Reasons = append(e.Reasons, -1)
				continue
			}
			r := access.Request{To: workloads[to.Node], Port: to.Number}
			if c := g.Clients[i]; !c.Outside && len(c.Nodes) > 0 {
				r.From.Workload = workloads[c.Nodes[0]]
			}
			text := Deciding(m.Judge(r)).Text
			if _, seen := places[text]; !seen {
				places[text] = len(g.Reasons)
				g.Reasons = append(g.Reasons, text)
			}
			e.Reasons = append(e.Reasons, places[text])
		}
		if e.Everybody {
			for _, p := range g.Servers[a.Servers] {
				g.Nodes[p.Node].Open = true
			}
		}
		g.Edges = append(g.Edges, e)
	}
}

// external adds what objects name outside of the mesh: Services that lead to no
// pods, and ServiceEntries.
func (g *Graph) external(objects []*resource.Object) {
	var found []Node
	for _, o := range objects {
		ref := o.Ref()
		isService := ref.Kind == "Service" && ref.Group() == "" && len(resource.StringMap(o.Content(), "spec", "selector")) == 0
		if isService || ref.Kind == "ServiceEntry" && ref.Group() == "networking.istio.io" {
			found = append(found, Node{
				Name: ref.Namespace + "/" + ref.Name, Namespace: ref.Namespace, Kind: ref.Kind, External: true,
				Proxy: "out of the mesh: what these objects say of who may reach whom leaves it as it is",
			})
		}
	}
	slices.SortFunc(found, func(a, b Node) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind)) })
	g.Nodes = append(g.Nodes, found...)
}
