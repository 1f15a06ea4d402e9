package ansible

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGoodArguments(t *testing.T) {
	type dict = map[string]any
	type list = []any
	cases := map[string]struct {
		reason, args string
		env          map[string]string
		// want are parameters beside the defaults.
		want     dict
		warnings []any
	}{
		"defaults": {args: `{"name": "a"}`, want: dict{"name": "a"}},
		"converted": {
			reason: "`k=v` arguments are texts",
			args:   `{"name": "a", "wait": "yes", "timeout": "5", "ratio": "0.5", "hosts": "a, b", "labels": "a=b", "pin": "1234"}`,
			want: dict{
				"name": "a", "wait": true, "timeout": int64(5), "ratio": 0.5, "hosts": list{"a", "b"}, "labels": dict{"a": "b"}, "pin": int64(1234),
			},
		},
		"null-is-absent": {
			reason: "a template gives null for what it doesn't have",
			args:   `{"name": "a", "state": null, "wait": null, "ratio": null, "title": null, "labels": null}`,
			want:   dict{"name": "a"},
		},
		"null-in-free-mapping": {reason: "it is the user's own", args: `{"name": "a", "labels": {"x": null}}`, want: dict{"name": "a", "labels": dict{"x": nil}}},
		"alias":                {args: `{"title": "a", "host": ["b"]}`, want: dict{"name": "a", "hosts": list{"b"}}},
		"alias-and-name": {
			reason: "as in Ansible, the alias counts", args: `{"name": "a", "title": "b"}`,
			want: dict{"name": "b"}, warnings: list{"Both option name and its alias title are set."},
		},
		"two-aliases": {
			args: `{"title": "a", "called": "b"}`,
			want: dict{"name": "b"}, warnings: list{"Both option name and its alias called are set."},
		},
		"environment":              {args: `{"name": "a"}`, env: map[string]string{"EXAMPLE_WAIT": "true"}, want: dict{"name": "a", "wait": true}},
		"environment-against-task": {args: `{"name": "a", "wait": false}`, env: map[string]string{"EXAMPLE_WAIT": "true"}, want: dict{"name": "a"}},
		"environment-against-null": {args: `{"name": "a", "wait": null}`, env: map[string]string{"EXAMPLE_WAIT": "true"}, want: dict{"name": "a", "wait": true}},
		"empty-environment":        {reason: "that is how a shell unsets", args: `{"name": "a"}`, env: map[string]string{"EXAMPLE_WAIT": ""}, want: dict{"name": "a"}},
		"environment-against-alias": {
			args: `{"name": "a", "pass": "b"}`, env: map[string]string{"EXAMPLE_PASSWORD": "c"}, want: dict{"name": "a", "password": "b"},
		},
		"truth-for-a-word": {
			reason: "YAML reads the word no as false", args: `{"name": "a", "levels": ["low", false]}`,
			want: dict{"name": "a", "levels": list{"low", "no"}},
		},
		"suboptions": {
			args: `{"name": "a", "proxy": {"address": "p", "credentials": {"login": "me"}}, "checks": [{"path": "/", "status": "404"}]}`,
			want: dict{
				"name": "a", "proxy": dict{"address": "p", "port": int64(3128), "credentials": dict{"user": "me"}},
				"checks": list{dict{"path": "/", "status": int64(404)}},
			},
		},
		"suboptions-in-texts": {
			args: `{"name": "a", "proxy": "address=p port=1", "checks": ["path=/", "{\"path\": \"/x\"}"]}`,
			want: dict{"name": "a", "proxy": dict{"address": "p", "port": int64(1)}, "checks": list{dict{"path": "/"}, dict{"path": "/x"}}},
		},
		"environment-of-suboption": {
			args: `{"name": "a", "proxy": {"address": "p", "credentials": {}}}`, env: map[string]string{"EXAMPLE_TOKEN": "secret"},
			want: dict{"name": "a", "proxy": dict{"address": "p", "port": int64(3128), "credentials": dict{"token": "secret"}}},
		},
		"alias-and-name-of-suboption": {
			args:     `{"name": "a", "proxy": {"address": "p", "credentials": {"user": "a", "login": "b"}}}`,
			want:     dict{"name": "a", "proxy": dict{"address": "p", "port": int64(3128), "credentials": dict{"user": "b"}}},
			warnings: list{"Both option proxy.credentials.user and its alias proxy.credentials.login are set."},
		},
		"anything":      {args: `{"name": "a", "anything": [1, {"b": null}]}`, want: dict{"name": "a", "anything": list{int64(1), dict{"b": nil}}}},
		"of-ansible":    {args: `{"name": "a", "_ansible_new": {"x": 1}, "_ringfence_new": 1}`, want: dict{"name": "a"}},
		"whole-secrets": {args: `{"name": "a", "vault": {"number": "1", "kind": "b"}}`, want: dict{"name": "a", "vault": dict{"number": int64(1), "kind": "b"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			result, status, call := invoke(t, example(echo), c.env, c.args)
			require.Equal(t, 0, status, "%v", result)
			want := dict{"state": "present", "wait": false, "timeout": int64(120)}
			maps.Copy(want, c.want)
			assert.Equal(t, want, call.Params, c.reason)
			if c.warnings == nil {
				assert.NotContains(t, result, "warnings")
			} else {
				assert.Equal(t, c.warnings, result["warnings"])
			}
		})
	}
}

func TestBadArguments(t *testing.T) {
	cases := map[string]struct {
		reason, args string
		env          map[string]string
		// want are the lines of the message.
		want []string
	}{
		"missing": {args: `{}`, want: []string{"missing required arguments: name"}},
		"unknown": {
			reason: "the value may be a misspelt secret's",
			args:   `{"name": "a", "pasword": "hunter2", "zzzzzzzz": 1}`,
			want: []string{`Unsupported parameters for (ringfence.mesh.example) module: pasword (did you mean "password"?), zzzzzzzz. ` +
				`Supported parameters include: anything, checks, file, hosts, keys, kubeconfig, labels, levels, name, password, pin, proxy, ratio, state, timeout, vault, wait (called, host, pass, title).`},
		},
		"all-at-once": {
			args: `{"state": "presnt", "wait": "maybe", "timeout": 1.5, "ratio": true, "labels": ["a"]}`,
			want: []string{
				`value of state must be one of: present, absent, got: "presnt" (did you mean "present"?)`,
				`argument 'wait' is of type str and we were unable to convert to bool: give one of yes, no, on, off, true, false, y, n, t, f, 1, 0, not "maybe"`,
				`argument 'timeout' is of type float and we were unable to convert to int: give a whole number of 64 bits, not 1.5`,
				`argument 'ratio' is of type bool and we were unable to convert to float: give a number, not True`,
				`argument 'labels' is of type list and we were unable to convert to dict: give a mapping, a JSON object, or k1=v1, k2=v2`,
				`missing required arguments: name`,
			},
		},
		"environment": {
			reason: "nobody sees it in the task", args: `{"name": "a"}`, env: map[string]string{"EXAMPLE_WAIT": "maybe"},
			want: []string{`argument 'wait' (from the environment variable EXAMPLE_WAIT) is of type str and we were unable to convert to bool: give one of yes, no, on, off, true, false, y, n, t, f, 1, 0, not "maybe"`},
		},
		"elements": {
			args: `{"name": "a", "hosts": ["a", null, {"b": 1}], "levels": ["low", "hihg"], "checks": ["x"]}`,
			want: []string{
				`Elements value for option 'hosts[1]' is of type NoneType and we were unable to convert to str: give a text`,
				`Elements value for option 'hosts[2]' is of type dict and we were unable to convert to str: give a text`,
				`value of levels must be one or more of: low, high, no, got: "hihg" (did you mean "high"?)`,
				`Elements value for option 'checks[0]' is of type str and we were unable to convert to dict: give a mapping, a JSON object, or k1=v1, k2=v2, not "x"`,
			},
		},
		"suboptions": {
			args: `{"name": "a", "proxy": {"port": "x", "credentials": {"toke": "hunter2"}}, "checks": [{"path": "/", "status": 500}, {"pth": 1}]}`,
			want: []string{
				`argument 'port' is of type str found in proxy and we were unable to convert to int: give a whole number of 64 bits, not "x"`,
				`Unsupported parameters for (ringfence.mesh.example) module: proxy.credentials.toke (did you mean "token"?). Supported parameters include: token, user (login).`,
				`missing required arguments: address found in proxy`,
				`value of status must be one of: 200, 404, got: 500 found in checks[0]`,
				`Unsupported parameters for (ringfence.mesh.example) module: checks[1].pth (did you mean "path"?). Supported parameters include: bearer, path, status.`,
				`missing required arguments: path found in checks[1]`,
			},
		},
		"secrets": {
			reason: "their values are shown nowhere",
			args:   `{"name": "a", "password": ["hunter2"], "keys": {"a": "hunter2"}, "pin": "hunter2", "vault": {"number": "hunter2", "kind": "hunter2"}}`,
			want: []string{
				`argument 'password' is of type list and we were unable to convert to str: give a text`,
				`argument 'keys' is of type dict and we were unable to convert to list: give a list, or its entries in one text with commas between`,
				`argument 'pin' is of type str and we were unable to convert to int: give a whole number of 64 bits`,
				`argument 'number' is of type str found in vault and we were unable to convert to int: give a whole number of 64 bits`,
				`value of kind must be one of: a, b, got: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER found in vault`,
			},
		},
		"secret-elsewhere": {
			reason: "quoting and cutting must not hide it from the mask",
			args:   `{"name": "a", "password": "hun\"ter2", "timeout": "hun\"ter2 ` + strings.Repeat("x", 85) + `hun\"ter2", "hun\"ter2": 1}`,
			want: []string{
				`Unsupported parameters for (ringfence.mesh.example) module: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER. Supported parameters include: anything, checks, file, hosts, keys, kubeconfig, labels, levels, name, password, pin, proxy, ratio, state, timeout, vault, wait (called, host, pass, title).`,
				`argument 'timeout' is of type str and we were unable to convert to int: give a whole number of 64 bits, not "******** ` + strings.Repeat("x", 85) + `******..."`,
			},
		},
		"no-log": {
			reason: "the task says that its values are secret", args: `{"name": "a", "_ansible_no_log": true, "timeout": "soon", "state": "secret"}`,
			want: []string{
				`value of state must be one of: present, absent, got: VALUE_SPECIFIED_IN_NO_LOG_PARAMETER`,
				`argument 'timeout' is of type str and we were unable to convert to int: give a whole number of 64 bits`,
			},
		},
		"setting": {
			reason: "a run that should have been a check must not be another", args: `{"name": "a", "_ansible_check_mode": "perhaps"}`,
			want: []string{`argument '_ansible_check_mode' is of type str and we were unable to convert to bool: give one of yes, no, on, off, true, false, y, n, t, f, 1, 0, not "perhaps"`},
		},
		"files": {
			args: `{"name": "a", "_ringfence_files": {"model": "x"}}`,
			want: []string{`_ringfence_files.model: the action plugin gives no path and content; update the collection`},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			result, status, call := invoke(t, example(echo), c.env, c.args)
			assert.Equal(t, 1, status)
			assert.Equal(t, true, result["failed"])
			assert.Nil(t, call, "nothing ran")
			message, ok := result["msg"].(string)
			require.True(t, ok)
			assert.Equal(t, c.want, strings.Split(message, "\n"), c.reason)
			assert.NotContains(t, fmt.Sprint(result), "hunter2")
		})
	}
}

