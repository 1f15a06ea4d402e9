// Package clustertest is an API server in memory, for tests. It stores objects of
// the kinds that Ringfence handles and answers as a real one does: with resource
// versions, generations, field managers, dry runs, and errors in the same words.
// It has no controllers, no schemas and no watches.
package clustertest
