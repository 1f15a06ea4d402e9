package ansible

import (
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/internal/spelling"
)

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
			got += spelling.DidYouMean(word, o.Choices)
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
