package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/access/report"
)

const accessDiffUsage = `Says which accesses a change opens and closes: OLD and NEW are files or directories of
rendered manifests, before and after it. What is unknown on both sides is no change.

It refuses two changes, and lists what they cut off: a destination that goes from open to
enforced in one step, and one that is enforced while callers whom its policies name have
no proxy in OLD.

Exit status: 0 nothing changes, 1 the input is wrong or the change is refused, 2 the
command line is wrong, 3 nothing changes but an object wasn't judged, 4 something changes.

Example:
  ringfence access diff before/ after/
  ringfence access diff -o markdown before/ after/ > comment.md`

func accessDiff(args []string, s krm.Streams) int {
	set := pflag.NewFlagSet("diff", pflag.ContinueOnError)
	output := set.StringP("output", "o", "text", "text, markdown or json")
	f := meshFlagsOf(set)
	if status, ok := accessFlags(set, accessDiffUsage, args, s); !ok {
		return status
	}
	if err := f.chosen(*output, "text", "markdown", "json"); err != nil {
		return f.misuse(s, "%v", err)
	}
	if set.NArg() != 2 {
		return f.misuse(s, "give OLD and NEW; there are %d arguments", set.NArg())
	}
	if set.Arg(0) == "-" && set.Arg(1) == "-" {
		return f.misuse(s, "standard input can be OLD or NEW, and not both")
	}
	before, status, ok := f.open(set.Args()[:1], s)
	if !ok {
		return status
	}
	after, status, ok := f.open(set.Args()[1:], s)
	if !ok {
		return status
	}
	diff := report.DiffOf(before.mesh, after.mesh)
	ofAfter := len(report.UnjudgedOf(after.mesh)) // they come first
	after.locate(diff.Unjudged[:ofAfter])
	before.locate(diff.Unjudged[ofAfter:])
	var err error
	switch *output {
	case "json":
		err = diff.JSON(s.Out)
	case "markdown":
		err = diff.Markdown(s.Out)
	default:
		err = diff.Text(s.Out)
	}
	if err != nil {
		return f.fail(s, err)
	}
	unjudged(s, set.Name(), diff.Unjudged)
	switch {
	case len(diff.Refused) > 0:
		for _, r := range diff.Refused {
			_, _ = fmt.Fprintf(s.Err, "ringfence access diff: refused: %s: %s: %s; %s\n", r.Workload, r.Reason, strings.Join(r.Callers, ", "), r.Remedy)
		}
		return failed
	case diff.Changed():
		return changed
	case len(diff.Unjudged) > 0:
		return uncertain
	default:
		return succeeded
	}
}
