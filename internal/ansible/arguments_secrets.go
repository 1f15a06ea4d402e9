package ansible

import "strings"

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
