package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/api/v1alpha1/schema"
	"github.com/ringfence-dev/ringfence/internal/krm"
)

// TestCommandLine is what people type, right and wrong.
func TestCommandLine(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	cases := map[string]struct {
		reason string
		called string
		args   []string
		status int
		stdout []string
		stderr []string
	}{
		"help":                   {reason: "every command and every function", args: []string{"--help"}, stdout: append(units.Names(), "render", "verify", "schema", "Example:")},
		"help-of-a-function":     {reason: "by its own name", called: "sidecar-enroller", args: []string{"--help"}, stdout: []string{"sidecar-enroller", "Example:"}},
		"help-of-a-first-word":   {reason: "by its argument", args: []string{"identity-splitter", "-h"}, stdout: []string{"identity-splitter", "Example:"}},
		"help-of-render":         {reason: "with its flags", args: []string{"render", "--help"}, stdout: []string{"--owner", "--model", "--environment", "--strict", "Example:"}},
		"help-of-build":          {reason: "with its flags", args: []string{"build", "--help"}, stdout: []string{"--owner", "--environment", "--enable-helm", "Example:"}},
		"help-of-argocd":         {reason: "with its words", args: []string{"argocd", "--help"}, stdout: []string{"generate", "discover", "Example:"}},
		"argocd-without-a-word":  {reason: "there are two", args: []string{"argocd"}, status: misused, stderr: []string{"generate", "discover"}},
		"help-of-verify":         {reason: "with its flags", args: []string{"verify", "--help"}, stdout: []string{"--output", "--kustomize", "Example:"}},
		"help-of-access":         {reason: "with its words", args: []string{"access", "--help"}, stdout: []string{"matrix", "Exit status", "Example:"}},
		"access-without-a-word":  {reason: "there are some", args: []string{"access"}, status: misused, stderr: []string{"name a command", "matrix", "ringfence access --help"}},
		"access-misspelt":        {reason: "what may be meant", args: []string{"access", "matrx"}, status: misused, stderr: []string{`"matrx"`, `did you mean "matrix"?`}},
		"version":                {reason: "which is stamped by the build", args: []string{"--version"}, stdout: []string{"ringfence dev"}},
		"version-of-a-function":  {reason: "all are one executable", called: "access-verifier", args: []string{"--version"}, stdout: []string{"ringfence dev"}},
		"unknown-command":        {reason: "the words that there are", args: []string{"rendr"}, status: misused, stderr: []string{`"rendr"`, "render", "verify"}},
		"unknown-flag":           {reason: "where to read on", args: []string{"render", "--onwer", "x"}, status: misused, stderr: []string{"--onwer", "ringfence render --help"}},
		"render-of-a-file":       {reason: "documents come on standard input", args: []string{"render", "x.yaml"}, status: misused, stderr: []string{`"x.yaml"`, "standard input"}},
		"render-without-a-file":  {reason: "the file is named", args: []string{"render", "--owner", "x", "--model", missing}, status: failed, stderr: []string{missing, "no such file"}},
		"render-of-nothing":      {reason: "the build before it failed", args: []string{"render", "--owner", "x"}, status: failed, stderr: []string{"standard input"}},
		"verify-of-nothing":      {reason: "it has nothing to build", args: []string{"verify"}, status: misused, stderr: []string{"directories"}},
		"verify-of-no-directory": {reason: "it isn't there", args: []string{"verify", missing}, status: failed, stderr: []string{missing}},
		"verify-of-an-empty-one": {reason: "nothing was judged", args: []string{"verify", t.TempDir()}, status: failed, stderr: []string{"no kustomization"}},
		"verify-without-kustomize": {
			reason: "what to install", args: []string{"verify", "--kustomize", "no-such-kustomize", "../../overlays/dev"},
			status: failed, stderr: []string{"kustomize isn't there", "--kustomize"},
		},
		"schema-of-nothing": {reason: "the kinds that there are", args: []string{"schema", "pod"}, status: misused, stderr: []string{"accessmodel", "environment", "ringfence"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			called := c.called
			if called == "" {
				called = "ringfence"
			}
			var stdout, stderr bytes.Buffer
			status := run(called, c.args, krm.Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr})
			assert.Equal(t, c.status, status, "%s\n%s", c.reason, &stderr)
			for _, text := range c.stdout {
				assert.Contains(t, stdout.String(), text)
			}
			for _, text := range c.stderr {
				assert.Contains(t, stderr.String(), text)
			}
			if c.status != succeeded {
				assert.Empty(t, stdout.String(), "nothing that a pipe could take for a result")
			}
		})
	}
}

func TestSchemas(t *testing.T) {
	for _, name := range schema.Names() {
		var stdout bytes.Buffer
		require.Equal(t, succeeded, run("ringfence", []string{"schema", name}, krm.Streams{Out: &stdout}))
		assert.True(t, json.Valid(stdout.Bytes()))
	}
}

// TestColour: errors are coloured on a terminal and nowhere else.
func TestColour(t *testing.T) {
	in := goodInput()
	in.config = "owner: nobody\n"
	for colour, want := range map[bool]int{true: 1, false: 0} {
		var stderr bytes.Buffer
		krm.Function("ringfence", units, krm.Streams{In: bytes.NewReader(in.list(t)), Out: &bytes.Buffer{}, Err: &stderr, Colour: colour})
		assert.Equal(t, want, strings.Count(stderr.String(), "\x1b[31m"), stderr.String())
	}
}

// TestEveryFolderIsAUnit: a function is one folder, and the folder is its name.
func TestEveryFolderIsAUnit(t *testing.T) {
	entries, err := os.ReadDir("..")
	require.NoError(t, err)
	var folders []string
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != "ringfence" {
			folders = append(folders, entry.Name())
		}
	}
	assert.ElementsMatch(t, folders, units.Names())
}
