package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/ringfence-dev/ringfence/functions"
	"github.com/ringfence-dev/ringfence/internal/krm"
)

// Exit statuses: failed says that something is wrong with the input, misused
// that the command line can't be understood.
const (
	succeeded = 0
	failed    = 1
	misused   = 2
)

// units are the functions that this executable holds.
var units = functions.Units

// command is one word after "ringfence".
type command struct {
	name, summary string
	run           func(args []string, s krm.Streams) int
}

func commands() []command {
	return []command{
		{"build", "build a kustomization and run the units on it, in one process", build},
		{"render", "filter: YAML documents on standard input, rendered ones on standard output", render},
		{"verify", "build every overlay of an environment and judge their union", verify},
		{"access", "who can reach what, and why, from rendered manifests: matrix, explain, diff, test, graph", accessCommand},
		{"argocd", "what Argo CD's plugin server calls: generate, discover", argocd},
		{"schema", "print the JSON Schema of a kind, for editors", printSchema},
		{"version", "print the version", func(_ []string, s krm.Streams) int { return say(s, "ringfence "+version) }},
	}
}

// run dispatches on the name that the executable was called by, then on the first argument.
func run(called string, args []string, s krm.Streams) int {
	name := "ringfence"
	if _, ok := units.Named(called); ok {
		name = called
	} else if len(args) > 0 {
		if _, ok := units.Named(args[0]); ok {
			name, args = args[0], args[1:]
		}
	}
	if len(args) == 0 {
		if in, ok := s.In.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
			return help(s, name) // nobody types a ResourceList
		}
		return krm.Function(name, units, s)
	}
	switch args[0] {
	case "-h", "--help", "help":
		return help(s, name)
	case "--version":
		return say(s, "ringfence "+version)
	}
	if name == "ringfence" {
		for _, c := range commands() {
			if c.name == args[0] {
				return c.run(args[1:], s)
			}
		}
	}
	_, _ = fmt.Fprintf(s.Err, "%s: there is no command %q; there are %s\n", name, args[0], strings.Join(words(name), ", "))
	return misused
}

func words(name string) []string {
	if name != "ringfence" {
		return []string{"--help", "--version"}
	}
	var out []string
	for _, c := range commands() {
		out = append(out, c.name)
	}
	return slices.Concat(out, units.Names(), []string{"--help", "--version"})
}

func say(s krm.Streams, text string) int {
	if _, err := fmt.Fprintln(s.Out, text); err != nil {
		return failed
	}
	return succeeded
}

func help(s krm.Streams, name string) int {
	var b strings.Builder
	if unit, ok := units.Named(name); ok {
		fmt.Fprintf(&b, "%s %s.\n\n", unit.Name, unit.Summary)
		fmt.Fprintf(&b, "It is a KRM function: a ResourceList on standard input, one on standard output.\n\nExample:\n")
		fmt.Fprintf(&b, "  kpt fn eval DIRECTORY --exec %s --fn-config ringfence.yaml\n", unit.Name)
		return say(s, strings.TrimSuffix(b.String(), "\n"))
	}
	b.WriteString("ringfence derives the hosts, principals and boundaries of a mesh from one input.\n\n")
	b.WriteString("Without arguments it is a KRM function: a ResourceList on standard input, one on\nstandard output. Its configuration (kind Ringfence) says what to run.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %-26s %s\n", c.name, c.summary)
	}
	b.WriteString("\nFunctions, each also an executable of its own name:\n")
	for _, unit := range units {
		fmt.Fprintf(&b, "  %-26s %s\n", unit.Name, unit.Summary)
	}
	b.WriteString("\nExample:\n  ringfence build overlays/staging/themelio\n")
	b.WriteString("  kustomize build --enable-alpha-plugins --enable-exec overlays/staging/themelio\n")
	b.WriteString("  kustomize build app | ringfence render --owner app --model model.yaml --environment staging.yaml\n")
	return say(s, strings.TrimSuffix(b.String(), "\n"))
}

// flags parses a command's flags. ok is false when the command is over, with its exit status.
func flags(set *pflag.FlagSet, usage string, args []string, s krm.Streams) (status int, ok bool) {
	set.SetOutput(s.Err)
	set.Usage = func() { _, _ = fmt.Fprintf(s.Out, "%s\n\nFlags:\n%s", usage, set.FlagUsages()) }
	err := set.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return succeeded, false
	case err != nil:
		_, _ = fmt.Fprintf(s.Err, "ringfence %s: %v; see ringfence %s --help\n", set.Name(), err, set.Name())
		return misused, false
	}
	return succeeded, true
}
