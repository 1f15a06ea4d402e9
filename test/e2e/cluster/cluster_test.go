package cluster_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/ringfence-dev/ringfence/test/e2e/cluster"
)

var server *cluster.Server

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	bin, err := cluster.Bin()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	if server, err = cluster.Start(context.Background(), dir, bin); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer server.Stop()
	return m.Run()
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web, sidecar.istio.io/inject: "true"}}
    spec:
      serviceAccountName: web
      containers: [{name: web, image: example.org/web}]
`

// TestControllers looks at what stands in for the rest of a cluster.
func TestControllers(t *testing.T) {
	ctx := t.Context()
	namespace, err := server.Namespace(ctx, "controllers", nil)
	require.NoError(t, err)
	require.NoError(t, server.Client.Apply(ctx, "test", namespace, []byte(deployment)))
	available := func() int64 {
		o, err := server.Client.Get(ctx, cluster.Deployment, namespace, "web")
		require.NoError(t, err)
		n, _, err := unstructured.NestedInt64(o.Object, "status", "availableReplicas")
		require.NoError(t, err)
		return n
	}
	require.Eventually(t, func() bool { return available() == 1 }, 20*time.Second, 100*time.Millisecond)
	pods, err := server.Client.Kind(ctx, cluster.Pod, namespace)
	require.NoError(t, err)
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "app=web"})
	require.NoError(t, err)
	require.Len(t, list.Items, 1)
	inits, _, err := unstructured.NestedSlice(list.Items[0].Object, "spec", "initContainers")
	require.NoError(t, err)
	require.Len(t, inits, 1, "the sidecar is injected")
}

func TestProxy(t *testing.T) {
	ctx := t.Context()
	proxy, err := server.Proxy(server.Admin(), cluster.Valid())
	require.NoError(t, err)
	defer proxy.Stop()
	client, err := cluster.NewClient(proxy.Access())
	require.NoError(t, err)
	proxy.On(http.MethodGet, "/namespaces/default$", 1, cluster.Status(http.StatusInternalServerError, metav1.StatusReasonInternalError, "no leader"))
	_, err = client.Get(ctx, cluster.Namespace, "", "default")
	require.ErrorContains(t, err, "no leader")
	_, err = client.Get(ctx, cluster.Namespace, "", "default")
	require.NoError(t, err, "it was for one request")
	assert.NotEmpty(t, proxy.Requests())

	expired, err := server.Proxy(server.Admin(), cluster.Expired())
	require.NoError(t, err)
	defer expired.Stop()
	client, err = cluster.NewClient(expired.Access())
	if err == nil {
		_, err = client.Get(ctx, cluster.Namespace, "", "default")
	}
	require.ErrorContains(t, err, "certificate has expired")
}

func TestUsers(t *testing.T) {
	ctx := t.Context()
	user, err := server.User(cluster.Valid(), "somebody")
	require.NoError(t, err)
	client, err := cluster.NewClient(user)
	require.NoError(t, err)
	_, err = client.Get(ctx, cluster.Namespace, "", "default")
	require.ErrorContains(t, err, "forbidden")
	require.NoError(t, server.Grant(ctx, "somebody", "", cluster.Rule{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"}}))
	require.Eventually(t, func() bool { // once the API server has heard of the role
		_, err := client.Get(ctx, cluster.Namespace, "", "default")
		return err == nil
	}, 30*time.Second, 50*time.Millisecond)
}
