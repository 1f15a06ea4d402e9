package access

import (
	typev1beta1 "istio.io/api/type/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// authorize answers for a peer; reads says whether the proxy reads HTTP.
func (j *judge) authorize(t *target, principal authz.Text, reads truth.Value) truth.Value {
	request := &authz.Request{Principal: principal, SourceIP: j.From.Address, RemoteIP: j.From.Address, DestinationPort: uint16(j.Port), SNI: j.SNI} //nolint:gosec // a port
	token := j.token(t)
	decide := func(readsHTTP bool) truth.Value {
		if readsHTTP {
			request.HTTP = j.seen(token)
		}
		f := j.filter(t, readsHTTP)
		if !j.explains {
			return f.Allowed(request)
		}
		d := f.Decide(request)
		s := Step{Stage: Authorize, Allowed: d.Allowed, Text: d.Reason, Field: d.Rule}
		if p := d.Policy; p != nil {
			s.Object = resource.Ref{APIVersion: groupSecurity + "/v1", Kind: "AuthorizationPolicy", Namespace: p.Namespace, Name: p.Name}
		}
		j.say(s)
		return d.Allowed
	}
	return either(reads, func() truth.Value { return decide(true) }, func() truth.Value {
		request.HTTP = nil
		return decide(false)
	})
}

// reads says whether the proxy reads HTTP on the port.
func (t *target) reads(request *authz.HTTP) truth.Value {
	switch {
	case t.protocol == http, t.protocol == sniffed && request != nil, len(t.policies) == 0:
		return truth.Yes
	case t.protocol == tcp:
		return truth.No
	}
	return truth.Unknown // the proxy finds out
}

// token reports whether a token counts: where a RequestAuthentication may accept it.
func (j *judge) token(t *target) bool {
	if t.token.IsZero() {
		return false
	}
	if j.explains {
		j.say(Step{Stage: Authenticate, Allowed: truth.Yes, Text: "a token counts if this accepts it", Object: t.token})
	}
	return true
}

// seen returns what the proxy makes of the request.
func (j *judge) seen(token bool) *authz.HTTP {
	switch {
	case token && j.HTTP != nil:
		return j.HTTP
	case token:
		return &authz.HTTP{}
	case j.HTTP == nil:
		return &unseen
	}
	out := *j.HTTP
	out.Token = authz.NoToken()
	return &out
}

// unseen is a request of which nothing is known but that no token counts.
var unseen = authz.HTTP{Token: authz.NoToken()}

// attached is a policy of Istio's that applies by a selector or by targets.
type attached interface {
	GetSelector() *typev1beta1.WorkloadSelector
	GetTargetRef() *typev1beta1.PolicyTargetReference
	GetTargetRefs() []*typev1beta1.PolicyTargetReference
}

// selects reports whether a policy applies to pods: by its selector, or by naming
// the Gateway that made them. One that names a Service is a waypoint's.
func (m *Mesh) selects(ref resource.Ref, p attached, w *Workload) bool {
	targets := p.GetTargetRefs()
	if target := p.GetTargetRef(); target != nil {
		targets = append(targets, target)
	}
	if len(targets) == 0 {
		return m.applies(ref, p.GetSelector().GetMatchLabels(), w)
	}
	for _, t := range targets {
		if t.GetKind() == "Gateway" && ref.Namespace == w.namespace && w.labels["gateway.networking.k8s.io/gateway-name"] == t.GetName() {
			return true
		}
	}
	return false
}

// applies reports whether an object with a selector is about a workload.
func (m *Mesh) applies(ref resource.Ref, match map[string]string, w *Workload) bool {
	if ref.Namespace != w.namespace && ref.Namespace != m.RootNamespace && ref.Namespace != "" {
		return false
	}
	return len(match) == 0 || resource.Selects(match, w.labels)
}
