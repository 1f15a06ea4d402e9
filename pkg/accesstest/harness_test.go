package accesstest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/accesstest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// source is an object in memory.
type source struct{ content map[string]any }

func (s *source) Ref() resource.Ref {
	return resource.Ref{
		APIVersion: resource.String(s.content, "apiVersion"), Kind: resource.String(s.content, "kind"),
		Namespace: resource.String(s.content, "metadata", "namespace"), Name: resource.String(s.content, "metadata", "name"),
	}
}

func (s *source) Decode() (map[string]any, error) { return s.content, nil }

func (s *source) Mentions(text string) bool {
	data, err := json.Marshal(s.content)
	return err != nil || bytes.Contains(data, []byte(text))
}

// decode reads YAML documents, with numbers as JSON has them.
func decode(tb testing.TB, text string) []map[string]any {
	tb.Helper()
	var out []map[string]any
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		var content any
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(tb, err)
		if content == nil {
			continue
		}
		data, err := json.Marshal(content)
		require.NoError(tb, err)
		object := map[string]any{}
		require.NoError(tb, json.Unmarshal(data, &object))
		out = append(out, object)
	}
}

func setOf(objects []map[string]any, gone []resource.Ref) *resource.Set {
	set := resource.NewSet()
	for _, content := range objects {
		if s := (&source{content}); !slices.ContainsFunc(gone, func(r resource.Ref) bool { return r.Key() == s.Ref().Key() }) {
			set.Add(s)
		}
	}
	return set
}

const platformDir = "../../overlays/platform"

func read(tb testing.TB, elements ...string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(elements...))
	require.NoError(tb, err)
	return data
}

// requireFine fails a test whose input has errors.
func requireFine(tb testing.TB, findings finding.List) {
	tb.Helper()
	require.False(tb, findings.Failed(), "%v", findings)
}

// documents reads documents of ours.
func documents(tb testing.TB, file string, data []byte) []model.Document {
	tb.Helper()
	docs, findings := model.ParseDocuments(file, data)
	requireFine(tb, findings)
	return docs
}

// example is the example platform in one environment, with what its builds hold
// there and the AccessTests that it ships.
type example struct {
	platform *model.Platform
	tests    []model.AccessTest
	text     string
}

func readExample(tb testing.TB, environment string) *example {
	tb.Helper()
	var docs model.Documents
	for _, file := range []string{"model/model.yaml", "environments/" + environment + "/environment.yaml"} {
		for _, doc := range documents(tb, file, read(tb, platformDir, file)) {
			docs.Add(doc)
		}
	}
	e := &example{}
	var findings finding.List
	e.platform, findings = model.ParseUnion(docs)
	requireFine(tb, findings)
	e.tests, findings = model.ParseAccessTests(documents(tb, "end-to-end.yaml", read(tb, platformDir, "tests/end-to-end.yaml")), e.platform.Hosts)
	requireFine(tb, findings)
	files, err := filepath.Glob("../../test/compositions/testdata/" + environment + "/*.yaml")
	require.NoError(tb, err)
	require.NotEmpty(tb, files)
	var texts []string
	for _, file := range files {
		texts = append(texts, string(read(tb, file)))
	}
	e.text = strings.Join(texts, "\n---\n")
	return e
}

func (e *example) objects(tb testing.TB) []map[string]any {
	tb.Helper()
	return decode(tb, e.text)
}

// set returns objects, or the example's, without some of them.
func (e *example) set(tb testing.TB, objects []map[string]any, gone []resource.Ref) *resource.Set {
	tb.Helper()
	if objects == nil {
		objects = e.objects(tb)
	}
	return setOf(objects, gone)
}

func (e *example) suite(tb testing.TB, objects []map[string]any, gone []resource.Ref) accesstest.Suite {
	tb.Helper()
	return accesstest.Suite{Mesh: access.New(e.set(tb, objects, gone), access.Settings{}), Platform: e.platform}
}

// run asks every case of objects, or of the example's.
func (e *example) run(tb testing.TB, objects []map[string]any) []accesstest.Result {
	tb.Helper()
	return e.suite(tb, objects, nil).Run(e.tests)
}

// judge asks the request of a result once more, without some objects. Of a gateway
// it asks what it lets in, and not where that leads: a host that nobody serves
// leads nowhere whatever is let in.
func (e *example) judge(tb testing.TB, r accesstest.Result, gone []resource.Ref) access.Verdict {
	tb.Helper()
	suite := e.suite(tb, nil, gone)
	for _, again := range suite.Run(e.tests) {
		if again.Case.Name == r.Case.Name && again.Host == r.Host {
			return suite.Mesh.Judge(again.Request)
		}
	}
	require.Fail(tb, "no such case")
	return access.Verdict{}
}
