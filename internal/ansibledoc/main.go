// Command ansibledoc writes what Ansible and its tools read of the modules:
// their documentation and argument specs, from the same Go tables that the
// modules themselves run by. With -out it writes the collection's Python files,
// with -sidecars a YAML file beside each module of a folder library/.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	modules "github.com/ringfence-dev/ringfence/ansible-modules"
	"github.com/ringfence-dev/ringfence/internal/ansible"
)

func main() {
	out := flag.String("out", "", "write a .py file for each module into this folder")
	sidecars := flag.String("sidecars", "", "write a .yml file for each module into this folder")
	flag.Parse()
	if flag.NArg() > 0 || *out == "" && *sidecars == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := write(modules.Modules, *out, *sidecars); err != nil {
		fmt.Fprintf(os.Stderr, "ansibledoc: %v\n", err)
		os.Exit(1)
	}
}

// write writes the files that are asked for; an empty folder asks for none.
func write(all []ansible.Module, out, sidecars string) error {
	if problems := check(all); len(problems) > 0 {
		return errors.New("the tables of the modules are no good documentation:\n" + strings.Join(problems, "\n"))
	}
	for folder, files := range map[string]struct {
		ending string
		text   func(*ansible.Module) (string, error)
	}{
		out:      {".py", python},
		sidecars: {".yml", sidecar},
	} {
		if folder == "" {
			continue
		}
		texts := map[string][]byte{}
		for i := range all {
			text, err := files.text(&all[i])
			if err != nil {
				return fmt.Errorf("documenting module %q: %w", all[i].Name, err)
			}
			texts[all[i].Name+files.ending] = []byte(text)
		}
		if err := replace(folder, files.ending, texts); err != nil {
			return err
		}
	}
	return nil
}

// generated marks our files.
const generated = "Generated from the tables in ansible-modules by internal/ansibledoc; do not edit."

// replace writes files into a folder, and removes those of ours whose modules are no more.
func replace(folder, ending string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("making the folder: %w", err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("opening the folder: %w", err)
	}
	defer root.Close() //nolint:errcheck // a folder is only read
	old, err := fs.Glob(root.FS(), "*"+ending)
	if err != nil {
		return fmt.Errorf("listing the folder: %w", err)
	}
	for _, name := range old {
		text, err := root.ReadFile(name)
		if err != nil {
			return fmt.Errorf("reading an older file: %w", err)
		}
		if _, ok := files[name]; !ok && bytes.Contains(text, []byte(generated)) {
			if err := root.Remove(name); err != nil {
				return fmt.Errorf("removing %q: %w", filepath.Join(folder, name), err)
			}
		}
	}
	for name, text := range files {
		if err := root.WriteFile(name, text, 0o644); err != nil {
			return fmt.Errorf("writing documentation: %w", err)
		}
	}
	return nil
}

// sortedNames returns the names of modules.
func sortedNames(all []ansible.Module) []string {
	var out []string
	for i := range all {
		out = append(out, all[i].Name)
	}
	slices.Sort(out)
	return out
}
