package ansible

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestResult(t *testing.T) {
	m := example(func(_ context.Context, c *Call) (Result, error) {
		c.Warn("one %d", 1)
		c.Warn("one 1")
		return Result{
			Changed: true, Message: "done", Skipped: "absent",
			Diff:   []Diff{{Before: "a\n", After: "b\n", BeforeHeader: "old", AfterHeader: "new"}},
			Values: map[string]any{"result": map[string]any{"created": true}, "list": []string(nil), "typed": struct{ A int }{1}},
		}, nil
	})
	result, status, call := invoke(t, m, nil, `{"name": "a", "_ansible_check_mode": true, "_ansible_verbosity": 4,
		"_ringfence_files": {"file": {"path": "/x", "content": "text"}}}`)
	assert.Equal(t, 0, status)
	assert.True(t, call.Check)
	assert.False(t, call.Diff)
	assert.Equal(t, 4, call.Verbosity)
	assert.Equal(t, "ringfence.mesh.example", call.Module)
	assert.Equal(t, map[string]File{"file": {Path: "/x", Content: []byte("text")}}, call.Files)
	args := map[string]any{
		"name": "a", "state": "present", "wait": false, "timeout": json.Number("120"), "ratio": nil, "hosts": nil, "levels": nil, "labels": nil, "file": nil,
		"anything": nil, "password": nil, "keys": nil, "pin": nil, "kubeconfig": nil, "proxy": nil, "checks": nil, "vault": nil,
	}
	assert.Equal(t, map[string]any{
		"changed": true, "failed": false, "msg": "done", "skipped_reason": "absent", "warnings": []any{"one 1"},
		"result": map[string]any{"created": true}, "list": nil, "typed": map[string]any{"A": json.Number("1")},
		"invocation": map[string]any{"module_args": args},
	}, result)

	result, _, _ = invoke(t, m, nil, `{"name": "a", "_ansible_diff": true}`)
	assert.Equal(t, []any{map[string]any{"before": "a\n", "after": "b\n", "before_header": "old", "after_header": "new"}}, result["diff"])

	result, _, _ = invoke(t, m, nil, `{"name": "hunter2", "_ansible_diff": true, "_ansible_no_log": true}`)
	assert.NotContains(t, result, "diff")
	assert.Equal(t, map[string]any{"module_args": map[string]any{}}, result["invocation"], "no parameter at all")

	m.ReadOnly = true
	result, _, _ = invoke(t, m, nil, `{"name": "a", "_ansible_diff": true}`)
	assert.NotContains(t, result, "diff")
}

func TestEmptyDiff(t *testing.T) {
	result, _, _ := invoke(t, example(echo), nil, `{"name": "a", "_ansible_diff": true}`)
	assert.Equal(t, []any{}, result["diff"], "a list, as always in diff mode")
	assert.NotContains(t, result, "msg")
	assert.NotContains(t, result, "warnings")
	assert.NotContains(t, result, "skipped_reason")
}

