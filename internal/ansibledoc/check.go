package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

// Names and variables as Ansible has them, and the names after which its sanity
// tests ask whether the value is secret.
var (
	goodName   = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	goodEnv    = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	secretName = regexp.MustCompile(`(?i)pass|secret|token|crypt|api_?key|client_key$|credential`)
	reference  = regexp.MustCompile(`\b(O|RV)\(([^()=#]+)(=[^()]*)?\)`)
	moduleLink = regexp.MustCompile(`\bM\(([^()]+)\)`)
)

// checker collects what is wrong with the tables: documentation that says less
// or something else than it should is a bug like another.
type checker struct {
	modules  []string
	module   *ansible.Module
	problems []string
}

// check returns the problems of the tables.
func check(all []ansible.Module) []string {
	c := checker{modules: sortedNames(all)}
	for i := range all {
		c.module = &all[i]
		c.check()
	}
	for i := 1; i < len(c.modules); i++ {
		if c.modules[i] == c.modules[i-1] {
			c.problems = append(c.problems, c.modules[i]+": there are two modules of this name")
		}
	}
	return c.problems
}

func (c *checker) problem(where, format string, args ...any) {
	c.problems = append(c.problems, c.module.Name+": "+where+": "+fmt.Sprintf(format, args...))
}

func (c *checker) check() {
	m := c.module
	if !goodName.MatchString(m.Name) {
		c.problem("name", "it is no name of a module")
	}
	if m.Run == nil {
		c.problem("run", "there is nothing to run")
	}
	if m.Summary == "" || strings.HasSuffix(m.Summary, ".") {
		c.problem("summary", "it is a line without a full stop")
	}
	c.prose("description", m.Description)
	if len(m.Description) == 0 {
		c.problem("description", "there is none")
	}
	c.prose("notes", m.Notes)
	for _, other := range m.SeeAlso {
		c.exists("see also", other)
	}
	c.options("", m.Options)
	for kind, rules := range map[string][][]string{
		"mutually exclusive": m.Rules.MutuallyExclusive, "required together": m.Rules.RequiredTogether, "required one of": m.Rules.RequiredOneOf,
	} {
		for _, name := range slices.Concat(rules...) {
			if !c.option(name) {
				c.problem(kind, "there is no option %q", name)
			}
		}
	}
	c.returns("", m.Returns)
	c.examples()
}

// prose checks sentences, and what they refer to.
func (c *checker) prose(where string, sentences []string) {
	for _, s := range sentences {
		if s != strings.Join(strings.Fields(s), " ") || !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, ".)") {
			c.problem(where, "it is no sentence on one line, with single blanks and a full stop: %q", s)
		}
		for _, found := range reference.FindAllStringSubmatch(s, -1) {
			exists := c.option(found[2])
			if found[1] == "RV" {
				exists = c.returned(found[2])
			}
			if !exists {
				c.problem(where, "it refers to %s, which there is not", found[0])
			}
		}
		for _, found := range moduleLink.FindAllStringSubmatch(s, -1) {
			c.exists(where, found[1])
		}
	}
}

// exists checks the name of a module, if it is one of ours.
func (c *checker) exists(where, name string) {
	if own, ok := strings.CutPrefix(name, ansible.Collection+"."); ok && !slices.Contains(c.modules, own) {
		c.problem(where, "there is no module %q", name)
	}
}

// option reports whether there is an option of a path such as "proxy.port".
func (c *checker) option(path string) bool {
	options := c.module.Options
	for name := range strings.SplitSeq(path, ".") {
		i := slices.IndexFunc(options, func(o ansible.Option) bool { return o.Name == strings.TrimSuffix(name, "[]") })
		if i < 0 {
			return false
		}
		options = options[i].Options
	}
	return true
}

// returned reports whether there is a return value of a path.
func (c *checker) returned(path string) bool {
	returns := c.module.Returns
	for name := range strings.SplitSeq(path, ".") {
		i := slices.IndexFunc(returns, func(r ansible.Return) bool { return r.Name == strings.TrimSuffix(name, "[]") })
		if i < 0 {
			return false
		}
		returns = returns[i].Contains
	}
	return true
}

// names returns the names and aliases of options.
func names(options []ansible.Option) []string {
	var out []string
	for _, o := range options {
		out = append(append(out, o.Name), o.Aliases...)
	}
	return out
}

func (c *checker) options(prefix string, options []ansible.Option) {
	seen := map[string]bool{}
	for _, name := range names(options) {
		switch {
		case seen[name]:
			c.problem(prefix+name, "there are two options or aliases of this name")
		case !goodName.MatchString(name):
			c.problem(prefix+name, "it is no name of an option")
		}
		seen[name] = true
	}
	for _, o := range options {
		where := prefix + o.Name
		if len(o.Description) == 0 {
			c.problem(where, "there is no description")
		}
		c.prose(where, o.Description)
		c.kinds(where, o)
		c.defaults(where, o)
		if o.Env != "" && !goodEnv.MatchString(o.Env) {
			c.problem(where, "%q is no environment variable", o.Env)
		}
		secret := o.Secret || o.SecretUnlessPath
		if secretName.MatchString(o.Name) && !secret && !o.Public && len(o.Options) == 0 && o.Type != ansible.Bool {
			c.problem(where, "its name is a secret's: say Secret or Public")
		}
		if secret && o.Public {
			c.problem(where, "it can't be both secret and public")
		}
		c.options(where+".", o.Options)
	}
}

