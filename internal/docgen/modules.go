package main

import (
	modules "github.com/ringfence-dev/ringfence/ansible-modules"
)

// moduleTable lists the Ansible modules. Each one's page is what ansible-doc shows.
func moduleTable() string {
	rows := [][]string{{"module", "what it does"}}
	for _, m := range modules.Modules {
		rows = append(rows, []string{linked(m.Name, "ansible-modules/"+m.Name+"/module.go"), prose(m.Summary)})
	}
	return table(rows...)
}
