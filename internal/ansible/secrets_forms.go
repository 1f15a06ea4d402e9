package ansible

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shorter texts occur by accident.
const (
	minEncoded = 4  // whose escaped forms are secret too
	minDecoded = 8  // whose base64 forms are
	minLine    = 16 // that are secret as one line of several
)

// forms returns the texts that give a secret away.
func forms(value string) []string {
	out := []string{value}
	if len(value) < minEncoded {
		return out
	}
	out = append(out, encodings(value)...)
	if trimmed := strings.TrimSpace(value); len(trimmed) >= minEncoded {
		out = append(out, trimmed)
	}
	if strings.Contains(strings.TrimSpace(value), "\n") {
		out = append(out, lines(value)...)
	}
	if decoded, ok := fromBase64(value); ok {
		out = append(out, decoded)
		out = append(out, encodings(decoded)...)
		out = append(out, lines(decoded)...)
	}
	return out
}

// encodings are a text in quotes, in JSON, in an address, in a header and in a Kubernetes Secret.
func encodings(value string) []string {
	quoted := strconv.Quote(value)
	out := []string{
		strings.ToValidUTF8(value, "\uFFFD"),
		quoted[1 : len(quoted)-1],
		url.QueryEscape(value),
		url.PathEscape(value),
		url.UserPassword("", value).String()[1:],
	}
	for _, escapeHTML := range []bool{true, false} {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b)
		encoder.SetEscapeHTML(escapeHTML)
		if err := encoder.Encode(value); err != nil {
			continue // no text is refused
		}
		inner := strings.TrimSuffix(b.String(), "\n")
		out = append(out, inner[1:len(inner)-1])
		var again string
		if err := json.Unmarshal([]byte(inner), &again); err == nil {
			out = append(out, again) // what JSON makes of invalid UTF-8
		}
	}
	if len(value) >= minDecoded {
		out = append(out, base64.StdEncoding.EncodeToString([]byte(value)), base64.RawStdEncoding.EncodeToString([]byte(value)),
			base64.URLEncoding.EncodeToString([]byte(value)), base64.RawURLEncoding.EncodeToString([]byte(value)))
	}
	return out
}

// lines are those of a key in PEM: a document may indent them.
func lines(value string) []string {
	var out []string
	for line := range strings.Lines(value) {
		line = strings.TrimSpace(line)
		if len(line) >= minLine && !strings.HasPrefix(line, "-----") {
			out = append(out, line)
		}
	}
	return out
}

// fromBase64 returns the text that a value is in base64, if it is one.
func fromBase64(value string) (string, bool) {
	value = strings.TrimSpace(value)
	decoded, err := base64.StdEncoding.DecodeString(value)
	if err != nil || len(decoded) < minDecoded || !utf8.Valid(decoded) {
		return "", false
	}
	for _, r := range string(decoded) {
		if !unicode.IsPrint(r) && !unicode.IsSpace(r) {
			return "", false
		}
	}
	return string(decoded), true
}
