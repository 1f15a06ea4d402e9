package netpol_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"testing"

	"github.com/mattfenwick/cyclonus/pkg/matcher"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/pkg/access/netpol"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/test/netpol/peer"
	"github.com/ringfence-dev/ringfence/test/netpol/random"
)

var (
	sets = flag.Int("sets", 1000, "random clusters that are compared")
	seed = flag.Uint64("seed", 1, "seed of the first cluster; each further one adds 1")
)

// tally counts what was compared.
type tally struct{ compared, allowed, hidden, unknown int }

func (n tally) String() string {
	return fmt.Sprintf("%d connections compared, of which %d are let through; of %d of which something is hidden, the judge doesn't know %d",
		n.compared, n.allowed, n.hidden, n.unknown)
}

// end is one end of a connection: a pod, or an address outside.
type end struct {
	pod       *random.Pod
	namespace random.Namespace
	address   netip.Addr
}

func (e end) ours() netpol.Endpoint {
	if e.pod == nil {
		return netpol.Endpoint{Address: e.address}
	}
	return netpol.Endpoint{Pod: true, Namespace: e.namespace.Name, NamespaceLabels: e.namespace.Labels, Labels: e.pod.Labels, Address: e.address}
}

func (e end) theirs() matcher.TrafficPeer {
	out := matcher.TrafficPeer{IP: e.address.String()}
	if e.pod != nil {
		out.Internal = &matcher.InternalPeer{Namespace: e.namespace.Name, NamespaceLabels: e.namespace.Labels, PodLabels: e.pod.Labels}
	}
	return out
}

func ends(c random.Cluster) []end {
	var out []end
	for i := range c.Pods {
		for _, namespace := range c.Namespaces {
			if namespace.Name == c.Pods[i].Namespace {
				out = append(out, end{&c.Pods[i], namespace, c.Pods[i].Address})
			}
		}
	}
	for _, address := range random.Addresses {
		out = append(out, end{address: address})
	}
	return out
}

// TestDecisions compares each direction of each connection between pods, and
// between pods and addresses outside, of which everything is known. A pod that
// asks itself is left out: no policy blocks that, as Kubernetes documents, and
// neither side answers it.
func TestDecisions(t *testing.T) {
	var total tally
	for i := range *sets {
		s := random.New(*seed + uint64(i))
		c := s.Cluster()
		theirs, err := peer.New(c.Policies)
		require.NoError(t, err)
		ours := read(t, c.Policies)
		all := ends(c)
		for _, from := range all {
			for _, to := range all {
				if from.pod == to.pod {
					continue // or both are outside
				}
				for _, number := range random.Numbers {
					for _, protocol := range random.Protocols {
						if !compare(t, ours, theirs, connection{from, to, number, protocol}, s, &total) {
							t.Fatalf("seed %d:\n%s", *seed+uint64(i), text(t, c))
						}
					}
				}
			}
		}
	}
	t.Logf("%d clusters: %s; no disagreement", *sets, total)
	assert.Greater(t, total.allowed, total.compared/20, "too few are let through to tell anything")
	assert.Less(t, total.allowed, total.compared*19/20, "too many are let through to tell anything")
	assert.Less(t, total.unknown, total.hidden/2, "too little is known to tell anything")
}

type connection struct {
	from, to end
	port     int32
	protocol string
}

func (c connection) names() []string {
	if c.to.pod == nil {
		return nil
	}
	return c.to.pod.Names(c.port, c.protocol)
}

// compare asks both, and the judge once more with something of the ends hidden.
func compare(tb testing.TB, ours []*netpol.Policy, theirs *peer.Policies, c connection, s random.Source, total *tally) bool {
	tb.Helper()
	asked := peer.Connection{Source: c.from.theirs(), Destination: c.to.theirs(), Port: c.port, Names: c.names(), Protocol: c.protocol}
	known := netpol.Connection{Source: c.from.ours(), Destination: c.to.ours(), Port: c.port, PortNames: c.names(), Protocol: c.protocol}
	partly := known
	for _, e := range []*netpol.Endpoint{&partly.Source, &partly.Destination} {
		if s.IntN(2) == 0 {
			e.Address = netip.Addr{}
		}
		if s.IntN(2) == 0 {
			e.NamespaceLabels = nil
		}
	}
	for direction, want := range map[string]bool{"in": theirs.Ingress(asked), "out": theirs.Egress(asked)} {
		ask := netpol.Ingress
		if direction == "out" {
			ask = netpol.Egress
		}
		total.compared++
		if want {
			total.allowed++
		}
		if !assert.Equal(tb, truth.Of(want), ask(ours, known).Allowed, "%s of %+v", direction, known) {
			return false
		}
		total.hidden++
		switch guess := ask(ours, partly).Allowed; {
		case guess == truth.Unknown:
			total.unknown++
		case !assert.Equal(tb, truth.Of(want), guess, "a guess: %s of %+v", direction, partly):
			return false
		}
	}
	return true
}

func read(tb testing.TB, objects []random.Object) []*netpol.Policy {
	tb.Helper()
	var out []*netpol.Policy
	for _, object := range objects {
		data, err := json.Marshal(object["spec"])
		require.NoError(tb, err)
		var spec netpol.Spec
		require.NoError(tb, yaml.UnmarshalStrict(data, &spec))
		metadata, _ := object["metadata"].(random.Object)
		p, err := netpol.New(metadata["namespace"].(string), metadata["name"].(string), spec)
		require.NoError(tb, err)
		out = append(out, p)
	}
	return out
}

// text returns a cluster as YAML.
func text(tb testing.TB, c random.Cluster) string {
	tb.Helper()
	data, err := yaml.Marshal(c)
	require.NoError(tb, err)
	return string(data)
}
