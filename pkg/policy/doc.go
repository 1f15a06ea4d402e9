// Package policy turns what is derived into objects of Istio and Kubernetes, and
// into typed edits of existing ones. It plans and never applies: the adapters do.
package policy
