package ansible

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"
)

// misused is the exit status where a person gave no arguments.
const misused = 2

// person answers whoever calls the executable without an arguments file, and
// returns the exit status.
func person(modules []Module, called string, args []string, out io.Writer) int {
	module := named(modules, called)
	status := misused
	var text string
	switch {
	case len(args) == 0:
		text = overview(modules, called)
	case args[0] == "--version":
		text, status = Collection+" "+Version+"\n", 0
	case args[0] != "-h" && args[0] != "--help":
		text = fmt.Sprintf("there is no flag %q; there are --help and --version\n", abbreviated(args[0]))
	case len(args) > 1:
		if module = named(modules, args[1]); module == nil {
			text = fmt.Sprintf("there is no module %q; --help lists them\n", abbreviated(args[1]))
			break
		}
		text, status = manual(module), 0
	case module != nil:
		text, status = manual(module)+"\n"+usage(called, module), 0
	default:
		text, status = overview(modules, called), 0
	}
	if _, err := io.WriteString(out, text); err != nil {
		return 1
	}
	return status
}

// usage says how a person runs a module; nil stands for any.
func usage(called string, module *Module) string {
	out := "A task of a playbook runs it, with the collection " + Collection + " or from a folder library/. By hand, its\n" +
		"arguments come from a JSON file"
	if module == nil {
		out += fmt.Sprintf(`, and the module from the name of the executable

    cp %[1]s access_info
    echo '{"model": "model.yaml"}' >arguments.json
    ./access_info arguments.json

or from the arguments

    echo '{"%[2]s": "access_info", "model": "model.yaml"}' >arguments.json
    ./%[1]s arguments.json
`, called, settingModule)
	} else {
		out += fmt.Sprintf(`

    echo '{"model": "model.yaml"}' >arguments.json
    ./%s arguments.json
`, called)
	}
	return out + `
"_ansible_check_mode": true and "_ansible_diff": true do what --check and --diff do.
`
}

// overview lists the modules.
func overview(modules []Module, called string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "This executable holds the Ansible modules of %s %s:\n\n", Collection, Version)
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for i := range modules {
		fmt.Fprintf(table, "    %s\t%s\n", modules[i].Name, plain(modules[i].Summary))
	}
	if err := table.Flush(); err != nil {
		return err.Error()
	}
	b.WriteString("\n--help MODULE shows the options of one, --version the version.\n\n")
	b.WriteString(usage(called, nil))
	return b.String()
}

// manual describes one module.
func manual(m *Module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.%s: %s\n", Collection, m.Name, plain(m.Summary))
	for _, sentence := range m.Description {
		fmt.Fprintf(&b, "    %s\n", plain(sentence))
	}
	if len(m.Options) > 0 {
		b.WriteString("\nOptions, = those that are required:\n\n")
		describe(&b, m.Options, "")
	}
	if examples := strings.Trim(m.Examples, "\n"); examples != "" {
		fmt.Fprintf(&b, "\nExamples:\n\n%s\n", examples)
	}
	return b.String()
}

func describe(b *strings.Builder, options []Option, indent string) {
	for _, o := range options {
		mark := "-"
		if o.Required {
			mark = "="
		}
		about := []string{string(o.kind())}
		if o.Elements != "" {
			about[0] += " of " + string(o.Elements)
		}
		if len(o.Choices) > 0 {
			about = append(about, "one of "+strings.Join(o.Choices, ", "))
		}
		if o.Default != nil {
			about = append(about, fmt.Sprintf("default %v", o.Default))
		}
		if len(o.Aliases) > 0 {
			about = append(about, "also "+strings.Join(o.Aliases, ", "))
		}
		if o.Env != "" {
			about = append(about, "else from the environment variable "+o.Env)
		}
		fmt.Fprintf(b, "%s%s %s (%s)\n", indent, mark, o.Name, strings.Join(about, "; "))
		for _, sentence := range o.Description {
			fmt.Fprintf(b, "%s      %s\n", indent, plain(sentence))
		}
		describe(b, o.Options, indent+"      ")
	}
}

// markup is Ansible's: O(option), V(value), L(text,address) and so on.
var markup = regexp.MustCompile(`\b(?:RV|[BCEILMOPRUV])\(([^()]*)\)`)

// plain returns a text of the documentation without its markup.
func plain(text string) string {
	return markup.ReplaceAllStringFunc(text, func(found string) string {
		kind, inner, _ := strings.Cut(strings.TrimSuffix(found, ")"), "(")
		if name, address, ok := strings.Cut(inner, ","); ok && (kind == "L" || kind == "R") {
			return fmt.Sprintf("%s (%s)", name, strings.TrimSpace(address))
		}
		return inner
	})
}
