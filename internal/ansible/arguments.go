package ansible

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// What a person reads of a long list, and of a long value.
const (
	maxProblems = 25
	maxShown    = 100
)

// checker reads parameters as Ansible's argument specs do, and reports all
// problems at once.
type checker struct {
	// module is the name that messages give.
	module string
	env    environment
	call   *Call
	// hide says that no value at all may be shown: the task has no_log.
	hide     bool
	problems []string
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// err returns all problems as one error, or nil.
func (c *checker) err() error {
	switch n := len(c.problems) - maxProblems; {
	case len(c.problems) == 0:
		return nil
	case n > 0:
		return &Failure{Message: fmt.Sprintf("%s\nand %d problems more", strings.Join(c.problems[:maxProblems], "\n"), n)}
	default:
		return &Failure{Message: strings.Join(c.problems, "\n")}
	}
}

// level is one mapping of parameters: the arguments themselves, or suboptions.
type level struct {
	options []Option
	// path leads to the mapping: "wait_condition", "checks[0]".
	path []string
	// secret says that the mapping is a secret's.
	secret bool
}

// below returns the level of an option's suboptions; index is that of the entry
// of a list, else negative.
func (l level) below(o Option, index int) level {
	name := o.Name
	if index >= 0 {
		name += "[" + strconv.Itoa(index) + "]"
	}
	return level{options: o.Options, path: append(slices.Clone(l.path), name), secret: l.secret || o.Secret}
}

// name returns a parameter's name with the path before it.
func (l level) name(name string) string { return strings.Join(append(slices.Clone(l.path), name), ".") }

// found ends a message about suboptions as Ansible's do.
func (l level) found() string {
	if len(l.path) == 0 {
		return ""
	}
	return " found in " + strings.Join(l.path, " -> ")
}

// names returns the names of the level's options, and their aliases.
func (l level) names() (names, aliases []string) {
	for _, o := range l.options {
		names, aliases = append(names, o.Name), append(aliases, o.Aliases...)
	}
	return names, aliases
}

// given is a parameter with a value before it is converted.
type given struct {
	value any
	// from is the environment variable that it comes from, "" for the task's own.
	from string
}

func (g given) origin() string {
	if g.from == "" {
		return ""
	}
	return " (from the environment variable " + g.from + ")"
}

// arguments reads the arguments of a module.
func (c *checker) arguments(m *Module, args map[string]any) map[string]any {
	top := level{options: m.Options}
	c.secrets(top, args)
	present := c.present(top, args)
	params := c.read(top, args, present)
	c.exclusive(m.Rules.MutuallyExclusive, present)
	for _, o := range m.Options {
		if _, ok := present[o.Name]; !ok && o.Default != nil {
			present[o.Name] = given{}
		}
	}
	c.required(m.Rules, present)
	return params
}

// secrets registers the values of secret parameters before any message could
// show them: as they are given and as they are converted, those of the
// environment too.
func (c *checker) secrets(l level, args map[string]any) {
	for _, o := range l.options {
		var values []any
		for _, name := range append([]string{o.Name}, o.Aliases...) {
			values = append(values, args[name])
		}
		if fromEnv, ok := c.env(o.Env); ok && o.Env != "" {
			values = append(values, fromEnv)
		}
		for _, value := range values {
			c.secret(l, o, value)
		}
	}
}

// secret registers the value of one option, if it is secret, and those of its suboptions.
func (c *checker) secret(l level, o Option, value any) {
	converted, err := convert(value, o.Type, c.env)
	if err != nil {
		converted = nil // reported where it is read
	}
	switch document, isDocument := converted.(map[string]any); {
	case o.SecretUnlessPath && isDocument:
		c.call.secrets.addFields(document)
	case l.secret || o.hides(value):
		c.call.secrets.addAll(value)
		c.call.secrets.addAll(converted)
	}
	if len(o.Options) == 0 {
		return
	}
	entries, ok := converted.([]any)
	if !ok {
		entries = []any{converted}
	}
	for _, entry := range entries {
		mapping, err := toDict(entry)
		if err != nil {
			continue // reported where it is read
		}
		c.secrets(l.below(o, -1), mapping)
	}
}

// hides reports whether a value of the option is secret as a whole.
func (o Option) hides(value any) bool {
	if o.SecretUnlessPath {
		path, ok := value.(string)
		return !ok && value != nil || strings.Contains(path, "\n") || strings.HasPrefix(strings.TrimSpace(path), "{")
	}
	return o.Secret
}

// present returns the parameters of a level that have values, by their names:
// null is none. An alias counts before the name, and both before the
// environment.
func (c *checker) present(l level, args map[string]any) map[string]given {
	out := map[string]given{}
	for _, o := range l.options {
		if value := args[o.Name]; value != nil {
			out[o.Name] = given{value: value}
		}
		for _, alias := range o.Aliases {
			value := args[alias]
			if value == nil {
				continue
			}
			if _, ok := out[o.Name]; ok {
				c.call.Warn("Both option %s and its alias %s are set.", l.name(o.Name), l.name(alias))
			}
			out[o.Name] = given{value: value}
		}
		if _, ok := out[o.Name]; ok || o.Env == "" {
			continue
		}
		if value, ok := c.env(o.Env); ok && value != "" {
			out[o.Name] = given{value: value, from: o.Env}
		}
	}
	return out
}

// read converts the parameters of a level and completes them with defaults.
func (c *checker) read(l level, args map[string]any, present map[string]given) map[string]any {
	c.unsupported(l, args)
	out := map[string]any{}
	var missing []string
	for _, o := range l.options {
		g, ok := present[o.Name]
		switch {
		case ok:
			if value, ok := c.convert(l, o, g); ok {
				out[o.Name] = value
			}
		case o.Default != nil:
			value, err := o.defaultValue(c.env)
			if err != nil {
				c.problem("the default of %s: %v", l.name(o.Name), err)
				continue
			}
			out[o.Name] = value
		case o.Required:
			missing = append(missing, o.Name)
		}
	}
	if len(missing) > 0 {
		c.problem("missing required arguments: %s%s", strings.Join(missing, ", "), l.found())
	}
	return out
}

// defaultValue returns the default as a value that was read.
func (o Option) defaultValue(env environment) (any, error) {
	text, err := json.Marshal(o.Default)
	if err != nil {
		return nil, fmt.Errorf("serialising it: %w", err)
	}
	value, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("reading it: %w", err)
	}
	return convert(value, o.Type, env)
}

