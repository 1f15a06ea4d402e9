package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/ringfence-dev/ringfence/tools/release/internal/changelog"
	"github.com/ringfence-dev/ringfence/tools/release/internal/version"
)

// changes prints the section of a version.
func changes(_ context.Context, args []string, out io.Writer) error {
	var file, text string
	if err := flags("changelog", args, func(set *flag.FlagSet) {
		set.StringVar(&file, "file", "", "the changelog")
		set.StringVar(&text, "version", "", "version whose section is printed; a snapshot's is Unreleased")
	}); err != nil {
		return err
	}
	v, err := readVersion(text, false)
	if err != nil {
		return err
	}
	section, err := readChanges(file, v)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, section)
	return err
}

// readChanges returns what the changelog says of a version.
func readChanges(file string, v version.Version) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the changelog: %w", err)
	}
	log, err := changelog.Parse(string(text))
	if err != nil {
		return "", fmt.Errorf("%s:\n%w", file, err)
	}
	name := changelog.Unreleased
	if v.IsRelease() {
		name = v.Number()
	}
	section, err := log.Extract(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	return section, nil
}
