// Package authz decides as Istio's proxies do with AuthorizationPolicies: on what
// a proxy sees of one request, and nothing else. Which policies apply to a pod,
// and what its proxy sees, is settled elsewhere.
//
// It follows Istio's own translation to Envoy's RBAC filter (pilot/pkg/security/authz)
// and that filter's semantics. What nobody knows offline makes an answer unknown,
// unless the answer is the same either way.
package authz
