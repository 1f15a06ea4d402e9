package cluster

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// kind is a kind of object that the units look at, as the API names it.
type kind struct {
	group, version, kind, plural string
	clusterScoped                bool
	// optional says that a cluster without the kind is as one without such objects.
	optional bool
}

// kinds are all of them. A table is enough: discovery's library would double the
// executable, which is copied to a host for each task.
var kinds = []kind{
	{group: "", version: "v1", kind: "Namespace", plural: "namespaces", clusterScoped: true},
	{group: "", version: "v1", kind: "Pod", plural: "pods"},
	{group: "", version: "v1", kind: "Service", plural: "services"},
	{group: "", version: "v1", kind: "ServiceAccount", plural: "serviceaccounts"},
	{group: "apps", version: "v1", kind: "Deployment", plural: "deployments"},
	{group: "apps", version: "v1", kind: "StatefulSet", plural: "statefulsets"},
	{group: "apps", version: "v1", kind: "DaemonSet", plural: "daemonsets"},
	{group: "apps", version: "v1", kind: "ReplicaSet", plural: "replicasets"},
	{group: "batch", version: "v1", kind: "Job", plural: "jobs"},
	{group: "batch", version: "v1", kind: "CronJob", plural: "cronjobs"},
	{group: "rbac.authorization.k8s.io", version: "v1", kind: "RoleBinding", plural: "rolebindings"},
	{group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRoleBinding", plural: "clusterrolebindings", clusterScoped: true},
	{group: "security.istio.io", version: "v1", kind: "AuthorizationPolicy", plural: "authorizationpolicies"},
	{group: "security.istio.io", version: "v1", kind: "PeerAuthentication", plural: "peerauthentications"},
	{group: "networking.istio.io", version: "v1", kind: "Gateway", plural: "gateways"},
	{group: "networking.istio.io", version: "v1", kind: "VirtualService", plural: "virtualservices"},
	{group: "serving.kserve.io", version: "v1beta1", kind: resource.InferenceService, plural: "inferenceservices", optional: true},
}

// kindOf returns the kind of a group and name, and whether it is in the table.
func kindOf(group, name string) (kind, bool) {
	i := slices.IndexFunc(kinds, func(k kind) bool { return k.group == group && k.kind == name })
	if i < 0 {
		return kind{}, false
	}
	return kinds[i], true
}

// in returns the resource of the kind at the version that an object is written
// in; without a group-version it is the table's.
func (k kind) in(apiVersion string) schema.GroupVersionResource {
	gv, err := schema.ParseGroupVersion(apiVersion)
	if err != nil || gv.Version == "" || gv.Group != k.group {
		gv = schema.GroupVersion{Group: k.group, Version: k.version}
	}
	return gv.WithResource(k.plural)
}

func (k kind) apiVersion() string {
	return schema.GroupVersion{Group: k.group, Version: k.version}.String()
}
