package v1alpha1

const (
	// Group is the API group of every document that Ringfence reads.
	Group = "ringfence.dev"

	// APIVersion is the value of apiVersion in documents of this package.
	APIVersion = Group + "/v1alpha1"
)

// The kinds of this package.
const (
	KindAccessModel = "AccessModel"
	KindAccessTest  = "AccessTest"
	KindEnvironment = "Environment"
	KindRingfence   = "Ringfence"
)

// What a generated object says of its origin.
const (
	// LabelManagedBy is set to ManagedBy on every generated object.
	LabelManagedBy = "app.kubernetes.io/managed-by"
	// ManagedBy is the value of LabelManagedBy, and our field manager.
	ManagedBy = "ringfence"
	// LabelOwner names the owner (AccessModel.spec.owners) that emits and prunes the object.
	LabelOwner = Group + "/owner"
	// LabelModel names the AccessModel that the object was derived from.
	LabelModel = Group + "/model"
	// AnnotationSource is "<section>/<name>" of the model entry that the object was derived from.
	AnnotationSource = Group + "/source"
	// AnnotationVersion is the version of Ringfence that wrote the object, where a build asks for it.
	AnnotationVersion = Group + "/version"
	// AnnotationSyncWave orders objects in Argo CD; it is Argo CD's own.
	AnnotationSyncWave = "argocd.argoproj.io/sync-wave"
	// AnnotationLocalConfig marks a document that is input and never applied; it is kustomize's and kpt's own.
	AnnotationLocalConfig = "config.kubernetes.io/local-config"
)
