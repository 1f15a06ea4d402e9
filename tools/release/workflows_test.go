package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	uses = regexp.MustCompile(`(?m)^\s*(?:- )?uses: *(.*)$`)
	// pinned is an action by its commit, and the version for those who read it.
	pinned = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	// builder is called by a tag; release.yaml says why.
	builder = regexp.MustCompile(`^slsa-framework/slsa-github-generator/\.github/workflows/generator_(generic|container)_slsa3\.yml@v\d+\.\d+\.\d+$`)
)

// TestPinned holds every action to a commit: a tag can be moved to other code.
func TestPinned(t *testing.T) {
	commits := map[string]string{}
	for path, text := range workflows(t) {
		found := uses.FindAllStringSubmatch(text, -1)
		assert.NotEmpty(t, found, path)
		for _, match := range found {
			action := match[1]
			if builder.MatchString(action) {
				continue
			}
			require.Regexp(t, pinned, action, "%s: an action is pinned by its commit, and a comment says which version that is", path)
			name, commit, _ := strings.Cut(action, "@")
			if known, ok := commits[name]; ok {
				assert.Equal(t, known, commit, "%s: %s has two versions", path, name)
			}
			commits[name] = commit
		}
	}
}

func TestPins(t *testing.T) {
	sha := strings.Repeat("a1", 20)
	for action, want := range map[string]bool{
		"actions/checkout@" + sha + " # v7.0.1":      true,
		"owner/name/folder@" + sha + " # v1.2.3":     true,
		"actions/checkout@v7.0.1":                    false,
		"actions/checkout@" + sha:                    false,
		"actions/checkout@" + sha + " # v7":          false,
		"actions/checkout@" + sha[:12] + " # v7.0.1": false,
		"./local": false,
	} {
		assert.Equal(t, want, pinned.MatchString(action), action)
	}
}

// TestNoRegistry holds the workflows to a registry that a variable names.
func TestNoRegistry(t *testing.T) {
	for path, text := range workflows(t) {
		assert.NotRegexp(t, `(?i)\b(ghcr|docker|quay|gcr|pkg)\.(io|dev)\b`, text, path)
		assert.Contains(t, text, "\npermissions: {}\n", "%s: each job says what it may do", path)
	}
}

func workflows(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../../.github/workflows/*")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	out := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		out[path] = string(text)
	}
	return out
}
