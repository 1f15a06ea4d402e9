package ansible

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Bugs is where people report them.
const Bugs = "https://github.com/ringfence-dev/ringfence/issues"

// answer is what a run has to say. Its zero value says that nothing was done.
type answer struct {
	module *Module
	call   *Call
	// noLog is the task's own: no parameter and no difference is shown.
	noLog  bool
	result Result
	err    error
}

// Reserved are the keys of a result that have a meaning to Ansible or to the
// adapter; a module's own values have other names.
var Reserved = []string{
	"changed", "failed", "msg", "diff", "warnings", "deprecations", "invocation", "skipped", "skipped_reason",
	"unreachable", "exception", "rc", "results", "ansible_facts", "censored",
}

// write prints the answer, in one piece, and returns the exit status.
func (a answer) write(stdout io.Writer) int {
	tree, err := a.tree()
	if err != nil {
		tree = map[string]any{"changed": a.result.Changed, "failed": true, "msg": a.bug("the result can't be written")}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(tree); err != nil {
		return 1 // the tree is made of what JSON has
	}
	_, err = stdout.Write(b.Bytes())
	if failed, ok := tree["failed"].(bool); err != nil || !ok || failed {
		return 1
	}
	return 0
}

// tree returns the answer as JSON has it, without secrets.
func (a answer) tree() (out map[string]any, err error) {
	defer Recover(&err)
	full := map[string]any{"changed": a.result.Changed, "failed": a.err != nil}
	a.addValues(full, a.result.Values)
	if a.result.Message != "" {
		full["msg"] = a.result.Message
	}
	if a.result.Skipped != "" {
		full["skipped_reason"] = a.result.Skipped
	}
	if a.err != nil {
		a.addFailure(full)
	}
	if a.module != nil {
		if a.call.Diff && !a.noLog && !a.module.ReadOnly {
			full["diff"] = append([]Diff{}, a.result.Diff...)
		}
		args := map[string]any{}
		if !a.noLog {
			args = moduleArgs(a.module.Options, a.call.Params)
		}
		full["invocation"] = map[string]any{"module_args": args}
	}
	if a.call == nil {
		return full, nil
	}
	a.call.mu.Lock()
	defer a.call.mu.Unlock()
	if len(a.call.warnings) > 0 {
		full["warnings"] = a.call.warnings
	}
	plain, err := jsonValue(full)
	if err != nil {
		return nil, err
	}
	out, ok := a.call.secrets.value(plain, a.public()).(map[string]any)
	if !ok {
		return nil, errors.New("the result is no object")
	}
	return out, nil
}

// addValues adds the module's own values; names that are not its own are a bug.
func (a answer) addValues(to, values map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if slices.Contains(Reserved, name) {
			a.call.Warn("%s", a.bug("it returns a value named "+strconv.Quote(name)))
			continue
		}
		to[name] = values[name]
	}
}

func (a answer) addFailure(to map[string]any) {
	message := a.err.Error()
	if failure, ok := errors.AsType[*Failure](a.err); ok {
		a.addValues(to, failure.Values)
	}
	if p, ok := errors.AsType[*panicked](a.err); ok {
		message = a.bug(message)
		if a.call.Verbosity >= 3 {
			to["exception"] = string(p.stack)
		}
	}
	to["msg"] = message
}

// bug returns a message about what isn't the user's fault.
func (a answer) bug(what string) string {
	name := Collection
	if a.module != nil {
		name += "." + a.module.Name
	}
	return fmt.Sprintf("this is a bug in %s %s: %s; please report it at %s, with the task and what -vvv shows (since ansible-core 2.19 with ANSIBLE_DISPLAY_TRACEBACK=always)", name, Version, what, Bugs)
}

// moduleArgs returns the parameters as they may be shown.
func moduleArgs(options []Option, params map[string]any) map[string]any {
	out := map[string]any{}
	for _, o := range options {
		value := params[o.Name]
		entries, isList := value.([]any)
		sub, isDict := value.(map[string]any)
		switch {
		case value == nil:
			out[o.Name] = nil
		case o.hides(value):
			out[o.Name] = maskedValue
		case len(o.Options) > 0 && isDict:
			out[o.Name] = moduleArgs(o.Options, sub)
		case len(o.Options) > 0 && isList:
			list := make([]any, len(entries))
			for i, entry := range entries {
				list[i] = entry
				if sub, ok := entry.(map[string]any); ok {
					list[i] = moduleArgs(o.Options, sub)
				}
			}
			out[o.Name] = list
		default:
			out[o.Name] = value
		}
	}
	return out
}

// public returns the keys that are names from the documentation or from Ansible,
// and so no secrets, whatever a secret's value is.
func (a answer) public() map[string]bool {
	out := map[string]bool{"module_args": true, "before": true, "after": true, "before_header": true, "after_header": true}
	for _, name := range Reserved {
		out[name] = true
	}
	if a.module == nil {
		return out
	}
	var ofOptions func([]Option)
	ofOptions = func(options []Option) {
		for _, o := range options {
			out[o.Name] = true
			ofOptions(o.Options)
		}
	}
	ofOptions(a.module.Options)
	var ofReturns func([]Return)
	ofReturns = func(returns []Return) {
		for _, r := range returns {
			out[r.Name] = true
			ofReturns(r.Contains)
		}
	}
	ofReturns(a.module.Returns)
	return out
}

// jsonValue returns a value as JSON has it: valid UTF-8, and numbers that are some.
func jsonValue(value any) (any, error) {
	text, err := json.Marshal(finite(value))
	if err != nil {
		return nil, fmt.Errorf("serialising the result: %w", err)
	}
	var out any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&out); err != nil {
		return nil, fmt.Errorf("reading the result again: %w", err)
	}
	return out, nil
}

// finite replaces numbers that JSON hasn't by their names.
func finite(value any) any {
	switch value := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(value))
		for k, v := range value {
			out[k] = finite(v)
		}
		return out
	case []any:
		out := make([]any, len(value))
		for i, v := range value {
			out[i] = finite(v)
		}
		return out
	case float64:
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return strconv.FormatFloat(value, 'g', -1, 64)
		}
	}
	return value
}
