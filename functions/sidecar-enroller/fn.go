// Package sidecarenroller is the function sidecar-enroller.
package sidecarenroller

import (
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/enrollment"
)

// Unit labels the pod templates of the model's workloads for sidecar injection
// from the permissive rung on. It belongs to the baseline too, which takes the
// label off those below.
var Unit = krm.Unit{
	Name:       "sidecar-enroller",
	Summary:    "labels the model's pod templates for sidecar injection, and no others",
	Components: []string{policy.ComponentBaseline, policy.ComponentEnrollment},
	Plan:       enrollment.Plan,
}
