package main

import (
	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/access/report"
)

const accessMatrixUsage = `Says who reaches what, and what gateways let in from outside. Of a request nothing is
known: where an answer depends on its path or its headers, it is unknown. What isn't
listed is denied.

Exit status: 0 all is known, 1 the input is wrong, 2 the command line is, 3 an answer
isn't known or an object wasn't judged.

Example:
  ringfence access matrix rendered/
  ringfence access matrix -o csv --all rendered/ > matrix.csv
  ringfence access matrix --to shop/cart --environment environment.yaml rendered/`

func accessMatrix(args []string, s krm.Streams) int {
	var (
		output, from, to string
		all              bool
	)
	set := pflag.NewFlagSet("matrix", pflag.ContinueOnError)
	set.StringVarP(&output, "output", "o", "table", "table, json or csv")
	set.StringVar(&from, "from", "", "NAMESPACE/NAME of the workload that asks")
	set.StringVar(&to, "to", "", "NAMESPACE/NAME of the workload that is asked")
	set.BoolVar(&all, "all", false, "table: every name; csv: every pair of workloads, denied ones too")
	f := meshFlagsOf(set)
	if status, ok := accessFlags(set, accessMatrixUsage, args, s); !ok {
		return status
	}
	if err := f.chosen(output, "table", "json", "csv"); err != nil {
		return f.misuse(s, "%v", err)
	}
	j, status, ok := f.open(set.Args(), s)
	if !ok {
		return status
	}
	var (
		options report.Options
		err     error
	)
	if from != "" {
		if options.From, err = j.workload(from); err != nil {
			return f.fail(s, err)
		}
	}
	if to != "" {
		if options.To, err = j.workload(to); err != nil {
			return f.fail(s, err)
		}
	}
	matrix := report.MatrixOf(j.mesh, options)
	j.locate(matrix.Unjudged)
	switch output {
	case "json":
		err = matrix.JSON(s.Out)
	case "csv":
		err = matrix.CSV(s.Out, all)
	default:
		err = matrix.Table(s.Out, all)
	}
	if err != nil {
		return f.fail(s, err)
	}
	unjudged(s, set.Name(), matrix.Unjudged)
	if !matrix.Known() {
		return uncertain
	}
	return succeeded
}
