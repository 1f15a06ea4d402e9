package cluster

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// Request is one that a proxy got.
type Request struct {
	Method, Path string
	DryRun       bool
}

// Writes reports whether the request changes something.
func (r Request) Writes() bool { return r.Method != http.MethodGet && !r.DryRun }

// Fault answers a request in the API server's place, or after it.
type Fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

// Proxy stands before an API server and lets it fail.
type Proxy struct {
	access Access
	server *http.Server

	mu       sync.Mutex
	faults   []*fault
	requests []Request
}

type fault struct {
	method string
	path   *regexp.Regexp
	times  int // left; negative for ever
	do     Fault
}

// Proxy starts a proxy that asks as somebody, with a certificate of the given
// validity. It must be stopped.
func (s *Server) Proxy(as Access, validity Validity) (*Proxy, error) {
	pair, err := s.authority.server(validity)
	if err != nil {
		return nil, err
	}
	certificate, err := pair.tls()
	if err != nil {
		return nil, fmt.Errorf("reading the proxy's certificate: %w", err)
	}
	upstream, err := url.Parse(as.Server)
	if err != nil {
		return nil, fmt.Errorf("reading the address of the API server: %w", err)
	}
	transport, err := rest.TransportFor(as.Config())
	if err != nil {
		return nil, fmt.Errorf("connecting the proxy: %w", err)
	}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(upstream)
			r.Out.Header.Del("Authorization") // who asks here is nobody there
		},
		Transport: transport,
	}
	listener, err := tls.Listen("tcp4", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	if err != nil {
		return nil, fmt.Errorf("listening: %w", err)
	}
	p := &Proxy{access: Access{Server: "https://" + listener.Addr().String(), Authority: s.authority.pem(), Token: "proxied"}}
	p.server = &http.Server{Handler: p.handler(forward), ReadHeaderTimeout: time.Minute}
	go func() { _ = p.server.Serve(listener) }() // until Stop
	return p, nil
}

// Stop ends the proxy and every connection through it.
func (p *Proxy) Stop() { _ = p.server.Close() }

// Access returns the way through the proxy.
func (p *Proxy) Access() Access { return p.access }

// On has a fault answer the next requests of a method, "" for any, whose path an
// expression finds; a negative count is for ever. The last one added counts first.
func (p *Proxy) On(method, path string, times int, do Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, &fault{method, regexp.MustCompile(path), times, do})
}

// Calm takes all faults away and forgets the requests.
func (p *Proxy) Calm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults, p.requests = nil, nil
}

// Requests returns the requests since the start, or since Calm.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

func (p *Proxy) handler(forward http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if do := p.take(r); do != nil {
			do(w, r, forward)
			return
		}
		forward.ServeHTTP(w, r)
	})
}

// take notes a request and returns the fault that is to answer it.
func (p *Proxy) take(r *http.Request) Fault {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, Request{Method: r.Method, Path: r.URL.Path, DryRun: r.URL.Query().Has("dryRun")})
	for _, f := range slices.Backward(p.faults) {
		if f.times == 0 || f.method != "" && f.method != r.Method || !f.path.MatchString(r.URL.Path) {
			continue
		}
		f.times--
		return f.do
	}
	return nil
}

// Status answers as the API server would with a status of its own.
func Status(code int32, reason metav1.StatusReason, message string, headers ...string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ": ")
			w.Header().Set(name, value)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(int(code))
		_ = json.NewEncoder(w).Encode(metav1.Status{ // the other side may be gone
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status:   metav1.StatusFailure, Code: code, Reason: reason, Message: message,
		})
	}
}

// Missing answers as for a kind that nobody serves.
func Missing(w http.ResponseWriter, r *http.Request, _ http.Handler) { http.NotFound(w, r) }

// Hang never answers.
func Hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }

// Reset cuts the connection before anything is done.
func Reset(w http.ResponseWriter, _ *http.Request, _ http.Handler) { cut(w) }

// Lose has the request done, and cuts the connection in place of the answer.
func Lose(w http.ResponseWriter, r *http.Request, next http.Handler) {
	next.ServeHTTP(httptest.NewRecorder(), r)
	cut(w)
}

// Slow has the request done after a while.
func Slow(d time.Duration) Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		ctx, cancel := context.WithTimeout(r.Context(), d)
		defer cancel()
		<-ctx.Done()
		next.ServeHTTP(w, r)
	}
}

func cut(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	connection, _, err := hijacker.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if raw, ok := connection.(*tls.Conn); ok {
		if tcp, ok := raw.NetConn().(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // a reset, and no orderly end
		}
	}
	_ = connection.Close()
}