func TestRules(t *testing.T) {
	m := example(echo)
	m.Options[0].Required = false
	m.Rules = Rules{
		MutuallyExclusive: [][]string{{"name", "file", "password"}, {"wait", "state"}},
		RequiredTogether:  [][]string{{"file", "ratio"}, {"timeout", "hosts"}},
		RequiredOneOf:     [][]string{{"name", "file"}},
	}
	for name, c := range map[string]struct {
		reason, args string
		env          map[string]string
		want         string
	}{
		"kept":            {args: `{"name": "a", "hosts": "b"}`},
		"null-is-absent":  {args: `{"name": "a", "file": null, "hosts": "b"}`},
		"two-that-differ": {args: `{"name": "a", "file": "b", "ratio": 1, "hosts": "b"}`, want: "parameters are mutually exclusive: name|file; give one of them"},
		"one-from-the-environment": {
			args: `{"title": "a", "hosts": "b"}`, env: map[string]string{"EXAMPLE_PASSWORD": "hunter2"},
			want: "parameters are mutually exclusive: name|password (from the environment variable EXAMPLE_PASSWORD); give one of them",
		},
		"half":               {args: `{"file": "a", "hosts": "b"}`, want: "parameters are required together: file, ratio; add ratio"},
		"default-needs-more": {reason: "a default is a value", args: `{"name": "a"}`, want: "parameters are required together: timeout, hosts; add hosts"},
		"none":               {args: `{"hosts": "b"}`, want: "one of the following is required: name, file"},
		"bad-but-given":      {reason: "one problem", args: `{"name": ["a"], "hosts": "b"}`, want: "argument 'name' is of type list and we were unable to convert to str: give a text"},
	} {
		t.Run(name, func(t *testing.T) {
			result, status, _ := invoke(t, m, c.env, c.args)
			if c.want == "" {
				assert.Equal(t, 0, status, "%v", result)
				return
			}
			assert.Equal(t, 1, status)
			assert.Equal(t, c.want, result["msg"], c.reason)
		})
	}
}

