// Package kpt runs the real kpt over the examples of every function, as kpt's own
// runner of tests does: exit status, results, and what git says has changed.
package kpt
