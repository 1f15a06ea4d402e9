package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// TestTenantGoes takes a tenant's Deployment away, and leaves an orphan behind.
func TestTenantGoes(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, first())
	others := p.others(t)
	delete(others, p.text("Deployment TENANT/runner"))
	const task = "\n  - name: Tenants\n    ringfence.mesh.tenant_policy: {namespace: TENANT}\n"
	play := p.play(t, p.server.Admin(), task, nil)
	p.controller.Succeed(t, play)
	assert.Equal(t, []string{"AuthorizationPolicy runner-service-gateway"}, p.policies(t))
	require.NoError(t, p.resources(t, cluster.Deployment, p.tenant).Delete(t.Context(), "runner", metav1.DeleteOptions{}))
	require.Eventually(t, func() bool { return len(p.policies(t)) == 0 }, time.Minute, 100*time.Millisecond, "the policy goes with its workload")

	p.apply(t, "ringfence", p.tenant, policy("gone-service-gateway", "OWNER", "gone"))
	policies := p.resources(t, cluster.AuthorizationPolicy, p.tenant)
	orphan, err := policies.Get(t.Context(), "gone-service-gateway", metav1.GetOptions{})
	require.NoError(t, err)
	orphan.SetAnnotations(map[string]string{"ringfence.dev/source": "tenants/profiles"})
	_, err = policies.Update(t.Context(), orphan, metav1.UpdateOptions{FieldManager: "ringfence"})
	require.NoError(t, err)
	assert.True(t, p.controller.Succeed(t, p.play(t, p.server.Admin(), task, nil)).Task(t, "Tenants").Changed())
	assert.Empty(t, p.policies(t), "an orphan of ours is removed")
	assert.Equal(t, others, p.others(t))
}
