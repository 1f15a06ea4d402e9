package profileparity_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	profileparity "github.com/ringfence-dev/ringfence/ansible-modules/profile_parity"
	"github.com/ringfence-dev/ringfence/internal/ansible"
)

// answer is what the module said.
type answer struct {
	Failed   bool
	Msg      string
	Warnings []string
	Profile  struct {
		Inventory, Rendered string
		Evidence            []map[string]any
	}
	Disagreements []disagreement
	Checked       map[string]int
	Findings      []map[string]any
}

type disagreement struct {
	Rule, Severity, Message, Remedy, Field, File string
	Line                                         int
	Object                                       struct {
		APIVersion            string `json:"api_version"`
		Kind, Namespace, Name string
	}
	Rendered, Inventory any
}

// String is short: "parity-host Gateway themelio/web spec.servers[0].hosts".
func (d disagreement) String() string {
	words := []string{d.Rule}
	if o := d.Object; o.Kind != "" {
		name := o.Name
		if o.Namespace != "" {
			name = o.Namespace + "/" + name
		}
		words = append(words, o.Kind, name)
	}
	if d.Field != "" {
		words = append(words, d.Field)
	}
	return strings.Join(words, " ")
}

func (a answer) disagreements() []string {
	out := []string{}
	for _, d := range a.Disagreements {
		out = append(out, d.String())
	}
	return out
}

// run runs the module as Ansible does.
func run(tb testing.TB, params map[string]any) answer {
	tb.Helper()
	text, err := json.Marshal(params)
	require.NoError(tb, err)
	file := filepath.Join(tb.TempDir(), "arguments.json")
	require.NoError(tb, os.WriteFile(file, text, 0o600))
	var out bytes.Buffer
	status := ansible.Main([]ansible.Module{profileparity.Module}, []string{"AnsiballZ_profile_parity", file}, &out)
	var a answer
	require.NoError(tb, json.Unmarshal(out.Bytes(), &a), "%s", out.String())
	require.Equal(tb, a.Failed, status != 0)
	return a
}

// write writes a file into a directory and returns its path.
func write(tb testing.TB, dir, name, text string) string {
	tb.Helper()
	path := filepath.Join(dir, name)
	require.NoError(tb, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(tb, os.WriteFile(path, []byte(text), 0o600))
	return path
}
