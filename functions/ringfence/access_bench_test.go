package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/internal/krm"
)

// manyShops returns Deployments, each with a Service and a policy of its own, as
// kustomize writes them.
func manyShops(size int) string {
	var b strings.Builder
	for i := range size {
		fmt.Fprintf(&b, `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[1]d
  namespace: ns-%[2]d
spec:
  template:
    metadata:
      labels:
        app: app-%[1]d
        sidecar.istio.io/inject: "true"
    spec:
      containers:
      - image: registry.example.org/app:1.0.0
        name: main
        ports:
        - containerPort: 3000
      serviceAccountName: app-%[1]d
---
apiVersion: v1
kind: Service
metadata:
  name: app-%[1]d
  namespace: ns-%[2]d
spec:
  ports:
  - name: http
    port: 80
    targetPort: 3000
  selector:
    app: app-%[1]d
---
apiVersion: security.istio.io/v1
kind: AuthorizationPolicy
metadata:
  name: app-%[1]d
  namespace: ns-%[2]d
spec:
  rules:
  - from:
    - source:
        principals:
        - cluster.local/ns/ns-%[2]d/sa/app-%[3]d
    to:
    - operation:
        ports:
        - "3000"
  selector:
    matchLabels:
      app: app-%[1]d
---
`, i, i%50, (i+50)%size)
	}
	return b.String()
}

// BenchmarkAccess measures commands as a whole, from text to text, over so many
// workloads of which no two are alike.
func BenchmarkAccess(b *testing.B) {
	for _, size := range []int{200, 2_000} {
		text := manyShops(size)
		for name, args := range map[string][]string{
			"matrix": {"matrix", "-"}, "explain": {"explain", "ns-0/app-0", "ns-0/app-50", "-"}, "graph": {"graph", "-o", "html", "-"},
		} {
			b.Run(fmt.Sprint(name, "/", size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					status := run("ringfence", append([]string{"access"}, args...), krm.Streams{In: strings.NewReader(text), Out: io.Discard, Err: io.Discard})
					require.Equal(b, succeeded, status)
				}
			})
		}
	}
}
