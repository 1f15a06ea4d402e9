package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/api/v1alpha1/schema"
	"github.com/ringfence-dev/ringfence/internal/krm"
)

const schemaUsage = `Prints the JSON Schema of a kind, for editors to complete and check what people write.

Example:
  ringfence schema accessmodel > accessmodel.schema.json
  # and on the first line of the model:  # yaml-language-server: $schema=accessmodel.schema.json`

func printSchema(args []string, s krm.Streams) int {
	set := pflag.NewFlagSet("schema", pflag.ContinueOnError)
	if status, ok := flags(set, schemaUsage, args, s); !ok {
		return status
	}
	if set.NArg() == 1 {
		if data, ok := schema.Of(set.Arg(0)); ok {
			return say(s, strings.TrimSuffix(string(data), "\n"))
		}
	}
	_, _ = fmt.Fprintf(s.Err, "ringfence schema: name one of %s\n", strings.Join(schema.Names(), ", "))
	return misused
}
