package ansible

import (
	"slices"
	"strconv"
	"strings"
)

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
