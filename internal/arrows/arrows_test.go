// Package arrows holds the test of the project's structure: which package may
// import which. The arrows point one way, from what people write to what runs.
package arrows

import (
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/ringfence-dev/ringfence/"

// allowed says what a package may import of ours: the first pattern that matches
// it counts. A pattern's "*" is one element of a path.
var allowed = []struct {
	pattern string
	imports []string
}{
	{"api/v1alpha1", nil},
	{"api/v1alpha1/schema", nil},
	{"pkg/resource", nil},
	{"pkg/finding", []string{"pkg/resource"}},
	{"pkg/model", []string{"api/v1alpha1", "pkg/finding", "pkg/resource"}},
	{"pkg/derive", []string{"pkg/model", "pkg/resource"}},
	{"pkg/policy", []string{"api/v1alpha1", "pkg/derive", "pkg/model", "pkg/finding", "pkg/resource"}},
	{"pkg/policy/tenantpolicy", []string{"api/v1alpha1", "pkg/policy", "pkg/policy/enrollment", "pkg/derive", "pkg/model", "pkg/finding", "pkg/resource"}},
	{"pkg/policy/*", []string{"api/v1alpha1", "pkg/policy", "pkg/derive", "pkg/model", "pkg/finding", "pkg/resource"}},
	{"pkg/accesstest", []string{"pkg/access", "pkg/access/*", "pkg/model"}},
	{"pkg/verify", []string{"api/v1alpha1", "pkg/access", "pkg/access/*", "pkg/accesstest", "pkg/policy", "pkg/policy/*", "pkg/derive", "pkg/model", "pkg/finding", "pkg/resource"}},
	{"pkg/parity", []string{"api/v1alpha1", "pkg/policy", "pkg/policy/enrollment", "pkg/derive", "pkg/model", "pkg/finding", "pkg/resource"}},
	{"pkg/probe", nil},
	{"pkg/access/truth", nil},
	{"pkg/access/report", []string{"pkg/access", "pkg/access/truth", "pkg/resource"}},
	{"pkg/access/*", []string{"pkg/access/truth", "pkg/resource"}},
	{"pkg/access", []string{"pkg/access/*", "pkg/resource"}},
	{"internal/manifest", []string{"pkg/resource"}},
	{"internal/rendered", []string{"api/v1alpha1", "pkg/resource"}},
	{"internal/cluster", []string{"api/v1alpha1", "pkg/*", "pkg/policy/enrollment"}},
	{"internal/spelling", nil},
	{"internal/ansible", []string{"api/v1alpha1", "internal/cluster", "internal/spelling", "pkg/derive", "pkg/model", "pkg/finding", "pkg/resource"}},
	{"internal/kustomize", []string{"api/v1alpha1", "internal/manifest", "pkg/finding", "pkg/resource"}},
	{"internal/krm", []string{"api/v1alpha1", "internal/manifest", "pkg/policy", "pkg/derive", "pkg/model", "pkg/finding", "pkg/resource"}},
	{"internal/overlay", []string{"api/v1alpha1", "internal/manifest", "pkg/*", "pkg/policy/enrollment"}},
	{"functions", []string{"functions/*", "internal/krm"}}, // the table of units
	{"functions/ringfence", []string{"api/v1alpha1", "api/v1alpha1/schema", "functions", "internal/*", "pkg/*", "pkg/access/*"}},
	{"functions/*", []string{"internal/krm", "pkg/*", "pkg/policy/*"}},
	{"ansible-modules", []string{"ansible-modules/*", "internal/ansible"}}, // the table of modules
	{"ansible-modules/ringfence", []string{"ansible-modules", "internal/ansible"}},
	{"ansible-modules/*", []string{"internal/ansible", "internal/cluster", "internal/rendered", "pkg/*", "pkg/policy/*"}},
	{"internal/*", []string{"api/v1alpha1", "api/v1alpha1/schema", "ansible-modules", "functions", "functions/*", "internal/*", "pkg/*", "pkg/policy/*"}}, // generators and test support: nothing imports them
}

// forbidden lists what no package of a pattern may import itself.
var forbidden = map[string][]string{
	"pkg/derive":     {"os", "os/exec", "net", "net/http", "io/fs", "sigs.k8s.io/kustomize"},
	"pkg/policy":     {"os", "os/exec", "net", "net/http", "io/fs", "sigs.k8s.io/kustomize"},
	"pkg/policy/*":   {"os", "os/exec", "net", "net/http", "io/fs", "sigs.k8s.io/kustomize"},
	"pkg/verify":     {"os", "os/exec", "net", "net/http", "io/fs", "sigs.k8s.io/kustomize"},
	"pkg/access":     {"os", "os/exec", "net", "net/http", "io/fs", "sigs.k8s.io/kustomize"},
	"pkg/access/*":   {"os", "os/exec", "net", "net/http", "io/fs", "sigs.k8s.io/kustomize"},
	"pkg/accesstest": {"os", "os/exec", "net", "net/http", "io/fs", "sigs.k8s.io/kustomize"},
	"pkg/parity":     {"os", "os/exec", "net", "net/http", "io/fs", "gopkg.in/yaml.v3", "sigs.k8s.io/yaml", "sigs.k8s.io/kustomize"},
	"pkg/model":      {"os", "os/exec", "net/http", "sigs.k8s.io/kustomize"},
	"pkg/resource":   {"os", "os/exec", "net/http", "sigs.k8s.io/kustomize"},
}

// heavy lists what the binary of the Ansible modules may not hold, directly or not:
// each would add megabytes to what is copied to a host for every task.
var heavy = []string{"k8s.io/api/", "k8s.io/client-go/kubernetes", "k8s.io/client-go/discovery", "sigs.k8s.io/kustomize/", "github.com/spf13/cobra"}

// TestCommandStaysSmall holds the templates off the command: with them the linker
// keeps every method of every package, and an image passes its 20 MB.
func TestCommandStaysSmall(t *testing.T) {
	output, err := exec.Command("go", "list", "-deps", module+"functions/ringfence").Output()
	require.NoError(t, err)
	for name := range strings.Lines(string(output)) {
		assert.NotContains(t, []string{"text/template", "html/template"}, strings.TrimSpace(name))
	}
}

func TestModulesStaySmall(t *testing.T) {
	output, err := exec.Command("go", "list", "-deps", module+"ansible-modules/ringfence").Output()
	require.NoError(t, err)
	for name := range strings.Lines(string(output)) {
		for _, prefix := range heavy {
			assert.False(t, strings.HasPrefix(name, prefix), "the modules link %s", strings.TrimSpace(name))
		}
	}
}

func TestArrows(t *testing.T) {
	packages := list(t)
	require.NotEmpty(t, packages)
	for name, imports := range packages {
		rule := slices.IndexFunc(allowed, func(r struct {
			pattern string
			imports []string
		}) bool {
			return match(r.pattern, name)
		})
		if !assert.GreaterOrEqual(t, rule, 0, "package %s has no place in the structure: add it to the table, or move it", name) {
			continue
		}
		for _, imported := range imports {
			if ours, ok := strings.CutPrefix(imported, module); ok {
				assert.True(t, slices.ContainsFunc(allowed[rule].imports, func(p string) bool { return match(p, ours) }),
					"%s imports %s, against the arrows", name, ours)
			}
			for pattern, names := range forbidden {
				for _, no := range names {
					if match(pattern, name) && (imported == no || strings.HasPrefix(imported, no+"/") && strings.Contains(no, ".")) {
						assert.Fail(t, "forbidden import", "%s imports %s: it is pure", name, imported)
					}
				}
			}
		}
	}
}

func match(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// list returns the direct imports of every package of the module, tests aside.
func list(t *testing.T) map[string][]string {
	t.Helper()
	output, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", module+"...").Output()
	require.NoError(t, err)
	out := map[string][]string{}
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		out[strings.TrimPrefix(fields[0], module)] = fields[1:]
	}
	return out
}
