package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/krm"
)

// filterSizes are numbers of objects, of which filterOurs are the owner's Deployments.
var filterSizes = []int{1_000, 20_000, 100_000}

const filterOurs = 200

// BenchmarkFilter measures `ringfence render` behind a build of many kinds of
// objects, in which every Deployment of the owner's gets all that the model derives.
func BenchmarkFilter(b *testing.B) {
	for _, size := range filterSizes {
		for _, ours := range []int{0, min(filterOurs, size/5)} {
			b.Run(fmt.Sprintf("%d-of-%d", ours, size), func(b *testing.B) {
				filter, stream := filterInput(b, size, ours)
				b.SetBytes(int64(len(stream)))
				b.ReportAllocs()
				for b.Loop() {
					if status := filter.Render("ringfence render", units, krm.Streams{In: bytes.NewReader(stream), Out: io.Discard, Err: io.Discard}); status != succeeded {
						b.Fatal("it failed")
					}
				}
			})
		}
	}
}

// filterInput returns objects of test/performance's mix, and the filter of an
// owner who has some of the Deployments.
func filterInput(b *testing.B, size, ours int) (krm.Filter, []byte) {
	b.Helper()
	in := goodInput()
	mix := filepath.Join("..", "..", "test", "performance", "mix")
	order, err := os.ReadFile(filepath.Join(mix, "order.txt"))
	require.NoError(b, err)
	var texts []string
	for name := range strings.FieldsSeq(string(order)) {
		text, err := os.ReadFile(filepath.Join(mix, name+".yaml"))
		require.NoError(b, err)
		texts = append(texts, string(text))
	}
	var stream, workloads strings.Builder
	stream.WriteString(in.resources)
	for i := range size {
		text, namespace := texts[i%len(texts)], fmt.Sprintf("ns-%d", i/len(texts)%50)
		if ours > 0 && strings.Contains(text, "kind: Deployment") {
			ours--
			namespace = "shop"
			fmt.Fprintf(&workloads, "  - {name: app-%d, namespace: shop, owner: shop, serviceAccountName: app-%d, selector: {matchLabels: {app.kubernetes.io/name: app-%d}}, enroll: true, ports: [{port: 8080}], callers: [{gateway: edge}, {workload: web}]}\n", i, i, i)
		}
		stream.WriteString("---\n")
		stream.WriteString(strings.NewReplacer("NUMBER", strconv.Itoa(i), "NAMESPACE", namespace).Replace(text))
	}
	require.Zero(b, ours, "the mix has too few Deployments")
	files := map[string]string{"model.yaml": in.model + workloads.String(), "environment.yaml": in.environment}
	dir := b.TempDir()
	for name, text := range files {
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	documents, findings := krm.ReadDocuments([]string{filepath.Join(dir, "model.yaml"), filepath.Join(dir, "environment.yaml")})
	require.False(b, findings.Failed())
	config := v1alpha1.RingfenceSpec{Owner: "shop"}
	return krm.Filter{Documents: documents, Config: config}, []byte(stream.String())
}
