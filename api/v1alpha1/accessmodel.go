package v1alpha1

// AccessModel says who may reach what, in every environment: the one input that
// hosts, principals and boundaries are derived from.
type AccessModel struct {
	TypeMeta `json:",inline"`
	// Metadata of the document.
	Metadata Metadata `json:"metadata"`
	// Spec of the model.
	Spec AccessModelSpec `json:"spec"`
}

// AccessModelSpec holds the model's sections. Names are unique within a section.
type AccessModelSpec struct {
	// Owners is the closed list of who owns objects. Each object that can be derived has one owner.
	Owners []Owner `json:"owners"`
	// GatewayDefaults apply to every gateway that doesn't say otherwise.
	GatewayDefaults GatewayDefaults `json:"gatewayDefaults,omitzero"`
	// Gateways are the ingress gateways: their identities, hosts and routes.
	Gateways []Gateway `json:"gateways,omitempty"`
	// Workloads are the applications: their identities, enrollment and callers.
	Workloads []Workload `json:"workloads,omitempty"`
	// Consumers are objects into which a derived value is written.
	Consumers []Consumer `json:"consumers,omitempty"`
	// Retired lists leftovers that no build may carry any more.
	Retired []ObjectReference `json:"retired,omitempty"`
	// Tenants are groups of namespaces whose workloads get one policy each.
	Tenants []Tenant `json:"tenants,omitempty"`
}

// Owner is an application, a role, or something whose objects are only judged.
type Owner struct {
	// Name by which the rest of the model, a build and a role refer to it; a label value.
	// +format=label-value
	Name string `json:"name"`
	// Tool that writes its objects: GitOps (a kustomize or kpt build), Ansible (a role) or
	// External (checked, never written and never pruned).
	// +enum=GitOps;Ansible;External
	Tool string `json:"tool"`
	// SyncWaves orders the owner's generated objects in Argo CD.
	SyncWaves SyncWaves `json:"syncWaves,omitzero"`
}

// SyncWaves are the values of the annotation argocd.argoproj.io/sync-wave. Argo CD applies a wave
// once those of smaller numbers are healthy. What has no annotation, and what is 0 here, is of wave 0.
type SyncWaves struct {
	// ServiceAccounts is the wave of generated ServiceAccounts; below the pods' own wave, they are there first.
	ServiceAccounts int32 `json:"serviceAccounts,omitempty"`
	// Policies is the wave of AuthorizationPolicies and PeerAuthentications; above the pods' own wave,
	// nothing is enforced until the pods with their sidecars are ready.
	Policies int32 `json:"policies,omitempty"`
}

// GatewayDefaults are the defaults of every gateway.
type GatewayDefaults struct {
	// Namespace of the gateways' pods and policies. Default: istio-system.
	// +format=dns-label
	Namespace string `json:"namespace,omitempty"`
}

// Gateway is one ingress gateway.
type Gateway struct {
	// Name of the gateway, of its AuthorizationPolicy and, by default, of its Deployment and of its pods' app label.
	// +format=dns-name
	Name string `json:"name"`
	// Namespace of its pods and of its policy. Default: gatewayDefaults.namespace.
	// +format=dns-label
	Namespace string `json:"namespace,omitempty"`
	// Owner of its AuthorizationPolicy and ServiceAccount, and of its routes unless they say otherwise.
	Owner string `json:"owner"`
	// DeploymentName is the Deployment that runs it. Default: name.
	// +format=dns-name
	DeploymentName string `json:"deploymentName,omitempty"`
	// ServiceAccountName is its identity; always explicit and unique.
	// +format=dns-name
	ServiceAccountName string `json:"serviceAccountName"`
	// PreviousServiceAccountNames are identities that a rename is leaving. They are trusted beside
	// the new one until a later step drops them.
	PreviousServiceAccountNames []string `json:"previousServiceAccountNames,omitempty"`
	// Selector of its pods. Default: {app: <name>}.
	Selector *MatchLabels `json:"selector,omitempty"`
	// TargetRef names the Gateway API Gateway that the policy attaches to, in place of a selector.
	TargetRef *LocalObjectReference `json:"targetRef,omitempty"`
	// HostRefs are keys of Environment.spec.dns: the hosts that it serves.
	HostRefs []string `json:"hostRefs,omitempty"`
	// HostPorts are the ports that clients may write in Host beside a wildcard host. An exact host
	// admits every port.
	// +format=port
	HostPorts []int32 `json:"hostPorts,omitempty"`
	// Routes are the objects that hold its hosts.
	Routes []Route `json:"routes,omitempty"`
	// HostPolicy is Generated, or None for a gateway that is known as an identity alone. Default: Generated.
	// +enum=Generated;None
	HostPolicy string `json:"hostPolicy,omitempty"`
}

