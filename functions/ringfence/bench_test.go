package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/kio"

	"github.com/ringfence-dev/ringfence/internal/krm"
)

// sizes are numbers of Deployments. Time and memory are to grow as they do.
var sizes = []int{100, 1_000, 2_000, 10_000}

// benchOurs is how many of the Deployments are the owner's.
const benchOurs = 10

// benchInput returns a list of Deployments of which ten are the model's, as they
// are once every function has run.
func benchInput(b *testing.B, size int) []byte {
	b.Helper()
	in := goodInput()
	var workloads, resources strings.Builder
	for i := range size {
		namespace := fmt.Sprintf("ns-%d", i%50)
		if i < benchOurs {
			namespace = "shop"
			fmt.Fprintf(&workloads, "  - {name: app-%d, namespace: shop, owner: shop, serviceAccountName: sa-%d, enroll: true, ports: [{port: 3000}], callers: [{gateway: edge}]}\n", i, i)
		}
		fmt.Fprintf(&resources, benchDeployment, i, namespace)
	}
	at := strings.Index(in.model, "  workloads:\n") + len("  workloads:\n")
	in.model = in.model[:at] + workloads.String()
	in.resources = resources.String()
	list := in.list(b)
	var out bytes.Buffer
	status := krm.Function("ringfence", units, krm.Streams{In: bytes.NewReader(list), Out: &out, Err: io.Discard})
	require.Equal(b, succeeded, status)
	return out.Bytes()
}

// BenchmarkUnits measures each function on a list on which it has nothing to change.
func BenchmarkUnits(b *testing.B) {
	for _, size := range sizes {
		input := benchInput(b, size)
		for _, unit := range append(units.Names(), "ringfence") {
			b.Run(fmt.Sprintf("%s/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(len(input)))
				b.ReportAllocs()
				for b.Loop() {
					if status := krm.Function(unit, units, krm.Streams{In: bytes.NewReader(input), Out: io.Discard, Err: io.Discard}); status != succeeded {
						b.Fatal("it failed")
					}
				}
			})
		}
	}
}

// BenchmarkKyaml is what any function pays that reads and writes the list with kyaml.
func BenchmarkKyaml(b *testing.B) {
	for _, size := range sizes {
		input := benchInput(b, size)
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(input)))
			b.ReportAllocs()
			for b.Loop() {
				nodes, err := (&kio.ByteReader{Reader: bytes.NewReader(input)}).Read()
				if err != nil {
					b.Fatal(err)
				}
				if err := (kio.ByteWriter{Writer: io.Discard, WrappingKind: kio.ResourceListKind, WrappingAPIVersion: kio.ResourceListAPIVersion}).Write(nodes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

const benchDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-%[1]d
  namespace: %[2]s
  labels:
    app: app-%[1]d
    app.kubernetes.io/part-of: bench
  annotations:
    example.org/description: "some text: with a colon"
spec:
  replicas: 2
  selector:
    matchLabels:
      app: app-%[1]d
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        app: app-%[1]d
    spec:
      serviceAccountName: sa-%[1]d
      imagePullSecrets:
      - name: registry
      containers:
      - name: main
        image: example.org/app-%[1]d:1.0
        args:
        - --listen=:3000
        - --verbose
        env:
        - name: MODE
          value: "1"
        - name: TOKEN
          valueFrom:
            secretKeyRef:
              name: token
              key: value
        ports:
        - name: http
          containerPort: 3000
        resources:
          requests:
            cpu: 100m
            memory: 128Mi
          limits:
            memory: 256Mi
        readinessProbe:
          httpGet:
            path: /healthz
            port: http
---
`
