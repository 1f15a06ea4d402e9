package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/model"
)

func TestHostGood(t *testing.T) {
	label := strings.Repeat("a", 63)
	for s, want := range map[string]string{
		"web.example.org":               "web.example.org",
		"localhost":                     "localhost",
		"WEB.Example.ORG":               "web.example.org",
		"web.example.org.":              "web.example.org",
		"*.example.org":                 "*.example.org",
		"*.EXAMPLE.org.":                "*.example.org",
		"bücher.example":                "xn--bcher-kva.example",
		"BÜCHER.example":                "xn--bcher-kva.example",
		"XN--BCHER-KVA.example":         "xn--bcher-kva.example",
		"straße.example":                "xn--strae-oqa.example",
		"ＷＥＢ.example":                   "web.example",
		"web。example。org":               "web.example.org",
		"r3---sn-x.example":             "r3---sn-x.example",
		"1.example":                     "1.example",
		"4chan.example":                 "4chan.example",
		label + ".example":              label + ".example",
		strings.Repeat("a.", 124) + "a": strings.Repeat("a.", 124) + "a",
		"web.example.0x1":               "web.example.0x1",
	} {
		host, err := model.ParseHost(s)
		require.NoError(t, err, s)
		assert.Equal(t, want, host.String(), s)
		assert.Equal(t, strings.HasPrefix(s, "*."), host.IsWildcard(), s)
		again, err := model.ParseHost(host.String())
		require.NoError(t, err, "a normalised host is a host")
		assert.Equal(t, host, again)
	}
}

func TestHostBad(t *testing.T) {
	for s, why := range map[string]string{
		"":                         "it is empty",
		" web.example":             "it has spaces around it",
		"web.example\n":            "it has spaces around it",
		"web example":              "a host name has neither underscores nor spaces",
		"web_1.example":            "a host name has neither underscores nor spaces",
		"*":                        "it admits every host: name the hosts",
		"https://web.example":      "it has a scheme",
		"web.example/path":         "it has a path",
		"istio-system/web.example": "it has a path",
		"web.example?q":            "it has a path",
		"web.example#f":            "it has a path",
		"user@web.example":         "it has user information",
		"web.example:8443":         "it has a port: an exact host admits every port, a wildcard those of hostPorts",
		"web.example:*":            "it has a port: an exact host admits every port, a wildcard those of hostPorts",
		"*.web.example:8443":       "it has a port: an exact host admits every port, a wildcard those of hostPorts",
		"10.0.0.1":                 "it is an address, and gateways serve names",
		"::1":                      "it is an address, and gateways serve names",
		"[::1]":                    "it is an address, and gateways serve names",
		"[::1]:443":                "it has a port: an exact host admits every port, a wildcard those of hostPorts",
		"１０.0.0.1":                 `its last label "1" is a number, which Istio refuses`,
		"10.0.1":                   `its last label "1" is a number, which Istio refuses`,
		"web.1":                    `its last label "1" is a number, which Istio refuses`,
		"*.*.example":              `a wildcard is the whole first label, as in "*.example.org"`,
		"web.*":                    `a wildcard is the whole first label, as in "*.example.org"`,
		"*web.example":             `a wildcard is the whole first label, as in "*.example.org"`,
		"web*.example":             `a wildcard is the whole first label, as in "*.example.org"`,
		"**.example":               `a wildcard is the whole first label, as in "*.example.org"`,
		"＊.example":                "it is no DNS name: disallowed rune U+FF0A",
		"web.example：8443":         "it is no DNS name: disallowed rune U+FF1A",
		"web．example／path":         "it is no DNS name: disallowed rune U+FF0F",
		"web\x00.example":          "it is no DNS name: disallowed rune U+0000",
		"web\xff.example":          "it is no UTF-8 text",
		"*.":                       "it has an empty label: a dot too many, or nothing beside one",
		".":                        "it has an empty label: a dot too many, or nothing beside one",
		"web..example":             "it has an empty label: a dot too many, or nothing beside one",
		".web.example":             "it has an empty label: a dot too many, or nothing beside one",
		"web.example..":            "it has an empty label: a dot too many, or nothing beside one",
		"web\ufffd.example":        "it is no DNS name: disallowed rune U+FFFD",
		"-web.example":             `its label "-web" begins or ends with a hyphen, or holds what DNS has not`,
		"web-.example":             `its label "web-" begins or ends with a hyphen, or holds what DNS has not`,
		strings.Repeat("a", 64):    `its label "` + strings.Repeat("a", 64) + `" has more than 63 letters`,
		strings.Repeat("a.", 128):  "it has more than 253 letters",
		"xn--a.example":            `it is no DNS name: invalid label "\u0080"`,
		"$host.example":            "it is no DNS name: disallowed rune U+0024",
		"{{ host }}":               "a host name has neither underscores nor spaces",
	} {
		host, err := model.ParseHost(s)
		if assert.Error(t, err, "%q", s) {
			assert.Equal(t, why, err.Error(), "%q", s)
		}
		assert.True(t, host.IsZero(), "%q", s)
	}
}

func TestGatewayHost(t *testing.T) {
	for s, want := range map[string][2]string{
		"web.example":              {"", "web.example"},
		"istio-system/WEB.example": {"istio-system", "web.example"},
		"./*.example":              {".", "*.example"},
		"*/web.example":            {"*", "web.example"},
	} {
		prefix, host, err := model.ParseGatewayHost(s)
		require.NoError(t, err, s)
		assert.Equal(t, want, [2]string{prefix, host.String()}, s)
	}
	for _, s := range []string{"*", "*/*", "/web.example", "a/b/web.example", "https://web.example", "a/https://web.example", "a/"} {
		_, _, err := model.ParseGatewayHost(s)
		assert.Error(t, err, s)
	}
}

func TestHostCovers(t *testing.T) {
	for pair, want := range map[[2]string]bool{
		{"web.example", "web.example"}:     true,
		{"web.example", "a.web.example"}:   false,
		{"*.example", "web.example"}:       true,
		{"*.example", "a.b.example"}:       true,
		{"*.example", "example"}:           false,
		{"*.example", "webexample"}:        false,
		{"*.example", "*.example"}:         true,
		{"*.example", "*.web.example"}:     true,
		{"*.web.example", "*.example"}:     false,
		{"web.example", "*.web.example"}:   false,
		{"*.example", "web.example.other"}: false,
	} {
		wide, err := model.ParseHost(pair[0])
		require.NoError(t, err)
		narrow, err := model.ParseHost(pair[1])
		require.NoError(t, err)
		assert.Equal(t, want, wide.Covers(narrow), "%v", pair)
	}
	assert.False(t, model.Host{}.Covers(mustHost(t, "web.example")))
	assert.False(t, mustHost(t, "*.example").Covers(model.Host{}))
}

func mustHost(t *testing.T, s string) model.Host {
	t.Helper()
	host, err := model.ParseHost(s)
	require.NoError(t, err)
	return host
}