// Route names a Gateway or VirtualService that holds a gateway's hosts.
type Route struct {
	// APIVersion of the object.
	// +enum=networking.istio.io/v1;networking.istio.io/v1beta1;networking.istio.io/v1alpha3
	APIVersion string `json:"apiVersion"`
	// Kind is Gateway or VirtualService.
	// +enum=Gateway;VirtualService
	Kind string `json:"kind"`
	// Namespace of the object.
	// +format=dns-label
	Namespace string `json:"namespace"`
	// Name of the object.
	// +format=dns-name
	Name string `json:"name"`
	// Owner of the object, where it isn't the gateway's: it is then checked and not written.
	Owner string `json:"owner,omitempty"`
	// Servers narrows a Gateway to the servers of these port names. Default: all.
	Servers []string `json:"servers,omitempty"`
	// HostRefs narrows the gateway's hostRefs for this object. Default: all of them.
	HostRefs []string `json:"hostRefs,omitempty"`
}

// Workload is one application: pods that share an identity and a policy.
type Workload struct {
	// Name by which callers refer to it, and the default of what follows.
	// +format=dns-name
	Name string `json:"name"`
	// Namespace of its pods.
	// +format=dns-label
	Namespace string `json:"namespace"`
	// Owner of its objects.
	Owner string `json:"owner"`
	// TargetRefs are the objects that hold its pod templates. Default: the Deployment of its name.
	TargetRefs []LocalObjectReference `json:"targetRefs,omitempty"`
	// PodTemplateSelector selects its pod templates by their labels, for objects with generated
	// names; exclusive with targetRefs.
	PodTemplateSelector *LabelSelector `json:"podTemplateSelector,omitempty"`
	// Selector of its pods in policies. Default: {app: <name>}.
	Selector *MatchLabels `json:"selector,omitempty"`
	// ServiceAccountName is its identity.
	// +format=dns-name
	ServiceAccountName string `json:"serviceAccountName"`
	// PreviousServiceAccountNames are identities that a rename is leaving. They are trusted beside
	// the new one until a later step drops them.
	PreviousServiceAccountNames []string `json:"previousServiceAccountNames,omitempty"`
	// RoleBindingRefs are the bindings that get its identity as a subject.
	RoleBindingRefs []RoleBindingReference `json:"roleBindingRefs,omitempty"`
	// Enroll asks for a sidecar from the permissive rung on.
	Enroll bool `json:"enroll,omitempty"`
	// Ports are the workload ports (never Service ports) that callers may reach.
	Ports []Port `json:"ports,omitempty"`
	// Callers are who may reach it. Without the field there is no policy; an empty list admits nobody.
	Callers *[]Caller `json:"callers,omitempty"`
	// PolicyName is the name of its AuthorizationPolicy. Default: <name>-allow-callers.
	// +format=dns-name
	PolicyName string `json:"policyName,omitempty"`
	// PeerAuthenticationName is the name of its PeerAuthentication. Default: <name>-strict-mtls.
	// +format=dns-name
	PeerAuthenticationName string `json:"peerAuthenticationName,omitempty"`
}

// RoleBindingReference names a binding in the workload's namespace, or a cluster-wide one.
type RoleBindingReference struct {
	// Kind is RoleBinding or ClusterRoleBinding.
	// +enum=RoleBinding;ClusterRoleBinding
	Kind string `json:"kind"`
	// Name of the binding.
	// +format=path-segment
	Name string `json:"name"`
}

