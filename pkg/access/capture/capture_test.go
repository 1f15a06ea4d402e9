package capture_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ringfence-dev/ringfence/pkg/access/capture"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

type labels = map[string]string

// The expected values are those of Istio's table of namespace and pod labels
// (Installing the Sidecar, Controlling the injection policy) and of the cited threads.
func TestProxied(t *testing.T) {
	asked := labels{"sidecar.istio.io/inject": "true"}
	cases := map[string]struct {
		pod      capture.Pod
		revision string
		want     truth.Value
	}{
		"nobody-asks":               {pod: capture.Pod{}, want: truth.No},
		"pod-asks":                  {pod: capture.Pod{Labels: asked}, want: truth.Yes},
		"annotation-alone":          {pod: capture.Pod{Annotations: asked}, want: truth.No}, // istio#39006
		"namespace-enabled":         {pod: capture.Pod{NamespaceLabels: labels{"istio-injection": "enabled"}}, want: truth.Yes},
		"namespace-but-label":       {pod: capture.Pod{NamespaceLabels: labels{"istio-injection": "enabled"}, Labels: labels{"sidecar.istio.io/inject": "false"}}, want: truth.No},
		"namespace-but-annotation":  {pod: capture.Pod{NamespaceLabels: labels{"istio-injection": "enabled"}, Annotations: labels{"sidecar.istio.io/inject": "false"}}, want: truth.No},
		"label-before-annotation":   {pod: capture.Pod{Labels: asked, Annotations: labels{"sidecar.istio.io/inject": "false"}}, want: truth.Yes},
		"namespace-disabled":        {pod: capture.Pod{NamespaceLabels: labels{"istio-injection": "disabled"}, Labels: asked}, want: truth.No}, // istio#32388
		"host-network":              {pod: capture.Pod{Labels: asked, HostNetwork: true}, want: truth.No},                                      // istio#9002
		"system-namespace":          {pod: capture.Pod{Namespace: "kube-system", Labels: asked}, want: truth.No},
		"own-container":             {pod: capture.Pod{HostNetwork: true, Containers: []string{"istio-proxy"}}, want: truth.Yes},
		"revision-label-alone":      {pod: capture.Pod{Labels: asked}, revision: "canary", want: truth.No},
		"revision-on-the-pod":       {pod: capture.Pod{Labels: labels{"istio.io/rev": "canary"}}, revision: "canary", want: truth.Yes},
		"revision-on-both":          {pod: capture.Pod{Labels: labels{"istio.io/rev": "canary", "sidecar.istio.io/inject": "false"}}, revision: "canary", want: truth.No},
		"revision-of-the-namespace": {pod: capture.Pod{NamespaceLabels: labels{"istio.io/rev": "canary"}}, revision: "canary", want: truth.Yes},
		"revision-of-another":       {pod: capture.Pod{NamespaceLabels: labels{"istio.io/rev": "other"}, Labels: asked}, want: truth.Unknown},
		"revision-default":          {pod: capture.Pod{NamespaceLabels: labels{"istio.io/rev": "default"}}, want: truth.Yes},
		"enabled-without-default":   {pod: capture.Pod{NamespaceLabels: labels{"istio-injection": "enabled"}}, revision: "canary", want: truth.No},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := capture.Proxied(c.pod, c.revision)
			assert.Equal(t, c.want, got.Holds, got.Reason)
			assert.NotEmpty(t, got.Reason)
		})
	}
}

func TestTraffic(t *testing.T) {
	const at = "traffic.sidecar.istio.io/"
	cases := map[string]struct {
		annotations labels
		in, out     truth.Value // port 3000
	}{
		"default":            {nil, truth.Yes, truth.Yes},
		"exclude-inbound":    {labels{at + "excludeInboundPorts": "80, 3000"}, truth.No, truth.Yes},
		"include-inbound":    {labels{at + "includeInboundPorts": "80"}, truth.No, truth.Yes},
		"include-nothing":    {labels{at + "includeInboundPorts": ""}, truth.No, truth.Yes},
		"include-all":        {labels{at + "includeInboundPorts": "*"}, truth.Yes, truth.Yes},
		"exclude-outbound":   {labels{at + "excludeOutboundPorts": "3000"}, truth.Yes, truth.No},
		"exclude-addresses":  {labels{at + "excludeOutboundIPRanges": "10.0.0.0/8"}, truth.Yes, truth.Unknown},
		"include-addresses":  {labels{at + "includeOutboundIPRanges": "10.0.0.0/8"}, truth.Yes, truth.Unknown},
		"include-no-address": {labels{at + "includeOutboundIPRanges": ""}, truth.Yes, truth.No},
		"include-the-port":   {labels{at + "includeOutboundIPRanges": "", at + "includeOutboundPorts": "3000"}, truth.Yes, truth.Yes},
		"interfaces":         {labels{at + "excludeInterfaces": "eth1"}, truth.Unknown, truth.Yes},
		"mode-none":          {labels{"sidecar.istio.io/interceptionMode": "none"}, truth.No, truth.No},
		"status-port":        {labels{"status.sidecar.istio.io/port": "3000"}, truth.No, truth.Yes},
		"proxyless":          {labels{"inject.istio.io/templates": "grpc-agent"}, truth.No, truth.No},
		"gateway":            {labels{"inject.istio.io/templates": "gateway", at + "excludeInboundPorts": "3000"}, truth.Yes, truth.Yes},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := capture.Pod{Annotations: c.annotations}
			in, out := capture.Inbound(p, 3000), capture.Outbound(p, 3000)
			assert.Equal(t, c.in, in.Holds, in.Reason)
			assert.Equal(t, c.out, out.Holds, out.Reason)
		})
	}
	assert.Equal(t, truth.No, capture.Inbound(capture.Pod{}, 15090).Holds, "the proxy's own port")
}
