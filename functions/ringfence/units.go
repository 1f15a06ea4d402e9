package main

import (
	accessverifier "github.com/ringfence-dev/ringfence/functions/access-verifier"
	hostpolicygenerator "github.com/ringfence-dev/ringfence/functions/host-policy-generator"
	sidecarenroller "github.com/ringfence-dev/ringfence/functions/sidecar-enroller"
	workloadpolicygenerator "github.com/ringfence-dev/ringfence/functions/workload-policy-generator"
	"github.com/ringfence-dev/ringfence/internal/krm"
)

// units are all functions in the order in which they run: identities before the
// policies that trust them, enrollment before enforcement, the verifier last.
var units = krm.Units{
	hostpolicygenerator.Unit,
	sidecarenroller.Unit,
	workloadpolicygenerator.Unit,
	accessverifier.Unit,
}
