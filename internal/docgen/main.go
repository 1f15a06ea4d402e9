// Command docgen writes the parts of the documentation that Go knows better: the
// table of the units, the rules of the catalogue, and the fields of the
// documents. A part stands between two comments of a Markdown file,
//
//	<!-- docgen: fields Owner -->
//	<!-- /docgen -->
//
// and nothing outside of them is touched.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

//go:generate go run . -root ../..

func main() {
	root := flag.String("root", ".", "the repository")
	flag.Parse()
	if err := generate(*root); err != nil {
		fmt.Fprintf(os.Stderr, "docgen: %v\n", err)
		os.Exit(1)
	}
}

// generate rewrites the pages whose generated parts are stale.
func generate(root string) error {
	pages, err := pages(root)
	if err != nil {
		return err
	}
	sources, err := readSources(root)
	if err != nil {
		return err
	}
	for _, page := range pages {
		old, err := os.ReadFile(page)
		if err != nil {
			return fmt.Errorf("reading a page: %w", err)
		}
		text, err := sources.replace(string(old))
		if err != nil {
			return fmt.Errorf("%s: %w", page, err)
		}
		if bytes.Equal(old, []byte(text)) {
			continue
		}
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			return fmt.Errorf("writing a page: %w", err)
		}
	}
	return nil
}

// pages returns the Markdown files that may have generated parts, and that the tests read.
func pages(root string) ([]string, error) {
	var out []string
	for _, pattern := range []string{"*.md", "docs/*.md", "functions/*/README.md", "components/*/README.md", "overlays/README.md", "ansible-modules/collection/README.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, fmt.Errorf("looking for pages: %w", err)
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return out, nil
}
