// Package random makes clusters with NetworkPolicies that are likely to concern
// each other: pods, namespaces and policies draw from the same few labels, ports
// and addresses. Objects are as JSON has them.
package random
