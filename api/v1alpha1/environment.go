package v1alpha1

// Environment says what differs between environments that share one AccessModel.
type Environment struct {
	TypeMeta `json:",inline"`
	// Metadata of the document.
	Metadata Metadata `json:"metadata"`
	// Spec of the Environment.
	Spec EnvironmentSpec `json:"spec"`
}

// EnvironmentSpec holds one environment's profile, mesh settings and host names.
type EnvironmentSpec struct {
	// Tier says what kind of environment this is. Production asks for more: the enforced profile and no overrides.
	// +enum=local;dev;staging;production
	Tier string `json:"tier"`
	// SecurityProfile is the rung of the ladder: open (neither sidecars nor policies), permissive
	// (sidecars) or enforced (sidecars, STRICT mTLS and ALLOW policies).
	// +enum=open;permissive;enforced
	SecurityProfile string `json:"securityProfile"`
	// Overrides hold single workloads and gateways on a lower rung, for canaries. Every report lists them.
	Overrides []Override `json:"overrides,omitempty"`
	// Absent lists what this environment doesn't have.
	Absent Absent `json:"absent,omitzero"`
	// Istio describes the mesh.
	Istio Istio `json:"istio,omitzero"`
	// DNS maps a name that the model's hostRefs use to its hosts in this environment. A host is a DNS name
	// without scheme, port or path; "*." may lead it.
	DNS map[string][]string `json:"dns,omitempty"`
}

// Override puts one workload or gateway on a rung below the environment's. Exactly one of the two is named.
// +oneOf=workload;gateway
type Override struct {
	// Workload by its name in the model.
	Workload string `json:"workload,omitempty"`
	// Gateway by its name in the model.
	Gateway string `json:"gateway,omitempty"`
	// SecurityProfile of it: lower than the environment's.
	// +enum=open;permissive
	SecurityProfile string `json:"securityProfile"`
}

// Absent lists entries of the model that are not deployed in an environment.
// Nothing is rendered for them, and their principals are left out of every policy.
type Absent struct {
	// Gateways by their names in the model.
	Gateways []string `json:"gateways,omitempty"`
	// Workloads by their names in the model.
	Workloads []string `json:"workloads,omitempty"`
}

// Istio describes the mesh of an environment.
type Istio struct {
	// Version of istiod and the proxies, such as "1.31.4".
	// +format=version
	Version string `json:"version,omitempty"`
	// TrustDomain of the mesh. Default: cluster.local.
	// +format=trust-domain
	TrustDomain string `json:"trustDomain,omitempty"`
	// TrustDomainAliases are former trust domains that the mesh still accepts.
	// +format=trust-domain
	TrustDomainAliases []string `json:"trustDomainAliases,omitempty"`
	// RootNamespace holds mesh-wide policies. Default: istio-system.
	// +format=dns-label
	RootNamespace string `json:"rootNamespace,omitempty"`
	// Revision of the control plane that injects; "", "default" or absent where the default tag exists.
	Revision *string `json:"revision,omitempty"`
	// NativeSidecars says that proxies are injected as native sidecars (init containers that
	// restart always), which Jobs need in order to finish. Default: false.
	NativeSidecars bool `json:"nativeSidecars,omitempty"`
}
