// Package netpol decides as a cluster's network does with Kubernetes'
// NetworkPolicies (networking.k8s.io/v1): whether one endpoint may open a
// connection to a port of another.
package netpol
