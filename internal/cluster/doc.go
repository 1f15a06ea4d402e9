// Package cluster reads the objects that Ringfence's units plan from off an API
// server, and carries their plans out there: in an order in which nothing is open
// or locked out meanwhile, and so that what is written is exactly what was
// planned. It knows nothing of Ansible.
package cluster
