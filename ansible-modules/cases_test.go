package modules_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	modules "github.com/ringfence-dev/ringfence/ansible-modules"
	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/functions"
	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/internal/clustertest"
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

var update = flag.Bool("update", false, "write what the modules answer into the archives")

// TestCases runs every archive of testdata/ that the functions' tests run, and is
// the other half of what the project promises: for one input, the objects of a
// build and the objects of a cluster are the same bytes. The archive's resources
// are what the cluster holds; the owner's tool, which appears in no object, is
// Ansible's here.
//
// Without a section of access_policies an archive says of access_policies what it says of
// the functions that it replaces: it makes the same objects, or fails as they do.
// A section out/MODULE/ says otherwise, or says it of another module:
//
//	in/managers.yaml         who wrote an object, by the API server's books: "Kind ns/name: manager"
//	out/MODULE/params.yaml   further parameters: gateway, workload, namespace, state
//	out/MODULE/exit          1 for a task that fails
//	out/MODULE/findings.txt  warnings and errors, a line each
//	out/MODULE/changes.txt   what was written, a line each: "create AuthorizationPolicy app/web"
//
// A task that succeeds is run again, and changes nothing.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			c := &testCase{archive: archive}
			if c.ofFunctions() && !slices.Contains(c.modules(), "access_policies") {
				c.equal(t)
			}
			for _, name := range c.modules() {
				t.Run(name, func(t *testing.T) { c.check(t, name) })
			}
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(c.archive), 0o600))
			}
		})
	}
}

type testCase struct{ archive *txtar.Archive }

