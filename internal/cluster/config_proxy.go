package cluster

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// ProxyHeaders are what a proxy is told with the request for a tunnel.
type ProxyHeaders struct {
	// BasicAuth and ProxyBasicAuth are each "user:password".
	BasicAuth, ProxyBasicAuth string
	UserAgent                 string
}

func (c Config) overlayProxy(out *rest.Config) error {
	if c.Proxy != "" {
		u, err := proxyURL(c.Proxy)
		if err != nil {
			return fmt.Errorf("proxy %w", err)
		}
		out.Proxy = http.ProxyURL(u)
	}
	if c.NoProxy == "" && c.ProxyHeaders == (ProxyHeaders{}) {
		return nil
	}
	// From here on the connection has a proxy function of its own, so that client-go
	// shares its transport with no other connection.
	if out.Proxy == nil {
		out.Proxy = http.ProxyFromEnvironment
	}
	if c.NoProxy != "" {
		out.Proxy = except(out.Proxy, c.NoProxy)
	}
	if auth := c.ProxyHeaders.ProxyBasicAuth; auth != "" {
		user, password, ok := strings.Cut(auth, ":")
		if !ok {
			return errors.New("proxy_headers.proxy_basic_auth has no colon: write it as user:password")
		}
		out.Proxy = as(out.Proxy, url.UserPassword(user, password))
	}
	if header := c.ProxyHeaders.tunnel(); len(header) > 0 {
		out.Wrap(func(rt http.RoundTripper) http.RoundTripper { return withTunnelHeader(rt, header) })
	}
	return nil
}

// errProxyURL doesn't repeat the URL, which may hold a password.
var errProxyURL = errors.New("is no URL of http, https or socks5: write it as http://proxy.example.com:3128")

func proxyURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil, errProxyURL
	}
	return u, nil
}

type proxyFunc = func(*http.Request) (*url.URL, error)

// except keeps requests to some hosts from a proxy.
func except(proxy proxyFunc, noProxy string) proxyFunc {
	const some = "http://some.proxy"
	proxied := (&httpproxy.Config{HTTPProxy: some, HTTPSProxy: some, NoProxy: noProxy}).ProxyFunc()
	return func(r *http.Request) (*url.URL, error) {
		if u, err := proxied(r.URL); u == nil || err != nil {
			return nil, err
		}
		return proxy(r)
	}
}

// as has requests authenticate to the proxy.
func as(proxy proxyFunc, user *url.Userinfo) proxyFunc {
	return func(r *http.Request) (*url.URL, error) {
		u, err := proxy(r)
		if u == nil || err != nil {
			return nil, err
		}
		out := *u
		out.User = user
		return &out, nil
	}
}

// tunnel returns the headers beside Proxy-Authorization, which comes from the proxy's URL.
func (h ProxyHeaders) tunnel() http.Header {
	out := http.Header{}
	if h.BasicAuth != "" {
		out.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(h.BasicAuth)))
	}
	if h.UserAgent != "" {
		out.Set("User-Agent", h.UserAgent)
	}
	return out
}

// withTunnelHeader sets the headers of the transport at the bottom of client-go's wrappers.
func withTunnelHeader(rt http.RoundTripper, header http.Header) http.RoundTripper {
	for inner := rt; ; {
		switch t := inner.(type) {
		case *http.Transport:
			t.ProxyConnectHeader = header
			return rt
		case utilnet.RoundTripperWrapper:
			inner = t.WrappedRoundTripper()
		default:
			return refused{fmt.Errorf("setting proxy_headers: a transport of type %T has none", inner)}
		}
	}
}

type refused struct{ err error }

func (r refused) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }
