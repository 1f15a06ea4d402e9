package kustomize

import (
	"fmt"
	"regexp"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/openapi"

	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Builder builds directories. Its zero value executes nothing but git, which
// kustomize calls for remote bases.
type Builder struct {
	// Helm is the executable that inflates helmCharts; without one they are refused.
	Helm string
	// Root is a directory: nothing outside of it is read, nothing is fetched, nothing
	// is executed and nothing is written. Empty sets no such limit.
	Root string
}

// build runs kustomize on one directory of a file system. Notes are the lines
// that it would have written on standard error.
func (b Builder) build(files *files, dir string) (text []byte, notes []string, findings finding.List) {
	options := krusty.MakeDefaultOptions() // no plugins, no functions, files below their kustomization alone
	options.Reorder = krusty.ReorderOptionUnspecified
	options.LoadRestrictions = types.LoadRestrictionsRootOnly
	if b.Helm != "" {
		options.PluginConfig.HelmConfig = types.HelmConfig{Enabled: true, Command: b.Helm}
	}
	var err error
	notes = alone(b.Root != "", func() {
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("kustomize failed: %v", fault)
			}
		}()
		defer func() {
			if files.schema { // kustomize would keep it for the next build
				openapi.ResetOpenAPI()
			}
		}()
		result, failure := krusty.MakeKustomizer(options).Run(files, dir)
		if failure != nil {
			err = failure
			return
		}
		text, err = result.AsYaml()
	})
	if err != nil {
		return nil, notes, finding.List{b.failure(files, dir, err)}
	}
	return text, notes, nil
}

// failure says why kustomize builds nothing, and what to do about it.
func (b Builder) failure(files *files, dir string, err error) finding.Finding {
	message := scrubbed(err.Error())
	f := finding.New(finding.InputUnreadable, resource.Ref{}, "", "kustomize can't build it: %s", message).In(dir, 0)
	if match := external.FindStringSubmatch(message); len(match) == 2 {
		if match[1] == kindRingfence {
			return b.misplaced(files, dir)
		}
		return finding.New(finding.InputUnreadable, resource.Ref{}, "", "it names a function or plugin of kind %q, and none is run here", match[1]).In(dir, 0).
			WithRemedy("take it out, write a patch in its place, or build with kustomize itself where executables are allowed")
	}
	switch {
	case strings.Contains(message, "must specify --enable-helm"):
		return f.WithRemedy("commit what the chart renders, or allow Helm with --enable-helm")
	case strings.Contains(message, noNetwork), strings.Contains(message, "no 'git' program"):
		return f.WithRemedy("put what it refers to into the repository: nothing remote is read here")
	case strings.Contains(message, outside):
		return f.WithRemedy("put what it refers to into the repository")
	}
	return f.WithRemedy("correct what it names")
}

// external is what kustomize says of a plugin where none is allowed.
var external = regexp.MustCompile(`unable to load external plugin '([^']*)'`)

// secrets are the places in kustomize's errors that quote what may be secret:
// literals of a secretGenerator, and the text of a patch. Each quotes to the end
// of what may come, so that a bracket in a value doesn't end it.
var secrets = []struct {
	quoted *regexp.Regexp
	plain  string
}{
	{regexp.MustCompile("(?s) with config: `.*`"), ""},
	{regexp.MustCompile(`(?s)literal sources \[.*\]`), "literal sources"},
	{regexp.MustCompile(`(?s)invalid literal source .*, expected`), "invalid literal source, expected"},
	{regexp.MustCompile(`(?s)(patch(?:es)?) from \[.*\]`), "$1"},
	{regexp.MustCompile(`(?s)(parse patch(?:es)?): .*`), "$1"},
}

// maxMessage is how many bytes of an error are shown.
const maxMessage = 600

// scrubbed returns an error of kustomize's on one line, without secrets.
func scrubbed(message string) string {
	for _, s := range secrets {
		message = s.quoted.ReplaceAllString(message, s.plain)
	}
	message = strings.Join(strings.Fields(message), " ")
	if len(message) > maxMessage {
		message = strings.ToValidUTF8(message[:maxMessage], "") + "…"
	}
	return message
}
