// Command release makes what a release of Ringfence holds: images, archives, their bills of materials, checksums.
// The same commit, version and version of Go give the same bytes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ringfence-dev/ringfence/functions"
	"github.com/ringfence-dev/ringfence/tools/release/internal/image"
	"github.com/ringfence-dev/ringfence/tools/release/internal/program"
	"github.com/ringfence-dev/ringfence/tools/release/internal/version"
)

// command is the first argument.
type command struct {
	name, summary string
	run           func(ctx context.Context, args []string, out io.Writer) error
}

var commands = []command{
	{"images", "build the images of the functions and of the command", images},
	{"push", "copy images to a registry", push},
	{"changelog", "check the changelog, or print the section of a version", changes},
	{"pack", "make the files of a release", pack},
}

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "release: %v\n", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) > 0 {
		for _, c := range commands {
			if c.name == args[0] {
				if err := c.run(ctx, args[1:], out); err != nil {
					return fmt.Errorf("%s: %w", c.name, err)
				}
				return nil
			}
		}
	}
	var text strings.Builder
	text.WriteString("name a command:")
	for _, c := range commands {
		fmt.Fprintf(&text, "\n  %-10s %s", c.name, c.summary)
	}
	return errors.New(text.String())
}

// build says what is built. Each command reads those flags that it needs.
type build struct {
	binaries, version, revision, output string
}

// flags reads a command's flags; all of them are needed.
func flags(name string, args []string, define func(*flag.FlagSet)) error {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	define(set)
	if err := set.Parse(args); err != nil {
		return err
	}
	var missing error
	set.VisitAll(func(f *flag.Flag) {
		if f.Value.String() == "" && missing == nil {
			missing = fmt.Errorf("-%s is missing: %s", f.Name, f.Usage)
		}
	})
	return missing
}

func (b *build) define(set *flag.FlagSet) {
	set.StringVar(&b.binaries, "binaries", "", "folder with an executable OS_ARCHITECTURE/ringfence for each platform")
	set.StringVar(&b.version, "version", "", "version that the executables are stamped with")
	set.StringVar(&b.revision, "revision", "", "commit that they are built from")
	set.StringVar(&b.output, "output", "", "folder to write to")
}

// specs are the images: the command's, and each function's by the table that the executable has, too.
func specs() []image.Spec {
	out := []image.Spec{{Name: program.Name, Description: "derives the hosts, principals and boundaries of a mesh from one model"}}
	for _, unit := range functions.Units {
		out = append(out, image.Spec{Name: unit.Name, Description: unit.Summary})
	}
	return out
}

// created is the time that everything is said to be made at:
// https://reproducible-builds.org/docs/source-date-epoch/
func created() (time.Time, error) {
	text, ok := os.LookupEnv("SOURCE_DATE_EPOCH")
	if !ok {
		return time.Unix(0, 0).UTC(), nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %q isn't a number of seconds", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// readVersion parses a version. A release's may be asked for.
func readVersion(text string, release bool) (version.Version, error) {
	v, err := version.Parse(text)
	if err == nil && release && !v.IsRelease() {
		err = fmt.Errorf("version %q: a release is a tag such as v1.2.3 of this very commit, in a clean tree", text)
	}
	return v, err
}
