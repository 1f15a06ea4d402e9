package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	modules "github.com/ringfence-dev/ringfence/ansible-modules"
	"github.com/ringfence-dev/ringfence/internal/ansible"
)

func TestTables(t *testing.T) {
	assert.Empty(t, check(modules.Modules))
}

// TestFilesAreFresh compares the collection with its tables.
func TestFilesAreFresh(t *testing.T) {
	const folder = "../../ansible-modules/collection/plugins/modules"
	want := map[string]bool{}
	for i := range modules.Modules {
		m := &modules.Modules[i]
		text, err := python(m)
		require.NoError(t, err)
		want[m.Name+".py"] = true
		got, err := os.ReadFile(filepath.Join(folder, m.Name+".py"))
		require.NoError(t, err)
		assert.Equal(t, text, string(got), "run go generate ./ansible-modules")
	}
	found, err := filepath.Glob(filepath.Join(folder, "*.py"))
	require.NoError(t, err)
	for _, file := range found {
		assert.True(t, want[filepath.Base(file)], "%s is of no module; run go generate ./ansible-modules", file)
	}
}

// example has everything that documentation can have.
func example() ansible.Module {
	long := "This sentence: it is longer than a line of the documentation, so that it's folded, and has a colon, quotes and an apostrophe."
	return ansible.Module{
		Name: "example", Summary: "Be an example",
		Description: []string{long, "See M(ringfence.mesh.example) and O(proxy.port), which is E(PORT)."},
		Options: []ansible.Option{
			{Name: "name", Required: true, Aliases: []string{"title"}, Description: []string{"The name."}},
			{Name: "state", Default: "no", Choices: []string{"yes", "no"}, Description: []string{"It counts after O(name=x)."}},
			{Name: "hosts", Type: ansible.List, Elements: ansible.String, Default: []string{}, Description: []string{"Some."}},
			{Name: "ports", Type: ansible.List, Elements: ansible.Int, Description: []string{"Some."}},
			{Name: "words", Type: ansible.List, Elements: ansible.String, Default: []string{"a", "b"}, Description: []string{"Some."}, Aliases: []string{
				"a_long_alias_for_words", "another_long_alias_for_words", "the_last_long_alias_for_words",
			}},
			{Name: "ratio", Type: ansible.Float, Default: 0.5, Description: []string{"One."}},
			{Name: "password", Secret: true, Env: "PASSWORD", Description: []string{"A secret."}},
			{Name: "token_file", Type: ansible.Path, Public: true, Description: []string{"A path."}},
			{Name: "kubeconfig", Type: ansible.Raw, SecretUnlessPath: true, Env: "KUBECONFIG", Description: []string{"A path, E(KUBECONFIG), or the document."}},
			{Name: "proxy", Type: ansible.Dict, Description: []string{"A proxy."}, Options: []ansible.Option{
				{Name: "port", Type: ansible.Int, Default: 3128, Env: "PORT", Description: []string{"A port."}},
			}},
		},
		Rules:        ansible.Rules{MutuallyExclusive: [][]string{{"password", "token_file"}}, RequiredTogether: [][]string{{"ports", "hosts"}}, RequiredOneOf: [][]string{{"hosts", "ports"}}},
		Requirements: []string{"A cluster"}, Notes: []string{"RV(result.text) is a text."}, SeeAlso: []string{"ringfence.mesh.example", "kubernetes.core.k8s"},
		Examples: "- name: Be one\n  ringfence.mesh.example:\n    title: a\n\n- name: Be one in a block\n  block:\n    - name: Be one\n      ringfence.mesh.example:\n        name: a\n",
		Returns: []ansible.Return{{
			Name: "result", Type: ansible.Dict, Returned: "always", Description: []string{"What is."},
			Sample: map[string]any{"text": "a\nb\n", "list": []string{"x: y", "z"}, "none": map[string]any{}},
			Contains: []ansible.Return{
				{Name: "text", Type: ansible.String, Returned: "success", Description: []string{long}, Sample: "first\n\nsecond"},
				{Name: "list", Type: ansible.List, Elements: ansible.String, Returned: "on the third day: sometimes", Description: []string{"A list."}, Sample: []string{}},
			},
		}},
		Run: func(context.Context, *ansible.Call) (ansible.Result, error) { return ansible.Result{}, nil },
	}
}

