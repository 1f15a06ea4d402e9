// Package validation asks three judges of Istio's own about every Istio object that Ringfence
// writes, composes or shows: the schemas that an API server holds, the validation of istiod's
// webhook, and the analyzers of istioctl. Its tests are the whole of it.
package validation
