package authz

import (
	"fmt"
	"net/netip"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// matcher reports whether a request has what one value of a policy asks for.
type matcher func(*Request) truth.Value

// field is a field of a rule, or the key of a condition.
type field struct {
	// http says that only a proxy that reads HTTP can know it.
	http bool
	// compile reads one value. name is the key as written; own is the policy's namespace.
	compile func(name, value, own string) (matcher, error)
	// expand returns what a value stands for in a mesh; nil where it stands for itself.
	expand func(t Trust, value string) []string
}

var (
	sourcePrincipal = field{compile: onPeer(func(_, value string) pattern { return principal(value) }), expand: Trust.principals}
	sourceNamespace = field{compile: onPeer(func(_, value string) pattern { return namespace(value) })}
	sourceAccount   = field{compile: onPeer(serviceAccount)}
	sourceDomain    = field{compile: onPeer(func(_, value string) pattern { return trustDomain(value) }), expand: Trust.domains}
	sourceIP        = field{compile: onAddress(func(r *Request) netip.Addr { return r.SourceIP })}
	remoteIP        = field{compile: onAddress(func(r *Request) netip.Addr { return r.RemoteIP })}
	destinationIP   = field{compile: onAddress(func(r *Request) netip.Addr { return r.DestinationIP })}
	destinationPort = field{compile: onPort}
	serverName      = field{compile: onText(func(r *Request) Text { return r.SNI }, wildcard)}

	requestHost   = field{http: true, compile: onText(func(r *Request) Text { return r.HTTP.Host }, host)}
	requestMethod = field{http: true, compile: onText(func(r *Request) Text { return r.HTTP.Method }, present)}
	requestPath   = field{http: true, compile: onText(func(r *Request) Text { return r.HTTP.Path }, path)}
	requestHeader = field{http: true, compile: onHeader}

	requestPrincipal = field{http: true, compile: onTokenPrincipal}
	requestAudience  = field{http: true, compile: onClaim(func(string) ([]string, error) { return []string{"aud"}, nil })}
	requestPresenter = field{http: true, compile: onClaim(func(string) ([]string, error) { return []string{"azp"}, nil })}
	requestClaim     = field{http: true, compile: onClaim(func(name string) ([]string, error) { return brackets(strings.TrimPrefix(name, keyClaims)) })}

	// What another filter leaves for the policy to look at can't be known.
	filterMetadata = field{compile: func(name, _, _ string) (matcher, error) {
		if !strings.Contains(name, "[") {
			return nil, fmt.Errorf("%q names no key in brackets", name)
		}
		return func(*Request) truth.Value { return truth.Unknown }, nil
	}}
)

// The keys of conditions. Those that end in a bracket, or in a dot, go on.
const (
	keyHeaders  = "request.headers"
	keyClaims   = "request.auth.claims"
	keyMetadata = "experimental.envoy.filters."
)

var conditionKeys = map[string]field{
	"destination.ip":         destinationIP,
	"destination.port":       destinationPort,
	"connection.sni":         serverName,
	"source.ip":              sourceIP,
	"remote.ip":              remoteIP,
	"source.namespace":       sourceNamespace,
	"source.trustDomain":     sourceDomain,
	"source.serviceAccount":  sourceAccount,
	"source.principal":       sourcePrincipal,
	"request.auth.principal": requestPrincipal,
	"request.auth.audiences": requestAudience,
	"request.auth.presenter": requestPresenter,
}

// conditionField returns the field of a condition's key, whether it is one of the
// operation's (the others are of the source), and whether there is such a key.
func conditionField(key string) (f field, operation, ok bool) {
	if f, ok := conditionKeys[key]; ok {
		return f, strings.HasPrefix(key, "destination.") || strings.HasPrefix(key, "connection."), true
	}
	switch {
	case strings.HasPrefix(key, keyMetadata):
		return filterMetadata, true, true
	case strings.HasPrefix(key, keyHeaders):
		return requestHeader, false, true
	case strings.HasPrefix(key, keyClaims):
		return requestClaim, false, true
	}
	return field{}, false, false
}

func onPeer(read func(own, value string) pattern) func(name, value, own string) (matcher, error) {
	return func(_, value, own string) (matcher, error) {
		p := read(own, value)
		return func(r *Request) truth.Value { return r.Principal.matches(p) }, nil
	}
}

func onText(of func(*Request) Text, read func(string) pattern) func(name, value, own string) (matcher, error) {
	return func(_, value, _ string) (matcher, error) {
		p := read(value)
		return func(r *Request) truth.Value { return of(r).matches(p) }, nil
	}
}

func onAddress(of func(*Request) netip.Addr) func(name, value, own string) (matcher, error) {
	return func(_, value, _ string) (matcher, error) {
		block, err := prefix(value)
		if err != nil {
			return nil, err
		}
		return func(r *Request) truth.Value {
			address := of(r)
			if !address.IsValid() {
				return truth.Unknown
			}
			return truth.Of(block.Contains(address))
		}, nil
	}
}

func onPort(_, value, _ string) (matcher, error) {
	number, err := port(value)
	if err != nil {
		return nil, err
	}
	return func(r *Request) truth.Value { return truth.Of(r.DestinationPort == number) }, nil
}

func onHeader(name, value, _ string) (matcher, error) {
	names, err := brackets(strings.TrimPrefix(name, keyHeaders))
	if err != nil {
		return nil, err
	}
	header, p := lower(strings.Join(names, "][")), present(value)
	return func(r *Request) truth.Value {
		if text, there := r.HTTP.Headers[header]; there || r.HTTP.Headers == nil {
			return text.matches(p)
		}
		return truth.No
	}, nil
}

// onClaim matches a claim that is a text, or a list that holds one.
func onClaim(keysOf func(name string) ([]string, error)) func(name, value, own string) (matcher, error) {
	return func(name, value, _ string) (matcher, error) {
		keys, err := keysOf(name)
		if err != nil {
			return nil, err
		}
		p := wildcard(value)
		return func(r *Request) truth.Value { return r.HTTP.Token.claim(keys, p, true) }, nil
	}
}

// onTokenPrincipal matches "<issuer>/<subject>". The issuer may hold slashes, and a
// star at either end is for the part that it stands in.
func onTokenPrincipal(_, value, _ string) (matcher, error) {
	issuer, subject := exactly(value), exactly("")
	at := strings.LastIndex(value, "/")
	switch {
	case value == "*":
		issuer, subject = anyText, anyText
	case strings.HasPrefix(value, "*") && at < 0:
		issuer, subject = anyText, wildcard(value)
	case strings.HasPrefix(value, "*"):
		issuer, subject = wildcard(value[:at]), exactly(value[at+1:])
	case strings.HasSuffix(value, "*") && at < 0:
		issuer, subject = wildcard(value), anyText
	case strings.HasSuffix(value, "*"):
		issuer, subject = exactly(value[:at]), wildcard(value[at+1:])
	case at >= 0:
		issuer, subject = exactly(value[:at]), exactly(value[at+1:])
	}
	return func(r *Request) truth.Value {
		return min(r.HTTP.Token.claim([]string{"iss"}, issuer, false), r.HTTP.Token.claim([]string{"sub"}, subject, false))
	}, nil
}

func exactly(text string) pattern { return func(value string) bool { return value == text } }

// claim reports whether a token's claim is a text of a pattern, or, where lists count, a list that holds one.
func (t Token) claim(keys []string, p pattern, lists bool) truth.Value {
	if !t.known {
		return truth.Unknown
	}
	value, there := t.at(keys)
	if !there {
		return truth.No
	}
	entries, list := value.([]any)
	if !list {
		entries = []any{value}
	} else if !lists {
		return truth.No
	}
	return truth.Any(entries, func(entry any) truth.Value {
		text, ok := entry.(string)
		return truth.Of(ok && p(text))
	})
}
