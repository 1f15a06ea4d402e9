// Package hostpolicygenerator is the function host-policy-generator.
package hostpolicygenerator

import (
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/hostpolicy"
)

// Unit writes one host value into Gateways, VirtualServices and consumers in
// every profile, and the gateways' AuthorizationPolicies in the enforced one.
var Unit = krm.Unit{
	Name:       "host-policy-generator",
	Summary:    "writes one host value into Gateway, VirtualService, AuthorizationPolicy and consumers",
	Components: []string{policy.ComponentBaseline, policy.ComponentEnforcement},
	Plan:       hostpolicy.Plan,
}
