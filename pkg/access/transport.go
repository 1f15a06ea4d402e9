package access

import (
	"fmt"
	"strings"

	networkingv1alpha3 "istio.io/api/networking/v1alpha3"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/capture"
	"github.com/ringfence-dev/ringfence/pkg/access/mtls"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// unproxied answers where nothing of the mesh stands before the destination.
func (j *judge) unproxied() truth.Value {
	s := Step{Stage: Transport, Allowed: truth.Yes, Text: "no proxy looks at it, and no policy of the mesh counts"}
	if j.To.Proxy.Holds != truth.No && j.speaksTLS() != truth.No {
		// Its pods have a proxy, and istiod tells others to speak mutual TLS to such pods.
		s.Allowed, s.Text = truth.Unknown, "the client's proxy may speak mutual TLS to a port that passes the other proxy by"
	}
	if j.explains {
		j.say(s)
	}
	return s.Allowed
}

// proxied answers where the destination's proxy sees the connection.
func (j *judge) proxied(t *target) truth.Value {
	if j.To.Gateway {
		return j.served(t)
	}
	mutual := j.mutual(t)
	return either(mutual.Holds,
		func() truth.Value { return j.identified(t, mutual) },
		func() truth.Value { return j.plaintext(t, mutual) })
}

func (j *judge) identified(t *target, mutual answer) truth.Value {
	principal := j.From.Workload.principal
	if j.explains {
		j.say(Step{
			Stage: Transport, Allowed: truth.Yes, Object: peerOf(t.setting),
			Text: fmt.Sprintf("mutual TLS as %s: %s", strings.TrimPrefix(principal, "spiffe://"), mutual.text()),
		})
	}
	return j.authorize(t, authz.Is(principal), t.reads(j.HTTP))
}

func (j *judge) plaintext(t *target, mutual answer) truth.Value {
	allowed, text := truth.Yes, "plaintext, which carries no identity: "
	switch t.setting.Mode {
	case mtls.Strict:
		allowed, text = truth.No, "STRICT refuses plaintext: "
	case "":
		allowed, text = truth.Unknown, "plaintext may be refused: PeerAuthentications contradict each other, and the oldest counts: "
	case mtls.Permissive, mtls.Disable:
	}
	if j.explains {
		j.say(Step{Stage: Transport, Allowed: allowed, Text: text + mutual.text(), Object: peerOf(t.setting)})
	}
	if allowed == truth.No {
		return allowed
	}
	return min(allowed, j.authorize(t, authz.None(), t.reads(j.HTTP)))
}

func peerOf(s mtls.Setting) resource.Ref {
	if len(s.Policies) == 0 {
		return resource.Ref{}
	}
	p := s.Policies[0]
	return resource.Ref{APIVersion: groupSecurity + "/v1", Kind: "PeerAuthentication", Namespace: p.Namespace, Name: p.Name}
}

// speaksTLS answers whether the source's proxy would use a certificate of the mesh.
func (j *judge) speaksTLS() truth.Value {
	if j.From.Workload == nil {
		return truth.No
	}
	if j.From.Workload.plain {
		return j.From.Workload.Proxy.Holds
	}
	return min(j.From.Workload.Proxy.Holds, capture.Outbound(j.From.Workload.pod, j.dialled()).Holds)
}

func (r Request) dialled() int32 {
	if r.Dialled != 0 {
		return r.Dialled
	}
	return r.Port
}

// answer is a capture.Answer that makes its sentence when somebody asks.
type answer struct {
	Holds truth.Value
	text  func() string
}

func because(holds truth.Value, format string, args ...any) answer {
	return answer{holds, func() string { return fmt.Sprintf(format, args...) }}
}

// mutual answers whether the connection is mutual TLS with an identity.
func (j *judge) mutual(t *target) answer {
	setting := t.setting
	from := j.From.Workload
	if from == nil {
		return because(truth.No, "%s has no certificate of the mesh", j.From)
	}
	if from.Proxy.Holds != truth.Yes {
		return because(from.Proxy.Holds, "%s: %s", from, from.Proxy.Reason)
	}
	if out := capture.Outbound(from.pod, j.dialled()); out.Holds != truth.Yes {
		return because(out.Holds, "%s: %s", from, out.Reason)
	}
	if s, hidden := j.hides(t); hidden {
		return because(truth.Unknown, "%s may keep the client's proxy from knowing the Service", s.ref)
	}
	if found := j.clientTLS(t); found.set {
		holds := truth.Unknown
		switch {
		case !found.known:
			return because(holds, "%s and others disagree, and the oldest counts", found.rule.ref)
		case found.mode == networkingv1alpha3.ClientTLSSettings_DISABLE:
			holds = truth.No
		case found.mode == networkingv1alpha3.ClientTLSSettings_ISTIO_MUTUAL && setting.Mode != mtls.Disable:
			holds = truth.Yes
		}
		return because(holds, "%s says %s", found.rule.ref, found.mode)
	}
	switch setting.Mode {
	case mtls.Disable:
		return disabled
	case "":
		return contradicted
	case mtls.Permissive, mtls.Strict:
	}
	return inForce[setting.Mode]
}

// The answers of most pairs, made once.
var (
	disabled     = because(truth.No, "DISABLE takes plaintext alone")
	contradicted = because(truth.Unknown, "PeerAuthentications contradict each other")
	inForce      = map[mtls.Mode]answer{
		mtls.Permissive: because(truth.Yes, "both ends have a proxy, and PERMISSIVE is in force"),
		mtls.Strict:     because(truth.Yes, "both ends have a proxy, and STRICT is in force"),
	}
)