func TestFailures(t *testing.T) {
	bug := func(what string) string {
		return "this is a bug in ringfence.mesh.example dev: " + what + "; please report it at https://github.com/ringfence-dev/ringfence/issues, with the task and what -vvv shows (since ansible-core 2.19 with ANSIBLE_DISPLAY_TRACEBACK=always)"
	}
	cycle := map[string]any{}
	cycle["self"] = func() {}
	for name, c := range map[string]struct {
		reason string
		do     func(context.Context, *Call) (Result, error)
		want   map[string]any
	}{
		"error": {
			reason: "what was done before it is told as well",
			do: func(context.Context, *Call) (Result, error) {
				return Result{Changed: true, Message: "half", Values: map[string]any{"result": "x"}}, errors.New("broken")
			},
			want: map[string]any{"changed": true, "failed": true, "msg": "broken", "result": "x"},
		},
		"failure": {
			do: func(context.Context, *Call) (Result, error) {
				return Result{}, fmt.Errorf("doing: %w", &Failure{Message: "broken", Values: map[string]any{"reason": "Conflict"}, Err: errors.New("cause")})
			},
			want: map[string]any{"changed": false, "failed": true, "msg": "doing: broken", "reason": "Conflict"},
		},
		"panic": {
			do:   func(context.Context, *Call) (Result, error) { panic(errors.New("nil pointer")) },
			want: map[string]any{"changed": false, "failed": true, "msg": bug("panic: nil pointer")},
		},
		"panic-of-goroutine": {
			do: func(context.Context, *Call) (result Result, err error) {
				var wg sync.WaitGroup
				wg.Go(func() {
					defer Recover(&err)
					panic("nil pointer")
				})
				wg.Wait()
				return Result{}, fmt.Errorf("asking: %w", err)
			},
			want: map[string]any{"changed": false, "failed": true, "msg": bug("asking: panic: nil pointer")},
		},
		"reserved-values": {
			reason: "an rc that isn't 0 would fail the task",
			do: func(context.Context, *Call) (Result, error) {
				return Result{Changed: true, Values: map[string]any{"rc": 3, "failed": true, "mine": 1}}, nil
			},
			want: map[string]any{
				"changed": true, "failed": false, "mine": json.Number("1"),
				"warnings": []any{bug(`it returns a value named "failed"`), bug(`it returns a value named "rc"`)},
			},
		},
		"values-that-json-has-not": {
			do: func(context.Context, *Call) (Result, error) {
				return Result{Changed: true, Values: map[string]any{"nan": math.NaN(), "list": []any{math.Inf(1), "\xff", map[string]any{"a": math.Inf(-1)}}}}, nil
			},
			want: map[string]any{"changed": true, "failed": false, "nan": "NaN", "list": []any{"+Inf", "\uFFFD", map[string]any{"a": "-Inf"}}},
		},
		"values-that-nothing-has": {
			do:   func(context.Context, *Call) (Result, error) { return Result{Changed: true, Values: cycle}, nil },
			want: map[string]any{"changed": true, "failed": true, "msg": bug("the result can't be written")},
		},
		"values-that-panic": {
			do: func(context.Context, *Call) (Result, error) {
				return Result{Values: map[string]any{"a": marshaler{}}}, nil
			},
			want: map[string]any{"changed": false, "failed": true, "msg": bug("the result can't be written")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			result, status, _ := invoke(t, example(c.do), nil, `{"name": "a"}`)
			delete(result, "invocation")
			assert.Equal(t, c.want, result, c.reason)
			assert.Equal(t, c.want["failed"], status == 1)
		})
	}
}

type marshaler struct{}

func (marshaler) MarshalJSON() ([]byte, error) { panic("no") }

func TestStack(t *testing.T) {
	m := example(func(_ context.Context, c *Call) (Result, error) { panic("with " + c.String("password")) })
	for verbosity, want := range map[int]bool{0: false, 2: false, 3: true, 4: true} {
		result, _, _ := invoke(t, m, nil, fmt.Sprintf(`{"name": "a", "password": "TestStack", "_ansible_verbosity": %d}`, verbosity))
		stack, ok := result["exception"].(string)
		assert.Equal(t, want, ok)
		if ok {
			assert.Contains(t, stack, "goroutine")
		}
		assert.NotContains(t, fmt.Sprint(result), "TestStack", "the function's name is the password here")
		assert.Contains(t, result["msg"], "panic: with ********")
	}
}

