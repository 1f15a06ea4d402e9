package ansible

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// example has an option of every kind.
func example(do func(context.Context, *Call) (Result, error)) Module {
	return Module{
		Name: "example", Summary: "Be an example",
		Options: []Option{
			{Name: "name", Required: true, Aliases: []string{"title", "called"}},
			{Name: "state", Choices: []string{"present", "absent"}, Default: "present"},
			{Name: "wait", Type: Bool, Default: false, Env: "EXAMPLE_WAIT"},
			{Name: "timeout", Type: Int, Default: 120},
			{Name: "ratio", Type: Float},
			{Name: "hosts", Type: List, Elements: String, Aliases: []string{"host"}},
			{Name: "levels", Type: List, Elements: String, Choices: []string{"low", "high", "no"}},
			{Name: "labels", Type: Dict},
			{Name: "file", Type: Path},
			{Name: "anything", Type: Raw},
			{Name: "password", Secret: true, Env: "EXAMPLE_PASSWORD", Aliases: []string{"pass"}},
			{Name: "keys", Type: List, Elements: String, Secret: true},
			{Name: "pin", Type: Int, Secret: true},
			{Name: "kubeconfig", Type: Raw, SecretUnlessPath: true, Env: "EXAMPLE_KUBECONFIG"},
			{Name: "proxy", Type: Dict, Options: []Option{
				{Name: "address", Required: true},
				{Name: "port", Type: Int, Default: 3128},
				{Name: "credentials", Type: Dict, Options: []Option{
					{Name: "user", Aliases: []string{"login"}},
					{Name: "token", Secret: true, Env: "EXAMPLE_TOKEN"},
				}},
			}},
			{Name: "checks", Type: List, Elements: Dict, Options: []Option{
				{Name: "path", Required: true},
				{Name: "status", Type: Int, Choices: []string{"200", "404"}},
				{Name: "bearer", Secret: true},
			}},
			{Name: "vault", Type: Dict, Secret: true, Options: []Option{{Name: "number", Type: Int}, {Name: "kind", Choices: []string{"a", "b"}}}},
		},
		Returns: []Return{{Name: "result", Type: Dict, Contains: []Return{{Name: "created", Type: Bool}}}},
		Run:     do,
	}
}

// echo returns nothing of its own.
func echo(context.Context, *Call) (Result, error) { return Result{}, nil }

// invoke runs a module as Ansible does. What the module got is in the call.
func invoke(tb testing.TB, m Module, env map[string]string, args string) (result map[string]any, status int, call *Call) {
	tb.Helper()
	do := m.Run
	m.Run = func(ctx context.Context, c *Call) (Result, error) {
		call = c
		return do(ctx, c)
	}
	file := filepath.Join(tb.TempDir(), "arguments.json")
	require.NoError(tb, os.WriteFile(file, []byte(args), 0o600))
	var out writes
	lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	status = run(tb.Context(), []Module{m}, []string{"/tmp/x/AnsiballZ_" + m.Name, file}, lookup, &out)
	require.Len(tb, out.texts, 1, "the result is one write")
	return parsed(tb, out.texts[0]), status, call
}

// parsed reads a result: one JSON object and nothing else.
func parsed(tb testing.TB, text []byte) map[string]any {
	tb.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var result map[string]any
	require.NoError(tb, decoder.Decode(&result), "%s", text)
	require.False(tb, decoder.More(), "%s", text)
	return result
}

// writes keeps each write.
type writes struct{ texts [][]byte }

func (w *writes) Write(text []byte) (int, error) {
	w.texts = append(w.texts, bytes.Clone(text))
	return len(text), nil
}

// broken refuses all writes.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }
