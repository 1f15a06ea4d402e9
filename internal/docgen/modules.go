package main

import modules "github.com/ringfence-dev/ringfence/ansible-modules"

// moduleTable lists the Ansible modules, each as a link when there is a repository
// to link into. Their pages are what ansible-doc shows.
func moduleTable(name func(string) string) string {
	rows := [][]string{{"module", "what it does"}}
	for _, m := range modules.Modules {
		rows = append(rows, []string{name(m.Name), prose(m.Summary)})
	}
	return table(rows...)
}

// moduleLink leads to a module's options.
func moduleLink(name string) string { return linked(name, "ansible-modules/"+name+"/module.go") }
