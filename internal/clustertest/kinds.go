package clustertest

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// kind is a kind of object that the server stores.
type kind struct {
	group string
	// versions in which it is served, the preferred one first.
	versions             []string
	kind, plural         string
	clusterScoped        bool
	crd                  bool
	status, noGeneration bool
	// immutable are the fields that no update may change.
	immutable [][]string
}

var (
	selector = [][]string{{"spec", "selector"}}
	v1       = []string{"v1"}
)

var kinds = []kind{
	{group: "", versions: v1, kind: "Namespace", plural: "namespaces", clusterScoped: true, status: true, noGeneration: true},
	{group: "", versions: v1, kind: "Pod", plural: "pods", status: true, immutable: [][]string{{"spec"}}},
	{group: "", versions: v1, kind: "Service", plural: "services", status: true, noGeneration: true},
	{group: "", versions: v1, kind: "ServiceAccount", plural: "serviceaccounts", noGeneration: true},
	{group: "apps", versions: v1, kind: "DaemonSet", plural: "daemonsets", status: true, immutable: selector},
	{group: "apps", versions: v1, kind: "Deployment", plural: "deployments", status: true, immutable: selector},
	{group: "apps", versions: v1, kind: "ReplicaSet", plural: "replicasets", status: true, immutable: selector},
	{group: "apps", versions: v1, kind: "StatefulSet", plural: "statefulsets", status: true, immutable: selector},
	{group: "batch", versions: v1, kind: "CronJob", plural: "cronjobs", status: true},
	{group: "batch", versions: v1, kind: "Job", plural: "jobs", status: true, immutable: [][]string{{"spec", "selector"}, {"spec", "template"}}},
	{group: rbacGroup, versions: v1, kind: "ClusterRole", plural: "clusterroles", clusterScoped: true, noGeneration: true},
	{group: rbacGroup, versions: v1, kind: "ClusterRoleBinding", plural: "clusterrolebindings", clusterScoped: true, noGeneration: true, immutable: [][]string{{"roleRef"}}},
	{group: rbacGroup, versions: v1, kind: "Role", plural: "roles", noGeneration: true},
	{group: rbacGroup, versions: v1, kind: "RoleBinding", plural: "rolebindings", noGeneration: true, immutable: [][]string{{"roleRef"}}},
	{group: "security.istio.io", versions: []string{"v1", "v1beta1"}, kind: "AuthorizationPolicy", plural: "authorizationpolicies", crd: true, status: true},
	{group: "security.istio.io", versions: []string{"v1", "v1beta1"}, kind: "PeerAuthentication", plural: "peerauthentications", crd: true, status: true},
	{group: "networking.istio.io", versions: []string{"v1", "v1beta1"}, kind: "Gateway", plural: "gateways", crd: true, status: true},
	{group: "networking.istio.io", versions: []string{"v1", "v1beta1"}, kind: "VirtualService", plural: "virtualservices", crd: true, status: true},
	{group: "serving.kserve.io", versions: []string{"v1beta1"}, kind: "InferenceService", plural: "inferenceservices", crd: true, status: true},
	// Argo CD's CRD has no status subresource: a write may set its status.
	{group: "argoproj.io", versions: []string{"v1alpha1"}, kind: "Application", plural: "applications", crd: true},
}

const rbacGroup = "rbac.authorization.k8s.io"

func (k *kind) resource() schema.GroupResource {
	return schema.GroupResource{Group: k.group, Resource: k.plural}
}

func (k *kind) groupKind() schema.GroupKind {
	return schema.GroupKind{Group: k.group, Kind: k.kind}
}

func (k *kind) in(version string) schema.GroupVersionKind {
	return k.groupKind().WithVersion(version)
}

// served returns the kinds of a server without the groups, or group-versions, that it lacks.
func served(without []string) []kind {
	var out []kind
	for _, k := range kinds {
		k.versions = slices.DeleteFunc(slices.Clone(k.versions), func(version string) bool {
			return slices.Contains(without, k.group) || slices.Contains(without, k.in(version).GroupVersion().String())
		})
		if len(k.versions) > 0 {
			out = append(out, k)
		}
	}
	return out
}

// discovered is what discovery says of the kind.
func (k *kind) discovered() []metav1.APIResource {
	out := []metav1.APIResource{{
		Name: k.plural, SingularName: strings.ToLower(k.kind), Kind: k.kind, Namespaced: !k.clusterScoped,
		Verbs: metav1.Verbs{"create", "delete", "get", "list", "patch", "update"},
	}}
	if k.status {
		out = append(out, metav1.APIResource{
			Name: k.plural + "/status", Kind: k.kind, Namespaced: !k.clusterScoped, Verbs: metav1.Verbs{"get", "patch", "update"},
		})
	}
	return out
}