func TestExampleIsGood(t *testing.T) { assert.Empty(t, check([]ansible.Module{example()})) }

// TestDocumentation reads the documentation as Ansible does: nothing is changed by quoting and folding.
func TestDocumentation(t *testing.T) {
	m := example()
	text, err := sidecar(&m)
	require.NoError(t, err)
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len(line), width+len("  \n"))
		assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line)
	}
	type dict = map[string]any
	type list = []any
	var got dict
	require.NoError(t, yaml.Unmarshal([]byte(text), &got))
	doc, ok := got["DOCUMENTATION"].(dict)
	require.True(t, ok)
	assert.Equal(t, m.Name, doc["module"])
	assert.Equal(t, m.Summary, doc["short_description"])
	assert.Equal(t, "0.1.0", doc["version_added"])
	assert.Equal(t, list{m.Description[0], m.Description[1]}, doc["description"])
	assert.Equal(t, list{author}, doc["author"])
	assert.Equal(t, list{"A cluster"}, doc["requirements"])
	assert.Equal(t, list{m.Notes[0]}, doc["notes"])
	assert.Equal(t, list{dict{"module": "ringfence.mesh.example"}, dict{"module": "kubernetes.core.k8s"}}, doc["seealso"])
	assert.Equal(t, dict{
		"name":  dict{"description": list{"The name."}, "type": "str", "required": true, "aliases": list{"title"}},
		"state": dict{"description": list{"It counts after O(name=x)."}, "type": "str", "default": "no", "choices": list{"yes", "no"}},
		"hosts": dict{"description": list{"Some."}, "type": "list", "elements": "str", "default": list{}},
		"ports": dict{"description": list{"Some."}, "type": "list", "elements": "int"},
		"words": dict{"description": list{"Some."}, "type": "list", "elements": "str", "default": list{"a", "b"}, "aliases": list{
			"a_long_alias_for_words", "another_long_alias_for_words", "the_last_long_alias_for_words",
		}},
		"ratio":      dict{"description": list{"One."}, "type": "float", "default": 0.5},
		"password":   dict{"description": list{"A secret.", "Where it isn't given, the environment variable E(PASSWORD) counts."}, "type": "str"},
		"token_file": dict{"description": list{"A path."}, "type": "path"},
		"kubeconfig": dict{"description": list{"A path, E(KUBECONFIG), or the document."}, "type": "raw"},
		"proxy": dict{"description": list{"A proxy."}, "type": "dict", "suboptions": dict{
			"port": dict{"description": list{"A port.", "Where it isn't given, the environment variable E(PORT) counts."}, "type": "int", "default": 3128},
		}},
	}, doc["options"])
	supported, ok := doc["attributes"].(dict)
	require.True(t, ok)
	for name, want := range map[string]string{"check_mode": "full", "diff_mode": "full", "platform": "full", "async": "full", "action": "none"} {
		row, ok := supported[name].(dict)
		require.True(t, ok, name)
		assert.Equal(t, want, row["support"], name)
	}
	assert.Equal(t, strings.ReplaceAll(m.Examples, "ringfence.mesh.example", "example"), got["EXAMPLES"], "it stands alone")
	assert.Equal(t, dict{"result": dict{
		"description": list{"What is."}, "returned": "always", "type": "dict",
		"sample": dict{"text": "a\nb\n", "list": list{"x: y", "z"}, "none": dict{}},
		"contains": dict{
			"text": dict{"description": list{m.Description[0]}, "returned": "success", "type": "str", "sample": "first\n\nsecond"},
			"list": dict{"description": list{"A list."}, "returned": "on the third day: sometimes", "type": "list", "elements": "str", "sample": list{}},
		},
	}}, got["RETURN"])
}

