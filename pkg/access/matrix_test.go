package access_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// TestMatrixIsJudge compares the matrix with an answer to each pair.
func TestMatrixIsJudge(t *testing.T) {
	network := `
{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: web, namespace: themelio}, spec: {podSelector: {matchLabels: {app: web}}, ingress: [{from: [{namespaceSelector: {}, podSelector: {matchExpressions: [{key: app, operator: Exists}]}}]}]}}
---
{apiVersion: networking.istio.io/v1, kind: DestinationRule, metadata: {name: plain, namespace: themelio}, spec: {host: k8s-root-actor, trafficPolicy: {tls: {mode: DISABLE}}}}
`
	for _, name := range []string{"staging", "staging-permissive", "dev"} {
		m := meshOf(t, access.Settings{}, environment(t, name), strangers, network)
		matrix := m.Matrix()
		pairs, subjects := 0, 0
		for i, subject := range matrix.Subjects {
			members := subject.Members
			if len(members) == 0 {
				assert.Equal(t, len(matrix.Subjects)-1, i, "who is outside comes last")
				members = []*access.Workload{nil}
			}
			subjects += len(members)
			for j, port := range matrix.Ports {
				for _, to := range matrix.Destinations[port.Group].Members {
					for _, from := range members {
						pairs++
						want := m.Judge(access.Request{From: access.Subject{Workload: from}, To: to, Port: port.Number})
						assert.Equal(t, want.Allowed, matrix.Verdicts[i][j], "%s: %v -> %s:%d", name, from, to, port.Number)
					}
				}
			}
		}
		assert.Equal(t, len(m.Workloads)+1, subjects, "each workload stands in one group")
		assert.Greater(t, pairs, 200)
	}
}

// big returns a platform of deployments, each with a Service and a policy of its own.
func big(size int) string {
	var b strings.Builder
	for i := range size {
		namespace := fmt.Sprintf("ns-%d", i%50)
		fmt.Fprintf(&b, `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: app-%[1]d, namespace: %[2]s}, spec: {template: {metadata: {labels: {app: app-%[1]d, sidecar.istio.io/inject: "true"}}, spec: {serviceAccountName: sa-%[3]d, containers: [{name: main, ports: [{containerPort: 3000}]}]}}}}
---
{apiVersion: v1, kind: Service, metadata: {name: app-%[1]d, namespace: %[2]s}, spec: {selector: {app: app-%[1]d}, ports: [{name: http, port: 80, targetPort: 3000}]}}
---
{apiVersion: security.istio.io/v1, kind: AuthorizationPolicy, metadata: {name: app-%[1]d, namespace: %[2]s}, spec: {selector: {matchLabels: {app: app-%[1]d}}, rules: [{from: [{source: {principals: [cluster.local/ns/%[2]s/sa/sa-%[4]d]}}], to: [{operation: {ports: ["3000"]}}]}]}}
---`, i, namespace, i/50, (i/50+1)%40)
	}
	return b.String()
}

// BenchmarkMatrix judges every pair of so many workloads, each with a policy of its own.
func BenchmarkMatrix(b *testing.B) {
	for _, size := range []int{200, 2_000} {
		text := big(size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				m := meshOf(b, access.Settings{}, text)
				b.StartTimer()
				matrix := m.Matrix()
				require.Equal(b, truth.No, matrix.Verdicts[len(matrix.Verdicts)-1][0])
			}
		})
	}
}
