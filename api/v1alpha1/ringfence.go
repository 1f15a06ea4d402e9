package v1alpha1

// Ringfence is the functionConfig of every unit: whose objects a build makes,
// which components it includes, and the two documents that everything is derived from.
type Ringfence struct {
	TypeMeta `json:",inline"`
	// Metadata of the configuration.
	Metadata Metadata `json:"metadata"`
	// Spec of the configuration.
	Spec RingfenceSpec `json:"spec"`
}

// RingfenceSpec configures one build.
type RingfenceSpec struct {
	// Owner is the name in the model's owners whose objects this build emits, requires and prunes.
	Owner string `json:"owner"`
	// Components are the kustomize components that the build includes; each adds its own name here.
	// They must be those that the Environment's security profile asks for.
	Components []string `json:"components,omitempty"`
	// Units names the functions to run, in place of those that the components select.
	Units []string `json:"units,omitempty"`
	// Strict makes every warning an error.
	Strict bool `json:"strict,omitempty"`
	// StampVersion writes the version of Ringfence into what is generated, as an annotation. Each
	// upgrade then changes every generated object.
	StampVersion bool `json:"stampVersion,omitempty"`
	// Model is the AccessModel. It may be absent when the AccessModel lies among the items.
	Model *EmbeddedAccessModel `json:"model,omitempty"`
	// Environment is the Environment. It may be absent when the Environment lies among the items.
	Environment *EmbeddedEnvironment `json:"environment,omitempty"`
	// AccessTests are what the build must hold against. AccessTests among the items count as well.
	AccessTests []EmbeddedAccessTest `json:"accessTests,omitempty"`
}

// EmbeddedAccessModel is an AccessModel without its type: metadata and spec.
type EmbeddedAccessModel struct {
	// Metadata of the AccessModel.
	Metadata Metadata `json:"metadata"`
	// Spec of the AccessModel.
	Spec AccessModelSpec `json:"spec"`
}

// EmbeddedEnvironment is an Environment without its type: metadata and spec.
type EmbeddedEnvironment struct {
	// Metadata of the Environment.
	Metadata Metadata `json:"metadata"`
	// Spec of the Environment.
	Spec EnvironmentSpec `json:"spec"`
}

// EmbeddedAccessTest is an AccessTest without its type, and with its name alone of its metadata, by which
// kustomize can address it in a list.
type EmbeddedAccessTest struct {
	// Name of the AccessTest.
	// +format=dns-name
	Name string `json:"name"`
	// Spec of the AccessTest.
	Spec AccessTestSpec `json:"spec"`
}
