package resource

import "k8s.io/apimachinery/pkg/util/intstr"

// The parts of a pod, and of a Service before it, that Ringfence reads. They are
// the fields of k8s.io/api/core/v1 by the same names, and a test holds them
// against it. Importing that package links every type of it into each executable,
// 3 MB of the Ansible modules that are copied to a host for each task.

// PodSpec is the part of a pod's spec that Ringfence reads.
type PodSpec struct {
	ServiceAccountName           string                 `json:"serviceAccountName,omitempty"`
	DeprecatedServiceAccount     string                 `json:"serviceAccount,omitempty"`
	AutomountServiceAccountToken *bool                  `json:"automountServiceAccountToken,omitempty"`
	HostNetwork                  bool                   `json:"hostNetwork,omitempty"`
	ImagePullSecrets             []LocalObjectReference `json:"imagePullSecrets,omitempty"`
	InitContainers               []Container            `json:"initContainers,omitempty"`
	Containers                   []Container            `json:"containers,omitempty"`
}

// LocalObjectReference names an object of the pod's namespace.
type LocalObjectReference struct {
	Name string `json:"name,omitempty"`
}

// Container is the part of a container that Ringfence reads.
type Container struct {
	Name    string          `json:"name,omitempty"`
	Image   string          `json:"image,omitempty"`
	Command []string        `json:"command,omitempty"`
	Args    []string        `json:"args,omitempty"`
	Ports   []ContainerPort `json:"ports,omitempty"`
	Env     []EnvVar        `json:"env,omitempty"`
	// RestartPolicy is RestartAlways in an init container that is a sidecar.
	RestartPolicy string `json:"restartPolicy,omitempty"`
}

// RestartAlways is the restart policy of a sidecar.
const RestartAlways = "Always"

// ContainerPort is a port that a container declares.
type ContainerPort struct {
	Name          string `json:"name,omitempty"`
	ContainerPort int32  `json:"containerPort,omitempty"`
	// Protocol is ProtocolTCP when empty.
	Protocol string `json:"protocol,omitempty"`
}

// ProtocolTCP is the protocol of a port that names none.
const ProtocolTCP = "TCP"

// EnvVar is a variable of a container's environment.
type EnvVar struct {
	Name  string `json:"name,omitempty"`
	Value string `json:"value,omitempty"`
}

// ServiceSpec is the part of a Service's spec that Ringfence reads.
type ServiceSpec struct {
	Selector map[string]string `json:"selector,omitempty"`
	Ports    []ServicePort     `json:"ports,omitempty"`
}

// ServicePort is a port of a Service.
type ServicePort struct {
	Name        string             `json:"name,omitempty"`
	Protocol    string             `json:"protocol,omitempty"`
	AppProtocol string             `json:"appProtocol,omitempty"`
	Port        int32              `json:"port,omitempty"`
	TargetPort  intstr.IntOrString `json:"targetPort,omitzero"`
}

// Subject is whom a RoleBinding or ClusterRoleBinding grants its role
// (k8s.io/api/rbac/v1).
type Subject struct {
	Kind      string `json:"kind,omitempty"`
	Name      string `json:"name,omitempty"`
	Namespace string `json:"namespace,omitempty"`
}
