package probe

import (
	"net/http"
	"slices"
)

// Kind says who gave an answer, and what it means. The zero value is Unreachable.
type Kind int

const (
	// Unreachable is no answer, or none that is HTTP.
	Unreachable Kind = iota
	// Denied is the refusal of the gateway's own proxy by an authorization policy.
	Denied
	// DeniedElsewhere is that refusal by a server that isn't the gateway's proxy.
	DeniedElsewhere
	// DeniedBehind is that refusal by the proxy of the application: the gateway let the request pass.
	DeniedBehind
	// DeniedUnexplained is a bare 403 of the gateway: mostly an external authorization that can't be reached.
	DeniedUnexplained
	// Authentication is the refusal of an external authorization or of a token.
	Authentication
	// Redirect is that of an external authorization to its login, or of the gateway's routes.
	Redirect
	// NoRoute is the gateway's 404.
	NoRoute
	// HTTP10 is the refusal of a request that came as HTTP/1.0. No policy was asked before it.
	HTTP10
	// GatewayError is another refusal of the gateway's proxy.
	GatewayError
	// Unavailable is an answer of the gateway, which got none of the application.
	Unavailable
	// ApplicationError is a failure of the application.
	ApplicationError
	// Application is any other answer of the application.
	Application
	// Proxy is any answer on a port of the gateway's proxy that serves no requests: readiness or metrics.
	Proxy
)

// String returns the name that reports have for k.
func (k Kind) String() string { return kinds[k].name }

// classify says what an answer is. servers are the names that the gateway's proxy
// has for itself.
func classify(a answer, servers []string) Kind {
	server := a.header.Get("Server")
	switch {
	case a.err != nil:
		return Unreachable
	case a.denied() && a.upstream():
		return DeniedBehind
	case a.denied() && server != "" && !slices.Contains(servers, server):
		return DeniedElsewhere
	case a.denied():
		return Denied
	case a.status == http.StatusUpgradeRequired:
		return HTTP10
	case a.status >= http.StatusInternalServerError && a.upstream():
		return ApplicationError
	case a.status >= http.StatusInternalServerError:
		return Unavailable
	case a.upstream():
		return Application
	default:
		return classifyLocal(a)
	}
}

// classifyLocal is about answers below 500 of which nothing says that they came
// from behind the gateway: its own, and those of a gateway that is told to hide it.
func classifyLocal(a answer) Kind {
	switch {
	case a.status == http.StatusNotFound && len(a.body) == 0:
		return NoRoute
	case a.status == http.StatusForbidden && a.bare():
		return DeniedUnexplained
	case a.status == http.StatusForbidden, a.status == http.StatusUnauthorized:
		return Authentication
	case a.status >= http.StatusMultipleChoices && a.status < http.StatusBadRequest:
		return Redirect
	case a.status >= http.StatusBadRequest && a.status != http.StatusNotFound && a.local():
		return GatewayError
	default:
		return Application
	}
}

// meaning is what an answer of one kind is for a check.
type meaning struct {
	name string
	// from says whose answer it is.
	from string
	// accepted, rejected and notRejected say why the answer fails a check that wants
	// the host admitted, denied, or at least not denied, and what to look at. Empty: it doesn't.
	accepted, rejected, notRejected string
}

// open is why a request for an unknown host was not denied.
const open = "the policy is missing, admits every host, or hasn't reached the gateway yet; look at the AuthorizationPolicies that select its pods, and at those with CUSTOM, which are judged first"

var kinds = [...]meaning{
	Unreachable: {
		name:        "unreachable",
		accepted:    "look at the address, the NodePort and the scheme, at the gateway's pods, and at what filters the network",
		rejected:    "a denial is an answer, so this is none; look at the address, the NodePort and the scheme",
		notRejected: "look at the address, the NodePort and the scheme, at the gateway's pods, and at what filters the network",
	},
	Denied: {
		name: "denied", from: "the gateway",
		accepted:    "its policies don't admit this host; compare their hosts, with and without a port, with the Host that was sent",
		notRejected: "a policy is still alive that this profile doesn't have; look at the AuthorizationPolicies that select its pods",
	},
	DeniedElsewhere: {
		name: "denied-elsewhere", from: "a server that isn't the gateway's proxy",
		accepted:    "the gateway or something before it denies the host; compare the hosts of its policies with the Host that was sent",
		rejected:    "that says nothing of the gateway; probe its NodePort directly, or name its proxy in server_names",
		notRejected: "that says nothing of the gateway; probe its NodePort directly, or name its proxy in server_names",
	},
	DeniedBehind: {
		name: "denied-behind", from: "the application's own proxy",
		accepted: "the gateway admits the host, and the policy of the application doesn't admit the gateway; look at its callers, and at the ServiceAccount that the gateway runs as",
		rejected: "the request passed the gateway: " + open,
	},
	DeniedUnexplained: {
		name: "denied-unexplained", from: "the gateway",
		accepted: "no policy of hosts says that, and an external authorization that can't be reached does; look at the provider of its CUSTOM policies",
		rejected: "no policy of hosts says that, and an external authorization that can't be reached does; look at the provider of its CUSTOM policies",
	},
	Authentication: {
		name: "authentication", from: "an authentication before the application",
		rejected: "it was asked before the policy of hosts, which is unproved so; limit its CUSTOM policy to the gateway's hosts, or send what it wants in headers",
	},
	Redirect: {
		name: "redirect", from: "the gateway or an external authorization",
		rejected: open,
	},
	NoRoute: {
		name: "no-route", from: "the gateway, which has no route for it",
		accepted: "no VirtualService of this gateway serves the host; look at its hosts and gateways, and at the hosts of the Gateway",
		rejected: "it is unknown and yet not denied: " + open,
	},
	HTTP10: {
		name: "http10", from: "the gateway",
		accepted:    "the request reached it as HTTP/1.0, before any policy; set proxy_http_version 1.1 in the proxy before it",
		rejected:    "the request reached it as HTTP/1.0, before any policy; set proxy_http_version 1.1 in the proxy before it",
		notRejected: "the request reached it as HTTP/1.0, before any policy; set proxy_http_version 1.1 in the proxy before it",
	},
	GatewayError: {
		name: "gateway-error", from: "the gateway",
		accepted: "the request went no further; look at the gateway's access log and its EnvoyFilters",
		rejected: "it wasn't denied by a policy of hosts; look at the gateway's access log and its EnvoyFilters",
	},
	Unavailable: {
		name: "unavailable", from: "the gateway, which got no answer of the application",
		accepted: "look at the application's pods, its Service and DestinationRules, and whether both sides agree on mTLS",
		rejected: "the request was let through: " + open,
	},
	ApplicationError: {
		name: "application-error", from: "the application",
		accepted: "the gateway admits the host and the application fails; look at the application's log",
		rejected: "the request reached the application: " + open,
	},
	Application: {
		name: "application", from: "the application",
		rejected: open,
	},
	Proxy: {name: "proxy", from: "the gateway's proxy"}, // what is wanted of it is the check's own
}
