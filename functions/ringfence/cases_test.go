package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kptdev/krm-functions-sdk/go/fn"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/manifest"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

var update = flag.Bool("update", false, "write what the units answer into the archives; sections named source.yaml are never written")

// TestCases runs every archive of testdata/. An archive's comment says what the
// case is about. Its sections are
//
//	in/model.yaml in/environment.yaml in/resources.yaml   the input
//	in/config.yaml        owner, components, strict: a Ringfence's spec without the two documents
//	out/UNIT/exit         the exit status
//	out/UNIT/findings.txt what UNIT reports, warnings and errors, a line each
//	out/UNIT/objects.yaml the objects that UNIT made or changed, and "# removed: ..." for each it took out
//	out/UNIT/source.yaml  objects as a source document has them: each must be there, with
//	                      the same name, namespace and spec and nothing added but our labels and annotation
//
// A unit is run where the archive has a section of it. Each run that succeeds is
// run again on its own output, which must come out as it is; each that fails
// must give its items back untouched.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("../../testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c := readCase(t, file)
			require.NotEmpty(t, strings.TrimSpace(string(c.archive.Comment)), "a case says why it is there")
			if len(c.consumers()) == 0 {
				require.Contains(t, string(txtar.Format(c.archive)), "-- out/", "a case has a consumer")
				return // of Ansible modules alone, which their own test runs
			}
			for _, unit := range c.consumers() {
				t.Run(unit, func(t *testing.T) { c.check(t, unit) })
			}
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(c.archive), 0o600))
			}
		})
	}
}

type testCase struct {
	archive *txtar.Archive
	input   []byte
}

func readCase(tb testing.TB, file string) *testCase {
	tb.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(tb, err)
	c := &testCase{archive: archive}
	c.input = resourceList(tb, c.section("in/config.yaml"), c.section("in/model.yaml"), c.section("in/environment.yaml"), c.section("in/resources.yaml"))
	return c
}

func (c *testCase) section(name string) []byte {
	for _, f := range c.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// consumers returns the units that the archive has an expectation for. Names with
// an underscore are Ansible modules, which ansible-modules/cases_test.go runs.
func (c *testCase) consumers() []string {
	var out []string
	for _, f := range c.archive.Files {
		parts := strings.Split(f.Name, "/")
		if len(parts) == 3 && parts[0] == "out" && !strings.Contains(parts[1], "_") && !slices.Contains(out, parts[1]) {
			out = append(out, parts[1])
		}
	}
	return out
}

func (c *testCase) check(t *testing.T, unit string) {
	t.Helper()
	known := unit == "ringfence"
	if !known {
		_, known = units.Named(unit)
	}
	require.True(t, known, "there is no unit %q", unit)
	got := runFunction(t, unit, c.input)

	prefix := "out/" + unit + "/"
	c.expect(t, prefix+"exit", strconv.Itoa(got.exit)+"\n")
	c.expect(t, prefix+"findings.txt", got.findings)
	if got.exit != 0 {
		assert.Equal(t, texts(t, c.input), texts(t, got.output), "a failed run must give its items back untouched")
		return
	}
	c.expect(t, prefix+"objects.yaml", changes(t, c.input, got.output))
	if source := c.section(prefix + "source.yaml"); source != nil {
		assertHolds(t, got.output, source)
	}
	again := runFunction(t, unit, got.output)
	assert.Equal(t, 0, again.exit, "the second run failed: %s", again.stderr)
	assert.Empty(t, changes(t, got.output, again.output), "the second run must change nothing")
}

// expect compares a section with what came out; an absent section expects nothing.
func (c *testCase) expect(t *testing.T, name, got string) {
	t.Helper()
	if !*update {
		assert.Equal(t, string(c.section(name)), got, name)
		return
	}
	files := slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
	at := len(files)
	if i := slices.IndexFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name }); i >= 0 && i <= len(files) {
		at = i
	}
	if got != "" {
		files = slices.Insert(files, at, txtar.File{Name: name, Data: []byte(got)})
	}
	c.archive.Files = files
}

type outcome struct {
	exit             int
	output           []byte
	stderr, findings string
}

// runFunction runs a unit as kustomize would run it.
func runFunction(t *testing.T, unit string, input []byte) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	exit := krm.Function(unit, units, krm.Streams{In: bytes.NewReader(input), Out: &stdout, Err: &stderr})
	assertSpecified(t, stdout.Bytes(), exit)
	var findings strings.Builder
	for line := range strings.Lines(stderr.String()) {
		line = strings.TrimPrefix(line, unit+": ")
		if strings.HasPrefix(line, "error: ") || strings.HasPrefix(line, "warning: ") {
			findings.WriteString(line)
		}
	}
	return outcome{exit, stdout.Bytes(), stderr.String(), findings.String()}
}

