package cluster

import "k8s.io/apimachinery/pkg/runtime/schema"

// The kinds that tests speak of. Any other is a schema.GroupVersionKind as well.
var (
	Namespace                = core("Namespace")
	Pod                      = core("Pod")
	ServiceAccount           = core("ServiceAccount")
	Deployment               = apps("Deployment")
	ReplicaSet               = apps("ReplicaSet")
	AuthorizationPolicy      = kind("security.istio.io/v1", "AuthorizationPolicy")
	PeerAuthentication       = kind("security.istio.io/v1", "PeerAuthentication")
	Gateway                  = kind("networking.istio.io/v1", "Gateway")
	VirtualService           = kind("networking.istio.io/v1", "VirtualService")
	InferenceService         = kind("serving.kserve.io/v1beta1", "InferenceService")
	CustomResourceDefinition = kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")
)

func kind(apiVersion, kind string) schema.GroupVersionKind {
	return schema.FromAPIVersionAndKind(apiVersion, kind)
}

func core(name string) schema.GroupVersionKind { return kind("v1", name) }

func apps(name string) schema.GroupVersionKind { return kind("apps/v1", name) }
