// Package reconcile runs the collection's modules by the real ansible-playbook
// against a real API server: the way up and down, faults on the way, and what
// others do meanwhile.
package reconcile
