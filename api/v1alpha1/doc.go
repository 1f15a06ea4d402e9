// Package v1alpha1 holds the wire types of ringfence.dev/v1alpha1: what people
// write. They carry no behaviour; pkg/model parses them, once, into valid values.
package v1alpha1
