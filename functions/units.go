// Package functions is the table of all functions; each lies in a folder of its own name.
package functions

import (
	accessverifier "github.com/ringfence-dev/ringfence/functions/access-verifier"
	hostpolicygenerator "github.com/ringfence-dev/ringfence/functions/host-policy-generator"
	identitysplitter "github.com/ringfence-dev/ringfence/functions/identity-splitter"
	sidecarenroller "github.com/ringfence-dev/ringfence/functions/sidecar-enroller"
	tenantpolicygenerator "github.com/ringfence-dev/ringfence/functions/tenant-policy-generator"
	workloadpolicygenerator "github.com/ringfence-dev/ringfence/functions/workload-policy-generator"
	"github.com/ringfence-dev/ringfence/internal/krm"
)

// Units are all functions in the order in which they run: identities before the
// policies that trust them, enrollment before enforcement, the verifier last.
var Units = krm.Units{
	identitysplitter.Unit,
	hostpolicygenerator.Unit,
	sidecarenroller.Unit,
	workloadpolicygenerator.Unit,
	tenantpolicygenerator.Unit,
	accessverifier.Unit,
}
