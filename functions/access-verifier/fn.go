// Package accessverifier is the function access-verifier.
package accessverifier

import (
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/verify"
)

// Unit changes nothing: it fails when the build doesn't hold what the model
// derives, or holds more.
var Unit = krm.Unit{
	Name:       "access-verifier",
	Summary:    "returns its input unchanged, or fails: every rule of the catalogue over the end state",
	Components: []string{krm.Always},
	Plan:       verify.Plan,
	Judges:     true,
}