func TestReadOnly(t *testing.T) {
	m := example()
	m.ReadOnly, m.Options, m.Examples, m.Returns, m.SeeAlso = true, nil, "", nil, nil
	text, err := sidecar(&m)
	require.NoError(t, err)
	assert.Contains(t, text, "diff_mode:\n      support: N/A\n")
	for _, absent := range []string{"options:", "EXAMPLES", "RETURN", "seealso"} {
		assert.NotContains(t, text, absent)
	}
	text, err = python(&m)
	require.NoError(t, err)
	assert.Contains(t, text, "argument_spec = {}\n")
	assert.Contains(t, text, "import AnsibleModule\n")
}

func TestPython(t *testing.T) {
	m := example()
	text, err := python(&m)
	require.NoError(t, err)
	_, code, ok := strings.Cut(text, "\nfrom ansible.module_utils")
	require.True(t, ok)
	assert.Equal(t, `.basic import AnsibleModule, env_fallback

argument_spec = {
    "name": {
        "type": "str",
        "required": True,
        "aliases": ["title"],
    },
    "state": {
        "type": "str",
        "default": "no",
        "choices": ["yes", "no"],
    },
    "hosts": {
        "type": "list",
        "elements": "str",
        "default": [],
    },
    "ports": {
        "type": "list",
        "elements": "int",
    },
    "words": {
        "type": "list",
        "elements": "str",
        "default": ["a", "b"],
        "aliases": [
            "a_long_alias_for_words",
            "another_long_alias_for_words",
            "the_last_long_alias_for_words",
        ],
    },
    "ratio": {
        "type": "float",
        "default": 0.5,
    },
    "password": {
        "type": "str",
        "no_log": True,
        "fallback": (env_fallback, ["PASSWORD"]),
    },
    "token_file": {
        "type": "path",
        "no_log": False,
    },
    "kubeconfig": {
        "type": "raw",
        "no_log": True,
        "fallback": (env_fallback, ["KUBECONFIG"]),
    },
    "proxy": {
        "type": "dict",
        "options": {
            "port": {
                "type": "int",
                "default": 3128,
                "fallback": (env_fallback, ["PORT"]),
            },
        },
    },
}


def main():
    module = AnsibleModule(
        argument_spec=argument_spec,
        mutually_exclusive=[
            ["password", "token_file"],
        ],
        required_together=[
            ["ports", "hosts"],
        ],
        required_one_of=[
            ["hosts", "ports"],
        ],
        supports_check_mode=True,
    )
    module.fail_json(
        msg="The module is a binary: its collection's action plugin runs it as ringfence.mesh.example."
    )


if __name__ == "__main__":
    main()
`, code)
	assert.True(t, strings.HasPrefix(text, "#!/usr/bin/python\n"))
	assert.Contains(t, text, "\n# SPDX-License-Identifier: Apache-2.0\n")
	assert.Contains(t, text, "\nDOCUMENTATION = r\"\"\"\n---\nmodule: example\n")
	assert.Contains(t, text, "\nEXAMPLES = r\"\"\"\n- name: Be one\n  ringfence.mesh.example:\n")
	assert.Contains(t, text, "\nRETURN = r\"\"\"\nresult:\n")

	m.Examples += `# """`
	_, err = python(&m)
	require.ErrorContains(t, err, "EXAMPLES")
}

