// Package modules is the table of all Ansible modules; each lies in a folder of its own name.
package modules

import (
	accessinfo "github.com/ringfence-dev/ringfence/ansible-modules/access_info"
	accesspolicies "github.com/ringfence-dev/ringfence/ansible-modules/access_policies"
	gatewayhostpolicy "github.com/ringfence-dev/ringfence/ansible-modules/gateway_host_policy"
	gatewayprobe "github.com/ringfence-dev/ringfence/ansible-modules/gateway_probe"
	profileparity "github.com/ringfence-dev/ringfence/ansible-modules/profile_parity"
	tenantpolicy "github.com/ringfence-dev/ringfence/ansible-modules/tenant_policy"
	workloadidentity "github.com/ringfence-dev/ringfence/ansible-modules/workload_identity"
	workloadpolicy "github.com/ringfence-dev/ringfence/ansible-modules/workload_policy"
	"github.com/ringfence-dev/ringfence/internal/ansible"
)

//go:generate go run ../internal/ansibledoc -out collection/plugins/modules

// Modules are all modules, in the order in which people meet them.
var Modules = []ansible.Module{
	accessinfo.Module,
	accesspolicies.Module,
	gatewayhostpolicy.Module,
	workloadpolicy.Module,
	workloadidentity.Module,
	tenantpolicy.Module,
	profileparity.Module,
	gatewayprobe.Module,
}
