// Package peer asks Cyclonus (github.com/mattfenwick/cyclonus) what a cluster's
// NetworkPolicies let through. What it takes otherwise than Kubernetes documents
// is put before it in other words, here and nowhere else.
package peer