// TestSecretsEverywhere puts each secret in each place that a module can fill.
func TestSecretsEverywhere(t *testing.T) {
	config := base64.StdEncoding.EncodeToString([]byte("secret-of-key-data"))
	args := map[string]any{
		"name":     "by secret-password",
		"anything": map[string]any{"secret-token": []any{"secret-bearer", "x secret-pin-1234"}},
		"labels":   map[string]any{"a": "secret-key-1"},
		"password": "secret-password", "pass": "secret-of-the-alias",
		"keys": "secret-key-1,secret-key-2", "pin": 987654321,
		"kubeconfig": map[string]any{"users": []any{map[string]any{"user": map[string]any{"token": "secret-kubeconfig", "client-key-data": config}}}, "server": "https://example.org"},
		"proxy":      map[string]any{"address": "p", "credentials": map[string]any{"token": "secret-token"}},
		"checks":     []any{map[string]any{"path": "/secret-bearer", "bearer": "secret-bearer"}},
		"vault":      map[string]any{"number": 123454321, "kind": "a"},
	}
	env := map[string]string{"EXAMPLE_PASSWORD": "secret-of-the-environment", "EXAMPLE_TOKEN": "secret-unused"}
	secrets := []string{
		"secret-password", "secret-of-the-alias", "secret-key-1", "secret-key-2", "987654321", "secret-kubeconfig", config, "secret-of-key-data",
		"secret-token", "secret-bearer", "123454321", "secret-of-the-environment", "secret-unused", "secret-found",
	}
	all := strings.Join(secrets, " ")
	list := make([]any, len(secrets))
	keys := map[string]any{"number": 987654321}
	for i, s := range secrets {
		list[i], keys[s], keys["x"+s] = s, s, map[string]any{s: s}
	}
	full := func(c *Call) Result {
		c.Secret("secret-found")
		c.Warn("%s", all)
		return Result{
			Changed: true, Message: all, Skipped: all, Diff: []Diff{{all, all, all, all}},
			Values: map[string]any{"result": keys, "list": list, "params": c.Params, all: 1},
		}
	}
	for name, do := range map[string]func(context.Context, *Call) (Result, error){
		"success": func(_ context.Context, c *Call) (Result, error) { return full(c), nil },
		"error":   func(_ context.Context, c *Call) (Result, error) { return full(c), fmt.Errorf("%q %s", all, all) },
		"failure": func(_ context.Context, c *Call) (Result, error) {
			full(c)
			return Result{}, &Failure{Message: all, Values: map[string]any{"x": keys, all: all}}
		},
		"panic": func(_ context.Context, c *Call) (Result, error) { full(c); panic(all) },
		"panic-of-a-map": func(_ context.Context, c *Call) (Result, error) {
			full(c)
			panic(fmt.Sprintf("%#v", keys))
		},
	} {
		t.Run(name, func(t *testing.T) {
			args["_ansible_verbosity"], args["_ansible_diff"] = 4, true
			text, err := json.Marshal(args)
			require.NoError(t, err)
			result, _, _ := invoke(t, example(do), env, string(text))
			shown, err := json.Marshal(result)
			require.NoError(t, err)
			for _, s := range secrets {
				assert.NotContains(t, string(shown), s)
			}
			assert.Contains(t, string(shown), maskedText)
			invocation, ok := result["invocation"].(map[string]any)
			require.True(t, ok)
			params, ok := invocation["module_args"].(map[string]any)
			require.True(t, ok)
			for _, whole := range []string{"password", "keys", "pin", "kubeconfig", "vault"} {
				assert.Equal(t, maskedValue, params[whole], whole)
			}
			assert.Equal(t, map[string]any{"address": "p", "port": json.Number("3128"), "credentials": map[string]any{"user": nil, "token": maskedValue}}, params["proxy"])
			assert.Equal(t, []any{map[string]any{"path": "/" + maskedText, "status": nil, "bearer": maskedValue}}, params["checks"])
			assert.Equal(t, "by "+maskedText, params["name"])
		})
	}
}

func TestKubeconfigInArguments(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		want  any
	}{
		"path":    {`"~/.kube/config"`, "~/.kube/config"},
		"mapping": {`{"kind": "Config"}`, maskedValue},
		"list":    {`["a"]`, maskedValue},
		"json":    {`"{\"kind\": \"Config\"}"`, maskedValue},
		"yaml":    {`"kind: Config\nusers: []\n"`, maskedValue},
	} {
		t.Run(name, func(t *testing.T) {
			result, _, _ := invoke(t, example(echo), nil, `{"name": "Config is a kind", "kubeconfig": `+c.value+`}`)
			invocation, ok := result["invocation"].(map[string]any)
			require.True(t, ok)
			params, ok := invocation["module_args"].(map[string]any)
			require.True(t, ok)
			assert.Equal(t, c.want, params["kubeconfig"])
			if name != "list" {
				assert.Equal(t, "Config is a kind", params["name"], "what a kubeconfig is made of is no secret")
			}
		})
	}
}

// TestShortSecrets: they are masked in texts, and the result stays one.
func TestShortSecrets(t *testing.T) {
	m := example(func(context.Context, *Call) (Result, error) {
		return Result{Changed: true, Message: "a message", Values: map[string]any{"result": map[string]any{"created": true, "other": 1}}}, nil
	})
	for _, secret := range []string{"e", "\"", "{", ":", "1", "\\", "tr", "u", "fa", "*", "_"} {
		t.Run(secret, func(t *testing.T) {
			text, err := json.Marshal(map[string]any{"name": "name", "password": secret})
			require.NoError(t, err)
			result, status, _ := invoke(t, m, nil, string(text))
			assert.Equal(t, 0, status)
			assert.Equal(t, true, result["changed"])
			assert.Equal(t, false, result["failed"])
			value, ok := result["result"].(map[string]any)
			require.True(t, ok)
			assert.Equal(t, true, value["created"], "documented names stay")
			assert.Contains(t, result, "invocation")
		})
	}
}

