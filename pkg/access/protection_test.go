package access_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ringfence-dev/ringfence/pkg/access"
)

// TestProtection is what counts as enforced, by what a policy or a mode does.
func TestProtection(t *testing.T) {
	const pods = `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: cart, namespace: shop}, spec: {template: {metadata: {labels: {app: cart, sidecar.istio.io/inject: "true"}}, spec: {containers: [{name: main, ports: [{containerPort: 8080}]}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: bare, namespace: shop}, spec: {template: {metadata: {labels: {app: bare}}, spec: {containers: [{name: main, ports: [{containerPort: 8080}]}]}}}}
`
	policy := func(spec string) string {
		return `{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: a, namespace: shop}, spec: {` + spec + `}}`
	}
	const strict = `{apiVersion: security.istio.io/v1, kind: PeerAuthentication, metadata: {name: default, namespace: istio-system}, spec: {mtls: {mode: STRICT}}}`
	for name, c := range map[string]struct {
		object string
		want   access.Protection
	}{
		"nothing":       {`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}`, access.Protection{}},
		"strict":        {strict, access.Protection{Strict: true}},
		"empty-rule":    {policy(`rules: [{}]`), access.Protection{}},
		"no-rules":      {policy(``), access.Protection{Scoped: true}},
		"deny":          {policy(`action: DENY, rules: [{from: [{source: {principals: [cluster.local/ns/a/sa/b]}}]}]`), access.Protection{}},
		"callers":       {policy(`rules: [{from: [{source: {principals: [old/ns/a/sa/b, cluster.local/ns/a/sa/b, cluster.local/ns/a/sa/a]}}]}]`), access.Protection{Scoped: true, Callers: []string{"example.org/ns/a/sa/a", "example.org/ns/a/sa/b"}}},
		"beside-a-hole": {policy(`rules: [{from: [{source: {principals: [cluster.local/ns/a/sa/b]}}]}, {to: [{operation: {paths: [/a]}}]}]`), access.Protection{Callers: []string{"example.org/ns/a/sa/b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := meshOf(t, access.Settings{TrustDomain: "example.org", TrustDomainAliases: []string{"old"}}, pods, c.object)
			assert.Equal(t, c.want, m.Protection(workload(t, m, "shop/cart")))
			assert.Zero(t, m.Protection(workload(t, m, "shop/bare")), "nothing stands before pods without a proxy")
		})
	}
}
