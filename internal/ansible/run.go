package ansible

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ringfence-dev/ringfence/internal/spelling"
)

// Collection is the namespace and name of the collection that holds the modules.
const Collection = "ringfence.mesh"

// Version is that of the modules; the build stamps it.
var Version = "dev"

// maxArguments is the largest arguments file that is read: the files of the controller are in it.
const maxArguments = 16 << 20

// Main runs the module that Ansible calls, prints its result to stdout, and
// returns the exit status. Where stdout is the process's own, nothing else is
// printed any more, neither there nor to standard error: over ssh Ansible takes
// both for the result. A panic of a goroutine that doesn't end in Recover is
// silent too, and Ansible then says that there was no result.
func Main(modules []Module, args []string, stdout io.Writer) int {
	if stdout == io.Writer(os.Stdout) {
		if err := quiet(); err != nil {
			return answer{err: fmt.Errorf("silencing libraries: %w", err)}.write(stdout)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process
	return run(ctx, modules, args, os.LookupEnv, stdout)
}

func run(ctx context.Context, modules []Module, args []string, env environment, stdout io.Writer) int {
	called, rest := "", []string(nil)
	if len(args) > 0 {
		called, rest = filepath.Base(args[0]), args[1:]
	}
	if len(rest) == 0 || strings.HasPrefix(rest[0], "-") {
		return person(modules, called, rest, stdout)
	}
	a := answer{call: &Call{}}
	a.err = a.serve(ctx, modules, called, rest[0], env)
	return a.write(stdout)
}

// serve runs one module as far as it goes; what is known by then is in the answer.
func (a *answer) serve(ctx context.Context, modules []Module, called, file string, env environment) (err error) {
	defer Recover(&err)
	args, err := readArguments(file)
	if err != nil {
		return err
	}
	c := &checker{module: called, env: env, call: a.call}
	a.settings(c, args)
	if err := c.err(); err != nil {
		return err
	}
	if a.module, err = choose(modules, called, args); err != nil {
		return err
	}
	a.call.Module = Collection + "." + a.module.Name
	c.module = a.call.Module
	a.call.Params = c.arguments(a.module, args)
	if err := c.err(); err != nil {
		return err
	}
	a.result, err = a.module.Run(ctx, a.call)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("stopped before the end (%w): %w", context.Cause(ctx), err)
	}
	return err
}

// readArguments reads the file that Ansible names. Errors hold nothing of its content.
func readArguments(file string) (map[string]any, error) {
	text, err := readFile(file, maxArguments)
	if err != nil {
		return nil, fmt.Errorf("reading the module's arguments: %w", err)
	}
	value, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("reading the module's arguments in %q: it is no JSON (%w), where no number is infinite or undefined; Ansible writes this file, run the module by a task", file, err)
	}
	args, ok := value.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("reading the module's arguments in %q: it is a JSON value of type %s, not an object; Ansible writes this file, run the module by a task", file, typeOf(value))
	}
	return args, nil
}

// What Ansible and our action plugin say beside the parameters.
const (
	settingModule = "_ringfence_module"
	settingFiles  = "_ringfence_files"
)

var settings = []Option{
	{Name: "_ansible_check_mode", Type: Bool},
	{Name: "_ansible_diff", Type: Bool},
	{Name: "_ansible_no_log", Type: Bool},
	{Name: "_ansible_verbosity", Type: Int},
	{Name: settingModule, Type: String},
	{Name: settingFiles, Type: Dict},
}

// settings reads how the module is to run.
func (a *answer) settings(c *checker, args map[string]any) {
	l := level{options: settings}
	known := map[string]any{}
	for _, o := range settings {
		known[o.Name] = args[o.Name]
	}
	call := Call{Params: c.read(l, known, c.present(l, known))}
	a.call.Check, a.call.Diff = call.Bool("_ansible_check_mode"), call.Bool("_ansible_diff")
	a.call.Verbosity = call.Int("_ansible_verbosity")
	a.noLog = call.Bool("_ansible_no_log")
	c.hide = a.noLog
	a.call.Files = map[string]File{}
	for name, value := range call.Dict(settingFiles) {
		file, err := toDict(value)
		path, isPath := file["path"].(string)
		content, isText := file["content"].(string)
		if err != nil || !isPath || !isText {
			c.problem("%s.%s: the action plugin gives no path and content; update the collection", settingFiles, abbreviated(name))
			continue
		}
		a.call.Files[name] = File{Path: path, Content: []byte(content)}
	}
}

// choose returns the module that the arguments name, or else the executable's name.
func choose(modules []Module, called string, args map[string]any) (*Module, error) {
	if name, ok := args[settingModule].(string); ok {
		called = strings.TrimPrefix(name, Collection+".")
	}
	if m := named(modules, called); m != nil {
		return m, nil
	}
	names := make([]string, len(modules))
	for i := range modules {
		names[i] = modules[i].Name
	}
	return nil, fmt.Errorf("there is no module %q%s; there are %s", abbreviated(called), spelling.DidYouMean(called, names), strings.Join(names, ", "))
}

// named returns the module that an executable of this name is. Ansible copies it
// to AnsiballZ_<name>.
func named(modules []Module, called string) *Module {
	called = strings.TrimPrefix(called, "AnsiballZ_")
	for _, name := range []string{called, strings.TrimSuffix(called, filepath.Ext(called)), strings.TrimPrefix(called, Collection+".")} {
		for i := range modules {
			if modules[i].Name == name {
				return &modules[i]
			}
		}
	}
	return nil
}
