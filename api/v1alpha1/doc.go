// Package v1alpha1 holds the wire types of ringfence.dev/v1alpha1: what people
// write. They carry no behaviour; pkg/model parses them, once, into valid values.
//
// Their comments are the descriptions of the JSON Schemas in the folder schema,
// and lines such as "+enum=a;b" and "+format=dns-name" their rules
// (internal/schemagen). A field without omitempty or omitzero is required.
package v1alpha1