func TestInput(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good := file("good", `{"name": "a"}`)
	tasks := file("tasks", `{"name": "a", "_ringfence_module": "ringfence.mesh.example"}`)
	for name, c := range map[string]struct {
		reason, called, file string
		fails                string
	}{
		"copy":              {called: "/tmp/AnsiballZ_example", file: good},
		"copy-of-python":    {called: "/tmp/AnsiballZ_example.py", file: good},
		"copy-by-full-name": {called: "/tmp/AnsiballZ_ringfence.mesh.example", file: good},
		"own-name":          {called: "example", file: good},
		"own-name-with-end": {called: "./example.exe", file: good},
		"named-by-task":     {called: "/tmp/AnsiballZ_ringfence", file: tasks},
		"short-name":        {called: "ringfence", file: file("short", `{"name": "a", "_ringfence_module": "example"}`)},
		"task-counts-first": {
			called: "example", file: file("other", `{"name": "a", "_ringfence_module": "ringfence.mesh.exampel"}`),
			fails: `there is no module "exampel" (did you mean "example"?); there are example`,
		},
		"other-collection": {
			called: "example", file: file("foreign", `{"name": "a", "_ringfence_module": "kubernetes.core.example"}`),
			fails: `there is no module "kubernetes.core.example"; there are example`,
		},
		"nameless":    {called: "ringfence", file: good, fails: `there is no module "ringfence"; there are example`},
		"no-file":     {called: "example", file: filepath.Join(dir, "none"), fails: `reading the module's arguments: reading the file "` + filepath.Join(dir, "none") + `": no such file or directory`},
		"folder":      {called: "example", file: dir, fails: "is a directory"},
		"no-json":     {called: "example", file: file("yaml", "name: a\npassword: hunter2\n"), fails: "it is no JSON"},
		"nan":         {called: "example", file: file("nan", `{"ratio": NaN}`), fails: "where no number is infinite or undefined"},
		"no-object":   {called: "example", file: file("list", `["hunter2"]`), fails: "it is a JSON value of type list, not an object"},
		"large":       {called: "example", file: file("large", `{"name": "`+strings.Repeat("a", maxArguments)+`"}`), fails: "has more than 16777216 bytes"},
		"large-spell": {called: strings.Repeat("example", 1000), file: good, fails: "..."},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			status := Main([]Module{example(echo)}, []string{c.called, c.file}, &out)
			result := parsed(t, out.Bytes())
			if c.fails == "" {
				assert.Equal(t, 0, status, "%v", result)
				return
			}
			assert.Equal(t, 1, status)
			assert.Contains(t, result["msg"], c.fails, c.reason)
			assert.NotContains(t, out.String(), "hunter2")
		})
	}
}

func TestBrokenOutput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "arguments")
	require.NoError(t, os.WriteFile(file, []byte(`{"name": "a"}`), 0o600))
	assert.Equal(t, 1, Main([]Module{example(echo)}, []string{"example", file}, broken{}))
	assert.Equal(t, 1, Main(nil, []string{"example", "--help"}, broken{}))
}

func TestCall(t *testing.T) {
	_, _, c := invoke(t, example(echo), map[string]string{"HOME": "/home/me"}, `{"name": "a", "timeout": 5, "ratio": 1.5, "wait": true, "hosts": "a,b",
		"file": "~/x", "checks": [{"path": "/"}], "labels": {"a": "b"}}`)
	assert.True(t, c.Has("name"))
	assert.False(t, c.Has("anything"))
	assert.Equal(t, "a", c.String("name"))
	assert.Equal(t, "/home/me/x", c.String("file"))
	assert.Empty(t, c.String("timeout"))
	assert.Equal(t, 5, c.Int("timeout"))
	assert.InDelta(t, 1.5, c.Float("ratio"), 0)
	assert.True(t, c.Bool("wait"))
	assert.Equal(t, []string{"a", "b"}, c.Strings("hosts"))
	assert.Equal(t, []map[string]any{{"path": "/"}}, c.Dicts("checks"))
	assert.Equal(t, map[string]any{"a": "b"}, c.Dict("labels"))
	assert.Nil(t, c.Dict("name"))
}

func TestFailureUnwraps(t *testing.T) {
	cause := errors.New("cause")
	assert.ErrorIs(t, &Failure{Message: "a", Err: cause}, cause)
}
