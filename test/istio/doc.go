// Package istio compares the judge with Istio's own code. Its tests are the whole of it.
package istio
