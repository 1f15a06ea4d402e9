package model_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// requireValid checks what later packages rely on.
func requireValid(t *testing.T, request model.Request) {
	t.Helper()
	p := request.Platform
	require.NotNil(t, p)
	owner := func(name string) {
		_, ok := p.Owner(name)
		require.True(t, ok, "owner %q", name)
	}
	owner(request.Owner.Name)
	require.NotEmpty(t, p.Istio.TrustDomain.Name())
	require.NotEmpty(t, p.Istio.RootNamespace)
	for _, o := range p.Owners {
		require.Contains(t, []model.Tool{model.GitOps, model.Ansible, model.External}, o.Tool)
	}
	holders := map[model.Principal]string{}
	for _, g := range p.Gateways {
		owner(g.Owner)
		require.NotEmpty(t, g.Namespace)
		require.NotEmpty(t, g.Deployment)
		require.NotEqual(t, len(g.Selector) == 0, g.TargetRef.IsZero(), "gateway %s has a selector or a targetRef", g.Name)
		require.False(t, !g.Absent && g.HostPolicy && len(g.Hosts) == 0, "gateway %s has hosts", g.Name)
		require.LessOrEqual(t, g.Profile, p.Profile)
		requireHosts(t, g.Hosts)
		for _, principal := range g.Identity.All() {
			require.False(t, principal.IsZero())
			require.Empty(t, holders[principal], "gateway %s has an identity of its own", g.Name)
			holders[principal] = g.Name
		}
		for _, r := range g.Routes {
			owner(r.Owner)
			require.NotEmpty(t, r.Ref.Name)
			require.Subset(t, g.Hosts, r.Hosts)
			require.False(t, len(g.Hosts) > 0 && len(r.Hosts) == 0)
		}
	}
	for _, w := range p.Workloads {
		owner(w.Owner)
		require.NotEqual(t, w.PodTemplates == nil, len(w.TargetRefs) == 0, "workload %s", w.Name)
		require.NotEmpty(t, w.Selector)
		require.LessOrEqual(t, w.Profile, p.Profile)
		for _, principal := range w.Identity.All() {
			require.False(t, principal.IsZero())
			require.Empty(t, holders[principal], "a gateway's identity is its own")
		}
		for _, port := range w.Ports {
			require.NotEqual(t, model.Port{}, port)
		}
		require.Equal(t, w.Protected, w.Callers != nil)
		if w.Protected {
			require.True(t, w.Enroll)
			require.NotEmpty(t, w.Ports)
			require.NotEmpty(t, w.PolicyName)
			require.NotEqual(t, p.Istio.RootNamespace, w.Namespace)
		}
		for _, c := range w.Callers {
			requireCaller(t, p, c)
			enforced := w.Protected && !w.Absent && w.Profile.Enforces()
			require.False(t, enforced && c.Workload != nil && !c.Workload.Absent && !c.Workload.Enrolled(), "%s of %s has a proxy", c, w.Name)
		}
	}
	for _, c := range p.Consumers {
		owner(c.Owner)
		require.NotEmpty(t, c.Env)
		require.NotEmpty(t, c.Source)
		require.NotEmpty(t, c.Target.APIVersion)
	}
	for _, tenant := range p.Tenants {
		owner(tenant.Owner)
		require.False(t, tenant.Namespaces.Empty())
		require.NotEmpty(t, tenant.Workloads)
		for _, c := range tenant.Callers {
			requireCaller(t, p, c)
		}
		for _, w := range tenant.Workloads {
			require.NotZero(t, w.DefaultPort.Number())
			require.Equal(t, w.Kind == "Deployment", len(w.SelectorKeys) > 0)
		}
		for _, e := range tenant.Exclude {
			require.False(t, e.Kind+e.Namespace+e.Name == "" && e.Selector.Empty())
		}
	}
	for _, o := range p.Overrides {
		require.Less(t, o.Profile, p.Profile)
	}
}

func requireHosts(t *testing.T, hosts []model.Host) {
	t.Helper()
	for i, h := range hosts {
		require.False(t, h.IsZero())
		require.NotContains(t, hosts[:i], h)
	}
}

func requireCaller(t *testing.T, p *model.Platform, c model.Caller) {
	t.Helper()
	set := 0
	for _, is := range []bool{c.Workload != nil, c.Gateway != nil, !c.Principal.IsZero()} {
		if is {
			set++
		}
	}
	require.Equal(t, 1, set)
	require.True(t, c.Workload == nil || slices.Contains(p.Workloads, c.Workload))
	require.True(t, c.Gateway == nil || slices.Contains(p.Gateways, c.Gateway))
	for _, principal := range c.Principals() {
		require.Equal(t, p.Istio.TrustDomain, principal.TrustDomain())
	}
}

// requireSayable checks that each finding says what is wrong, by which rule, and what to do.
func requireSayable(t *testing.T, findings finding.List) {
	t.Helper()
	for _, f := range findings {
		rule, known := finding.Catalogue[f.Rule]
		require.True(t, known, "%v", f)
		require.Equal(t, rule.Severity, f.Severity)
		require.NotEmpty(t, f.Message)
		require.NotEmpty(t, f.Remedy)
		require.Less(t, len(f.String()), 3000)
	}
}
