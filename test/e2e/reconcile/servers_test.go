package reconcile_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

// TestServerWithoutIstio takes Istio's policies from an API server, which dies in
// the middle of a run besides, and comes back.
func TestServerWithoutIstio(t *testing.T) {
	t.Parallel()
	bin, err := cluster.Bin()
	require.NoError(t, err)
	dir := t.TempDir()
	own, err := cluster.Start(t.Context(), dir, bin)
	require.NoError(t, err)
	t.Cleanup(func() { own.Stop() }) // the one that runs then, and after the platform's own clean-up
	p := newPlatformOn(t, own, first())
	others := p.others(t)

	// It dies at the write that follows the rollout, by SIGKILL, and its etcd with it.
	proxy := p.proxy(t)
	proxy.On(http.MethodPut, "/gateways/web", 1, func(http.ResponseWriter, *http.Request, http.Handler) { own.Stop(); proxy.Stop() })
	_, failed := p.controller.Fail(t, p.play(t, proxy.Access(), oneGateway, nil))
	assertFailed(t, failed, rerun, gatewayChanges[:2])

	own, err = cluster.Start(t.Context(), dir, bin)
	require.NoError(t, err)
	p.server = own
	assert.Empty(t, p.policies(t))
	assert.Equal(t, others, p.others(t))
	p.assertConverges(t, others)

	crds := p.resources(t, cluster.CustomResourceDefinition, "")
	const name = "authorizationpolicies.security.istio.io"
	definition, err := crds.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	require.NoError(t, crds.Delete(t.Context(), name, metav1.DeleteOptions{}))
	require.Eventually(t, func() bool {
		_, err := p.resources(t, cluster.AuthorizationPolicy, p.namespace).List(t.Context(), metav1.ListOptions{})
		return apierrors.IsNotFound(err)
	}, time.Minute, 100*time.Millisecond)
	_, failed = p.controller.Fail(t, p.play(t, own.Admin(), oneGateway, nil))
	assertFailed(t, failed, "doesn't serve authorizationpolicies of security.istio.io/v1: install its CRDs (Istio's are in the chart istio-base)", nil)

	definition.SetResourceVersion("")
	definition.SetUID("")
	_, err = crds.Create(t.Context(), definition, metav1.CreateOptions{})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := p.resources(t, cluster.AuthorizationPolicy, p.namespace).List(t.Context(), metav1.ListOptions{})
		return err == nil
	}, time.Minute, 100*time.Millisecond)
	p.assertConverges(t, p.others(t))
}
