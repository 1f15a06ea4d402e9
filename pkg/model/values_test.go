package model_test

import (
	"testing"

	"github.com/spiffe/go-spiffe/v2/spiffeid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/model"
)

func TestPrincipalGood(t *testing.T) {
	for _, s := range []string{
		"cluster.local/ns/shop/sa/web",
		"spiffe://cluster.local/ns/shop/sa/web",
		"mesh_1.example-org/ns/istio-system/sa/istio-ingressgateway.v2",
		"cluster.local/ns/sa/sa/ns",
	} {
		p, err := model.ParsePrincipal(s)
		require.NoError(t, err, s)
		again, err := model.ParsePrincipal(p.String())
		require.NoError(t, err, s)
		assert.Equal(t, p, again, s)
		built, err := model.NewPrincipal(p.TrustDomain(), p.Namespace(), p.ServiceAccount())
		require.NoError(t, err, s)
		assert.Equal(t, p, built, s)
	}
	p, err := model.ParsePrincipal("spiffe://cluster.local/ns/shop/sa/web")
	require.NoError(t, err)
	assert.Equal(t, "cluster.local/ns/shop/sa/web", p.String(), "a policy holds no scheme")
	assert.Equal(t, [3]string{"cluster.local", "shop", "web"}, [3]string{p.TrustDomain().Name(), p.Namespace(), p.ServiceAccount()})
}

func TestPrincipalBad(t *testing.T) {
	for _, s := range []string{
		"", "*", "spiffe://", "cluster.local", "cluster.local/", "cluster.local/ns/shop/sa/", "cluster.local/ns//sa/web",
		"cluster.local/ns/shop/sa/web/", "cluster.local/ns/shop/sa/web/x", "cluster.local/ns/shop", "cluster.local/sa/web/ns/shop",
		"cluster.local/ns/shop/sa/*", "*/ns/shop/sa/web", "cluster.local/ns/*/sa/web", "cluster.local/ns/shop/sa/web*",
		"Cluster.Local/ns/shop/sa/web", "cluster.local/ns/Shop/sa/web", "cluster.local/ns/shop/sa/Web", "cluster.local/ns/shop.x/sa/web",
		"cluster.local/NS/shop/SA/web", "cluster.local/ns/../sa/web", "cluster.local:80/ns/shop/sa/web", "user@cluster.local/ns/shop/sa/web",
		"spiffe://spiffe://cluster.local/ns/shop/sa/web", "https://cluster.local/ns/shop/sa/web", "cluster.local/ns/shop/sa/web?x", " cluster.local/ns/shop/sa/web",
		"cluster.local/ns/shop/sa/web_1", "cluster.local/ns/shop/sa/w\x00b", "cluster.local/ns/shop/sa/%77eb",
	} {
		p, err := model.ParsePrincipal(s)
		require.Error(t, err, "%q", s)
		assert.True(t, p.IsZero(), "%q", s)
	}
	zero := model.Principal{}
	assert.Empty(t, zero.String())
	assert.Equal(t, model.TrustDomain{}, zero.TrustDomain())
	_, err := model.NewPrincipal(model.TrustDomain{}, "shop", "web")
	require.Error(t, err, "a principal has a trust domain")
	_, err = model.NewPrincipal(spiffeid.RequireTrustDomainFromString("cluster.local"), "shop", "")
	require.EqualError(t, err, `"" is no ServiceAccount name: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`)
}

func TestPort(t *testing.T) {
	for _, n := range []int32{1, 80, 65535} {
		p, err := model.PortNumber(n)
		require.NoError(t, err)
		assert.Equal(t, n, p.Number())
		assert.Empty(t, p.Name())
	}
	for _, n := range []int32{0, -1, 65536, 1 << 30} {
		p, err := model.PortNumber(n)
		require.Error(t, err, "%d", n)
		assert.Equal(t, model.Port{}, p)
	}
	for _, s := range []string{"http", "a", "http-2", "8080x"} {
		p, err := model.PortName(s)
		require.NoError(t, err)
		assert.Equal(t, s, p.String())
		assert.Equal(t, s, p.Name())
	}
	for _, s := range []string{"", "8080", "-1", "HTTP", "http--2", "-http", "http-", "http_2", "sixteen-letters-", "seventeen-letters", "http/2", "http 2", "ä"} {
		p, err := model.PortName(s)
		require.Error(t, err, "%q", s)
		assert.Equal(t, model.Port{}, p)
	}
	_, err := model.PortName("8080")
	require.EqualError(t, err, `"8080" is a number in quotes, and no port name`)
}

func TestProfile(t *testing.T) {
	for name, want := range map[string]struct {
		profile           model.Profile
		enrolls, enforces bool
	}{
		"open":       {model.Open, false, false},
		"permissive": {model.Permissive, true, false},
		"enforced":   {model.Enforced, true, true},
	} {
		p, err := model.ParseProfile(name)
		require.NoError(t, err)
		assert.Equal(t, want.profile, p)
		assert.Equal(t, name, p.String())
		assert.Equal(t, want.enrolls, p.Enrolls())
		assert.Equal(t, want.enforces, p.Enforces())
	}
	for _, s := range []string{"", "Open", "ENFORCED", "enforce", " enforced", "strict", "enforced\n"} {
		_, err := model.ParseProfile(s)
		require.Error(t, err, "%q", s)
	}
	assert.Less(t, model.Open, model.Permissive)
	assert.Less(t, model.Permissive, model.Enforced)
}
