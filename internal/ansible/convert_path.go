package ansible

import (
	"os/user"
	"regexp"
	"strings"
)

// variable is a variable of the environment in a path.
var variable = regexp.MustCompile(`\$(\w+|\{[^}]*\})`)

// toPath expands variables and a leading tilde. Like Python's, it leaves what it
// doesn't know as it is.
func toPath(value any, env environment) (any, error) {
	converted, err := toText(value)
	path, ok := converted.(string)
	if err != nil || !ok {
		return nil, errText
	}
	path = variable.ReplaceAllStringFunc(path, func(found string) string {
		if value, ok := env(strings.Trim(found[1:], "{}")); ok {
			return value
		}
		return found
	})
	if !strings.HasPrefix(path, "~") {
		return path, nil
	}
	name, rest, slash := strings.Cut(path[1:], "/")
	home := homeOf(name, env)
	switch {
	case home == "":
		return path, nil
	case slash:
		return strings.TrimSuffix(home, "/") + "/" + rest, nil
	default:
		return home, nil
	}
}

// homeOf returns the home folder of a user, the current one for "", or "".
func homeOf(name string, env environment) string {
	if name != "" {
		if other, err := user.Lookup(name); err == nil {
			return other.HomeDir
		}
		return ""
	}
	if home, ok := env("HOME"); ok {
		return home
	}
	if current, err := user.Current(); err == nil {
		return current.HomeDir
	}
	return ""
}
