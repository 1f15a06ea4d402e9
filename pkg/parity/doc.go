// Package parity compares what an inventory says of an environment with what
// GitOps renders for it: the security profile, the hosts, the identities that are
// handed on, the trust domain and Istio's versions (DD-0025, sections 1 to 3). It
// compares values that two tools hold; whether each generated object is right to
// the letter is package verify's business. It is pure.
package parity
