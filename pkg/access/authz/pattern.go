package authz

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
)

// pattern holds of some values. Each is what Istio's authz/matcher makes of a
// policy's text, as Envoy reads it.
type pattern func(value string) bool

const scheme = "spiffe://"

func anyText(value string) bool { return value != "" }

// wildcard is the common form: "*", "*suffix", "prefix*", or the value itself. A
// star in front counts before one at the end.
func wildcard(text string) pattern { return affix(text, anyText) }

// present is wildcard for headers, where "*" asks for the header alone.
func present(text string) pattern { return affix(text, func(string) bool { return true }) }

func affix(text string, star pattern) pattern {
	switch {
	case text == "*":
		return star
	case strings.HasPrefix(text, "*"):
		return func(value string) bool { return strings.HasSuffix(value, text[1:]) }
	case strings.HasSuffix(text, "*"):
		return func(value string) bool { return strings.HasPrefix(value, text[:len(text)-1]) }
	default:
		return func(value string) bool { return value == text }
	}
}

// host is present without regard to case (of ASCII letters, as Envoy has it).
func host(text string) pattern {
	p := present(lower(text))
	return func(value string) bool { return p(lower(value)) }
}

func lower(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, text)
}

// principal is a wildcard over a SPIFFE ID whose scheme the policy leaves out.
func principal(text string) pattern {
	switch {
	case text == "*":
		return anyText
	case strings.HasPrefix(text, "*"):
		return func(value string) bool {
			rest, ok := strings.CutPrefix(value, scheme)
			return ok && strings.HasSuffix(rest, text[1:])
		}
	default:
		return wildcard(scheme + text)
	}
}

// whole is a regular expression that a value matches from its start to its end.
func whole(expression string) pattern {
	return regexp.MustCompile("^(?:" + expression + ")$").MatchString
}

// namespace matches the namespace of a SPIFFE ID; each star stands for anything.
func namespace(text string) pattern {
	parts := strings.Split(text, "*")
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return whole(".*/ns/" + strings.Join(parts, ".*") + "/.*")
}

// serviceAccount matches "<name>" in a policy's own namespace, or "<namespace>/<name>".
func serviceAccount(own, text string) pattern {
	in, name, ok := strings.Cut(text, "/")
	if !ok {
		in, name = own, text
	}
	return whole(scheme + ".+/ns/" + regexp.QuoteMeta(in) + "/(.+/|)sa/" + regexp.QuoteMeta(name) + "(/.+)?")
}

// trustDomain matches the trust domain of a SPIFFE ID; a star stays within it.
func trustDomain(text string) pattern {
	before, after, star := strings.Cut(text, "*")
	switch {
	case text == "*":
		return func(value string) bool { return strings.HasPrefix(value, scheme) }
	case !star:
		return func(value string) bool { return strings.HasPrefix(value, scheme+text+"/") }
	default:
		return whole(scheme + regexp.QuoteMeta(before) + "[^/]*" + regexp.QuoteMeta(after) + "/.*")
	}
}

const (
	templateOne = "{*}"
	templateAny = "{**}"
)

// path is a wildcard, or a template in which {*} is one segment and {**} any number
// of them (Envoy's URI template matcher).
func path(text string) pattern {
	if !strings.Contains(text, templateOne) && !strings.Contains(text, templateAny) {
		return wildcard(text)
	}
	const segment = `[a-zA-Z0-9\-._~%!$&'()+,;:@=]` // RFC 3986's pchar without "*", Envoy's kLiteral and more
	expression := regexp.QuoteMeta(text)
	expression = strings.ReplaceAll(expression, regexp.QuoteMeta(templateAny), `[a-zA-Z0-9\-._~%!$&'()+,;:@=/]*`)
	expression = strings.ReplaceAll(expression, regexp.QuoteMeta(templateOne), segment+"+")
	return whole(expression)
}

// prefix reads an address or a block of them.
func prefix(text string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return p, fmt.Errorf("reading a block of addresses: %w", err)
		}
		return p.Masked(), nil
	}
	address, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("reading an address: %w", err)
	}
	return netip.PrefixFrom(address, address.BitLen()), nil
}

func port(text string) (uint16, error) {
	number, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("reading a port: %w", err)
	}
	return uint16(number), nil
}

// brackets returns the names of "[one][two]", or the one of "[name]" whatever it holds.
func brackets(text string) ([]string, error) {
	inner, ok := strings.CutPrefix(text, "[")
	if ok {
		inner, ok = strings.CutSuffix(inner, "]")
	}
	if !ok {
		return nil, fmt.Errorf("%q is no name in brackets", text)
	}
	names := strings.Split(inner, "][")
	for _, name := range names {
		if strings.ContainsAny(name, "[]") {
			return []string{inner}, nil
		}
	}
	return names, nil
}
