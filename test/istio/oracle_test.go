package istio_test

import (
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"testing"

	rbacv3 "github.com/envoyproxy/go-control-plane/envoy/config/rbac/v3"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"
	securityv1beta1 "istio.io/api/security/v1beta1"
	"istio.io/istio/pilot/pkg/model"
	"istio.io/istio/pilot/pkg/security/authz/builder"
	"istio.io/istio/pilot/pkg/security/trustdomain"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/test/istio/random"
	"github.com/ringfence-dev/ringfence/test/istio/rbac"
)

var (
	sets     = flag.Int("sets", 300, "random sets of policies that are compared")
	requests = flag.Int("requests", 100, "requests for each set")
	seed     = flag.Uint64("seed", 1, "seed of the first set; each further one adds 1")
)

// tally counts what was compared.
type tally struct{ compared, allowed, asked, elsewhere, hidden, unknown int }

func (n tally) String() string {
	return fmt.Sprintf("%d requests compared, of which Istio lets %d in and asks a CUSTOM provider about %d, and %d that hang on metadata of other filters; of %d of which something is hidden, the judge doesn't know %d",
		n.compared, n.allowed, n.asked, n.elsewhere, n.hidden, n.unknown)
}

// TestBuilder compares the judge with the filters that Istio builds from random
// policies, for random requests of which everything is known. There the judge has
// to know the answer.
func TestBuilder(t *testing.T) {
	var total tally
	for i := range *sets {
		s := random.New(*seed + uint64(i))
		policies := s.Policies()
		trust := authz.Trust{Domains: trustDomains(s)}
		for _, http := range []bool{true, false} {
			pair := newPair(t, policies, trust, http, s.IntN(2) == 0)
			for range *requests / 2 {
				if !pair.compare(t, s, s.Likely(policies, http), &total) {
					t.Fatalf("seed %d:\n%s", *seed+uint64(i), pair)
				}
			}
		}
		if (i+1)%500 == 0 {
			fmt.Printf("%d sets, %d requests\n", i+1, total.compared)
		}
	}
	t.Logf("%d sets: %s; no disagreement", *sets, total)
	assert.Greater(t, total.allowed, total.compared/20, "too few are let in to tell anything")
	assert.Less(t, total.allowed, total.compared*19/20, "too many are let in to tell anything")
	assert.Less(t, total.unknown, total.hidden*9/10, "too little is known to tell anything")
}

func trustDomains(s random.Source) []string {
	all := [][]string{{"cluster.local"}, {"example.org"}, {"cluster.local", "old.example.org"}, {"example.org", "old.example.org", "cluster.local"}}
	return all[s.IntN(len(all))]
}

// pair is what both make of the same policies.
type pair struct {
	policies []random.Policy
	trust    authz.Trust
	http     bool
	judge    *authz.Filter
	filters  []*rbacv3.RBAC
	// custom match where a provider is asked.
	custom []*rbacv3.RBAC
}

func newPair(tb testing.TB, policies []random.Policy, trust authz.Trust, http, filterState bool) *pair {
	tb.Helper()
	p := &pair{policies: policies, trust: trust, http: http}
	var ours []authz.Policy
	var theirs model.AuthorizationPoliciesResult
	for _, policy := range policies {
		ours = append(ours, authz.Policy{Namespace: policy.Namespace, Name: policy.Name, DryRun: policy.DryRun, Spec: policy.Spec})
		theirs = attach(theirs, policy)
	}
	p.judge = authz.NewFilter(ours, trust, http)
	option := builder.Option{UseFilterState: filterState}
	p.filters = build(tb, trust, theirs, option, http)
	// What a CUSTOM policy asks about is what it would deny if it were a DENY policy: the filters that
	// Istio builds for it only mark what matches for the one that asks.
	p.custom = build(tb, trust, model.AuthorizationPoliciesResult{Deny: theirs.Custom}, option, http)
	return p
}

func build(tb testing.TB, trust authz.Trust, policies model.AuthorizationPoliciesResult, option builder.Option, http bool) []*rbacv3.RBAC {
	tb.Helper()
	b := builder.New(trustdomain.NewBundle(trust.Domains[0], trust.Domains[1:]), nil, policies, option)
	if b == nil {
		return nil
	}
	var out []*rbacv3.RBAC
	var err error
	if http {
		out, err = rbac.Rules(b.BuildHTTP())
	} else {
		out, err = rbac.Rules(b.BuildTCP())
	}
	require.NoError(tb, err)
	return out
}

