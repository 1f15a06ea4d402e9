package tenantpolicy_test

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
	k8sjson "k8s.io/apimachinery/pkg/util/json"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/tenantpolicy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// source is an object in memory. It counts how often it is read.
type source struct {
	content map[string]any
	reads   int
}

func (s *source) Ref() resource.Ref {
	return resource.Ref{
		APIVersion: resource.String(s.content, "apiVersion"), Kind: resource.String(s.content, "kind"),
		Namespace: resource.String(s.content, "metadata", "namespace"), Name: resource.String(s.content, "metadata", "name"),
	}
}

func (s *source) Decode() (map[string]any, error) {
	s.reads++
	return s.content, nil
}

func (s *source) Mentions(text string) bool {
	data, err := json.Marshal(s.content)
	return err != nil || strings.Contains(string(data), text)
}

// objects reads a stream of objects as an adapter would.
func objects(t *testing.T, stream string) []*source {
	t.Helper()
	var out []*source
	for text := range strings.SplitSeq(stream, "\n---\n") {
		var value any
		require.NoError(t, yaml.Unmarshal([]byte(text), &value), text)
		if value == nil {
			continue
		}
		out = append(out, &source{content: asJSON(t, value)})
	}
	return out
}

func asJSON(t *testing.T, value any) map[string]any {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, k8sjson.Unmarshal(data, &out))
	return out
}

func setOf(sources []*source) *resource.Set {
	set := resource.NewSet()
	for _, s := range sources {
		set.Add(s)
	}
	return set
}

// edit changes one of the two documents: the first text becomes the second.
type edit struct{ from, to string }

// build is what a test plans from. owner is "tenants" by default.
type build struct {
	owner       string
	model       []edit
	environment []edit
}

func (b build) input(t *testing.T, set *resource.Set) policy.Input {
	t.Helper()
	var docs model.Documents
	for _, d := range []struct {
		text  string
		edits []edit
		into  *[]model.Document
	}{{accessModel, b.model, &docs.Models}, {environment, b.environment, &docs.Environments}} {
		for _, e := range d.edits {
			require.Contains(t, d.text, e.from)
			d.text = strings.Replace(d.text, e.from, e.to, 1)
		}
		parsed, findings := model.ParseDocuments("test.yaml", []byte(d.text))
		require.Empty(t, findings)
		*d.into = parsed
	}
	request, findings := model.Parse(docs, v1alpha1.RingfenceSpec{Owner: cmp.Or(b.owner, "tenants")})
	require.False(t, findings.Failed(), "%v", findings)
	return policy.Input{Scope: derive.Scope{Platform: request.Platform, Owner: request.Owner}, Resources: set}
}

// plan plans over a stream of objects. A plan without errors is carried out, and
// planning again on the result must change nothing.
func (b build) plan(t *testing.T, stream string) (policy.Plan, []*source) {
	t.Helper()
	sources := objects(t, stream)
	set := setOf(sources)
	plan := tenantpolicy.Plan(b.input(t, set))
	require.Empty(t, set.Unreadable())
	if plan.Findings.Failed() {
		return plan, nil
	}
	after := carryOut(t, sources, plan)
	again := tenantpolicy.Plan(b.input(t, setOf(after)))
	require.True(t, again.Empty(), "planning again changes something: %+v", again)
	return plan, after
}

// carryOut does what an adapter does, on copies.
func carryOut(t *testing.T, sources []*source, plan policy.Plan) []*source {
	t.Helper()
	var out []*source
	for _, s := range sources {
		content := asJSON(t, s.content)
		removed := false
		for _, r := range plan.Remove {
			removed = removed || r.Object.Source == resource.Source(s)
		}
		for _, e := range plan.Edits {
			if e.Object.Source == resource.Source(s) {
				setField(t, content, e.Path, e.Value)
			}
		}
		if !removed {
			out = append(out, &source{content: content})
		}
	}
	for _, o := range plan.Create {
		out = append(out, &source{content: asJSON(t, o.Content())})
	}
	return out
}

func setField(t *testing.T, at any, path resource.Path, value any) {
	t.Helper()
	for _, element := range path[:len(path)-1] {
		switch node := at.(type) {
		case map[string]any:
			if node[element] == nil {
				node[element] = map[string]any{}
			}
			at = node[element]
		case []any:
			i, _ := strconv.Atoi(element)
			at = node[i]
		}
	}
	parent, ok := at.(map[string]any)
	require.True(t, ok, "%s is in no mapping", path)
	parent[path[len(path)-1]] = value
}

// said returns the findings of a severity as "rule: message" lines.
func said(list finding.List, severity finding.Severity) []string {
	out := []string{}
	for _, f := range list.Sorted() {
		if f.Severity == severity {
			out = append(out, string(f.Rule)+" "+f.Object.String()+" "+f.Field+": "+f.Message)
		}
	}
	return out
}

// one requires exactly one finding of a severity; its line holds each of the texts.
func one(t *testing.T, list finding.List, severity finding.Severity, texts ...string) {
	t.Helper()
	lines := said(list, severity)
	require.Len(t, lines, 1, "%v", list)
	for _, text := range texts {
		require.Contains(t, lines[0], text)
	}
}
