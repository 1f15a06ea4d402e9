package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

// python returns the Python file that stands for a module: ansible-doc and the
// linters read it, and nothing runs it.
func python(m *ansible.Module) (string, error) {
	doc, err := documentation(m, throughPlugin)
	if err != nil {
		return "", err
	}
	ret, err := returns(m)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`#!/usr/bin/python
# -*- coding: utf-8 -*-

# SPDX-FileCopyrightText: The Ringfence authors
# SPDX-License-Identifier: Apache-2.0

# ` + generated + `

from __future__ import absolute_import, division, print_function

__metaclass__ = type

`)
	for _, part := range []struct{ name, text string }{
		{"DOCUMENTATION", "---\n" + doc},
		{"EXAMPLES", strings.Trim(m.Examples, "\n") + "\n"},
		{"RETURN", ret},
	} {
		if strings.Contains(part.text, `"""`) {
			return "", fmt.Errorf(`%s holds """, which ends a text of Python`, part.name)
		}
		fmt.Fprintf(&b, "%s = r\"\"\"\n%s\"\"\"\n\n", part.name, part.text)
	}
	fallback := ""
	if hasFallback(m.Options) {
		fallback = ", env_fallback"
	}
	fmt.Fprintf(&b, "from ansible.module_utils.basic import AnsibleModule%s\n\n", fallback)
	fmt.Fprintf(&b, "argument_spec = %s\n\n\n", specs(m.Options, 0))
	b.WriteString("def main():\n    module = AnsibleModule(\n        argument_spec=argument_spec,\n")
	for _, rule := range []struct {
		name  string
		names [][]string
	}{
		{"mutually_exclusive", m.Rules.MutuallyExclusive},
		{"required_together", m.Rules.RequiredTogether},
		{"required_one_of", m.Rules.RequiredOneOf},
	} {
		if len(rule.names) == 0 {
			continue
		}
		fmt.Fprintf(&b, "        %s=[\n", rule.name)
		for _, names := range rule.names {
			b.WriteString("            " + listOf(names, 12, "") + ",\n")
		}
		b.WriteString("        ],\n")
	}
	fmt.Fprintf(&b, `        supports_check_mode=True,
    )
    module.fail_json(
        msg="The module is a binary: its collection's action plugin runs it as %s.%s."
    )


if __name__ == "__main__":
    main()
`, ansible.Collection, m.Name)
	return b.String(), nil
}

func hasFallback(options []ansible.Option) bool {
	for _, o := range options {
		if o.Env != "" || hasFallback(o.Options) {
			return true
		}
	}
	return false
}

// specs returns options as a dict of Python, formatted as Black does it.
func specs(options []ansible.Option, indent int) string {
	if len(options) == 0 {
		return "{}"
	}
	var b strings.Builder
	b.WriteString("{\n")
	inner := blanks(indent + 4)
	for _, o := range options {
		fmt.Fprintf(&b, "%s%q: {\n", inner, o.Name)
		for _, entry := range spec(o, indent+8) {
			fmt.Fprintf(&b, "%s    %q: %s,\n", inner, entry[0], entry[1])
		}
		b.WriteString(inner + "},\n")
	}
	b.WriteString(blanks(indent) + "}")
	return b.String()
}

// spec returns the keys and values of one option; its lines begin at indent.
func spec(o ansible.Option, indent int) [][2]string {
	out := [][2]string{{"type", strconv.Quote(kind(o.Type))}}
	add := func(key, value string) { out = append(out, [2]string{key, value}) }
	if o.Elements != "" {
		add("elements", strconv.Quote(string(o.Elements)))
	}
	if o.Required {
		add("required", "True")
	}
	if o.Default != nil {
		add("default", literal(o.Default, indent, `"default": `))
	}
	if len(o.Choices) > 0 {
		add("choices", listOf(o.Choices, indent, `"choices": `))
	}
	if len(o.Aliases) > 0 {
		add("aliases", listOf(o.Aliases, indent, `"aliases": `))
	}
	switch {
	case o.Secret || o.SecretUnlessPath:
		add("no_log", "True")
	case o.Public:
		add("no_log", "False")
	}
	if o.Env != "" {
		add("fallback", fmt.Sprintf("(env_fallback, [%q])", o.Env))
	}
	if len(o.Options) > 0 {
		add("options", specs(o.Options, indent))
	}
	return out
}

// literal returns a default as Python writes it.
func literal(value any, indent int, before string) string {
	switch value := value.(type) {
	case bool:
		if value {
			return "True"
		}
		return "False"
	case string:
		return strconv.Quote(value)
	case []string:
		return listOf(value, indent, before)
	default:
		return fmt.Sprint(value)
	}
}

// blackWidth is the line length that Black breaks at.
const blackWidth = 88

// listOf returns a list of texts, on one line where it has the room.
func listOf(texts []string, indent int, before string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = strconv.Quote(text)
	}
	line := "[" + strings.Join(quoted, ", ") + "]"
	if indent+len(before)+len(line)+len(",") <= blackWidth {
		return line
	}
	inner := blanks(indent + 4)
	return "[\n" + inner + strings.Join(quoted, ",\n"+inner) + ",\n" + blanks(indent) + "]"
}
