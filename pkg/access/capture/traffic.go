package capture

import (
	"slices"
	"strconv"
	"strings"
)

// The annotations by which traffic passes a sidecar by (istio.io/api/annotation).
const (
	annotationMode             = "sidecar.istio.io/interceptionMode"
	annotationStatusPort       = "status.sidecar.istio.io/port"
	annotationInterfaces       = "traffic.sidecar.istio.io/excludeInterfaces"
	annotationIncludeInbound   = "traffic.sidecar.istio.io/includeInboundPorts"
	annotationExcludeInbound   = "traffic.sidecar.istio.io/excludeInboundPorts"
	annotationIncludeOutbound  = "traffic.sidecar.istio.io/includeOutboundPorts"
	annotationExcludeOutbound  = "traffic.sidecar.istio.io/excludeOutboundPorts"
	annotationIncludeAddresses = "traffic.sidecar.istio.io/includeOutboundIPRanges"
	annotationExcludeAddresses = "traffic.sidecar.istio.io/excludeOutboundIPRanges"
)

// OutboundAnnotations and InboundAnnotations are those that Outbound and Inbound look at.
var (
	OutboundAnnotations = []string{annotationMode, annotationTemplates, annotationExcludeOutbound, annotationIncludeOutbound, annotationExcludeAddresses, annotationIncludeAddresses}
	InboundAnnotations  = []string{annotationMode, annotationTemplates, annotationStatusPort, annotationExcludeInbound, annotationIncludeInbound, annotationInterfaces}
)

// own are the ports on which the proxy itself answers: Prometheus' and its health.
var own = []int32{15020, 15021, 15090}

// without are Istio's injection templates that redirect nothing.
var without = []string{"grpc-agent", "grpc-simple"}

// Inbound answers whether connections to a port of a pod with a proxy go through it.
func Inbound(p Pod, port int32) Answer {
	number := strconv.Itoa(int(port))
	include, includes := p.Annotations[annotationIncludeInbound]
	switch {
	case slices.Contains(own, port) || p.Annotations[annotationStatusPort] == number:
		return no("port " + number + " is the proxy's own")
	case Gateway(p):
		return yes("it is a gateway")
	}
	if redirects := redirects(p); redirects != "" {
		return no(redirects)
	}
	switch {
	case slices.Contains(list(p.Annotations[annotationExcludeInbound]), number):
		return no(annotationExcludeInbound + " lists port " + number)
	case includes && !slices.Contains(list(include), "*") && !slices.Contains(list(include), number):
		return no(annotationIncludeInbound + " doesn't list port " + number)
	case len(list(p.Annotations[annotationInterfaces])) > 0:
		return unknown("connections by the interfaces of " + annotationInterfaces + " pass the proxy by")
	}
	return yes("")
}

// Outbound answers whether connections of a pod with a proxy to a port go through
// it: the port that the client dials, mostly a Service's.
func Outbound(p Pod, port int32) Answer {
	number := strconv.Itoa(int(port))
	if Gateway(p) {
		return yes("it is a gateway")
	}
	if redirects := redirects(p); redirects != "" {
		return no(redirects)
	}
	include, includes := p.Annotations[annotationIncludeAddresses]
	switch {
	case slices.Contains(list(p.Annotations[annotationExcludeOutbound]), number):
		return no(annotationExcludeOutbound + " lists port " + number)
	case slices.Contains(list(p.Annotations[annotationIncludeOutbound]), number):
		return yes("")
	case len(list(p.Annotations[annotationExcludeAddresses])) > 0:
		return unknown("the destination may be among the addresses of " + annotationExcludeAddresses)
	case includes && len(list(include)) == 0:
		return no(annotationIncludeAddresses + " is empty")
	case includes && !slices.Contains(list(include), "*"):
		return unknown("the destination may not be among the addresses of " + annotationIncludeAddresses)
	}
	return yes("")
}

// redirects says why nothing of a pod goes through its proxy; empty where it does.
func redirects(p Pod) string {
	templates := list(p.Annotations[annotationTemplates])
	switch {
	case strings.EqualFold(p.Annotations[annotationMode], "NONE"):
		return annotationMode + " is NONE"
	case !slices.Contains(templates, "sidecar") && slices.ContainsFunc(templates, func(name string) bool { return slices.Contains(without, name) }):
		return annotationTemplates + " redirects nothing"
	}
	return ""
}