func TestProblems(t *testing.T) {
	for name, c := range map[string]struct {
		reason string
		change func(*ansible.Module)
		want   []string
	}{
		"name": {"Ansible finds none other", func(m *ansible.Module) {
			m.Name, m.Examples, m.Description = "Example", "- ringfence.mesh.Example: {name: a}", []string{"Is."}
			m.SeeAlso = nil
		}, []string{"Example: name: it is no name of a module"}},
		"summary":        {"a line of a list", func(m *ansible.Module) { m.Summary += "." }, []string{"example: summary: it is a line without a full stop"}},
		"run":            {"a table alone does nothing", func(m *ansible.Module) { m.Run = nil }, []string{"example: run: there is nothing to run"}},
		"no-description": {"nobody could guess", func(m *ansible.Module) { m.Description = nil }, []string{"example: description: there is none"}},
		"no-sentence":    {"paragraphs end with a stop", func(m *ansible.Module) { m.Description = []string{"a  b."} }, []string{`example: description: it is no sentence on one line, with single blanks and a full stop: "a  b."`}},
		"unknown-option": {"the reader looks for it", func(m *ansible.Module) { m.Notes = []string{"As O(nam) or O(proxy.prt=1)."} }, []string{"example: notes: it refers to O(nam), which there is not", "example: notes: it refers to O(proxy.prt=1), which there is not"}},
		"unknown-value":  {"the reader looks for it", func(m *ansible.Module) { m.Notes = []string{"As RV(result.x)."} }, []string{"example: notes: it refers to RV(result.x), which there is not"}},
		"unknown-module": {"a dead link", func(m *ansible.Module) {
			m.Notes = []string{"As M(ringfence.mesh.x)."}
			m.SeeAlso = []string{"ringfence.mesh.y"}
		}, []string{`example: notes: there is no module "ringfence.mesh.x"`, `example: see also: there is no module "ringfence.mesh.y"`}},
		"rule":               {"it would never apply", func(m *ansible.Module) { m.Rules.RequiredOneOf = [][]string{{"x"}} }, []string{`example: required one of: there is no option "x"`}},
		"two-options":        {"one would be ignored", func(m *ansible.Module) { m.Options[1].Aliases = []string{"title"} }, []string{"example: title: there are two options or aliases of this name"}},
		"option-name":        {"it is written in YAML", func(m *ansible.Module) { m.Options[5].Name = "Ratio" }, []string{"example: Ratio: it is no name of an option"}},
		"undescribed-option": {"nobody could guess", func(m *ansible.Module) { m.Options[9].Options[0].Description = nil }, []string{"example: proxy.port: there is no description"}},
		"elements":           {"Ansible's tests want them", func(m *ansible.Module) { m.Options[2].Elements = "" }, []string{"example: hosts: a list, and nothing else, has elements of a type"}},
		"type":               {"nothing would convert it", func(m *ansible.Module) { m.Options[5].Type, m.Options[5].Default = "json", nil }, []string{`example: ratio: there is no type "json"`}},
		"choices-of-none":    {"they are compared as texts", func(m *ansible.Module) { m.Options[5].Choices, m.Options[5].Default = []string{"1"}, nil }, []string{"example: ratio: only a text has choices"}},
		"rule-with-alias":    {"it would never apply", func(m *ansible.Module) { m.Rules.RequiredOneOf = [][]string{{"title"}} }, []string{`example: required one of: there is no option "title"`}},
		"options-of-none":    {"nothing would read them", func(m *ansible.Module) { m.Options[9].Type = ansible.Raw }, []string{"example: proxy: only a dict has options"}},
		"secret-or-path":     {"a text is just one", func(m *ansible.Module) { m.Options[8].Type = ansible.String }, []string{"example: kubeconfig: only a raw value is a path or a document"}},
		"default-type":       {"it would be another", func(m *ansible.Module) { m.Options[5].Default = "x" }, []string{"example: ratio: x is no default of its type and choices"}},
		"default-choice":     {"it would be refused", func(m *ansible.Module) { m.Options[1].Default = "maybe" }, []string{"example: state: maybe is no default of its type and choices"}},
		"default-required":   {"it would never count", func(m *ansible.Module) { m.Options[0].Default = "x" }, []string{"example: name: what is required or secret has no default"}},
		"env":                {"no shell sets it", func(m *ansible.Module) { m.Options[6].Env = "a b" }, []string{`example: password: "a b" is no environment variable`}},
		"unsure-secret":      {"it might be printed", func(m *ansible.Module) { m.Options[6].Secret = false }, []string{"example: password: its name is a secret's: say Secret or Public"}},
		"secret-and-public":  {"one of both", func(m *ansible.Module) { m.Options[6].Public = true }, []string{"example: password: it can't be both secret and public"}},
		"return-name":        {"Ansible would act on it", func(m *ansible.Module) { m.Returns[0].Name, m.Notes = "rc", nil }, []string{"example: return value rc: the name has a meaning to Ansible"}},
		"two-returns":        {"one would be ignored", func(m *ansible.Module) { m.Returns = append(m.Returns, m.Returns[0]) }, []string{"example: return value result: there are two of this name"}},
		"bare-return":        {"nobody could guess", func(m *ansible.Module) { m.Returns[0].Contains[0].Returned = "" }, []string{"example: return value result.text: it needs a description, a type, and when it is returned"}},
		"return-elements":    {"Ansible's tests want them", func(m *ansible.Module) { m.Returns[0].Contains[1].Elements = "" }, []string{"example: return value result.list: a list, and nothing else, has elements of a type"}},
		"return-contains":    {"a text has no parts", func(m *ansible.Module) { m.Returns[0].Type = ansible.String }, []string{"example: return value result: only a dict contains others"}},
		"examples":           {"nobody could copy them", func(m *ansible.Module) { m.Examples = "name: a" }, []string{"example: examples: they are no list of tasks: yaml: unmarshal errors:\n  line 1: cannot unmarshal !!map into []map[string]interface {}"}},
		"other-examples":     {"they show another module", func(m *ansible.Module) { m.Examples = "- other: a" }, []string{"example: examples: none calls the module by its full name"}},
		"example-arguments":  {"a table can't check others", func(m *ansible.Module) { m.Examples = "- ringfence.mesh.example: name=a" }, []string{"example: examples: the arguments are no mapping: name=a"}},
		"example-option":     {"it would fail", func(m *ansible.Module) { m.Examples = "- ringfence.mesh.example: {nam: a}" }, []string{`example: examples: there is no option "nam"`, `example: examples: the required "name" isn't given`}},
	} {
		t.Run(name, func(t *testing.T) {
			m := example()
			c.change(&m)
			assert.Equal(t, c.want, check([]ansible.Module{m}), c.reason)
		})
	}
	assert.Equal(t, []string{"example: there are two modules of this name"}, check([]ansible.Module{example(), example()}))
}