func (c *testCase) section(name string) []byte {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// ofFunctions reports whether the archive has a section of a function.
func (c *testCase) ofFunctions() bool {
	return slices.ContainsFunc(c.archive.Files, func(f txtar.File) bool {
		parts := strings.Split(f.Name, "/")
		return len(parts) == 3 && parts[0] == "out" && !strings.Contains(parts[1], "_")
	})
}

// modules returns the modules that the archive has a section of.
func (c *testCase) modules() []string {
	var out []string
	for _, f := range c.archive.Files {
		parts := strings.Split(f.Name, "/")
		if len(parts) != 3 || parts[0] != "out" || slices.Contains(out, parts[1]) {
			continue
		}
		if slices.ContainsFunc(modules.Modules, func(m ansible.Module) bool { return m.Name == parts[1] }) {
			out = append(out, parts[1])
		}
	}
	return out
}

// params are the parameters of a task over the archive's input.
func (c *testCase) params(t *testing.T, server *clustertest.Server) map[string]any {
	t.Helper()
	var config v1alpha1.RingfenceSpec
	require.NoError(t, yaml.Unmarshal(c.section("in/config.yaml"), &config))
	model := map[string]any{}
	require.NoError(t, yaml.Unmarshal(c.section("in/model.yaml"), &model))
	for _, entry := range resource.List(model, "spec", "owners") {
		if owner, ok := entry.(map[string]any); ok && owner["name"] == config.Owner {
			owner["tool"] = "Ansible"
		}
	}
	environment := map[string]any{}
	require.NoError(t, yaml.Unmarshal(c.section("in/environment.yaml"), &environment))
	return map[string]any{
		"model": model, "environment": environment, "owner": config.Owner, "strict": config.Strict, "stamp_version": config.StampVersion,
		"kubeconfig": server.Kubeconfig(t), "wait": false,
	}
}

// equal compares what access_policies leaves in a cluster with what the functions
// make of a build.
func (c *testCase) equal(t *testing.T) {
	t.Helper()
	build := c.build(t)
	server, loaded := c.server(t)
	if !loaded {
		return
	}
	answer := runModule(t, "access_policies", c.params(t, server))
	if build.failed {
		if !slices.ContainsFunc(build.rules, func(rule string) bool { return !otherwise[rule] }) {
			return
		}
		assert.True(t, answer.failed, "the functions refuse this and the module doesn't:\n%s", build.findings)
		return
	}
	if !assert.False(t, answer.failed, "the functions accept this and the module doesn't: %s", answer.msg) {
		return
	}
	assert.Equal(t, build.generated, generatedOf(t, server), "the objects are the same bytes")
	again := runModule(t, "access_policies", c.params(t, server))
	assert.False(t, again.failed, again.msg)
	assert.Empty(t, again.changes, "the second run must change nothing")
}

// otherwise are the rules by which a build is refused and a cluster isn't: there
// others' objects stand beside, and what is missing may still come.
var otherwise = map[string]bool{
	"object-missing": true, "identity-shared": true, "object-duplicate": true,
	// A build without its components is none; a task has no components.
	"ladder-component": true,
}

type outcome struct {
	failed    bool
	rules     []string
	findings  string
	generated map[string]string
}

// build runs the functions, all but the verifier, over the archive.
func (c *testCase) build(t *testing.T) outcome {
	t.Helper()
	var config v1alpha1.RingfenceSpec
	require.NoError(t, yaml.Unmarshal(c.section("in/config.yaml"), &config))
	config.Components = nil
	for _, unit := range functions.Units {
		if !unit.Judges {
			config.Units = append(config.Units, unit.Name)
		}
	}
	var stream bytes.Buffer
	for _, name := range []string{"in/model.yaml", "in/environment.yaml", "in/resources.yaml"} {
		stream.WriteString("---\n")
		stream.Write(c.section(name))
		stream.WriteString("\n")
	}
	var stdout, stderr bytes.Buffer
	exit := krm.Filter{Config: config}.Render("ringfence", functions.Units, krm.Streams{In: &stream, Out: &stdout, Err: &stderr})
	out := outcome{failed: exit != 0, findings: stderr.String()}
	for line := range strings.Lines(stderr.String()) {
		if _, rest, ok := strings.Cut(line, " ["); ok && strings.HasPrefix(line, "ringfence: error: ") {
			rule, _, _ := strings.Cut(rest, "]")
			out.rules = append(out.rules, rule)
		}
	}
	if out.failed {
		return out
	}
	out.generated = map[string]string{}
	if stdout.Len() == 0 {
		return out
	}
	document, err := manifest.ReadStream(stdout.Bytes())
	require.NoError(t, err)
	for _, item := range document.Items() {
		content, err := item.Decode()
		require.NoError(t, err)
		note(t, out.generated, content)
	}
	return out
}

// note adds a generated object by its name, as the bytes of its canonical form.
func note(t *testing.T, objects map[string]string, content map[string]any) {
	t.Helper()
	labels := resource.StringMap(content, "metadata", "labels")
	if labels[v1alpha1.LabelManagedBy] != v1alpha1.ManagedBy {
		return
	}
	kept := map[string]any{}
	for _, key := range []string{"name", "namespace", "labels", "annotations"} {
		if value, ok := resource.Field(content, "metadata", key); ok {
			kept[key] = value
		}
	}
	object := maps.Clone(content)
	object["metadata"] = kept
	delete(object, "status")
	text, err := json.Marshal(object)
	require.NoError(t, err)
	ref := resource.Ref{
		Kind: resource.String(content, "kind"), Namespace: resource.String(content, "metadata", "namespace"), Name: resource.String(content, "metadata", "name"),
	}
	objects[ref.String()] = string(text)
}

func generatedOf(t *testing.T, server *clustertest.Server) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, o := range server.Objects() {
		note(t, out, o.Object)
	}
	return out
}

