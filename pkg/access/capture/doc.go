// Package capture says which pods have a proxy, and which of their connections go
// through it: what Istio's injection and the annotations of a pod make of them.
package capture
