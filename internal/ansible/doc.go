// Package ansible is the one adapter between Ringfence and Ansible: it turns a
// Go function with a table of options into a binary module. It reads the
// arguments as Ansible's own argument specs do, and prints one JSON object in
// which no secret stands.
package ansible
