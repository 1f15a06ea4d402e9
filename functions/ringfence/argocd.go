package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/internal/kustomize"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

const argocdUsage = `Is called by Argo CD's plugin server, in the directory of an Application:

  generate  build the directory, as ringfence build does
  discover  print a word where the directory names a Ringfence or the Application
            has parameters: where the plugin is to build it

It reads the Application's parameters owner, environment and strict, or the
variables RINGFENCE_OWNER, RINGFENCE_ENVIRONMENT and RINGFENCE_STRICT of its env.
environment is a path from the root of the repository. Nothing outside of the
repository is read, nothing is fetched, executed or written.

Example:
  cd overlays/staging/themelio
  ARGOCD_APP_SOURCE_PATH=overlays/staging/themelio ringfence argocd generate`

func argocd(args []string, s krm.Streams) int {
	set := pflag.NewFlagSet("argocd", pflag.ContinueOnError)
	if status, ok := flags(set, argocdUsage, args, s); !ok {
		return status
	}
	switch set.Arg(0) {
	case "generate":
		if set.NArg() == 1 {
			return generate(s)
		}
	case "discover":
		if set.NArg() == 1 {
			return discover(s)
		}
	}
	_, _ = fmt.Fprintln(s.Err, "ringfence argocd: name generate or discover; see ringfence argocd --help")
	return misused
}

// shownWarnings is how many warnings of a build that succeeded are written: the
// plugin server logs them for every Application, again and again.
const shownWarnings = 3

func generate(s krm.Streams) int {
	app, findings := readApplication()
	var text []byte
	var notes []string
	if !findings.Failed() {
		text, notes, findings = app.build().run()
	}
	if findings.Failed() {
		app.explain(s.Err, findings.AtLeast(finding.Error).Sorted())
		return failed
	}
	app.warn(s.Err, notes, findings.AtLeast(finding.Warning).Sorted())
	if _, err := io.Copy(s.Out, bytes.NewReader(text)); err != nil {
		_, _ = fmt.Fprintf(s.Err, "ringfence argocd: error: writing standard output: %v\n", err)
		return failed
	}
	return succeeded
}

// discover answers whether the plugin builds an application. It is asked for one
// that names the plugin, too, so that a doubt is a yes: then generate says what is
// wrong, and Argo CD doesn't say that there is no plugin.
func discover(s krm.Streams) int {
	app, findings := readApplication()
	given := app.owner != "" || app.environment != "" || app.strict
	if findings.Failed() || given || (kustomize.Builder{Root: app.root}).MayName(".") {
		return say(s, "ringfence")
	}
	return succeeded
}

// build is the build of the application's directory, which is the working directory.
func (a application) build() leafBuild {
	out := leafBuild{
		builder: kustomize.Builder{Root: a.root}, dir: ".", name: a.path, locate: a.locate,
		ownerFlag: "the parameter owner", environmentFlag: "the parameter environment",
	}
	out.config.Owner, out.config.Strict = a.owner, a.strict
	if a.environment != "" {
		out.environment = []string{a.environment}
	}
	return out
}

// explain writes three lines, which Argo CD's UI shows: what failed, the first
// problem, and what to do about it and where to see all of them.
func (a application) explain(w io.Writer, problems finding.List) {
	first := problems[0]
	remedy := first.Remedy
	first.Remedy = ""
	if first.File == a.path {
		first.File = "" // the line before says it
	}
	what := a.name
	if what == "" {
		what = a.path
	}
	last := "fix: " + remedy
	if n := len(problems) - 1; n > 0 {
		last = fmt.Sprintf("%s; %d more", last, n)
	}
	a.lines(w,
		fmt.Sprintf("Ringfence can't build %s (%s): %s", what, a.path, counted(len(problems), "error")),
		first.String(),
		last+"; to see all: "+a.command())
}

func (a application) warn(w io.Writer, notes []string, warnings finding.List) {
	lines := slices.Clone(notes)
	for _, f := range warnings {
		lines = append(lines, "warning: "+f.String())
	}
	if n := len(lines) - shownWarnings; n > 1 {
		lines = append(lines[:shownWarnings], fmt.Sprintf("%d more; to see all: %s", n, a.command()))
	}
	a.lines(w, lines...)
}

// maxLine is how long a line may be for somebody to read it in a dialog.
const maxLine = 480

// lines writes lines as somebody sees them who knows the repository, not the
// random folder that it was unpacked to.
func (a application) lines(w io.Writer, lines ...string) {
	for _, line := range lines {
		if a.root != "" {
			line = strings.ReplaceAll(line, a.root+string(filepath.Separator), "")
			line = strings.ReplaceAll(line, a.root, "the repository")
		}
		line = strings.Join(strings.Fields(line), " ")
		if len(line) > maxLine {
			line = strings.ToValidUTF8(line[:maxLine], "") + "…"
		}
		_, _ = fmt.Fprintln(w, line)
	}
}

// command builds the same at the root of a clone.
func (a application) command() string {
	words := []string{"ringfence", "build"}
	if a.owner != "" {
		words = append(words, "--owner", a.owner)
	}
	if a.environment != "" {
		words = append(words, "--environment", a.environment)
	}
	if a.strict {
		words = append(words, "--strict")
	}
	words = append(words, a.path)
	for i, word := range words {
		if !plainWord.MatchString(word) {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// plainWord needs no quotes in a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9._/-]+$`)

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func missing(name, format string, args ...any) finding.Finding {
	return finding.New(finding.InputMissing, resource.Ref{}, name, format, args...)
}

func invalid(name, format string, args ...any) finding.Finding {
	return finding.New(finding.InputInvalidValue, resource.Ref{}, name, format, args...)
}

// workingDirectory is that of the application, without symbolic links.
func workingDirectory() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for the working directory: %w", err)
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return "", fmt.Errorf("looking for the working directory: %w", err)
	}
	return dir, nil
}
