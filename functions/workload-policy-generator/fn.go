// Package workloadpolicygenerator is the function workload-policy-generator.
package workloadpolicygenerator

import (
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/workloadpolicy"
)

// Unit protects the model's destinations in the enforced profile. It belongs to
// the baseline too, which removes the policies of those below.
var Unit = krm.Unit{
	Name:       "workload-policy-generator",
	Summary:    "writes an AuthorizationPolicy of callers and ports, and STRICT mTLS, for each destination",
	Components: []string{policy.ComponentBaseline, policy.ComponentEnforcement},
	Plan:       workloadpolicy.Plan,
}
