// Package cluster runs a real kube-apiserver for tests, with Istio's and KServe's
// kinds, and stands in for what a whole cluster has besides: the controllers that
// roll a Deployment out, the kubelet, Istio's injection and garbage collection. A
// Proxy before the API server answers with faults and records what is asked.
//
// There is no namespace controller: what lies in a deleted namespace stays, so
// that each test takes a namespace of its own, or clears one with Client.Clear.
// Deployments surge to their full number, whatever their strategy says.
package cluster
