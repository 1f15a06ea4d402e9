package main

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/krm"
)

const renderUsage = `Reads YAML documents on standard input and writes what the units make of them.
When anything is wrong it writes nothing, so that nothing reaches the next command.

Example:
  kustomize build app > built.yaml &&
    ringfence render --owner app --model model.yaml --environment staging.yaml < built.yaml > app.yaml &&
    kubectl apply -f app.yaml`

func render(args []string, s krm.Streams) int {
	var (
		config                     v1alpha1.RingfenceSpec
		models, environment, tests []string
	)
	set := pflag.NewFlagSet("render", pflag.ContinueOnError)
	set.StringVar(&config.Owner, "owner", "", "whose objects to make: a name of the model's owners")
	set.StringArrayVar(&models, "model", nil, "file with the AccessModel (and the Environment, if it is there too)")
	set.StringArrayVar(&environment, "environment", nil, "file with the Environment")
	set.StringArrayVar(&tests, "tests", nil, "file with AccessTests that the result must hold against; repeatable")
	set.StringSliceVar(&config.Components, "component", nil, "component that the build includes; default: those that the environment asks for")
	set.StringSliceVar(&config.Units, "unit", nil, "unit to run, in place of those that the components select")
	set.BoolVar(&config.Strict, "strict", false, "make warnings errors")
	set.BoolVar(&config.StampVersion, "stamp-version", false, "write the version of Ringfence into generated objects, as an annotation")
	if status, ok := flags(set, renderUsage, args, s); !ok {
		return status
	}
	if set.NArg() > 0 {
		_, _ = fmt.Fprintf(s.Err, "ringfence render: %q is no flag: the documents come on standard input\n", set.Arg(0))
		return misused
	}
	documents, ok := readDocuments("ringfence render", slices.Concat(models, environment, tests), s)
	if !ok {
		return failed
	}
	return krm.Filter{Documents: documents, Config: config}.Render("ringfence render", units, s)
}
