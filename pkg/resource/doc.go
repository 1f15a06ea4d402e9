// Package resource holds Kubernetes objects as rendered: their identity, their
// content read on demand, and their pod templates whatever the kind. It knows
// neither the access model nor a YAML library, so that the functions (objects
// from text) and the Ansible modules (objects from an API server) share it.
package resource
