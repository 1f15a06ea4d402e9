package probe

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// maxHeader is how many bytes of an answer's header are read.
const maxHeader = 64 << 10

// userAgent tells whoever reads an access log what these requests are.
const userAgent = "ringfence-gateway-probe"

// ask sends one request over a connection of its own. It goes straight to the
// transport: no redirect is followed and no cookie kept.
func (p *Prober) ask(ctx context.Context, c check) answer {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	request := (&http.Request{Method: c.method, URL: c.url, Host: c.host, Header: http.Header{}}).WithContext(ctx)
	request.Header.Set("User-Agent", userAgent)
	if !c.own {
		for name, values := range p.Headers {
			request.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	transport := p.transport(c.serverName)
	defer transport.CloseIdleConnections()
	response, err := transport.RoundTrip(request)
	if err != nil {
		return answer{err: p.explain(ctx, err)}
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	if err != nil && response.StatusCode >= http.StatusBadRequest {
		// The text of a refusal says whose it is, so that a part of it says nothing. An
		// endless stream of an application's is an answer like any other.
		return answer{err: p.explain(ctx, fmt.Errorf("reading the body of its %d: %w", response.StatusCode, err))}
	}
	return answer{status: response.StatusCode, header: response.Header, body: body}
}

// transport is for one request. It takes no proxy from the environment, for that
// would be asked in the gateway's place.
func (p *Prober) transport(serverName string) *http.Transport {
	return &http.Transport{
		DialContext: (&net.Dialer{}).DialContext,
		TLSClientConfig: &tls.Config{
			ServerName:         serverName,
			InsecureSkipVerify: p.Insecure, //nolint:gosec // the caller says so
		},
		DisableKeepAlives:      true,
		DisableCompression:     true, // the gateway's own texts are read as they are
		MaxResponseHeaderBytes: maxHeader,
	}
}

// explain says why there is no answer. An error of net/http may quote what came
// back, and with it a header that was sent.
func (p *Prober) explain(ctx context.Context, err error) error {
	var (
		network     *net.OpError
		name        *net.DNSError
		record      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		hostname    x509.HostnameError
		timeout     net.Error
	)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("there was none within %s", p.Timeout.Round(time.Millisecond))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the connection was closed before it was whole")
	case errors.As(err, &network), errors.As(err, &name), errors.As(err, &record),
		errors.As(err, &certificate), errors.As(err, &hostname):
		return errors.New(shown(err.Error()))
	case len(p.Headers) > 0:
		return errors.New("what came back is no HTTP")
	default:
		return errors.New(shown(err.Error()))
	}
}
