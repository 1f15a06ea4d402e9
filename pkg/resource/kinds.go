package resource

import "slices"

// PodKind is a kind of object that holds a pod template.
type PodKind struct {
	Group, Version, Kind string
	// Template is the path of the pod template; empty for a Pod, which is one itself.
	Template []string
	// Completes says that its pods are to finish.
	Completes bool
}

// InferenceService is KServe's kind: its predictor is a pod template whose
// labels, annotations and pod spec lie side by side.
const InferenceService = "InferenceService"

// PodKinds are all kinds with a pod template that Ringfence knows.
var PodKinds = []PodKind{
	{Group: "apps", Version: "v1", Kind: "Deployment", Template: []string{"spec", "template"}},
	{Group: "apps", Version: "v1", Kind: "StatefulSet", Template: []string{"spec", "template"}},
	{Group: "apps", Version: "v1", Kind: "DaemonSet", Template: []string{"spec", "template"}},
	{Group: "apps", Version: "v1", Kind: "ReplicaSet", Template: []string{"spec", "template"}},
	{Group: "batch", Version: "v1", Kind: "Job", Template: []string{"spec", "template"}, Completes: true},
	{Group: "batch", Version: "v1", Kind: "CronJob", Template: []string{"spec", "jobTemplate", "spec", "template"}, Completes: true},
	{Group: "", Version: "v1", Kind: "Pod"},
	{Group: "serving.kserve.io", Version: "v1beta1", Kind: InferenceService, Template: []string{"spec", "predictor"}},
}

// PodKindOf returns the kind of r, if it holds a pod template.
func PodKindOf(r Ref) (PodKind, bool) {
	group := r.Group()
	i := slices.IndexFunc(PodKinds, func(k PodKind) bool { return k.Kind == r.Kind && k.Group == group })
	if i < 0 {
		return PodKind{}, false
	}
	return PodKinds[i], true
}

// PodKindNamed returns the kind of a name; the names are distinct.
func PodKindNamed(kind string) (PodKind, bool) {
	i := slices.IndexFunc(PodKinds, func(k PodKind) bool { return k.Kind == kind })
	if i < 0 {
		return PodKind{}, false
	}
	return PodKinds[i], true
}

// APIVersion returns the apiVersion in which the kind is written.
func (k PodKind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}
