// Package identitysplitter is the function identity-splitter.
package identitysplitter

import (
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
)

// Unit gives the model's workloads and gateways ServiceAccounts of their own,
// in every profile.
var Unit = krm.Unit{
	Name:       "identity-splitter",
	Summary:    "gives each workload and gateway its own ServiceAccount, and its bindings the new subject",
	Components: []string{policy.ComponentBaseline},
	Plan:       identity.Plan,
}
