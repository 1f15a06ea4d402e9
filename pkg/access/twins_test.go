package access_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// TestTwins is a Deployment that the objects hold twice, with a proxy and without:
// of neither it is said that somebody reaches it.
func TestTwins(t *testing.T) {
	m := meshOf(t, access.Settings{}, `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: server, namespace: app}, spec: {template: {metadata: {labels: {app: server, sidecar.istio.io/inject: "true"}}, spec: {containers: [{name: main, ports: [{containerPort: 8080}]}]}}}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: server, namespace: app}, spec: {template: {metadata: {labels: {app: server}}, spec: {containers: [{name: main, ports: [{containerPort: 8080}]}]}}}}`)
	require.Len(t, m.Unjudged, 1)
	matrix := m.Matrix()
	require.Len(t, matrix.Ports, 2)
	for _, verdicts := range matrix.Verdicts {
		assert.Equal(t, []truth.Value{truth.Unknown, truth.Unknown}, verdicts)
	}
}

// TestGeneratedNames are Jobs that an API server names: a cluster has all of them.
// Those whose names begin alike can't be told apart, and of them nothing is said.
func TestGeneratedNames(t *testing.T) {
	const migrate, seed, other = `{apiVersion: batch/v1, kind: Job, metadata: {generateName: migrate-, namespace: app}, spec: {template: {metadata: {labels: {app: migrate}}, spec: {containers: [{name: main, ports: [{containerPort: 8080}]}]}}}}`,
		`{apiVersion: batch/v1, kind: Job, metadata: {generateName: seed-, namespace: app}, spec: {template: {metadata: {labels: {app: seed}}, spec: {containers: [{name: main}]}}}}`,
		`{apiVersion: batch/v1, kind: Job, metadata: {generateName: seed-, namespace: app}, spec: {template: {metadata: {labels: {app: seed-again}}, spec: {containers: [{name: main}]}}}}`
	m := meshOf(t, access.Settings{}, migrate, seed)
	assert.Empty(t, m.Unjudged)
	request := access.Request{From: access.Subject{Workload: workload(t, m, "app/seed-")}, To: workload(t, m, "Job/app/migrate-"), Port: 8080}
	assert.Equal(t, truth.Yes, m.Judge(request).Allowed)

	m = meshOf(t, access.Settings{}, migrate, seed, other)
	require.NotEmpty(t, m.Unjudged)
	assert.Equal(t, "several objects have its generateName and differ, and nobody can tell them apart", m.Unjudged[0].Reason)
	request = access.Request{To: workload(t, m, "app/migrate-"), Port: 8080}
	assert.Equal(t, truth.Unknown, m.Judge(request).Allowed)
}
