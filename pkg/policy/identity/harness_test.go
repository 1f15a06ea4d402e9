package identity_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/derive"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/policy/identity"
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

// inputOf reads a platform and the build of one of its owners. The model is a
// spec without owners; "platform", "other" (GitOps) and "vendor" (External) are there.
func inputOf(tb testing.TB, owner, spec, environment, resources string) policy.Input {
	tb.Helper()
	text := "{apiVersion: ringfence.dev/v1alpha1, kind: AccessModel, metadata: {name: platform}, spec: {owners: [" +
		"{name: platform, tool: GitOps}, {name: other, tool: GitOps}, {name: vendor, tool: External}]," + spec + "}}\n---\n" +
		"{apiVersion: ringfence.dev/v1alpha1, kind: Environment, metadata: {name: staging}, spec: {tier: staging, istio: {nativeSidecars: true}, dns: {web: [web.example.org]}," + environment + "}}\n"
	parsed, findings := model.ParseDocuments("input.yaml", []byte(text))
	require.Empty(tb, findings)
	require.Len(tb, parsed, 2)
	docs := model.Documents{Models: parsed[:1], Environments: parsed[1:]}
	request, findings := model.Parse(docs, v1alpha1.RingfenceSpec{Owner: owner})
	require.Empty(tb, findings.AtLeast(finding.Warning), "the model of the test")
	return policy.Input{
		Scope:     derive.Scope{Platform: request.Platform, Owner: request.Owner},
		Resources: setOf(tb, resources),
	}
}

func setOf(tb testing.TB, text string) *resource.Set {
	tb.Helper()
	set := resource.NewSet()
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for {
		content := map[string]any{}
		err := decoder.Decode(&content)
		if errors.Is(err, io.EOF) {
			return set
		}
		require.NoError(tb, err)
		set.Add(&source{content})
	}
}

// changes lists what a plan would do, one line a change.
func changes(t *testing.T, plan policy.Plan) []string {
	t.Helper()
	var out []string
	for _, o := range plan.Create {
		out = append(out, fmt.Sprintf("create %s from %s %s", o.Ref, o.Source, flow(t, o.Body)))
	}
	for _, e := range plan.Edits {
		out = append(out, fmt.Sprintf("set %s %s %s", e.Object.Ref(), e.Path, flow(t, e.Value)))
	}
	for _, r := range plan.Remove {
		out = append(out, "remove "+r.Object.Ref().String())
	}
	return out
}

func flow(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	require.NoError(t, err)
	return string(data)
}

// said lists findings, one line each: the severity, and all that a person reads.
func said(findings finding.List) []string {
	var out []string
	for _, f := range findings {
		out = append(out, f.Severity.String()+": "+f.String())
	}
	return out
}

// apply carries a plan out on the objects of the test.
func apply(t *testing.T, in policy.Input, plan policy.Plan) {
	t.Helper()
	for _, e := range plan.Edits {
		s, ok := e.Object.Source.(*source)
		require.True(t, ok)
		s.content, ok = set(t, s.content, e.Path, e.Value).(map[string]any)
		require.True(t, ok)
		e.Object.Reload()
	}
	for _, r := range plan.Remove {
		in.Resources.Remove(r.Object)
	}
	for _, o := range plan.Create {
		in.Resources.Add(&source{o.Content()})
	}
}

func set(t *testing.T, at any, path resource.Path, value any) any {
	t.Helper()
	if len(path) == 0 {
		return value
	}
	if path[0] == resource.Append {
		list, _ := at.([]any)
		return append(slices.Clone(list), set(t, nil, path[1:], value))
	}
	mapping, _ := at.(map[string]any)
	if mapping == nil {
		mapping = map[string]any{}
	}
	if value == nil && len(path) == 1 {
		delete(mapping, path[0])
	} else {
		mapping[path[0]] = set(t, mapping[path[0]], path[1:], value)
	}
	return mapping
}

// requireSettled carries a plan out and requires that nothing is left to do.
func requireSettled(t *testing.T, in policy.Input, plan policy.Plan) {
	t.Helper()
	apply(t, in, plan)
	again := identity.Plan(in)
	require.Empty(t, changes(t, again), "planning once more changes something")
	require.False(t, again.Findings.Failed(), "%v", again.Findings)
}

// testCase is one build of owner "platform".
type testCase struct {
	reason      string
	model       string
	environment string // enforced unless it says otherwise
	resources   string
	changes     []string
	findings    []string
}

func run(t *testing.T, cases map[string]testCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Log(c.reason)
			environment := c.environment
			if environment == "" {
				environment = "securityProfile: enforced"
			}
			in := inputOf(t, "platform", c.model, environment, c.resources)
			plan := identity.Plan(in)
			require.Equal(t, c.findings, said(plan.Findings))
			require.Empty(t, in.Resources.Unreadable())
			if plan.Findings.Failed() {
				return // nothing is written
			}
			require.Equal(t, c.changes, changes(t, plan))
			requireSettled(t, in, plan)
		})
	}
}
