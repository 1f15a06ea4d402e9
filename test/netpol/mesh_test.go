package netpol_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/test/netpol/peer"
	"github.com/ringfence-dev/ringfence/test/netpol/random"
)

// meshTally counts what was compared. The judge is careful where it doesn't know
// what all variants agree on, as of selectors that contradict themselves.
type meshTally struct{ compared, allowed, unknown, careful int }

// TestMesh compares the network's stage of the judge's answers from manifests.
// Those hold no addresses of pods, and some lack Namespaces: there the peer is
// asked about all that may be, and the judge has to know what is so in each case.
func TestMesh(t *testing.T) {
	var total meshTally
	for i := range *sets / 4 {
		s := random.New(*seed + uint64(i))
		c := s.Cluster()
		hidden := map[string]bool{}
		for _, n := range c.Namespaces {
			hidden[n.Name] = s.IntN(3) == 0
		}
		mesh, err := meshOf(c, hidden)
		require.NoError(t, err)
		require.Empty(t, mesh.Unjudged)
		theirs, err := peer.New(c.Policies)
		require.NoError(t, err)
		all := ends(c)
		for _, from := range all {
			for k, to := range all[:len(c.Pods)] {
				if from.pod == to.pod {
					continue
				}
				for _, number := range random.Numbers {
					r := access.Request{To: mesh.Workloads[k], Port: number, From: access.Subject{Address: from.address}}
					if from.pod != nil {
						r.From = access.Subject{Workload: workload(mesh, from.pod)}
					}
					want := wanted(theirs, variants(from, hidden), variants(to, hidden), connection{to: to, port: number, protocol: "TCP"})
					if !judged(t, mesh, r, want, &total) {
						t.Fatalf("seed %d:\n%shidden: %v", *seed+uint64(i), text(t, c), hidden)
					}
				}
			}
		}
	}
	t.Logf("%d clusters: %d connections compared, of which %d are let through and %d hang on what manifests don't tell; of %d more the judge doesn't know it; no disagreement",
		*sets/4, total.compared, total.allowed, total.unknown-total.careful, total.careful)
	assert.Greater(t, total.allowed, total.compared/20, "too few are let through to tell anything")
	assert.Greater(t, total.unknown, total.compared/100, "too little is hidden to tell anything")
	assert.Less(t, total.careful, total.compared/200, "too little is known to tell anything")
}

func judged(tb testing.TB, m *access.Mesh, r access.Request, want truth.Value, total *meshTally) bool {
	tb.Helper()
	total.compared++
	v := m.Judge(r)
	network := v.Steps[0]
	if !assert.Equal(tb, access.Network, network.Stage) || !assert.Equal(tb, network.Allowed, v.Allowed, "no pod has a proxy") {
		return false
	}
	switch network.Allowed {
	case truth.Yes:
		total.allowed++
	case truth.Unknown:
		total.unknown++
		if want != truth.Unknown {
			total.careful++
		}
		return true
	case truth.No:
	}
	return assert.Equal(tb, want, network.Allowed, "%s to %s:%d: %s", r.From, r.To, r.Port, network)
}

func workload(m *access.Mesh, p *random.Pod) *access.Workload {
	return m.Named("", p.Namespace, p.Name)[0]
}

// variants returns what an end may be, as far as manifests tell.
func variants(e end, hidden map[string]bool) []end {
	if e.pod == nil {
		return []end{e}
	}
	namespaces := []random.Namespace{e.namespace}
	if hidden[e.namespace.Name] {
		namespaces = nil
		for _, labels := range random.NamespaceLabels(e.namespace.Name) {
			namespaces = append(namespaces, random.Namespace{Name: e.namespace.Name, Labels: labels})
		}
	}
	var out []end
	for _, namespace := range namespaces {
		for _, address := range slices.Concat(elsewhere, random.Addresses) {
			out = append(out, end{e.pod, namespace, address})
		}
	}
	return out
}

// elsewhere are addresses that no end has, but blocks tell from the others.
var elsewhere = []netip.Addr{
	netip.MustParseAddr("198.51.100.1"), netip.MustParseAddr("203.0.113.150"), netip.MustParseAddr("10.0.0.1"),
	netip.MustParseAddr("10.0.0.6"), netip.MustParseAddr("10.200.0.1"), netip.MustParseAddr("2001:db9::1"),
}

// wanted returns what the peer says of all variants: each direction looks at one end alone.
func wanted(theirs *peer.Policies, from, to []end, c connection) truth.Value {
	out := truth.Yes
	for _, direction := range []struct {
		source, destination []end
		ask                 func(peer.Connection) bool
	}{{from, to[:1], theirs.Ingress}, {from[:1], to, theirs.Egress}} {
		seen := map[bool]bool{}
		for _, source := range direction.source {
			for _, destination := range direction.destination {
				seen[direction.ask(peer.Connection{
					Source: source.theirs(), Destination: destination.theirs(), Port: c.port, Names: c.names(), Protocol: c.protocol,
				})] = true
			}
		}
		switch {
		case seen[true] && seen[false]:
			out = min(out, truth.Unknown)
		case seen[false]:
			out = truth.No
		}
	}
	return out
}