// assertSpecified reads an output as the kpt SDK does: whatever we print is a
// ResourceList by the KRM Functions Specification, and its results agree with
// the exit status.
func assertSpecified(t *testing.T, output []byte, exit int) {
	t.Helper()
	if !bytes.Contains(output, []byte("results:")) {
		return // a text that could not be read comes back as it came
	}
	list := results(t, output)
	assert.Equal(t, exit != 0, list.ExitCode() != 0, "the exit status says what the results say")
	for _, result := range list {
		assert.NotEmpty(t, result.Message)
		assert.NotEmpty(t, result.Tags["rule"])
		if result.Field != nil {
			assert.NotNil(t, result.ResourceRef, "a field is one of an object")
		}
	}
}

// results reads the results of an output with the kpt SDK.
func results(t *testing.T, output []byte) fn.Results {
	t.Helper()
	list, err := fn.ParseResourceList(output)
	require.NoError(t, err)
	return list.Results
}

// resourceList makes the list that a function reads, its items as the archive has them.
func resourceList(tb testing.TB, config, model, environment, resources []byte) []byte {
	tb.Helper()
	spec := map[string]any{}
	require.NoError(tb, yaml.Unmarshal(config, &spec))
	for name, text := range map[string][]byte{"model": model, "environment": environment} {
		if text == nil {
			continue
		}
		document := map[string]any{}
		require.NoError(tb, yaml.UnmarshalStrict(text, &document))
		delete(document, "apiVersion")
		delete(document, "kind")
		spec[name] = document
	}
	function, err := yaml.Marshal(map[string]any{
		"apiVersion": v1alpha1.APIVersion, "kind": v1alpha1.KindRingfence,
		"metadata": map[string]any{"name": "config"}, "spec": spec,
	})
	require.NoError(tb, err)
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:")
	document, err := manifest.ReadStream(resources)
	require.NoError(tb, err)
	for _, item := range document.Items() {
		first := true
		for line := range strings.Lines(string(item.Text())) {
			switch {
			case first:
				b.WriteString("\n- " + strings.TrimSuffix(line, "\n"))
				first = false
			case strings.TrimSpace(line) == "":
				b.WriteString("\n")
			default:
				b.WriteString("\n  " + strings.TrimSuffix(line, "\n"))
			}
		}
	}
	b.WriteString("\nfunctionConfig:\n")
	for line := range strings.Lines(string(function)) {
		b.WriteString("  " + line)
	}
	return []byte(b.String())
}

// texts returns the items of a list as written.
func texts(t *testing.T, list []byte) []string {
	t.Helper()
	document, err := manifest.ReadList(list)
	require.NoError(t, err)
	var out []string
	for _, item := range document.Items() {
		out = append(out, string(item.Text()))
	}
	return out
}

// changes renders what one list has and the other doesn't.
func changes(t *testing.T, before, after []byte) string {
	t.Helper()
	old, err := manifest.ReadList(before)
	require.NoError(t, err)
	fresh, err := manifest.ReadList(after)
	require.NoError(t, err)
	known := texts(t, before)
	var b strings.Builder
	for _, item := range fresh.Items() {
		if text := string(item.Text()); !slices.Contains(known, text) {
			if b.Len() > 0 {
				b.WriteString("---\n")
			}
			b.WriteString(strings.TrimRight(text, "\n") + "\n")
		}
	}
	for _, item := range old.Items() {
		if !slices.ContainsFunc(fresh.Items(), func(o *manifest.Item) bool { return o.Ref().Key() == item.Ref().Key() }) {
			fmt.Fprintf(&b, "# removed: %s\n", item.Ref())
		}
	}
	return b.String()
}

// assertHolds checks that a list holds objects as a source document has them.
func assertHolds(t *testing.T, list, source []byte) {
	t.Helper()
	document, err := manifest.ReadList(list)
	require.NoError(t, err)
	wanted, err := manifest.ReadStream(source)
	require.NoError(t, err)
	set := resource.NewSet()
	for _, item := range document.Items() {
		set.Add(item)
	}
	for _, item := range wanted.Items() {
		got := set.Get(item.Ref())
		if !assert.NotNil(t, got, "%s of the source is missing", item.Ref()) {
			continue
		}
		want, err := item.Decode()
		require.NoError(t, err)
		have := got.Content()
		assert.Equal(t, want["apiVersion"], have["apiVersion"])
		assert.Equal(t, want["spec"], have["spec"], "%s", item.Ref())
		labels, annotations := got.Labels(), got.Annotations()
		for _, key := range []string{v1alpha1.LabelManagedBy, v1alpha1.LabelOwner, v1alpha1.LabelModel} {
			assert.Contains(t, labels, key)
			delete(labels, key)
		}
		assert.Contains(t, annotations, v1alpha1.AnnotationSource)
		delete(annotations, v1alpha1.AnnotationSource)
		assert.Empty(t, labels)
		assert.Empty(t, annotations)
	}
}