func TestWrite(t *testing.T) {
	out, sidecars := filepath.Join(t.TempDir(), "out"), t.TempDir()
	require.NoError(t, os.Mkdir(out, 0o700))
	for name, text := range map[string]string{"old.py": "# " + generated + "\n", "kept.py": "# by hand\n", "example.py": "stale"} {
		require.NoError(t, os.WriteFile(filepath.Join(out, name), []byte(text), 0o600))
	}
	require.NoError(t, write([]ansible.Module{example()}, out, sidecars))
	assert.Equal(t, []string{"example.py", "kept.py"}, list(t, out), "what was generated for no module is gone")
	assert.Equal(t, []string{"example.yml"}, list(t, sidecars))
	text, err := os.ReadFile(filepath.Join(out, "example.py"))
	require.NoError(t, err)
	assert.Contains(t, string(text), generated)

	m := example()
	m.Run = nil
	require.ErrorContains(t, write([]ansible.Module{m}, out, ""), "there is nothing to run")
	m = example()
	m.Examples += `# """`
	require.ErrorContains(t, write([]ansible.Module{m}, out, ""), `documenting module "example"`)
	require.Error(t, write([]ansible.Module{example()}, filepath.Join(out, "example.py"), ""), "a file is no folder")
}

func list(tb testing.TB, folder string) []string {
	tb.Helper()
	entries, err := os.ReadDir(folder)
	require.NoError(tb, err)
	var out []string
	for _, entry := range entries {
		out = append(out, entry.Name())
	}
	return out
}
