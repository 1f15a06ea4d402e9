// Package envoy proves the module gateway_probe against a real Envoy that is
// configured as Istio configures an ingress gateway: one listener for each state
// that a gateway can be in. What Envoy answers is kept in pkg/probe, whose own
// tests rest on it.
package envoy
