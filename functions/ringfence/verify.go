package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/overlay"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const verifyUsage = `Builds every overlay below the directories, each on its own, and judges the builds
of one environment together: what one refers to must be in another. It builds as
ringfence build does, or with the executable that --kustomize names; then the
executables that kustomizations name as functions are run.

Example:
  ringfence verify overlays/staging overlays/production
  ringfence verify --output out overlays`

func verify(args []string, s krm.Streams) int {
	var (
		executable, output string
		strict             bool
	)
	set := pflag.NewFlagSet("verify", pflag.ContinueOnError)
	set.StringVar(&executable, "kustomize", "", "kustomize executable to build with, functions enabled; default: build in this process")
	set.StringVar(&output, "output", "", "directory to write the builds to: <environment>/<owner>.yaml")
	set.BoolVar(&strict, "strict", false, "make warnings errors")
	if status, ok := flags(set, verifyUsage, args, s); !ok {
		return status
	}
	if set.NArg() == 0 {
		_, _ = fmt.Fprintln(s.Err, "ringfence verify: name the directories of the overlays; see ringfence verify --help")
		return misused
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var builder overlay.Builder = inProcess{}
	if executable != "" {
		builder = overlay.Kustomize{Path: executable}
	}
	builds, findings, err := overlay.All(ctx, builder, set.Args(), func(b overlay.Build) {
		_, _ = fmt.Fprintf(s.Err, "built %s\n", b.Dir)
		for _, note := range b.Notes {
			_, _ = fmt.Fprintf(s.Err, "  %s\n", note)
		}
	})
	if err != nil || findings.Failed() {
		s.Print("ringfence verify", findings)
		if err != nil {
			_, _ = fmt.Fprintf(s.Err, "ringfence verify: error: %v\n", err)
		}
		return failed
	}
	environments := overlay.Judge(builds, krm.Version)
	for _, e := range environments {
		findings.Add(e.Findings...)
	}
	for _, b := range builds {
		if b.Unjudged {
			findings.Add(finding.New(finding.BuildUnjudged, resource.Ref{}, "", "it has no Ringfence, so that its objects aren't judged").In(b.Dir, 0))
		}
	}
	if strict {
		findings = findings.Strict()
	}
	s.Print("ringfence verify", findings)
	if err := tabulate(s.Out, environments, output); err != nil {
		_, _ = fmt.Fprintf(s.Err, "ringfence verify: error: %v\n", err)
		return failed
	}
	if findings.Failed() {
		return failed
	}
	return succeeded
}

// tabulate writes the builds, if asked to, and a table of them.
func tabulate(w io.Writer, environments []overlay.Environment, output string) error {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	var b strings.Builder
	b.WriteString("ENVIRONMENT\tAPPLICATION\tPROFILE\tOBJECTS\tPOLICIES\tENROLLED\tFINDINGS\n")
	for _, e := range environments {
		for _, build := range e.Builds {
			sum := build.Summary()
			fmt.Fprintf(&b, "%s\t%s\t%s\t%d\t%d\t%d\t%d\n", e.Name, build.Request.Owner.Name, build.Request.Platform.Profile,
				sum.Objects, sum.Policies, sum.Enrolled, len(build.Notes))
			if output == "" {
				continue
			}
			file := filepath.Join(output, e.Name, build.Request.Owner.Name+".yaml")
			if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
				return fmt.Errorf("making room for the builds: %w", err)
			}
			if err := os.WriteFile(file, build.Text, 0o600); err != nil {
				return fmt.Errorf("writing a build: %w", err)
			}
		}
	}
	if _, err := io.WriteString(table, b.String()); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	for _, e := range environments {
		for _, o := range e.Builds[0].Request.Platform.Overrides {
			if _, err := fmt.Fprintf(w, "\n%s holds %s/%s at %s.\n", e.Name, o.Section, o.Name, o.Profile); err != nil {
				return fmt.Errorf("writing the overrides: %w", err)
			}
		}
	}
	if err := tests(w, environments); err != nil {
		return err
	}
	if output == "" {
		return nil
	}
	if _, err := fmt.Fprintf(w, "\nThe builds are in %s.\n", output); err != nil {
		return fmt.Errorf("writing the table: %w", err)
	}
	return nil
}

// tests says how many cases of AccessTests each environment was held against.
func tests(w io.Writer, environments []overlay.Environment) error {
	var b strings.Builder
	for _, e := range environments {
		for _, f := range e.Findings {
			if f.Rule == finding.AccessTestAsked {
				fmt.Fprintf(&b, "%s: %s: %s.\n", e.Name, f.Object, f.Message)
			}
		}
	}
	if b.Len() == 0 {
		return nil
	}
	if _, err := io.WriteString(w, "\n"+b.String()); err != nil {
		return fmt.Errorf("writing what became of the tests: %w", err)
	}
	return nil
}
