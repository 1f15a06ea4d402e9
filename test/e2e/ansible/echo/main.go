// Command echo stands in for the modules' binary: it answers with what it was
// given, unless it is told to be silent.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	if err := echo(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "echo: %v\n", err)
		os.Exit(1)
	}
}

func echo(name string) error {
	text, err := os.ReadFile(name) //nolint:gosec // Ansible names the file
	if err != nil {
		return err
	}
	var arguments map[string]any
	if err := json.Unmarshal(text, &arguments); err != nil {
		return err
	}
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	answer := map[string]any{"changed": false}
	if arguments["silent"] == nil {
		// As text: Ansible removes its own arguments from a result.
		answer["arguments"], answer["folder"], answer["home"] = string(text), folder, os.Getenv("HOME")
	}
	return json.NewEncoder(os.Stdout).Encode(answer)
}
