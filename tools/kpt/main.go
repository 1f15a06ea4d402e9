// Command kpt has kpt's own `fn` commands: render, eval, source, sink and doc.
// kpt as a whole can't be built from the Go module proxy, as the module of its
// `alpha rollouts` isn't served. Flags, errors and exit status are kpt's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/kptdev/kpt/commands/fn"
	kpterrors "github.com/kptdev/kpt/pkg/lib/errors"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

const module = "github.com/kptdev/kpt"

func main() {
	klog.InitFlags(nil)
	if err := command().Execute(); err != nil {
		os.Exit(report(err))
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:   "kpt",
		Short: "kpt's commands for functions",
		// Errors are told as kpt tells them, by report.
		SilenceErrors: true, SilenceUsage: true,
	}
	root.PersistentFlags().AddGoFlagSet(flag.CommandLine)
	root.PersistentFlags().BoolVar(&printer.TruncateOutput, "truncate-output", true, "Enable the truncation for output")
	ctx := printer.WithContext(context.Background(), printer.New(os.Stdout, os.Stderr))
	root.AddCommand(fn.GetCommand(ctx, root.Name()), &cobra.Command{
		Use: "version", Short: "Print the version of kpt", Args: cobra.NoArgs,
		Run: func(*cobra.Command, []string) { fmt.Println(version()) },
	})
	return root
}

// report writes an error and returns the exit status that kpt has for it.
func report(err error) int {
	if known, ok := resolver.ResolveError(err); ok {
		if known.Message != "" {
			fmt.Fprintln(os.Stderr, known.Message)
		}
		return known.ExitCode
	}
	var ours *kpterrors.Error
	if errors.As(err, &ours) {
		if inner, ok := kpterrors.UnwrapErrors(ours); ok {
			err = inner
		}
		fmt.Fprintln(os.Stderr, "Error:", err)
		return 1
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	return 1
}

// version is the one of the module that go.mod pins.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range info.Deps {
			if dependency.Path == module {
				return strings.TrimPrefix(dependency.Version, "v")
			}
		}
	}
	return "unknown"
}
