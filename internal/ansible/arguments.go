package ansible

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ringfence-dev/ringfence/internal/spelling"
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
			unknown = append(unknown, l.name(abbreviated(c.call.masked(name)))+spelling.DidYouMean(name, known))
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
