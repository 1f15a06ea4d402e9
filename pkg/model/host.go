package model

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Host is a DNS name that a gateway serves, or a wildcard with one leading "*".
// Its zero value names nothing.
type Host struct {
	name string // lower case, punycode, no trailing dot; "*." leads a wildcard
}

// hostProfile maps a name as a browser would before it looks it up, and keeps
// to the letters that DNS has. "r3---sn-x" is a name, so hyphens are left to DNS.
var hostProfile = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.Transitional(false), idna.CheckHyphens(false))

// ParseHost reads a host name: case, a trailing dot and international letters
// are normalised; a scheme, port, path, address, or a wildcard that isn't the
// whole first label is refused.
func ParseHost(s string) (Host, error) {
	if err := refuseHost(s); err != nil {
		return Host{}, err
	}
	name, wildcard := strings.CutPrefix(s, "*.")
	if strings.Contains(name, "*") {
		return Host{}, errors.New(`a wildcard is the whole first label, as in "*.example.org"`)
	}
	ascii, err := hostProfile.ToASCII(strings.TrimSuffix(name, "."))
	if err != nil {
		return Host{}, fmt.Errorf("it is no DNS name: %s", strings.TrimPrefix(err.Error(), "idna: "))
	}
	if len(ascii) > validation.DNS1123SubdomainMaxLength {
		return Host{}, fmt.Errorf("it has more than %d letters", validation.DNS1123SubdomainMaxLength)
	}
	labels := strings.Split(ascii, ".")
	for _, label := range labels {
		switch {
		case label == "":
			return Host{}, errors.New("it has an empty label: a dot too many, or nothing beside one")
		case len(label) > validation.DNS1123LabelMaxLength:
			return Host{}, fmt.Errorf("its label %q has more than %d letters", label, validation.DNS1123LabelMaxLength)
		case len(validation.IsDNS1123Label(label)) > 0:
			return Host{}, fmt.Errorf("its label %q begins or ends with a hyphen, or holds what DNS has not", label)
		}
	}
	if last := labels[len(labels)-1]; strings.Trim(last, "0123456789") == "" {
		return Host{}, fmt.Errorf("its last label %q is a number, which Istio refuses", last)
	}
	if wildcard {
		ascii = "*." + ascii
	}
	return Host{name: ascii}, nil
}

func refuseHost(s string) error {
	switch {
	case s == "":
		return errors.New("it is empty")
	case strings.TrimSpace(s) != s:
		return errors.New("it has spaces around it")
	case !utf8.ValidString(s): // or idna would drop what is none
		return errors.New("it is no UTF-8 text")
	case s == "*":
		return errors.New("it admits every host: name the hosts")
	case strings.Contains(s, "://"):
		return errors.New("it has a scheme")
	case strings.ContainsAny(s, "/?#"):
		return errors.New("it has a path")
	case strings.Contains(s, "@"):
		return errors.New("it has user information")
	case strings.ContainsAny(s, "_ "):
		return errors.New("a host name has neither underscores nor spaces")
	}
	if _, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return errors.New("it is an address, and gateways serve names")
	}
	if strings.Contains(s, ":") {
		return errors.New("it has a port: an exact host admits every port, a wildcard those of hostPorts")
	}
	return nil
}

// ParseGatewayHost reads a host as a Gateway's server has it, and returns the
// namespace prefix ("ns", "." or "*"; empty when there is none) apart.
// "*" alone is returned as an error, as ParseHost does.
func ParseGatewayHost(s string) (prefix string, host Host, err error) {
	if before, after, found := strings.Cut(s, "/"); found && !strings.Contains(s, "://") {
		prefix, s = before, after
		if prefix == "" {
			return "", Host{}, errors.New("its namespace prefix is empty")
		}
	}
	host, err = ParseHost(s)
	return prefix, host, err
}

// String returns the normalised name.
func (h Host) String() string { return h.name }

// IsZero reports whether h names nothing.
func (h Host) IsZero() bool { return h.name == "" }

// IsWildcard reports whether h stands for every name below its domain.
func (h Host) IsWildcard() bool { return strings.HasPrefix(h.name, "*.") }

// Covers reports whether every host that o stands for is one that h stands for.
func (h Host) Covers(o Host) bool {
	if h == o {
		return true
	}
	suffix, wildcard := strings.CutPrefix(h.name, "*")
	return wildcard && strings.HasSuffix(strings.TrimPrefix(o.name, "*"), suffix)
}
