package ansible

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPerson(t *testing.T) {
	m := example(echo)
	m.Description = []string{"It shows O(name) and V(value)."}
	m.Examples = "- name: Run it\n  ringfence.mesh.example:\n    name: a\n"
	for name, c := range map[string]struct {
		called string
		args   []string
		status int
		says   []string
	}{
		"nothing":    {"ringfence", nil, 2, []string{"ringfence.mesh dev", "example  Be an example", "./ringfence arguments.json", "cp ringfence access_info", "_ringfence_module"}},
		"help":       {"ringfence", []string{"--help"}, 0, []string{"example  Be an example"}},
		"help-short": {"ringfence", []string{"-h"}, 0, []string{"example  Be an example"}},
		"help-of-module": {"ringfence", []string{"--help", "ringfence.mesh.example"}, 0, []string{
			"ringfence.mesh.example: Be an example\n    It shows name and value.\n",
			"= name (str; also title, called)\n",
			"- wait (bool; default false; else from the environment variable EXAMPLE_WAIT)\n",
			"- levels (list of str; one of low, high, no)\n",
			"- proxy (dict)\n      = address (str)\n",
			"Examples:\n\n- name: Run it\n  ringfence.mesh.example:\n    name: a\n",
		}},
		"help-by-name": {"example", []string{"--help"}, 0, []string{"= name", "./example arguments.json"}},
		"no-module":    {"ringfence", []string{"--help", "exampel"}, 2, []string{`there is no module "exampel"`}},
		"version":      {"example", []string{"--version"}, 0, []string{"ringfence.mesh dev\n"}},
		"no-flag":      {"example", []string{"--verbose"}, 2, []string{`there is no flag "--verbose"`}},
		"no-name":      {"", nil, 2, []string{"Be an example"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			assert.Equal(t, c.status, Main([]Module{m}, append([]string{"/usr/bin/" + c.called}, c.args...), &out))
			for _, text := range c.says {
				assert.Contains(t, out.String(), text)
			}
		})
	}
	var out bytes.Buffer
	assert.Equal(t, 2, Main([]Module{m}, nil, &out), "without a name of its own")
}

func TestPlain(t *testing.T) {
	for in, want := range map[string]string{
		"no markup (here)": "no markup (here)",
		"O(name) of V(a b), RV(result) in M(a.b.c), E(HOME)":      "name of a b, result in a.b.c, HOME",
		"see L(the site,https://example.org/a,b) and U(http://x)": "see the site (https://example.org/a,b) and http://x",
		"B(bold) I(italic) C(code) P(a#b) R(text,ref)":            "bold italic code a#b text (ref)",
		"SO(name)": "SO(name)",
	} {
		assert.Equal(t, want, plain(in))
	}
}
