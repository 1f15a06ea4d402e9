// Package rendered reads manifests as tools such as kustomize and helm render
// them, from files and directories, into one set of objects. It reads every
// document, or fails: what it passed over in silence would count as not there.
package rendered
