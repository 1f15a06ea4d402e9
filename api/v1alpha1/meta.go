package v1alpha1

// TypeMeta says what a document is.
type TypeMeta struct {
	// APIVersion is "ringfence.dev/v1alpha1".
	APIVersion string `json:"apiVersion"`
	// Kind is AccessModel, AccessTest, Environment or Ringfence.
	Kind string `json:"kind"`
}

// Metadata is the part of Kubernetes' ObjectMeta that a document of ours may hold.
type Metadata struct {
	// Name of the document; an AccessModel's becomes a label on what is derived from it.
	// +format=dns-name
	Name string `json:"name"`
	// Namespace has no meaning here; kpt and kustomize may set it.
	Namespace string `json:"namespace,omitempty"`
	// Labels have no meaning here; they are the user's own.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations have no meaning here, except those that kustomize and kpt read.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// LabelSelector selects by labels, as metav1.LabelSelector does: every entry must hold.
type LabelSelector struct {
	// MatchLabels maps label keys to the one value each must have.
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
	// MatchExpressions are requirements on label keys.
	MatchExpressions []LabelSelectorRequirement `json:"matchExpressions,omitempty"`
}

// LabelSelectorRequirement relates a label key to a set of values.
type LabelSelectorRequirement struct {
	// Key of the label.
	Key string `json:"key"`
	// Operator is In, NotIn, Exists or DoesNotExist.
	// +enum=In;NotIn;Exists;DoesNotExist
	Operator string `json:"operator"`
	// Values for In and NotIn; empty for the others.
	Values []string `json:"values,omitempty"`
}

// MatchLabels selects pods by equality of labels alone, as Istio's workload selector does.
type MatchLabels struct {
	// MatchLabels maps label keys to the one value each must have; it isn't empty.
	// +minProperties=1
	MatchLabels map[string]string `json:"matchLabels"`
}

// ObjectReference names one object of a cluster.
type ObjectReference struct {
	// APIVersion of the object, such as "apps/v1". Optional for the kinds that hold a pod template.
	APIVersion string `json:"apiVersion,omitempty"`
	// Kind of the object.
	Kind string `json:"kind"`
	// Namespace of the object; absent for a cluster-scoped one.
	Namespace string `json:"namespace,omitempty"`
	// Name of the object.
	Name string `json:"name"`
}

// LocalObjectReference names one object in a namespace that the context gives.
type LocalObjectReference struct {
	// Kind of the object.
	Kind string `json:"kind"`
	// Name of the object.
	Name string `json:"name"`
}