// TestManyProblems: a message stays one that a person reads.
func TestManyProblems(t *testing.T) {
	entries := strings.TrimSuffix(strings.Repeat(`{"pth": 1},`, 1000), ",")
	unknown := make([]string, 1000)
	for i := range unknown {
		unknown[i] = fmt.Sprintf(`"%s%d": 1`, strings.Repeat("x", 1000), i)
	}
	result, _, _ := invoke(t, example(echo), nil, `{"name": "a", "checks": [`+entries+`], `+strings.Join(unknown, ",")+`}`)
	message, ok := result["msg"].(string)
	require.True(t, ok)
	assert.Less(t, len(message), 10_000)
	assert.True(t, strings.HasSuffix(message, "\nand 1976 problems more"), message[len(message)-100:])
}

func TestDefaultThatIsNone(t *testing.T) {
	m := example(echo)
	m.Options[3].Default = "soon"
	result, status, _ := invoke(t, m, nil, `{"name": "a"}`)
	assert.Equal(t, 1, status)
	assert.Equal(t, "the default of timeout: give a whole number of 64 bits", result["msg"])
}

func TestElementsOfAnyType(t *testing.T) {
	m := Module{Name: "example", Options: []Option{
		{Name: "free", Type: List}, {Name: "raw", Type: List, Elements: Raw}, {Name: "nested", Type: List, Elements: List},
	}, Run: echo}
	_, _, call := invoke(t, m, nil, `{"free": [1, null], "raw": [1, {"a": null}], "nested": ["a,b"]}`)
	assert.Equal(t, map[string]any{
		"free": []any{int64(1), nil}, "raw": []any{int64(1), map[string]any{"a": nil}}, "nested": []any{[]any{"a", "b"}},
	}, call.Params)
	result, status, _ := invoke(t, m, nil, `{"raw": [null]}`)
	assert.Equal(t, 1, status)
	assert.Equal(t, "Elements value for option 'raw[0]' is of type NoneType and we were unable to convert to raw: give a value", result["msg"])
}
