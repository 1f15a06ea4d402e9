package random

import (
	"net/netip"
	"strings"
)

// Request is known whole. What it lacks is empty or nil.
type Request struct {
	Principal                   string // "spiffe://..."
	Direct, Remote, Destination netip.Addr
	Port                        uint16
	SNI                         string
	HTTP                        *HTTP
}

// HTTP is the part of a request that an HTTP proxy reads.
type HTTP struct {
	Host, Method, Path string
	Headers            map[string]string // by lower-case names
	Claims             map[string]any    // nil without a token
}

// Request returns a request; http says that the proxy reads HTTP.
func (s Source) Request(http bool) Request {
	out := Request{
		Direct: s.address(), Remote: s.address(), Destination: s.address(), Port: pick(s, ports...),
	}
	if s.chance(80) {
		out.Principal = "spiffe://" + s.id()
	}
	if s.chance(60) {
		out.SNI = pick(s, names...)
	}
	if !http {
		return out
	}
	out.HTTP = &HTTP{Host: pick(s, hosts...), Method: pick(s, methods...), Path: pick(s, paths...), Headers: map[string]string{}}
	for _, name := range []string{"x-kind", "x-other"} {
		if s.chance(60) {
			out.HTTP.Headers[name] = pick(s, headers...)
		}
	}
	if s.chance(60) {
		out.HTTP.Claims = s.token()
	}
	return out
}

func (s Source) address() netip.Addr { return netip.MustParseAddr(pick(s, addresses...)) }

func (s Source) token() map[string]any {
	out := map[string]any{"iss": pick(s, issuers...), "sub": pick(s, subjects...)}
	for _, name := range []string{"aud", "azp", "group"} {
		if s.chance(60) {
			out[name] = s.claim()
		}
	}
	if s.chance(50) {
		out["realm"] = map[string]any{"roles": s.claim()}
	}
	if s.chance(5) {
		delete(out, pick(s, "iss", "sub"))
	}
	return out
}

func (s Source) claim() any {
	switch s.IntN(8) {
	case 0:
		return true
	case 1:
		return 7.0
	case 2:
		return []any{pick(s, claims...), 7.0, pick(s, claims...)}
	case 3, 4:
		return []any{pick(s, claims...), strings.ToUpper(pick(s, claims...))}
	}
	return pick(s, claims...)
}
