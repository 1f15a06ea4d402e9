package ansible

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzArguments: whatever the arguments are, the answer is one result, no code of
// the adapter panics, and no secret is in a value of it.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{"name": "a", "wait": "yes", "timeout": "5", "hosts": "a, b", "labels": "a=b c='d e'", "file": "~/$HOME/${X", "_ansible_diff": true}`,
		`{"name": "pass-word", "password": "pass-word", "keys": "k-1, k-2", "pin": 123456, "anything": ["k-1", {"pass-word": 123456}]}`,
		`{"name": 1, "password": {"a": ["b"]}, "keys": [1, null], "vault": "number=1", "checks": [{"path": 1, "bearer": "\"x\\\n"}, "path=/"]}`,
		`{"name": "a", "proxy": {"address": "p", "credentials": "{\"token\": \"a\\u0000b\"}"}, "kubeconfig": {"users": [{"user": {"token": "t-o-k-e-n"}}]}}`,
		`{"title": "a", "called": null, "unknown": "x", "_ansible_no_log": "true", "_ansible_verbosity": 9, "_ringfence_files": {"a": {"path": "b", "content": "c"}}}`,
		`{"name": "\ud800", "state": false, "levels": [false], "ratio": 1e308, "timeout": 9223372036854775808}`,
		`[`, `null`, `{}`, `{"name": NaN}`, `{"name":"a"} x`,
	} {
		f.Add([]byte(seed))
	}
	m := example(func(_ context.Context, c *Call) (Result, error) {
		return Result{Message: "done", Values: map[string]any{"result": c.Params}}, nil
	})
	file := filepath.Join(f.TempDir(), "arguments")
	nothing := func(string) (string, bool) { return "", false }
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NoError(t, os.WriteFile(file, text, 0o600))
		var out writes
		status := run(t.Context(), []Module{m}, []string{"example", file}, nothing, &out)
		require.Len(t, out.texts, 1)
		result := parsed(t, out.texts[0])
		assert.Equal(t, result["failed"], status == 1)
		assert.NotContains(t, result["msg"], "this is a bug")
		assert.NotContains(t, result, "exception")

		args, err := decode(text)
		if err != nil {
			return
		}
		given, ok := args.(map[string]any)
		if !ok {
			return
		}
		password, ok := given["password"].(string)
		// The mask itself holds some texts, and so does what a result always has.
		masks := maskedValue + maskedText
		if !ok || len(password) < 4 || strings.Contains(masks, password) {
			return
		}
		escaped, err := json.Marshal(password)
		require.NoError(t, err)
		for _, value := range values(result) {
			assert.NotContains(t, value, password)
		}
		if !known(m, password) {
			assert.False(t, bytes.Contains(out.texts[0], escaped[1:len(escaped)-1]), "%s", out.texts[0])
		}
	})
}

// values returns the texts of a result.
func values(value any) (out []string) {
	switch value := value.(type) {
	case map[string]any:
		for _, v := range value {
			out = append(out, values(v)...)
		}
	case []any:
		for _, v := range value {
			out = append(out, values(v)...)
		}
	case string:
		out = append(out, value)
	case json.Number:
		out = append(out, value.String())
	}
	return out
}

// known reports whether a text is part of a documented name, or of JSON itself.
func known(m Module, text string) bool {
	names := `{"changed":false,"failed":true,null,` + maskedValue
	for name := range (answer{module: &m}).public() {
		names += `"` + name + `":`
	}
	return strings.Contains(names, text) || strings.ContainsAny(text, `"{}[]:,\`)
}
