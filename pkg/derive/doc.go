// Package derive turns a platform and an owner into what that owner's build has
// to hold: hosts, principals, and edges (who may call whom). It is pure.
package derive
