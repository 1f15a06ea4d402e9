package probe

import (
	"bytes"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// upstreamHeader is what Envoy's router adds to every answer of an upstream, and to none of its
	// own. The refusals of an external authorization have it too where all their headers are passed on.
	upstreamHeader = "X-Envoy-Upstream-Service-Time"
	// rbacText is the whole body of Envoy's RBAC filter.
	rbacText = "RBAC: access denied"
	// maxBody is how much of a body is read, maxShown how much of it is shown, in bytes.
	maxBody  = 64 << 10
	maxShown = 200
)

// envoyTexts begin the bodies of Envoy's own answers (source/common/router and
// source/extensions/filters/http).
var envoyTexts = []string{
	rbacText, "no healthy upstream", "upstream connect error or disconnect/reset before headers",
	"upstream request timeout", "Upgrade Required", "local_rate_limited",
}

// answer is what came back for a request: an error, or the rest.
type answer struct {
	err    error
	status int
	header http.Header
	body   []byte
}

// upstream reports whether the gateway's proxy says that it has the answer from behind it.
func (a answer) upstream() bool { return a.header.Get(upstreamHeader) != "" }

// text returns the body where it is one that Envoy writes.
func (a answer) text() string {
	for _, text := range envoyTexts {
		if bytes.HasPrefix(a.body, []byte(text)) {
			return shown(string(a.body))
		}
	}
	return ""
}

func (a answer) denied() bool {
	return a.status == http.StatusForbidden && string(bytes.TrimSpace(a.body)) == rbacText
}

// bare reports whether the answer holds nothing but what Envoy writes when it has nothing to say.
func (a answer) bare() bool {
	for name := range a.header {
		switch name {
		case "Date", "Server", "Content-Length", "Connection":
		default:
			return false
		}
	}
	return len(a.body) == 0
}

// local reports whether the form of the answer is that of Envoy's own: no body, or plain text without a charset.
func (a answer) local() bool {
	return len(a.body) == 0 || a.header.Get("Content-Type") == "text/plain"
}

// shown returns the beginning of a text of others, on one line and printable.
func shown(s string) string {
	rest := ""
	if len(s) > maxShown {
		s, rest = s[:maxShown], "…"
	}
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return '.'
		default:
			return r
		}
	}, s)) + rest
}
