package probe

import (
	"net"
	"net/http"
	"net/url"
	"strconv"
)

// check is one request with what is wanted of its answer.
type check struct {
	name string
	url  *url.URL
	// host is the Host header, serverName that of the TLS handshake; empty: the URL's.
	host, serverName string
	method           string
	// own says that the port is the proxy's own: it asks nobody who he is, and so is sent no headers.
	own  bool
	want expectation
}

// plan returns the checks of a valid gateway, in their order.
func plan(g Gateway) ([]check, error) {
	at, err := locate(g.Scheme, g.Address, g.Port, g.Path)
	if err != nil {
		return nil, err
	}
	direct := func(name, host, serverName string, want expectation) check {
		return check{name: name, url: at, host: host, serverName: serverName, method: g.Method, want: want}
	}
	var out []check
	for _, host := range g.Hosts {
		out = append(out, direct(Accepted, host.Name, host.Name, expectAccepted))
		for _, port := range host.Ports {
			out = append(out, direct(AcceptedWithPort, join(host.Name, port), host.Name, expectAccepted))
		}
	}
	// A TLS listener has no certificate for a host that the gateway doesn't serve, so
	// the handshake names one that it does: only the Host header is to be judged.
	name, want := NotRejected, expectation(expectNotRejected)
	if g.Rejects {
		name, want = Rejected, expectRejected
	}
	out = append(out, direct(name, g.RejectedHost, g.Hosts[0].Name, want))
	if g.Readiness != nil {
		if out, err = g.Readiness.add(out, Readiness, expectReady); err != nil {
			return nil, err
		}
	}
	if g.Metrics != nil {
		if out, err = g.Metrics.add(out, Metrics, expectMetrics); err != nil {
			return nil, err
		}
	}
	return addURL(out, g)
}

// add appends the check of an endpoint.
func (e *Endpoint) add(checks []check, name string, want expectation) ([]check, error) {
	at, err := locate("http", e.Address, e.Port, e.Path)
	return append(checks, check{name: name, url: at, method: http.MethodGet, own: true, want: want}), err
}

func addURL(checks []check, g Gateway) ([]check, error) {
	if g.URL == "" {
		return checks, nil
	}
	want := expectation(expectAccepted)
	if len(g.URLStatus) > 0 {
		want = expectStatus(g.URLStatus)
	}
	at, err := url.Parse(g.URL)
	return append(checks, check{name: URL, url: at, method: g.Method, want: want}), err
}

func locate(scheme, address string, port int, path string) (*url.URL, error) {
	at, err := url.Parse(path)
	if err != nil {
		return nil, err
	}
	at.Scheme, at.Host = scheme, join(address, port)
	return at, nil
}

func join(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
