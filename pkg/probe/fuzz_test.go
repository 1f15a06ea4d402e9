package probe

import (
	"net/http"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// FuzzClassify looks for an answer that a check takes for another one.
func FuzzClassify(f *testing.F) {
	for _, r := range table(f) {
		f.Add(r.status, r.upstream, r.server, r.contentType, r.body)
	}
	f.Fuzz(func(t *testing.T, status int, upstream bool, server, contentType, body string) {
		a := answer{status: status, header: http.Header{}, body: []byte(body)}
		for name, value := range map[string]string{"Server": server, "Content-Type": contentType} {
			if value != "" {
				a.header.Set(name, value)
			}
		}
		if upstream {
			a.header.Set(upstreamHeader, "1")
		}
		k := classify(a, DefaultServers)
		denied := status == http.StatusForbidden && !upstream && strings.TrimSpace(body) == rbacText &&
			(server == "" || server == "envoy" || server == "istio-envoy")
		assert.Equal(t, denied, expectRejected(a, k) == "", "a denial is the gateway's own, and nothing else is one")
		assert.False(t, denied && expectNotRejected(a, k) == "", "a denial is found where there should be none")
		if expectAccepted(a, k) == "" {
			assert.False(t, a.denied() && status == http.StatusForbidden, "no denial by a policy is an access")
			assert.Less(t, status, http.StatusInternalServerError)
			assert.NotEqual(t, http.StatusUpgradeRequired, status)
			assert.False(t, status == http.StatusNotFound && !upstream && body == "", "no missing route is an access")
		}
		var out Check
		(&Prober{}).judge(&out, check{want: expectRejected}, a)
		for _, text := range []string{out.Reason, out.Body, out.Server} {
			printable(t, text)
		}
	})
}

// FuzzShown: a text of others neither breaks a line nor moves a terminal's cursor.
func FuzzShown(f *testing.F) {
	for _, text := range []string{"", "a\nb\x1b[31m\u202e\x00", "\xff\xfe", strings.Repeat("ä", maxShown), strings.Repeat("a", maxShown-1) + "€"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out := shown(text)
		printable(t, out)
		assert.LessOrEqual(t, len(out), maxShown+len("…"))
	})
}

func printable(tb testing.TB, text string) {
	tb.Helper()
	assert.True(tb, utf8.ValidString(text))
	for _, r := range text {
		assert.True(tb, unicode.IsPrint(r), "%q in %q", r, text)
	}
}

func TestShown(t *testing.T) {
	cases := map[string]struct{ text, want string }{
		"plain":              {"welcome", "welcome"},
		"lines":              {"\n<html>\r\n\t<body>\n", "<html>   <body>"},
		"escape-sequence":    {"\x1b[2Jgone", ".[2Jgone"},
		"right-to-left":      {"a\u202eb", "a.b"},
		"not-utf8":           {"caf\xe9", "caf."},
		"cut":                {strings.Repeat("a", maxShown+1), strings.Repeat("a", maxShown) + "…"},
		"cut-inside-a-rune":  {strings.Repeat("a", maxShown-1) + "€", strings.Repeat("a", maxShown-1) + ".…"},
		"exactly-the-length": {strings.Repeat("a", maxShown), strings.Repeat("a", maxShown)},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.want, shown(c.text)) })
	}
}
