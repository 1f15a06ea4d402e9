// Package images holds the test that a function's image does what its executable
// does, through the real kustomize and the real kpt, and that there is nothing else in it.
package images