// Port is one workload port.
type Port struct {
	// Port is the number that the container listens on, or the name of a container port.
	Port IntOrString `json:"port"`
}

// IntOrString is a port number or a port name.
type IntOrString struct {
	// Int is the number; 0 when Str is set.
	Int int32 `json:"-"`
	// Str is the name; empty when Int is set.
	Str string `json:"-"`
}

// Caller is one identity that may reach a destination. Exactly one field is set.
// +oneOf=workload;gateway;principal
type Caller struct {
	// Workload by its name in the model.
	Workload string `json:"workload,omitempty"`
	// Gateway by its name in the model.
	Gateway string `json:"gateway,omitempty"`
	// Principal of someone outside the model: "<trust domain>/ns/<namespace>/sa/<ServiceAccount>".
	// +format=principal
	Principal string `json:"principal,omitempty"`
}

// Consumer is an object that reads a derived value from an environment variable.
type Consumer struct {
	// Owner of the object.
	Owner string `json:"owner"`
	// TargetRef is the object that holds the pod template.
	TargetRef ObjectReference `json:"targetRef"`
	// Container that reads the variable. Default: those that have it already, else the first.
	Container string `json:"container,omitempty"`
	// Env is the name of the variable.
	// +format=environment-variable
	Env string `json:"env"`
	// ValueFrom says what its value is derived from.
	ValueFrom ConsumerSource `json:"valueFrom"`
}

// ConsumerSource is where a consumer's value comes from. Exactly one field is set.
// +oneOf=hostRef;principalOf
type ConsumerSource struct {
	// HostRef is a key of Environment.spec.dns that has one host.
	HostRef string `json:"hostRef,omitempty"`
	// PrincipalOf names the workload or gateway whose principal is the value.
	PrincipalOf *PrincipalSource `json:"principalOf,omitempty"`
}

// PrincipalSource names a workload or a gateway. Exactly one field is set.
// +oneOf=workload;gateway
type PrincipalSource struct {
	// Workload by its name in the model.
	Workload string `json:"workload,omitempty"`
	// Gateway by its name in the model.
	Gateway string `json:"gateway,omitempty"`
}

// Tenant is a group of namespaces in which each workload gets a policy of its own.
type Tenant struct {
	// Name of the group.
	// +format=dns-name
	Name string `json:"name"`
	// Owner of the policies; an External owner's are checked and not written.
	Owner string `json:"owner"`
	// NamespaceSelector selects the namespaces by their labels.
	NamespaceSelector LabelSelector `json:"namespaceSelector"`
	// Callers are who may reach the workloads.
	Callers []Caller `json:"callers"`
	// Workloads are the kinds of workload that get a policy.
	// +minItems=1
	Workloads []TenantWorkload `json:"workloads"`
	// Exclude lists workloads that get none.
	Exclude []TenantExclusion `json:"exclude,omitempty"`
}

// TenantWorkload is one kind of tenant workload.
type TenantWorkload struct {
	// Kind is Deployment or InferenceService.
	// +enum=Deployment;InferenceService
	Kind string `json:"kind"`
	// Selector of the pod template's labels. Default: all of the kind.
	Selector LabelSelector `json:"selector,omitzero"`
	// SelectorKeys are the labels of the pod template that the policy selects by. An
	// InferenceService's are KServe's own.
	SelectorKeys []string `json:"selectorKeys,omitempty"`
	// DefaultPort is the workload port where the workload declares none.
	// +format=port
	DefaultPort int32 `json:"defaultPort"`
	// Enroll writes the sidecar label and asks the proxy to start first, in every profile.
	Enroll bool `json:"enroll,omitempty"`
}

// TenantExclusion names tenant workloads that get no policy. Fields that are set must all hold; one is.
// +minProperties=1
type TenantExclusion struct {
	// Kind of the workload, one of the group's.
	// +enum=Deployment;InferenceService
	Kind string `json:"kind,omitempty"`
	// Namespace of the workload.
	Namespace string `json:"namespace,omitempty"`
	// Name of the workload.
	Name string `json:"name,omitempty"`
	// Selector of the pod template's labels.
	Selector LabelSelector `json:"selector,omitzero"`
}
