package main

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

// Author is whom the documentation names; the collection's first version had all modules.
const (
	author       = "Ringfence developers (@ringfence-dev)"
	firstVersion = "0.1.0"
)

// attribute is one row of what a module supports.
type attribute struct{ name, support, description string }

func attributes(m *ansible.Module, action attribute) []attribute {
	check := attribute{"check_mode", "full", "In check mode the module changes nothing and tells what it would change."}
	diff := attribute{"diff_mode", "full", "In diff mode the result holds each object before and after."}
	if m.ReadOnly {
		check.description = "The module never changes anything."
		diff = attribute{"diff_mode", "N/A", "There is nothing that could differ afterwards."}
	}
	return []attribute{
		action,
		{"async", "full", "The module can run in the background."},
		check, diff,
		{"platform", "full", "The module is a static binary for Linux on amd64 and arm64; the host needs no Python for it and no Kubernetes client."},
	}
}

// throughPlugin is how the collection runs its modules, alone how a library/ does.
var (
	throughPlugin = attribute{"action", "full", "An action plugin on the controller chooses the binary for the host, and reads the files that lie on the controller."}
	alone         = attribute{"action", "none", "Without the collection there is no action plugin. Every path is one of the host where the module runs."}
)

// documentation returns DOCUMENTATION. Its lines are as far to the right as indent says.
func documentation(m *ansible.Module, action attribute) (string, error) {
	var b block
	b.value(0, "module", m.Name)
	b.line(0, "short_description", m.Summary)
	b.value(0, "version_added", firstVersion)
	b.prose(0, "description", m.Description)
	b.prose(0, "author", []string{author})
	if len(m.Options) > 0 {
		b.key(0, "options")
		b.options(2, m.Options)
	}
	b.key(0, "attributes")
	for _, a := range attributes(m, action) {
		b.key(2, a.name)
		b.value(4, "support", a.support)
		if a.name == "platform" {
			b.value(4, "platforms", "posix")
		}
		b.line(4, "description", a.description)
	}
	b.prose(0, "requirements", m.Requirements)
	b.prose(0, "notes", m.Notes)
	if len(m.SeeAlso) > 0 {
		b.key(0, "seealso")
		for _, module := range m.SeeAlso {
			b.value(2, "- module", module)
		}
	}
	return b.text.String(), b.err
}

// options documents options and their suboptions.
func (b *block) options(indent int, options []ansible.Option) {
	for _, o := range options {
		b.key(indent, o.Name)
		b.prose(indent+2, "description", described(o))
		b.value(indent+2, "type", kind(o.Type))
		if o.Elements != "" {
			b.value(indent+2, "elements", string(o.Elements))
		}
		if o.Required {
			b.value(indent+2, "required", true)
		}
		if o.Default != nil {
			b.value(indent+2, "default", o.Default)
		}
		if len(o.Choices) > 0 {
			b.value(indent+2, "choices", o.Choices)
		}
		if len(o.Aliases) > 0 {
			b.value(indent+2, "aliases", o.Aliases)
		}
		if len(o.Options) > 0 {
			b.key(indent+2, "suboptions")
			b.options(indent+4, o.Options)
		}
	}
}

// described returns the description of an option, the environment variable included.
func described(o ansible.Option) []string {
	out := slices.Clone(o.Description)
	if o.Env != "" && !strings.Contains(strings.Join(out, "\n"), o.Env) {
		out = append(out, "Where it isn't given, the environment variable E("+o.Env+") counts.")
	}
	return out
}

func kind(t ansible.Type) string {
	if t == "" {
		return string(ansible.String)
	}
	return string(t)
}

// returns documents the return values, as RETURN has them.
func returns(m *ansible.Module) (string, error) {
	var b block
	b.returns(0, m.Returns)
	return b.text.String(), b.err
}

func (b *block) returns(indent int, returns []ansible.Return) {
	for _, r := range returns {
		b.key(indent, r.Name)
		b.prose(indent+2, "description", r.Description)
		b.line(indent+2, "returned", r.Returned)
		b.value(indent+2, "type", kind(r.Type))
		if r.Elements != "" {
			b.value(indent+2, "elements", string(r.Elements))
		}
		if r.Sample != nil {
			b.value(indent+2, "sample", r.Sample)
		}
		if len(r.Contains) > 0 {
			b.key(indent+2, "contains")
			b.returns(indent+4, r.Contains)
		}
	}
}

// sidecar returns the documentation as a YAML file. It is for modules that
// stand alone, which have no collection before their names.
func sidecar(m *ansible.Module) (string, error) {
	doc, err := documentation(m, alone)
	if err != nil {
		return "", err
	}
	ret, err := returns(m)
	if err != nil {
		return "", err
	}
	out := "---\n# " + generated + "\nDOCUMENTATION:\n" + indented(doc, 2)
	if examples := strings.Trim(m.Examples, "\n"); examples != "" {
		bare := strings.ReplaceAll(examples, ansible.Collection+"."+m.Name+":", m.Name+":")
		out += "EXAMPLES: |\n" + indented(bare+"\n", 2)
	}
	if ret != "" {
		out += "RETURN:\n" + indented(ret, 2)
	}
	return out, nil
}