func (c *checker) kinds(where string, o ansible.Option) {
	if (o.Type == ansible.List) != (o.Elements != "") {
		c.problem(where, "a list, and nothing else, has elements of a type")
	}
	for _, t := range []ansible.Type{o.Type, o.Elements} {
		switch t {
		case "", ansible.String, ansible.Bool, ansible.Int, ansible.Float, ansible.List, ansible.Dict, ansible.Path, ansible.Raw:
		default:
			c.problem(where, "there is no type %q", t)
		}
	}
	if len(o.Choices) > 0 && kind(o.Type) != string(ansible.String) && o.Elements != ansible.String {
		c.problem(where, "only a text has choices")
	}
	if len(o.Options) > 0 && o.Type != ansible.Dict && o.Elements != ansible.Dict {
		c.problem(where, "only a dict has options")
	}
	if o.SecretUnlessPath && o.Type != ansible.Raw {
		c.problem(where, "only a raw value is a path or a document")
	}
}

func (c *checker) defaults(where string, o ansible.Option) {
	if o.Default == nil {
		return
	}
	var ok bool
	switch value := o.Default.(type) {
	case string:
		ok = (kind(o.Type) == string(ansible.String) || o.Type == ansible.Path) && (len(o.Choices) == 0 || slices.Contains(o.Choices, value))
	case bool:
		ok = o.Type == ansible.Bool
	case int:
		ok = o.Type == ansible.Int
	case float64:
		ok = o.Type == ansible.Float
	case []string:
		ok = o.Type == ansible.List
	}
	if !ok {
		c.problem(where, "%v is no default of its type and choices", o.Default)
	}
	if o.Required || o.Secret || o.SecretUnlessPath {
		c.problem(where, "what is required or secret has no default")
	}
}

func (c *checker) returns(prefix string, returns []ansible.Return) {
	seen := map[string]bool{}
	for _, r := range returns {
		where := "return value " + prefix + r.Name
		if seen[r.Name] {
			c.problem(where, "there are two of this name")
		}
		seen[r.Name] = true
		// What the adapter writes itself may be described.
		if prefix == "" && slices.Contains(ansible.Reserved, r.Name) && r.Name != "skipped_reason" && r.Name != "diff" {
			c.problem(where, "the name has a meaning to Ansible")
		}
		if len(r.Description) == 0 || r.Returned == "" || r.Type == "" {
			c.problem(where, "it needs a description, a type, and when it is returned")
		}
		c.prose(where, r.Description)
		if (r.Type == ansible.List) != (r.Elements != "") {
			c.problem(where, "a list, and nothing else, has elements of a type")
		}
		if len(r.Contains) > 0 && r.Type != ansible.Dict && r.Elements != ansible.Dict {
			c.problem(where, "only a dict contains others")
		}
		c.returns(prefix+r.Name+".", r.Contains)
	}
}

// examples checks that the examples call the module, with options that it has.
func (c *checker) examples() {
	var tasks []map[string]any
	if err := yaml.Unmarshal([]byte(c.module.Examples), &tasks); err != nil {
		c.problem("examples", "they are no list of tasks: %v", err)
		return
	}
	called := false
	var visit func(tasks []map[string]any)
	visit = func(tasks []map[string]any) {
		for _, task := range tasks {
			for _, nested := range []string{"block", "rescue", "always", "tasks", "pre_tasks", "post_tasks"} {
				var inner []map[string]any
				if list, ok := task[nested].([]any); ok {
					for _, entry := range list {
						if t, ok := entry.(map[string]any); ok {
							inner = append(inner, t)
						}
					}
				}
				visit(inner)
			}
			args, ok := task[ansible.Collection+"."+c.module.Name]
			if !ok {
				continue
			}
			called = true
			c.example(args)
		}
	}
	visit(tasks)
	if !called {
		c.problem("examples", "none calls the module by its full name")
	}
}

func (c *checker) example(args any) {
	given, ok := args.(map[string]any)
	if !ok && args != nil {
		c.problem("examples", "the arguments are no mapping: %v", args)
		return
	}
	known := names(c.module.Options)
	for name := range given {
		if !slices.Contains(known, name) {
			c.problem("examples", "there is no option %q", name)
		}
	}
	for _, o := range c.module.Options {
		if o.Required && !slices.ContainsFunc(append([]string{o.Name}, o.Aliases...), func(name string) bool { return given[name] != nil }) {
			c.problem("examples", "the required %q isn't given", o.Name)
		}
	}
}
