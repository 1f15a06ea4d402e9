// Package netpol compares the judge of NetworkPolicies with a peer, Cyclonus, whose
// matcher is the expectation of Kubernetes' conformance tests for NetworkPolicies
// that it runs in clusters. Its tests are the whole of it.
package netpol
