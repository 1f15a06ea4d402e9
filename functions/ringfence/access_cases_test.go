package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/accesstest"
)

const caseText = `apiVersion: ringfence.dev/v1alpha1
kind: AccessTest
metadata: {name: cases}
spec:
  cases:
  - {name: web to web, from: {workload: themelio/web}, to: {workload: themelio/web}, expect: {enforced: Denied, permissive: Allowed}}
`

// TestAccessTests runs cases as people would, wrongly too.
func TestAccessTests(t *testing.T) {
	platform := filepath.Join("..", "..", "overlays", "platform")
	rendered := filepath.Join("..", "..", "test", "compositions", "testdata", "staging")
	environment, model := filepath.Join(platform, "environments", "staging", "environment.yaml"), filepath.Join(platform, "model", "model.yaml")
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	cases := file("cases.yaml", caseText)
	held := file("held.yaml", "apiVersion: ringfence.dev/v1alpha1\nkind: Environment\nmetadata: {name: staging}\nspec: {tier: staging, securityProfile: enforced, overrides: [{workload: web, securityProfile: permissive}], dns: {web: [web.example.org]}}\n")
	for name, c := range map[string]struct {
		reason         string
		args           []string
		status         int
		stdout, stderr []string
	}{
		"passes":            {reason: "enforced is the default", args: []string{"--tests", cases, rendered}, stdout: []string{"passed   web to web", "1 passed, 0 failed, 0 skipped"}},
		"another-rung":      {reason: "it is enforced all the same", args: []string{"--tests", cases, "--profile", "permissive", rendered}, status: failed, stdout: []string{"failed   web to web", "it must be Allowed and is Denied: no rule of an ALLOW policy matches", "case: " + cases + ":6"}},
		"the-whole-example": {reason: "its model and Environment are given", args: []string{"--tests", filepath.Join(platform, "tests", "end-to-end.yaml"), "--model", model, "--environment", environment, rendered}, stdout: []string{"26 passed, 0 failed, 0 skipped"}},
		"nothing-asked":     {reason: "a run that asks nothing proves nothing", args: []string{"--tests", cases, "--profile", "open", rendered}, status: failed, stdout: []string{"skipped  web to web: it expects nothing where the destination is open"}, stderr: []string{"no case was asked"}},
		"no-tests":          {reason: "there is nothing to ask", args: []string{rendered}, status: misused, stderr: []string{"name the AccessTests with --tests"}},
		"no-paths":          {reason: "there is nobody to ask", args: []string{"--tests", cases}, status: misused, stderr: []string{"name the rendered files"}},
		"model-alone":       {reason: "it has no rung", args: []string{"--tests", cases, "--model", model, rendered}, status: misused, stderr: []string{"--model says nothing without --environment"}},
		"two-rungs":         {reason: "one of them is meant", args: []string{"--tests", cases, "--profile", "open", "--environment", environment, rendered}, status: misused, stderr: []string{"leave one out"}},
		"no-such-rung":      {reason: "there are three", args: []string{"--tests", cases, "--profile", "strict", rendered}, status: failed, stderr: []string{`"strict" is no security profile`}},
		"overrides":         {reason: "they are by names of the model", args: []string{"--tests", cases, "--environment", held, rendered}, status: failed, stderr: []string{"give --model as well"}},
		"override-followed": {reason: "web is on a lower rung", args: []string{"--tests", cases, "--environment", held, "--model", file("model.yaml", "apiVersion: ringfence.dev/v1alpha1\nkind: AccessModel\nmetadata: {name: platform}\nspec: {owners: [{name: a, tool: GitOps}], gateways: [{name: gate, namespace: istio-system, owner: a, serviceAccountName: gate, hostRefs: [web]}], workloads: [{name: web, namespace: themelio, owner: a, serviceAccountName: web, enroll: true}]}\n"), rendered}, status: failed, stdout: []string{"it must be Allowed and is Denied"}},
		"a-model-as-tests":  {reason: "it is no test", args: []string{"--tests", model, rendered}, status: failed, stderr: []string{"that are no AccessTests: name those with --model and --environment"}},
		"malformed":         {reason: "all that is wrong", args: []string{"--tests", file("bad.yaml", caseText+"  - {name: a, from: {}, to: {workload: a}, expect: {}}\n"), rendered}, status: failed, stderr: []string{"spec.cases[1].from", "spec.cases[1].to.workload", "spec.cases[1].expect"}},
		"misspelt":          {reason: "a name of nobody is no denial", args: []string{"--tests", file("nobody.yaml", caseText+"  - {name: a, from: {workload: themelio/wbe}, to: {workload: themelio/web}, expect: {enforced: Denied}}\n"), rendered}, status: failed, stdout: []string{"wrong    a", "no object themelio/wbe makes pods"}},
	} {
		t.Run(name, func(t *testing.T) {
			status, stdout, stderr := accessed("", append([]string{"test"}, c.args...)...)
			assert.Equal(t, c.status, status, "%s\n%s%s", c.reason, stdout, stderr)
			for _, text := range c.stdout {
				assert.Contains(t, stdout, text, c.reason)
			}
			for _, text := range c.stderr {
				assert.Contains(t, stderr, text, c.reason)
			}
			assert.NotContains(t, stdout, "\x1b", "colours are for terminals")
		})
	}

	status, stdout, _ := accessed("", "test", "--tests", cases, "--profile", "permissive", "-o", "json", rendered)
	assert.Equal(t, failed, status)
	var got accesstest.Report
	require.NoError(t, json.Unmarshal([]byte(stdout), &got))
	assert.Equal(t, 1, got.Failed)
	assert.Equal(t, []accesstest.Line{{
		Test: "cases", Case: "web to web", Status: accesstest.Failed, Profile: "permissive", From: "themelio/web", To: "themelio/web", Port: 3000,
		Expected: "Allowed", Answer: "Denied", Text: "it must be Allowed and is Denied: no rule of an ALLOW policy matches", File: cases + ":6",
	}}, got.Cases)
}
