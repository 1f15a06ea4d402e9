// Command performance measures what Ringfence adds to a build: behind kustomize
// as a filter, in it as a function, and under kpt. It runs executables of a
// folder on generated builds and prints a Markdown table.
//
// All ways of one size take turns, so that whatever else the machine does hits
// them alike, and CPU time is compared, which that changes least. Each way's ratio
// is to the kustomize of the same turn.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

// options say what is measured.
type options struct {
	bin string
	// Numbers of resources: for every way, for kustomize and the filter, for the filter alone.
	sizes, large, streams []int
	runs                  int
	progress              io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "performance: error: %v\n", err)
		os.Exit(1) //nolint:gocritic // nothing is left to stop
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	o := options{progress: progress}
	set := flag.NewFlagSet("performance", flag.ContinueOnError)
	set.SetOutput(progress)
	set.StringVar(&o.bin, "bin", "bin", "folder of the executables")
	set.IntVar(&o.runs, "runs", 3, "how often each way is run at each size")
	sizes := set.String("sizes", "100,250,1000", "numbers of resources to measure every way with")
	large := set.String("large", "4000", "numbers of resources to measure kustomize and the filter with: it takes minutes")
	streams := set.String("streams", "20000,100000", "numbers of resources to measure the filter alone with")
	if err := set.Parse(args); err != nil {
		return fmt.Errorf("reading the command line: %w", err)
	}
	for text, list := range map[*string]*[]int{sizes: &o.sizes, large: &o.large, streams: &o.streams} {
		var err error
		if *list, err = parseSizes(*text); err != nil {
			return err
		}
	}
	if o.runs < 1 {
		return fmt.Errorf("--runs is %d: at least 1 is needed", o.runs)
	}
	var err error
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return fmt.Errorf("finding %s: %w", o.bin, err)
	}
	if _, err := io.WriteString(out, heading); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return measureAll(ctx, o, func(rows []row) error { return writeRows(out, rows) })
}

func parseSizes(text string) ([]int, error) {
	var out []int
	for field := range strings.SplitSeq(text, ",") {
		if field == "" {
			continue
		}
		size, err := strconv.Atoi(field)
		if err != nil || size < 1 {
			return nil, fmt.Errorf("%q is no number of resources", field)
		}
		out = append(out, size)
	}
	return out, nil
}
