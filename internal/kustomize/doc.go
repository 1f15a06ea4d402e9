// Package kustomize builds kustomizations in this process, with kustomize's own
// library. Unlike the executable with --enable-exec it never runs what a
// repository names: functions and plugins are refused, and so is Helm unless the
// caller gives its executable.
//
// A leaf's Ringfence, the configuration that it names as its last transformer, is
// left out of the build and handed back, for the caller to run on the result.
package kustomize
