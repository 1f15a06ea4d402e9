package random

import (
	"net/netip"
	"strconv"
	"strings"

	securityv1beta1 "istio.io/api/security/v1beta1"
)

// Likely returns a request with values that policies name, so that many rules
// match: of a pattern one of the values that it is for.
func (s Source) Likely(policies []Policy, http bool) Request {
	out := s.Request(http)
	var rules []*securityv1beta1.Rule
	for _, p := range policies {
		rules = append(rules, p.Spec.GetRules()...)
	}
	if len(rules) == 0 {
		return out
	}
	rule := rules[s.IntN(len(rules))]
	if len(rule.GetFrom()) > 0 {
		s.asSource(&out, rule.GetFrom()[s.IntN(len(rule.GetFrom()))].GetSource())
	}
	if len(rule.GetTo()) > 0 {
		s.asOperation(&out, rule.GetTo()[s.IntN(len(rule.GetTo()))].GetOperation())
	}
	for _, when := range rule.GetWhen() {
		s.asCondition(&out, when)
	}
	return out
}

// set passes one of a field's values on, mostly one that it may have.
func (s Source) set(values, notValues []string, to func(string)) {
	from := values
	if len(from) == 0 || len(notValues) > 0 && s.chance(20) {
		from = notValues
	}
	if len(from) > 0 && s.chance(85) {
		to(strings.ReplaceAll(strings.NewReplacer("{**}", "x/y", "{*}", "x").Replace(from[s.IntN(len(from))]), "*", pick(s, "", "x", "x/y")))
	}
}

func (s Source) asSource(r *Request, source *securityv1beta1.Source) {
	s.set(source.GetIpBlocks(), source.GetNotIpBlocks(), address(&r.Direct))
	s.set(source.GetRemoteIpBlocks(), source.GetNotRemoteIpBlocks(), address(&r.Remote))
	s.set(source.GetNamespaces(), source.GetNotNamespaces(), r.setNamespace)
	s.set(source.GetTrustDomains(), source.GetNotTrustDomains(), r.setTrustDomain)
	s.set(source.GetServiceAccounts(), source.GetNotServiceAccounts(), r.setAccount)
	s.set(source.GetPrincipals(), source.GetNotPrincipals(), r.setPrincipal)
	s.set(source.GetRequestPrincipals(), source.GetNotRequestPrincipals(), r.setTokenPrincipal)
}

func (s Source) asOperation(r *Request, operation *securityv1beta1.Operation) {
	s.set(operation.GetPorts(), operation.GetNotPorts(), r.setPort)
	if r.HTTP == nil {
		return
	}
	s.set(operation.GetHosts(), operation.GetNotHosts(), text(&r.HTTP.Host))
	s.set(operation.GetMethods(), operation.GetNotMethods(), text(&r.HTTP.Method))
	s.set(operation.GetPaths(), operation.GetNotPaths(), text(&r.HTTP.Path))
}

func (s Source) asCondition(r *Request, when *securityv1beta1.Condition) {
	setters := map[string]func(string){
		"source.ip": address(&r.Direct), "remote.ip": address(&r.Remote), "destination.ip": address(&r.Destination),
		"source.namespace": r.setNamespace, "source.trustDomain": r.setTrustDomain, "source.serviceAccount": r.setAccount,
		"source.principal": r.setPrincipal, "destination.port": r.setPort, "connection.sni": text(&r.SNI),
		"request.auth.principal": r.setTokenPrincipal, "request.auth.audiences": r.setClaim("aud"), "request.auth.presenter": r.setClaim("azp"),
	}
	to := setters[when.GetKey()]
	name := strings.TrimSuffix(when.GetKey(), "]")
	if rest, ok := strings.CutPrefix(name, "request.headers["); ok {
		to = r.setHeader(rest)
	}
	if rest, ok := strings.CutPrefix(name, "request.auth.claims["); ok {
		to = r.setClaim(strings.Split(rest, "][")...)
	}
	if to != nil {
		s.set(when.GetValues(), when.GetNotValues(), to)
	}
}

func text(to *string) func(string) { return func(value string) { *to = value } }

// address sets the first address of a block.
func address(to *netip.Addr) func(string) {
	return func(value string) {
		if block, err := netip.ParsePrefix(value); err == nil {
			*to = block.Masked().Addr()
		} else if one, err := netip.ParseAddr(value); err == nil {
			*to = one
		}
	}
}

func (r *Request) setPrincipal(value string) {
	r.Principal = "spiffe://" + strings.TrimPrefix(value, "spiffe://")
}

// part replaces one element of the principal: 2 is the trust domain, 4 the namespace, 6 the account.
func (r *Request) part(i int, value string) {
	if parts := strings.Split(r.Principal, "/"); len(parts) == 7 {
		parts[i] = value
		r.Principal = strings.Join(parts, "/")
	}
}

func (r *Request) setTrustDomain(value string) { r.part(2, value) }

func (r *Request) setNamespace(value string) { r.part(4, value) }

func (r *Request) setAccount(value string) {
	namespace, name, found := strings.Cut(value, "/")
	if !found {
		namespace, name = "app", value
	}
	r.part(4, namespace)
	r.part(6, name)
}

func (r *Request) setPort(value string) {
	if number, err := strconv.ParseUint(value, 10, 16); err == nil {
		r.Port = uint16(number)
	}
}

func (r *Request) setHeader(name string) func(string) {
	return func(value string) {
		if r.HTTP != nil {
			r.HTTP.Headers[strings.ToLower(name)] = value
		}
	}
}

func (r *Request) claims() map[string]any {
	if r.HTTP == nil {
		return map[string]any{} // nobody looks
	}
	if r.HTTP.Claims == nil {
		r.HTTP.Claims = map[string]any{"iss": "issuer", "sub": "me"}
	}
	return r.HTTP.Claims
}

func (r *Request) setClaim(path ...string) func(string) {
	return func(value string) {
		at := r.claims()
		for _, name := range path[:len(path)-1] {
			next, ok := at[name].(map[string]any)
			if !ok {
				next = map[string]any{}
				at[name] = next
			}
			at = next
		}
		at[path[len(path)-1]] = value
	}
}

func (r *Request) setTokenPrincipal(value string) {
	at := strings.LastIndex(value, "/")
	if at < 0 {
		r.claims()["iss"] = value
		return
	}
	r.claims()["iss"], r.claims()["sub"] = value[:at], value[at+1:]
}
