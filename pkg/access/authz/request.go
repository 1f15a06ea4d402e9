package authz

import (
	"net/netip"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// Request is what a proxy sees of one request, or of one connection. What isn't
// set is not known.
type Request struct {
	// Principal is the peer's SPIFFE ID, "spiffe://" included; None for plaintext.
	Principal Text
	// SourceIP is the peer's address, RemoteIP the client's (by X-Forwarded-For or the
	// PROXY protocol), DestinationIP the local one. The zero Addr is not known.
	SourceIP, RemoteIP, DestinationIP netip.Addr
	// DestinationPort is the workload's port.
	DestinationPort uint16
	// SNI is the server name that the client asked for; None without TLS.
	SNI Text
	// HTTP is nil where the proxy reads no HTTP: there policies are translated otherwise.
	HTTP *HTTP
}

// HTTP is the part of a request that a proxy reads where the port speaks HTTP.
type HTTP struct {
	// Host is :authority, with a port if the client wrote one; Path is without query, as the proxy normalises it.
	Host, Method, Path Text
	// Headers by their names in lower case. Of a nil map nothing is known; what a map lacks, the request lacks.
	Headers map[string]Text
	// Token holds the claims of a token that a RequestAuthentication has found valid.
	Token Token
}

// Token is a request's authenticated token; the zero value is not known.
type Token struct {
	known  bool
	claims map[string]any
}

// NoToken says that the request carries no token that a RequestAuthentication accepts.
func NoToken() Token { return Token{known: true} }

// Claims returns a valid token's claims, as JSON has them.
func Claims(claims map[string]any) Token { return Token{known: true, claims: claims} }

// at returns the claim at a path of keys, and whether it is there.
func (t Token) at(keys []string) (any, bool) {
	var value any = t.claims
	for _, key := range keys {
		mapping, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = mapping[key]; !ok {
			return nil, false
		}
	}
	return value, t.claims != nil
}

// Text is a value that a request has or lacks. The zero value is not known.
type Text struct {
	value string
	there truth.Value
}

// Is returns a value that is there.
func Is(value string) Text { return Text{value, truth.Yes} }

// None returns a value that isn't there.
func None() Text { return Text{"", truth.No} }

// Value returns the value, and whether it is there.
func (t Text) Value() (string, truth.Value) { return t.value, t.there }

// matches reports whether the value is there and a pattern holds of it.
func (t Text) matches(p pattern) truth.Value {
	value, there := t.Value()
	if there != truth.Yes {
		return there
	}
	return truth.Of(p(value))
}
