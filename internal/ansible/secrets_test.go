package ansible

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMaskedText gives what Ansible's remove_values does, but where the reason
// says that theirs leaves a part.
func TestMaskedText(t *testing.T) {
	for name, c := range map[string]struct {
		reason     string
		secrets    []any
		text, want string
	}{
		"whole":            {secrets: []any{"hunter2"}, text: "hunter2", want: maskedValue},
		"within":           {secrets: []any{"hunter2"}, text: "a hunter2, hunter2", want: "a ********, ********"},
		"adjacent":         {secrets: []any{"a"}, text: "baab", want: "b****************b"},
		"none":             {secrets: []any{"hunter2"}, text: "hunter", want: "hunter"},
		"no-secrets":       {text: "hunter2", want: "hunter2"},
		"empty-secret":     {secrets: []any{""}, text: "a", want: "a"},
		"one-letter":       {secrets: []any{"x"}, text: "axb", want: "a********b"},
		"one-in-another":   {secrets: []any{"abc", "abcdef"}, text: "-abcdef-", want: "-********-"},
		"overlapping":      {reason: "theirs leaves an end", secrets: []any{"abcd", "cdef"}, text: "-abcdef-", want: "-********-"},
		"number":           {secrets: []any{int64(1234)}, text: "pin 1234", want: "pin ********"},
		"float":            {secrets: []any{1.5}, text: "pin 1.5", want: "pin ********"},
		"truth-and-null":   {reason: "nothing is told by them", secrets: []any{true, nil}, text: "True None", want: "True None"},
		"nested":           {secrets: []any{map[string]any{"key": []any{"hunter2"}}}, text: "key hunter2", want: "key ********"},
		"trailing-newline": {reason: "a client trims what came from a file", secrets: []any{"hunter2\n"}, text: "got hunter2!", want: "got ********!"},
		"blank":            {reason: "trimmed, it is nothing", secrets: []any{" "}, text: "a b", want: "a********b"},
	} {
		t.Run(name, func(t *testing.T) {
			var s secrets
			for _, secret := range c.secrets {
				s.addAll(secret)
			}
			assert.Equal(t, c.want, s.text(c.text), c.reason)
		})
	}
}

// TestEncodedSecrets: an error or a document repeats a secret in another form.
func TestEncodedSecrets(t *testing.T) {
	const secret = "hun\"ter/2 <ü>\n&+%zz"
	plain, err := json.Marshal(secret)
	require.NoError(t, err)
	var relaxed strings.Builder
	encoder := json.NewEncoder(&relaxed)
	encoder.SetEscapeHTML(false)
	require.NoError(t, encoder.Encode(secret))
	for name, text := range map[string]string{
		"quoted":           fmt.Sprintf("%q", secret),
		"json":             string(plain),
		"json-of-kubectl":  relaxed.String(),
		"query":            "https://example.org/?token=" + url.QueryEscape(secret),
		"path":             "https://example.org/" + url.PathEscape(secret),
		"user-information": (&url.URL{Scheme: "https", User: url.UserPassword("me", secret), Host: "example.org"}).String(),
		"base64":           base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64-of-jwt":    base64.RawURLEncoding.EncodeToString([]byte(secret)),
	} {
		t.Run(name, func(t *testing.T) {
			var s secrets
			s.add(secret)
			got := s.text(text + ".")
			assert.Contains(t, got, maskedText)
			assert.NotContains(t, got, "hun")
			assert.NotContains(t, got, base64.RawURLEncoding.EncodeToString([]byte(secret))[:8])
		})
	}
}

func TestDecodedSecrets(t *testing.T) {
	line := strings.Repeat("MIIEvQIBADANBg", 4)
	key := "-----BEGIN PRIVATE KEY-----\n" + line + "\n" + "c2hvcnQ=\n-----END PRIVATE KEY-----\n"
	for name, c := range map[string]struct{ secret, text, want string }{
		"key-data":         {base64.StdEncoding.EncodeToString([]byte(key)), "key: " + key, "key: " + maskedText},
		"line-of-key-data": {base64.StdEncoding.EncodeToString([]byte(key)), "key: |\n    " + line + "\n", "key: |\n    " + maskedText + "\n"},
		"line-of-key":      {key, "    " + line, "    " + maskedText},
		"frame-of-key":     {key, "-----BEGIN PRIVATE KEY----- is missing", "-----BEGIN PRIVATE KEY----- is missing"},
		"word-in-base64":   {base64.StdEncoding.EncodeToString([]byte("the user")), "for the user.", "for " + maskedText + "."},
		"short-by-chance":  {"Zm9vYg==", "foob", "foob"},
		"binary-by-chance": {"passwordpassword", "\xa5\xab\x2c\xc2", "\xa5\xab\x2c\xc2"},
		"control-letters":  {base64.StdEncoding.EncodeToString([]byte("\x01\x02\x03\x04\x05\x06\x07\x08")), "\x01\x02\x03\x04\x05\x06\x07\x08", "\x01\x02\x03\x04\x05\x06\x07\x08"},
	} {
		t.Run(name, func(t *testing.T) {
			var s secrets
			s.add(c.secret)
			assert.Equal(t, c.want, s.text(c.text))
		})
	}
}

func TestMaskedValue(t *testing.T) {
	var s secrets
	for _, secret := range []string{"hunter2", "12", "name", "a"} {
		s.add(secret)
	}
	got := s.value(map[string]any{
		"name":     "name",
		"list":     []any{"hunter2", "my hunter2", true, nil, json.Number("12"), json.Number("3.125"), json.Number("7")},
		"hunter2":  "key",
		"xhunter2": "one",
		"xa":       "two",
		"x12":      "three",
	}, map[string]bool{"name": true})
	assert.Equal(t, map[string]any{
		"name":             maskedValue,
		"list":             []any{maskedValue, "my ********", true, nil, maskedValue, maskedValue, json.Number("7")},
		maskedValue:        "key",
		"x" + maskedText:   "three",
		"x********_2":      "two",
		"x" + "********_3": "one",
	}, got, "a documented name stays a name, and no entry is lost")
}

func TestKeyThatBecomesPublic(t *testing.T) {
	var s secrets
	s.add("hunter2")
	got := s.value(map[string]any{"hunter2": 1}, map[string]bool{maskedValue: true})
	assert.Equal(t, map[string]any{maskedValue + "_2": 1}, got)
}

func TestAddFields(t *testing.T) {
	var s secrets
	s.addFields(map[string]any{
		"apiVersion": "v1",
		"clusters":   []any{map[string]any{"cluster": map[string]any{"server": "https://example.org"}}},
		"users": []any{map[string]any{"name": "me", "user": map[string]any{
			"token": "secret-token", "password": "secret-password", "client-key-data": "secret-key", "tokenFile": "/var/token", "client-key": "/etc/key",
			"auth-provider": map[string]any{"config": map[string]any{"id-token": "secret-id", "refresh-token": "secret-refresh", "client-secret": "secret-client"}},
		}}},
	})
	got := fmt.Sprint(s.value([]any{
		"v1", "https://example.org", "me", "/var/token", "/etc/key",
		"secret-token", "secret-password", "secret-key", "secret-id", "secret-refresh", "secret-client",
	}, nil))
	assert.NotContains(t, got, "secret-")
	for _, public := range []string{"v1", "https://example.org", "me", "/var/token", "/etc/key"} {
		assert.Contains(t, got, public)
	}
}
