// Command ringfence is every Ansible module: it runs the one that it is called
// as, or that its arguments name.
package main

import (
	"os"

	modules "github.com/ringfence-dev/ringfence/ansible-modules"
	"github.com/ringfence-dev/ringfence/internal/ansible"
)

func main() {
	os.Exit(ansible.Main(modules.Modules, os.Args, os.Stdout))
}
