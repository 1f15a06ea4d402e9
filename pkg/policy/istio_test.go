package policy_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
)

// The model refuses these entries, so that no case can show them: were one to
// get through, its policy would admit nobody, and not everybody.
func TestIncompleteEntriesAdmitNobody(t *testing.T) {
	origin := policy.Origin{Owner: "app", Model: "platform"}
	principal, err := model.ParsePrincipal("cluster.local/ns/app/sa/web")
	require.NoError(t, err)
	port, err := model.PortNumber(8080)
	require.NoError(t, err)
	caller := []model.Caller{{Principal: principal}}
	selector := map[string]string{"app": "api"}

	for reason, object := range map[string]policy.Object{
		"a destination without ports":   origin.WorkloadPolicy(&model.Workload{Selector: selector, Callers: caller}, nil),
		"a destination without callers": origin.WorkloadPolicy(&model.Workload{Selector: selector}, []model.Port{port}),
		"a gateway without hosts":       origin.HostPolicy(&model.Gateway{Selector: selector}),
		"tenants without callers":       origin.TenantPolicy(&model.Tenant{}, "tenant", "runner", selector, port),
	} {
		want := map[string]any{"action": "ALLOW", "selector": map[string]any{"matchLabels": map[string]any{"app": "api"}}}
		assert.Equal(t, want, object.Body["spec"], reason)
	}
}
