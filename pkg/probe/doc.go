// Package probe asks ingress gateways, over the network, whether they admit the
// hosts that they serve and deny all others. It reads answers as Envoy gives
// them (answers.md says which mean what), changes nothing, follows no redirect
// and uses no proxy. It knows neither the model nor Ansible.
package probe
