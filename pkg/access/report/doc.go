// Package report writes what the judge finds for people and for tools: a matrix,
// an explanation, a difference and a graph, each in several formats, one file a
// format. Its size is that of groups of workloads, never that of their pairs.
package report
