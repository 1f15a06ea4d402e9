// Command schemagen writes the JSON Schemas of the wire types in api/v1alpha1.
// It reads the source alone: types, json tags and comments.
package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: schemagen SOURCE-DIR OUTPUT-DIR")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "schemagen: %v\n", err)
		os.Exit(1)
	}
}

func write(source, output string) error {
	files, err := generate(os.DirFS(source))
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(output)
	if err != nil {
		return fmt.Errorf("opening the output folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder is only read
	for name, text := range files {
		if err := root.WriteFile(name, text, 0o644); err != nil {
			return fmt.Errorf("writing a schema: %w", err)
		}
	}
	return nil
}

// generate returns the schema files by name.
func generate(source fs.FS) (map[string][]byte, error) {
	declared, err := readTypes(source)
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, kind := range []string{v1alpha1.KindAccessModel, v1alpha1.KindAccessTest, v1alpha1.KindEnvironment, v1alpha1.KindRingfence} {
		s, err := declared.document(kind)
		if err != nil {
			return nil, err
		}
		text, err := s.text()
		if err != nil {
			return nil, fmt.Errorf("writing the schema of %s: %w", kind, err)
		}
		out[strings.ToLower(kind)+".schema.json"] = text
	}
	return out, nil
}
