package ansible

import (
	"fmt"
	"slices"
	"sync"
)

// Call is one run of a module. Its parameters are converted, checked and
// completed with their defaults. Warn and Secret may be called by several
// goroutines at once.
type Call struct {
	// Module that was called, by its full public name: "ringfence.mesh.access_info".
	Module string
	// Check says that nothing may change; Diff that differences are wanted.
	Check, Diff bool
	// Verbosity is how many -v there were.
	Verbosity int
	// Files are those that the controller read for the module, by the parameter that names each.
	Files map[string]File
	// Params are by name; absent ones without default are nil or missing.
	Params map[string]any

	mu       sync.Mutex
	warnings []string
	secrets  secrets
}

// File is a file of the controller.
type File struct {
	Path    string
	Content []byte
}

// Warn adds a warning to the result; the same one twice counts once.
func (c *Call) Warn(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if warning := fmt.Sprintf(format, args...); !slices.Contains(c.warnings, warning) {
		c.warnings = append(c.warnings, warning)
	}
}

// Secret keeps a value out of all output that follows, as the value of a Secret
// option is: a token that was found in a kubeconfig. Its encoded and decoded
// forms are kept out as well.
func (c *Call) Secret(value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.secrets.add(value)
}

// masked returns a text without secrets.
func (c *Call) masked(text string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.secrets.text(text)
}

// Has reports whether a parameter has a value.
func (c *Call) Has(name string) bool { return c.Params[name] != nil }

// String returns a parameter of type str or path, "" when it has no value.
func (c *Call) String(name string) string {
	s, _ := c.Params[name].(string)
	return s
}

// Bool returns a parameter of type bool, false when it has no value.
func (c *Call) Bool(name string) bool {
	b, _ := c.Params[name].(bool)
	return b
}

// Int returns a parameter of type int, 0 when it has no value.
func (c *Call) Int(name string) int {
	n, _ := c.Params[name].(int64)
	return int(n)
}

// Float returns a parameter of type float, 0 when it has no value.
func (c *Call) Float(name string) float64 {
	f, _ := c.Params[name].(float64)
	return f
}

// Strings returns a parameter of type list with elements str or path.
func (c *Call) Strings(name string) []string {
	var out []string
	list, _ := c.Params[name].([]any)
	for _, entry := range list {
		if s, ok := entry.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// Dicts returns a parameter of type list with elements dict.
func (c *Call) Dicts(name string) []map[string]any {
	var out []map[string]any
	list, _ := c.Params[name].([]any)
	for _, entry := range list {
		if m, ok := entry.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// Dict returns a parameter of type dict, nil when it has no value.
func (c *Call) Dict(name string) map[string]any {
	m, _ := c.Params[name].(map[string]any)
	return m
}
