// Package tenantpolicygenerator is the function tenant-policy-generator.
package tenantpolicygenerator

import (
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/tenantpolicy"
)

// Unit gives each tenant workload a policy of its own, in every profile:
// tenant namespaces are in the mesh anyway, and without the policy the callers
// get 403 from it.
var Unit = krm.Unit{
	Name:       "tenant-policy-generator",
	Summary:    "writes one AuthorizationPolicy for each tenant Deployment and InferenceService",
	Components: []string{policy.ComponentTenants},
	Plan:       tenantpolicy.Plan,
}
