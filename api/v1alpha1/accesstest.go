package v1alpha1

// AccessTest says who must reach what and who must not, in words of its own: it is
// held against the objects that a build makes, not against the AccessModel.
type AccessTest struct {
	TypeMeta `json:",inline"`
	// Metadata of the document.
	Metadata Metadata `json:"metadata"`
	// Spec of the AccessTest.
	Spec AccessTestSpec `json:"spec"`
}

// AccessTestSpec holds the cases.
type AccessTestSpec struct {
	// Cases are asked one by one, each on the rungs of the ladder that it has an answer for.
	// +minItems=1
	Cases []AccessCase `json:"cases"`
}

// AccessCase is one request and what must become of it.
type AccessCase struct {
	// Name of the case in reports, unique within the document.
	Name string `json:"name"`
	// From is who asks.
	From AccessSource `json:"from"`
	// To is who is asked.
	To AccessDestination `json:"to"`
	// Request is what is known of the request. What isn't said isn't known, and an answer that hangs on it is Unknown.
	Request AccessRequest `json:"request,omitzero"`
	// Expect holds the answers.
	Expect AccessExpectation `json:"expect"`
	// Reason says why it must be so; reports of a failure repeat it.
	Reason string `json:"reason,omitempty"`
}

// AccessSource is who asks: exactly one of its fields is set.
// +oneOf=workload;pods;external;node
type AccessSource struct {
	// Workload is an object that makes pods: <namespace>/<name>, or <kind>/<namespace>/<name> where several have the name.
	// +format=object-path
	Workload string `json:"workload,omitempty"`
	// Pods that no object makes, such as those of an intruder.
	Pods *AccessPods `json:"pods,omitempty"`
	// External is a client outside of the cluster.
	External *AccessAddress `json:"external,omitempty"`
	// Node is a node, or a pod in a node's network.
	Node *AccessAddress `json:"node,omitempty"`
}

// AccessPods are pods that no object makes.
type AccessPods struct {
	// Namespace of the pods.
	// +format=dns-label
	Namespace string `json:"namespace"`
	// ServiceAccount that they run as. Default: default.
	// +format=dns-name
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// Labels of the pods, by which NetworkPolicies may know them.
	Labels map[string]string `json:"labels,omitempty"`
	// Injected says that they have a proxy, which proves who they are. Default: false.
	Injected bool `json:"injected,omitempty"`
	// TrustDomain of their certificates. Default: the mesh's.
	// +format=trust-domain
	TrustDomain string `json:"trustDomain,omitempty"`
}

// AccessAddress is where somebody without a pod asks from.
type AccessAddress struct {
	// Address is an IP address. Default: not known.
	Address string `json:"address,omitempty"`
}

// AccessDestination is who is asked.
type AccessDestination struct {
	// Workload is an object that makes pods, a gateway's too: <namespace>/<name>, or <kind>/<namespace>/<name> where
	// several have the name.
	// +format=object-path
	Workload string `json:"workload"`
	// Port on which the pods listen, not a Service's. Default: the only one that they declare.
	// +format=port
	Port int32 `json:"port,omitempty"`
	// LeadsTo is the workload to which a gateway must send the request.
	// +format=object-path
	LeadsTo string `json:"leadsTo,omitempty"`
}

// AccessRequest is what is known of a request.
type AccessRequest struct {
	// Host or :authority that the client writes, with a port if it writes one.
	Host string `json:"host,omitempty"`
	// HostRef is a name of the Environment's dns in place of a host; the case is asked for each of its hosts.
	HostRef string `json:"hostRef,omitempty"`
	// HostPort is the port that the client writes behind a host of hostRef.
	// +format=port
	HostPort int32 `json:"hostPort,omitempty"`
	// Method, such as GET.
	Method string `json:"method,omitempty"`
	// Path without a query.
	Path string `json:"path,omitempty"`
	// Headers by name. Once they are given, {} included, the request has no others.
	Headers *map[string]string `json:"headers,omitempty"`
	// Token says that the request has no token that a RequestAuthentication would accept.
	// +enum=None
	Token string `json:"token,omitempty"`
	// SNI is the server name that an outside client asks for in its TLS handshake. Default: the host.
	SNI string `json:"sni,omitempty"`
}

// AccessExpectation holds an answer for each rung of the ladder on which the case is asked. The destination's
// own rung counts, where an override holds it lower than its environment. At least one is set.
type AccessExpectation struct {
	// Enforced is the answer where the destination's policies are enforced.
	// +enum=Allowed;Denied;Unknown
	Enforced string `json:"enforced,omitempty"`
	// Permissive is the answer where there are proxies and no policies.
	// +enum=Allowed;Denied;Unknown
	Permissive string `json:"permissive,omitempty"`
	// Open is the answer where there are neither.
	// +enum=Allowed;Denied;Unknown
	Open string `json:"open,omitempty"`
}
