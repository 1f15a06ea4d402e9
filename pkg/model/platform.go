package model

import (
	"slices"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Platform is one AccessModel in one Environment: valid, with defaults, and
// with every reference resolved. It is not changed once parsed.
type Platform struct {
	// Name is the AccessModel's, Environment the Environment's.
	Name, Environment string
	Tier              string
	Profile           Profile
	Istio             Istio

	Owners    []Owner
	Gateways  []*Gateway
	Workloads []*Workload
	Consumers []*Consumer
	Tenants   []*Tenant
	Retired   []resource.Ref
	// Hosts are the Environment's, by the names in its dns.
	Hosts map[string][]Host
	// Overrides are the workloads and gateways below the Environment's profile.
	Overrides []Override
}

// ProductionTier is the tier that asks for more.
const ProductionTier = "production"

// Istio is the mesh that an Environment describes.
type Istio struct {
	Version            string
	TrustDomain        TrustDomain
	TrustDomainAliases []TrustDomain
	RootNamespace      string
	Revision           string // empty where the default tag exists
	NativeSidecars     bool
}

// Tool is what writes an owner's objects.
type Tool string

// The tools. An External owner's objects are checked, never written and never pruned.
const (
	GitOps   Tool = "GitOps"
	Ansible  Tool = "Ansible"
	External Tool = "External"
)

// Owner is one who owns objects.
type Owner struct {
	Name string
	Tool Tool
	// SyncWaves of its generated objects in Argo CD.
	SyncWaves SyncWaves
}

// SyncWaves are Argo CD's sync waves; 0 is the one of objects that don't say.
type SyncWaves struct{ ServiceAccounts, Policies int32 }

// Owner returns the owner of a name.
func (p *Platform) Owner(name string) (Owner, bool) {
	i := slices.IndexFunc(p.Owners, func(o Owner) bool { return o.Name == name })
	if i < 0 {
		return Owner{}, false
	}
	return p.Owners[i], true
}

// Identity is who a workload or gateway is to those it calls.
type Identity struct {
	Principal Principal
	// Previous are principals that a rename is leaving; they are trusted beside Principal.
	Previous []Principal
}

// All returns the principals to trust, the new one first.
func (i Identity) All() []Principal { return append([]Principal{i.Principal}, i.Previous...) }

// Gateway is one ingress gateway in this environment.
type Gateway struct {
	Name, Namespace, Owner string
	Deployment             string
	Identity               Identity
	// Selector of its pods; nil when TargetRef is set.
	Selector map[string]string
	// TargetRef is the Gateway API Gateway that the policy attaches to; zero when Selector is set.
	TargetRef resource.Ref
	// Hosts that it serves here; none only when the gateway is absent or has no host policy.
	Hosts []Host
	// HostPorts that clients may write beside a wildcard host.
	HostPorts []Port
	Routes    []Route
	// HostPolicy says whether an AuthorizationPolicy of ours is its.
	HostPolicy bool
	// Profile is its rung: the environment's or an override.
	Profile Profile
	// Absent says that this environment doesn't have it.
	Absent bool
}

// Route is an object that holds a gateway's hosts.
type Route struct {
	Ref   resource.Ref
	Owner string
	// Servers are the port names that it is narrowed to; empty means all.
	Servers []string
	Hosts   []Host
}

// Workload is one application in this environment.
type Workload struct {
	Name, Namespace, Owner string
	// TargetRefs hold its pod templates; empty when PodTemplates is set.
	TargetRefs []resource.Ref
	// PodTemplates selects pod templates by their labels; nil when TargetRefs is set.
	PodTemplates labels.Selector
	// Selector of its pods in policies.
	Selector               map[string]string
	Identity               Identity
	RoleBindings           []resource.Ref
	Enroll                 bool
	Ports                  []Port
	Callers                []Caller
	Protected              bool // callers were given, so that it has a policy; without Callers nobody is admitted
	PolicyName             string
	PeerAuthenticationName string
	// Profile is its rung: the environment's or an override.
	Profile Profile
	// Absent says that this environment doesn't have it.
	Absent bool
}

// Enrolled reports whether its pods get a sidecar here.
func (w *Workload) Enrolled() bool { return w.Enroll && w.Profile.Enrolls() && !w.Absent }

// Caller is one who may reach a destination. Exactly one field is set.
type Caller struct {
	Workload  *Workload
	Gateway   *Gateway
	Principal Principal
}

// Absent reports whether this environment doesn't have the caller.
func (c Caller) Absent() bool {
	return c.Workload != nil && c.Workload.Absent || c.Gateway != nil && c.Gateway.Absent
}

// Principals returns the principals to trust.
func (c Caller) Principals() []Principal {
	switch {
	case c.Workload != nil:
		return c.Workload.Identity.All()
	case c.Gateway != nil:
		return c.Gateway.Identity.All()
	default:
		return []Principal{c.Principal}
	}
}

// String names the caller as the model does: "workload web".
func (c Caller) String() string {
	switch {
	case c.Workload != nil:
		return "workload " + c.Workload.Name
	case c.Gateway != nil:
		return "gateway " + c.Gateway.Name
	default:
		return "principal " + c.Principal.String()
	}
}

// Consumer is an environment variable that holds a derived value.
type Consumer struct {
	Owner     string
	Target    resource.Ref
	Container string // empty: those that have the variable, else the first
	Env       string
	// Value is what it must be; empty when its source or its target is absent here.
	Value string
	// Source says what the value is derived from: "host service", "gateway web".
	Source string
}

// Tenant is a group of namespaces whose workloads get a policy each.
type Tenant struct {
	Name, Owner string
	Namespaces  labels.Selector
	Callers     []Caller
	Workloads   []TenantWorkload
	Exclude     []TenantExclusion
}

// TenantWorkload is one kind of tenant workload.
type TenantWorkload struct {
	Kind         string // Deployment or InferenceService
	Selector     labels.Selector
	SelectorKeys []string
	DefaultPort  Port
	Enroll       bool
}

// TenantExclusion matches tenant workloads that get no policy; empty fields match all.
type TenantExclusion struct {
	Kind, Namespace, Name string
	Selector              labels.Selector
}

// Override is one entry that an Environment holds on a lower rung.
type Override struct {
	Section string // "workloads" or "gateways"
	Name    string
	Profile Profile
}