// server starts an API server that holds the archive's resources, and reports
// whether a cluster could hold them at all: it holds no object twice, and none of
// which nobody knows the namespace.
func (c *testCase) server(t *testing.T) (*clustertest.Server, bool) {
	t.Helper()
	server := clustertest.New(t, clustertest.Options{})
	if !bytes.Contains(c.section("in/resources.yaml"), []byte("kind:")) {
		return server, true
	}
	var config v1alpha1.RingfenceSpec
	require.NoError(t, yaml.Unmarshal(c.section("in/config.yaml"), &config))
	document, err := manifest.ReadStream(c.section("in/resources.yaml"))
	require.NoError(t, err)
	managers := map[string]string{}
	require.NoError(t, yaml.Unmarshal(c.section("in/managers.yaml"), &managers))
	seen := map[resource.Key]bool{}
	for _, item := range document.Items() {
		ref := item.Ref()
		if slices.Contains(unread, ref.Group()+"/"+ref.Kind) {
			continue
		}
		if seen[ref.Key()] || ref.Namespace == "" && !slices.Contains(clusterScoped, ref.Kind) {
			return nil, false
		}
		seen[ref.Key()] = true
		content, err := item.Decode()
		require.NoError(t, err)
		manager := "gitops"
		if resource.String(content, "metadata", "labels", v1alpha1.LabelOwner) == config.Owner {
			manager = "ringfence" // an earlier run wrote it
		}
		if named, ok := managers[ref.String()]; ok {
			manager = named
		}
		server.Load(t, manager, string(item.Text()))
	}
	return server, true
}

// unread are kinds that no module looks at.
var unread = []string{
	"gateway.networking.k8s.io/Gateway", "security.istio.io/RequestAuthentication",
	"networking.istio.io/DestinationRule", "networking.istio.io/EnvoyFilter",
	"argoproj.io/Application", "argoproj.io/ApplicationSet", "/ConfigMap", "example.org/Widget",
}

var clusterScoped = []string{"Namespace", "ClusterRoleBinding"}

type answer struct {
	failed   bool
	msg      string
	warnings []string
	changes  []string
	raw      map[string]any
}

// runModule runs a module as Ansible would.
func runModule(t *testing.T, name string, params map[string]any) answer {
	t.Helper()
	text, err := json.Marshal(params)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "args")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	var stdout bytes.Buffer
	exit := ansible.Main(modules.Modules, []string{"AnsiballZ_" + name, file}, &stdout)
	var raw map[string]any
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &raw), "%s", stdout.String())
	out := answer{raw: raw}
	out.failed, _ = raw["failed"].(bool)
	out.msg, _ = raw["msg"].(string)
	assert.Equal(t, out.failed, exit != 0)
	out.warnings = resource.Strings(raw, "warnings")
	for _, entry := range resource.List(raw, "changes") {
		change, _ := entry.(map[string]any)
		ref := resource.Ref{Kind: resource.String(change, "kind"), Namespace: resource.String(change, "namespace"), Name: resource.String(change, "name")}
		out.changes = append(out.changes, resource.String(change, "method")+" "+ref.String())
	}
	return out
}

func (c *testCase) check(t *testing.T, module string) {
	t.Helper()
	prefix := "out/" + module + "/"
	server, loaded := c.server(t)
	require.True(t, loaded, "no cluster could hold these resources")
	params := c.params(t, server)
	if module == "tenant_policy" {
		delete(params, "wait")
	}
	require.NoError(t, yaml.Unmarshal(c.section(prefix+"params.yaml"), &params))
	got := runModule(t, module, params)
	c.expect(t, prefix+"exit", strconv.Itoa(map[bool]int{true: 1}[got.failed])+"\n")
	c.expect(t, prefix+"findings.txt", lines(append(splitLines(got), got.warnings...)))
	c.expect(t, prefix+"changes.txt", lines(got.changes))
	if got.failed {
		return
	}
	again := runModule(t, module, params)
	assert.False(t, again.failed, again.msg)
	assert.Empty(t, again.changes, "the second run must change nothing")
}

func splitLines(a answer) []string {
	if !a.failed {
		return nil
	}
	return strings.Split(a.msg, "\n")
}

func lines(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, "\n") + "\n"
}

// expect compares a section with what came out; an absent section expects nothing.
func (c *testCase) expect(t *testing.T, name, got string) {
	t.Helper()
	if !*update {
		assert.Equal(t, string(c.section(name)), got, name)
		return
	}
	files := slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if got != "" {
		files = append(files, txtar.File{Name: name, Data: []byte(got)})
	}
	c.archive.Files = files
}
