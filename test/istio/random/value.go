package random

import "fmt"

// The names that policies and requests share.
var (
	namespaces   = []string{"app", "shop", "apps", "default"}
	accounts     = []string{"web", "api", "default"}
	trustDomains = []string{"cluster.local", "example.org", "old.example.org", "else.where"}
	hosts        = []string{"shop.example.org", "Shop.Example.org", "shop.example.org:8443", "api.example.org", "example.org", "shop.example.org.", "10.0.0.1"}
	methods      = []string{"GET", "POST", "get", "DELETE"}
	paths        = []string{"/", "/cart", "/cart/", "/cart/items/1", "/Cart", "/admin", "/info", "/cart%2Fx", "/a.b/c"}
	headers      = []string{"blue", "bluegreen", "green", "", "BLUE"}
	claims       = []string{"admin", "user", "one", "two", ""}
	issuers      = []string{"https://issuer.example.org/a", "issuer", "https://other.example.org"}
	subjects     = []string{"me", "you", "*"}
	names        = []string{"shop.example.org", "api.example.org", "outbound_.80_._.shop.app.svc.cluster.local"}
	addresses    = []string{"10.1.2.3", "10.1.200.9", "192.0.2.7", "2001:db8::7", "127.0.0.1"}
	ports        = []uint16{80, 3000, 8080, 8443}
)

// affixed returns a value as policies write it: whole, or with a star for a part.
func (s Source) affixed(value string) string {
	switch n := s.IntN(12); {
	case n < 7 || value == "":
		return value
	case n == 7:
		return "*"
	case n < 10:
		return "*" + value[s.IntN(len(value)):]
	default:
		return value[:1+s.IntN(len(value))] + "*"
	}
}

func (s Source) id() string {
	return fmt.Sprintf("%s/ns/%s/sa/%s", pick(s, trustDomains...), pick(s, namespaces...), pick(s, accounts...))
}

func (s Source) principal() string {
	switch s.IntN(12) {
	case 0:
		return pick(s, accounts...)
	case 1:
		return "spiffe://" + s.id()
	case 2:
		return "*/ns/" + pick(s, namespaces...) + "/sa/" + pick(s, accounts...)
	case 3:
		return "*.org/ns/" + pick(s, namespaces...) + "/sa/" + pick(s, accounts...)
	case 4:
		return "example*/ns/" + pick(s, namespaces...) + "/sa/" + pick(s, accounts...)
	case 5:
		return "cluster.local/ns/" + pick(s, namespaces...) + "/sa/" + pick(s, accounts...)
	}
	return s.affixed(s.id())
}

func (s Source) namespace() string {
	if s.chance(10) {
		return pick(s, "a*p", "*p*", "*", "app*", "s?op", "a.p")
	}
	return s.affixed(pick(s, namespaces...))
}

func (s Source) serviceAccount() string {
	if s.chance(50) {
		return pick(s, accounts...)
	}
	return pick(s, namespaces...) + "/" + pick(s, accounts...)
}

func (s Source) trustDomain() string { return s.affixed(pick(s, trustDomains...)) }

func (s Source) requestPrincipal() string {
	switch s.IntN(8) {
	case 0:
		return "*"
	case 1:
		return pick(s, issuers...) + "/*"
	case 2:
		return "*/" + pick(s, subjects...)
	case 3:
		return pick(s, subjects...)
	case 4:
		return "*" + pick(s, "e", "er", ".org")
	case 5:
		return pick(s, "https://*", "iss*", "https://issuer.example.org/*")
	}
	return pick(s, issuers...) + "/" + pick(s, subjects...)
}

func (s Source) block() string {
	return pick(s, "10.1.2.3", "10.1.0.0/16", "10.1.2.3/32", "192.0.2.0/24", "2001:db8::/32", "::/0", "0.0.0.0/0", "10.1.255.255/17", "127.0.0.1")
}

func (s Source) host() string {
	switch s.IntN(8) {
	case 0:
		return "*.example.org"
	case 1:
		return pick(s, "shop.example.org:*", "*.example.org:*", "*:8443")
	}
	return s.affixed(pick(s, hosts...))
}

func (s Source) port() string { return fmt.Sprint(pick(s, ports...)) }

func (s Source) method() string { return s.affixed(pick(s, methods...)) }

func (s Source) path() string {
	if s.chance(25) {
		return pick(s, "/{*}", "/{**}", "/cart/{*}", "/cart/{**}", "/{*}/items/{*}", "/cart/{*}/1", "/{**}/1")
	}
	return s.affixed(pick(s, paths...))
}

func (s Source) headerValue() string { return s.affixed(pick(s, headers...)) }

func (s Source) claimValue() string { return s.affixed(pick(s, claims...)) }

func (s Source) sni() string { return s.affixed(pick(s, names...)) }