func attach(to model.AuthorizationPoliciesResult, p random.Policy) model.AuthorizationPoliciesResult {
	policy := model.AuthorizationPolicy{Name: p.Name, Namespace: p.Namespace, Spec: p.Spec}
	if p.DryRun && p.Spec.GetAction() != securityv1beta1.AuthorizationPolicy_CUSTOM { // whose provider is asked all the same
		policy.Annotations = map[string]string{"istio.io/dry-run": "true"}
	}
	list := map[string]*[]model.AuthorizationPolicy{"ALLOW": &to.Allow, "DENY": &to.Deny, "AUDIT": &to.Audit, "CUSTOM": &to.Custom}[p.Spec.GetAction().String()]
	*list = append(*list, policy)
	return to
}

// compare asks both about a request, and the judge once more with something hidden.
func (p *pair) compare(tb testing.TB, s random.Source, r random.Request, total *tally) bool {
	tb.Helper()
	allowed, err := rbac.Allowed(p.filters, toEnvoy(tb, r))
	if errors.Is(err, rbac.ErrElsewhere) {
		total.elsewhere++
		return true
	}
	require.NoError(tb, err)
	passed, err := rbac.Allowed(p.custom, toEnvoy(tb, r))
	require.NoError(tb, err)
	want := truth.Of(allowed)
	total.compared++
	if allowed {
		total.allowed++
		if !passed {
			total.asked++
			want = truth.Unknown
		}
	}
	decision := p.judge.Decide(toJudge(r))
	if !assert.Equal(tb, want, decision.Allowed, "%s\nof request %+v %+v", decision.Reason, r, r.HTTP) ||
		!assert.Equal(tb, want, p.judge.Allowed(toJudge(r)), "Allowed is Decide without a reason") {
		return false
	}
	hidden := hide(s, toJudge(r))
	total.hidden++
	guess := p.judge.Decide(hidden)
	if guess.Allowed == truth.Unknown {
		total.unknown++
		return true
	}
	return assert.Equal(tb, want, guess.Allowed, "a guess: %s\nof request %+v %+v with %+v known", guess.Reason, r, r.HTTP, hidden)
}

// hide makes some of what a request has unknown.
func hide(s random.Source, r *authz.Request) *authz.Request {
	facts := []func(){
		func() { r.Principal = authz.Text{} },
		func() { r.SourceIP = netip.Addr{} },
		func() { r.RemoteIP = netip.Addr{} },
		func() { r.DestinationIP = netip.Addr{} },
		func() { r.SNI = authz.Text{} },
	}
	if h := r.HTTP; h != nil {
		facts = append(facts,
			func() { h.Host = authz.Text{} },
			func() { h.Method = authz.Text{} },
			func() { h.Path = authz.Text{} },
			func() { h.Headers = nil },
			func() { h.Token = authz.Token{} },
		)
	}
	s.Shuffle(len(facts), func(i, j int) { facts[i], facts[j] = facts[j], facts[i] })
	for _, fact := range facts[:1+s.IntN(3)] {
		fact()
	}
	return r
}

// String returns the policies as YAML.
func (p *pair) String() string {
	out := fmt.Sprintf("trust domains %v, HTTP %v\n", p.trust.Domains, p.http)
	for _, policy := range p.policies {
		text, err := yaml.Marshal(policy.Spec)
		if err != nil {
			return err.Error()
		}
		out += fmt.Sprintf("%s/%s dry run %v\n%s---\n", policy.Namespace, policy.Name, policy.DryRun, text)
	}
	return out
}

func toJudge(r random.Request) *authz.Request {
	text := func(s string) authz.Text {
		if s == "" {
			return authz.None()
		}
		return authz.Is(s)
	}
	out := &authz.Request{
		Principal: text(r.Principal), SourceIP: r.Direct, RemoteIP: r.Remote, DestinationIP: r.Destination,
		DestinationPort: r.Port, SNI: text(r.SNI),
	}
	if r.HTTP == nil {
		return out
	}
	out.HTTP = &authz.HTTP{Host: authz.Is(r.HTTP.Host), Method: authz.Is(r.HTTP.Method), Path: authz.Is(r.HTTP.Path), Headers: map[string]authz.Text{}, Token: authz.NoToken()}
	for name, value := range r.HTTP.Headers {
		out.HTTP.Headers[name] = authz.Is(value)
	}
	if r.HTTP.Claims != nil {
		out.HTTP.Token = authz.Claims(r.HTTP.Claims)
	}
	return out
}

func toEnvoy(tb testing.TB, r random.Request) rbac.Request {
	tb.Helper()
	out := rbac.Request{Principal: r.Principal, Direct: r.Direct, Remote: r.Remote, Destination: r.Destination, Port: uint32(r.Port), SNI: r.SNI}
	if r.HTTP == nil {
		return out
	}
	out.Headers = map[string]string{":authority": r.HTTP.Host, ":method": r.HTTP.Method, ":path": r.HTTP.Path}
	for name, value := range r.HTTP.Headers {
		out.Headers[name] = value
	}
	if r.HTTP.Claims != nil {
		var err error
		out.Claims, err = structpb.NewStruct(r.HTTP.Claims)
		require.NoError(tb, err)
	}
	return out
}