// unsupported reports the names that no option has. Their values aren't shown:
// one of them may be a misspelt secret.
func (c *checker) unsupported(l level, args map[string]any) {
	names, aliases := l.names()
	known := slices.Concat(names, aliases)
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(args)) {
		internal := len(l.path) == 0 && (strings.HasPrefix(name, "_ansible_") || strings.HasPrefix(name, "_ringfence_"))
		if internal || slices.Contains(known, name) {
			continue
		}
		if len(unknown) < maxProblems {
			unknown = append(unknown, l.name(abbreviated(c.call.masked(name)))+didYouMean(name, known))
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(names)
	supported := strings.Join(names, ", ")
	if len(aliases) > 0 {
		slices.Sort(aliases)
		supported += " (" + strings.Join(aliases, ", ") + ")"
	}
	c.problem("Unsupported parameters for (%s) module: %s. Supported parameters include: %s.", c.module, strings.Join(unknown, ", "), supported)
}

// convert reads one value.
func (c *checker) convert(l level, o Option, g given) (any, bool) {
	value, err := convert(g.value, o.Type, c.env)
	if err != nil {
		c.problem("argument '%s'%s is of type %s%s and we were unable to convert to %s: %v%s",
			o.Name, g.origin(), typeOf(g.value), l.found(), o.kind(), err, c.but(l, o, g.value))
		return nil, false
	}
	ok := true
	switch value := value.(type) {
	case []any:
		if o.Type == List {
			return c.elements(l, o, value)
		}
	case map[string]any:
		if len(o.Options) > 0 {
			sub := l.below(o, -1)
			return c.read(sub, value, c.present(sub, value)), true
		}
	default:
		value, ok = c.choice(l, o, value)
		return value, ok
	}
	return value, ok
}

// elements reads the entries of a list.
func (c *checker) elements(l level, o Option, list []any) (any, bool) {
	out, good := make([]any, len(list)), true
	for i, entry := range list {
		if o.Elements == "" {
			out[i] = entry
			continue
		}
		value, err := convert(entry, o.Elements, c.env)
		if err != nil || value == nil {
			if err == nil {
				err = errNothing
			}
			c.problem("Elements value for option '%s'%s is of type %s and we were unable to convert to %s: %v%s",
				o.Name+"["+strconv.Itoa(i)+"]", l.found(), typeOf(entry), o.Elements, err, c.but(l, o, entry))
			good = false
			continue
		}
		if mapping, ok := value.(map[string]any); ok && len(o.Options) > 0 {
			sub := l.below(o, i)
			out[i] = c.read(sub, mapping, c.present(sub, mapping))
			continue
		}
		value, ok := c.choice(l, o, value)
		out[i], good = value, good && ok
	}
	return out, good
}

// choice checks a scalar against the option's choices. YAML makes a truth value
// of the word yes: where just one choice can have been meant by it, it is that.
func (c *checker) choice(l level, o Option, value any) (any, bool) {
	if len(o.Choices) == 0 || slices.Contains(o.Choices, text(value)) {
		return value, true
	}
	if word := text(value); word == "True" || word == "False" {
		var meant []string
		for _, choice := range o.Choices {
			if truth, ok := truths[choice]; ok && truth == (word == "True") {
				meant = append(meant, choice)
			}
		}
		if len(meant) == 1 {
			return meant[0], true
		}
	}
	got := maskedValue
	if !c.hides(l, o, value) {
		got = c.show(value)
		if word, ok := value.(string); ok {
			got += didYouMean(word, o.Choices)
		}
	}
	oneOf := "one of"
	if o.Type == List {
		oneOf = "one or more of"
	}
	c.problem("value of %s must be %s: %s, got: %s%s", o.Name, oneOf, strings.Join(o.Choices, ", "), got, l.found())
	return nil, false
}

// exclusive checks that of options that exclude each other one is given; their defaults don't count.
func (c *checker) exclusive(rules [][]string, present map[string]given) {
	for _, names := range rules {
		var both []string
		for _, name := range names {
			if g, ok := present[name]; ok {
				both = append(both, name+g.origin())
			}
		}
		if len(both) > 1 {
			c.problem("parameters are mutually exclusive: %s; give one of them", strings.Join(both, "|"))
		}
	}
}

// required checks which options must be there with others, or for want of others.
func (c *checker) required(rules Rules, present map[string]given) {
	missing := func(names []string) []string {
		return slices.DeleteFunc(slices.Clone(names), func(name string) bool { _, ok := present[name]; return ok })
	}
	for _, names := range rules.RequiredTogether {
		if absent := missing(names); len(absent) > 0 && len(absent) < len(names) {
			c.problem("parameters are required together: %s; add %s", strings.Join(names, ", "), strings.Join(absent, ", "))
		}
	}
	for _, names := range rules.RequiredOneOf {
		if len(missing(names)) == len(names) {
			c.problem("one of the following is required: %s", strings.Join(names, ", "))
		}
	}
}

// but ends a message with the value that was given, where it may be shown.
func (c *checker) but(l level, o Option, value any) string {
	switch value.(type) {
	case nil, map[string]any, []any:
		return ""
	}
	if c.hides(l, o, value) {
		return ""
	}
	return ", not " + c.show(value)
}

// hides reports whether no message may hold the value.
func (c *checker) hides(l level, o Option, value any) bool {
	return c.hide || l.secret || o.hides(value)
}

// show returns a scalar as messages hold it. Secrets in it are masked before it
// is quoted and cut, for afterwards they would not be found any more.
func (c *checker) show(value any) string {
	shown := abbreviated(c.call.masked(text(value)))
	if _, ok := value.(string); ok {
		return strconv.Quote(shown)
	}
	return shown
}

// abbreviated returns as much of a text as one reads.
func abbreviated(text string) string {
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "..."
}

// typeOf names the type of a value as Python does.
func typeOf(value any) string {
	switch value.(type) {
	case nil:
		return "NoneType"
	case map[string]any:
		return string(Dict)
	case []any:
		return string(List)
	case bool:
		return string(Bool)
	case int64, json.Number:
		return string(Int)
	case float64:
		return string(Float)
	default:
		return string(String)
	}
}
