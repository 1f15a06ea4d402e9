// Package random makes AuthorizationPolicies and requests that are likely to
// concern each other: both draw from the same few names, and from the corners of
// what the API takes.
package random
