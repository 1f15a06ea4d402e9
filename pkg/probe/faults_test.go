package probe

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// raw answers every connection with a text, once the request is read, and closes it.
func raw(tb testing.TB, answer func(net.Conn, *http.Request)) Gateway {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { assert.NoError(tb, listener.Close()) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close() //nolint:errcheck // the client closed it first, or not
				if request, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
					answer(conn, request)
				}
			}()
		}
	}()
	return gateway(tb, "http://"+listener.Addr().String())
}

func says(text string) func(net.Conn, *http.Request) {
	return func(conn net.Conn, _ *http.Request) { write(conn, text) }
}

// TestUnreachable: what is no answer proves nothing, neither that a host is admitted nor that it is denied.
func TestUnreachable(t *testing.T) {
	cases := map[string]struct {
		answer func(net.Conn, *http.Request)
		says   string
	}{
		"closed":    {says(""), "the connection was closed before it was whole"},
		"hangs":     {func(conn net.Conn, _ *http.Request) { _, _ = io.Copy(io.Discard, conn) }, "there was none within 300ms"},
		"drips":     {func(conn net.Conn, _ *http.Request) { drip(conn, "HTTP/1.1 200 OK\r\n", "X: y\r\n") }, "there was none within 300ms"},
		"no-http":   {says("SSH-2.0-OpenSSH_9.2\r\n"), `malformed HTTP`},
		"truncated": {says("HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 19\r\n\r\nRBAC: acc"), "closed before it was whole"},
		"resets": {func(conn net.Conn, _ *http.Request) {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0)
			}
		}, "connection reset by peer"},
		"endless-header":  {func(conn net.Conn, _ *http.Request) { endless(conn, "HTTP/1.1 200 OK\r\nX: ", "y") }, "headers exceeded"},
		"endless-refusal": {func(conn net.Conn, _ *http.Request) { drip(conn, "HTTP/1.1 403 Forbidden\r\n\r\n", "R") }, "there was none within"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g := raw(t, c.answer)
			p := &Prober{Timeout: 300 * time.Millisecond}
			for _, rejects := range []bool{true, false} {
				g.Rejects = rejects
				report := probe(t, p, g)
				require.Len(t, report.Failures(), 2)
				for _, check := range report.Checks {
					assert.Equal(t, Unreachable, check.Kind)
					assert.Zero(t, check.Status)
					assert.Contains(t, check.Reason, c.says)
					assert.Regexp(t, `^got no answer: `, check.Reason)
					assert.NotContains(t, check.Reason, "\n")
				}
			}
		})
	}
	t.Run("refused", func(t *testing.T) {
		report := probe(t, quick(), gateway(t, "http://127.0.0.1:1"))
		assert.Contains(t, report.Failures()[0], "gateway edge: accepted: app.example.org got no answer: dial tcp 127.0.0.1:1: connect: connection refused: look at the address")
	})
	t.Run("unknown-name", func(t *testing.T) {
		report := probe(t, quick(), gateway(t, "http://node.invalid:80"))
		assert.Contains(t, report.Failures()[0], "no such host")
	})
	t.Run("plain-for-tls", func(t *testing.T) {
		g := serve(t, http.HandlerFunc(ok))
		g.Scheme = "https"
		assert.Contains(t, probe(t, quick(), g).Failures()[0], "tls")
	})
}

func drip(conn net.Conn, head, more string) {
	for text := head; ; text = more {
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func endless(conn net.Conn, head, more string) {
	for text := head; ; text = strings.Repeat(more, 4096) {
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
	}
}

// TestEndlessBody: a stream is an application's answer, of which no more than its beginning is read.
func TestEndlessBody(t *testing.T) {
	for name, answer := range map[string]func(net.Conn, *http.Request){
		"fast": func(conn net.Conn, _ *http.Request) { endless(conn, "HTTP/1.1 200 OK\r\n\r\n", "data: x\n\n") },
		"slow": func(conn net.Conn, _ *http.Request) { drip(conn, "HTTP/1.1 200 OK\r\n\r\n", "data: x\n\n") },
	} {
		t.Run(name, func(t *testing.T) {
			got := find(t, probe(t, &Prober{Timeout: 300 * time.Millisecond}, raw(t, answer)), Accepted)
			assert.True(t, got.OK, got.Reason)
			assert.Contains(t, got.Body, "data: x  data: x")
			assert.LessOrEqual(t, len(got.Body), maxShown+len("…"))
		})
	}
}

// TestNoSecretComesBack: whatever a server makes of a header that was given, no report repeats it.
func TestNoSecretComesBack(t *testing.T) {
	const secret = "s3cr3t-token"
	echo := func(format string) func(net.Conn, *http.Request) {
		return func(conn net.Conn, r *http.Request) {
			write(conn, fmt.Sprintf(format, r.Header.Get("Authorization")))
		}
	}
	cases := map[string]struct {
		answer func(net.Conn, *http.Request)
		body   string
	}{
		"in-a-page":        {echo("HTTP/1.1 200 OK\r\n\r\nyou sent %s"), ""},
		"in-a-refusal":     {echo("HTTP/1.1 403 Forbidden\r\n\r\nyou sent %s"), ""},
		"in-a-status-line": {echo("HTTP/1.1 %s\r\n\r\n"), ""},
		"in-a-header":      {echo("HTTP/1.1 200 OK\r\nContent-Length: %s\r\n\r\n"), ""},
		"in-the-server":    {echo("HTTP/1.1 403 Forbidden\r\nServer: %s\r\n\r\nRBAC: access denied"), rbacText},
		"as-no-http":       {echo("%s\r\n"), ""},
		"envoys-own-text":  {says("HTTP/1.1 503 Service Unavailable\r\n\r\nno healthy upstream"), "no healthy upstream"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := quick()
			p.Headers = http.Header{"Authorization": {"Bearer " + secret}}
			report := probe(t, p, raw(t, c.answer))
			assert.NotContains(t, fmt.Sprintf("%+v %q", report, report.Failures()), secret)
			assert.Equal(t, c.body, find(t, report, Accepted).Body)
		})
	}
}

// TestWarning: a gateway that hides where its answers come from leaves one thing unproved.
func TestWarning(t *testing.T) {
	for name, c := range map[string]struct {
		application http.HandlerFunc
		warns       bool
	}{
		"traced":         {func(w http.ResponseWriter, _ *http.Request) { w.Header().Set(upstreamHeader, "1") }, false},
		"hidden":         {ok, true},
		"login-in-front": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, false},
		"no-answer":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			report := probe(t, quick(), serve(t, c.application))
			assert.Equal(t, c.warns, len(report.Warnings) > 0, report.Warnings)
		})
	}
}
