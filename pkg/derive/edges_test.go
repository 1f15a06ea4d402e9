package derive_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

func TestEdges(t *testing.T) {
	identity := func(s string) model.Identity {
		p, err := model.ParsePrincipal("cluster.local/ns/app/sa/" + s)
		require.NoError(t, err)
		return model.Identity{Principal: p}
	}
	web := &model.Workload{Name: "web", Identity: identity("web"), Profile: model.Enforced}
	gone := &model.Workload{Name: "gone", Identity: identity("gone"), Absent: true}
	outside := identity("outside").Principal
	callers := []model.Caller{{Workload: web}, {Workload: gone}, {Principal: outside}}

	api := &model.Workload{Name: "api", Profile: model.Enforced, Protected: true, Callers: callers}
	platform := &model.Platform{Workloads: []*model.Workload{
		web, gone, api,
		{Name: "permissive", Profile: model.Permissive, Protected: true, Callers: callers},
		{Name: "absent", Profile: model.Enforced, Protected: true, Callers: callers, Absent: true},
		{Name: "nobody", Profile: model.Enforced, Protected: true},
	}}
	assert.Equal(t, []derive.Edge{
		{From: "workload web", Principals: []model.Principal{web.Identity.Principal}, To: api},
		{From: "principal cluster.local/ns/app/sa/outside", Principals: []model.Principal{outside}, To: api},
	}, derive.Edges(platform))
}
