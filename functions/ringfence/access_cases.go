package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/ringfence-dev/ringfence/internal/krm"
	"github.com/ringfence-dev/ringfence/pkg/accesstest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

const accessTestUsage = `Holds manifests against the cases of AccessTests: who must reach what, and who mustn't.

  ringfence access test --tests FILE PATH...

Which answer a case expects depends on the rung of the ladder. --environment says it,
with the hosts that cases name by hostRef; --model adds overrides, and who is deployed
by others and so isn't among the objects. Without either, --profile says the rung.

Exit status: 0 every case passed or was skipped, 1 one failed or the input is wrong, 2 the
command line is.

Example:
  ringfence access test --tests end-to-end.yaml --environment environment.yaml rendered/
  kustomize build app | ringfence access test --tests end-to-end.yaml --profile permissive -`

// caseFlags are those of "ringfence access test" beside the mesh's.
type caseFlags struct {
	tests, models []string
	profile       string
	output        string
}

func accessTest(args []string, s krm.Streams) int {
	var c caseFlags
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	set.StringArrayVar(&c.tests, "tests", nil, "file with AccessTests; repeatable")
	set.StringArrayVar(&c.models, "model", nil, "file with the AccessModel; wants --environment")
	set.StringVar(&c.profile, "profile", "", "rung of the ladder without --environment: open, permissive or enforced (default enforced)")
	set.StringVarP(&c.output, "output", "o", "text", "text or json")
	f := meshFlagsOf(set)
	if status, ok := accessFlags(set, accessTestUsage, args, s); !ok {
		return status
	}
	switch err := f.chosen(c.output, "text", "json"); {
	case err != nil:
		return f.misuse(s, "%v", err)
	case len(c.tests) == 0:
		return f.misuse(s, "name the AccessTests with --tests")
	case len(c.models) > 0 && f.environment == "":
		return f.misuse(s, "--model says nothing without --environment")
	case c.profile != "" && f.environment != "":
		return f.misuse(s, "--profile and --environment both say the rung: leave one out")
	}
	suite, tests, findings, err := c.suite(f)
	s.Print("ringfence access test", findings.AtLeast(finding.Warning))
	if err != nil {
		return f.fail(s, err)
	}
	if findings.Failed() {
		return failed
	}
	j, status, ok := f.open(set.Args(), s)
	if !ok {
		return status
	}
	suite.Mesh = j.mesh
	report := accesstest.ReportOf(suite, suite.Run(tests))
	j.locate(report.Unjudged)
	if c.output == "json" {
		err = report.JSON(s.Out)
	} else {
		err = report.Text(s.Out, isTerminal(s))
	}
	if err != nil {
		return f.fail(s, err)
	}
	unjudged(s, set.Name(), report.Unjudged)
	switch {
	case report.Failed > 0:
		return failed
	case report.Passed == 0:
		return f.fail(s, errors.New("no case was asked: every one was skipped"))
	}
	return succeeded
}

// suite reads the tests, and what says which answers they expect.
func (c caseFlags) suite(f *meshFlags) (accesstest.Suite, []model.AccessTest, finding.List, error) {
	var out accesstest.Suite
	docs, findings := krm.ReadDocuments(c.tests)
	if others := len(docs.Models) + len(docs.Environments); others > 0 {
		return out, nil, findings, fmt.Errorf("%v hold %d documents that are no AccessTests: name those with --model and --environment", c.tests, others)
	}
	hosts := map[string][]model.Host{}
	var err error
	switch {
	case len(c.models) > 0:
		given, more := krm.ReadDocuments(append(c.models, f.environment))
		findings.Add(more...)
		if findings.Failed() {
			return out, nil, findings, nil
		}
		given.Tests = nil
		out.Platform, more = model.ParseUnion(given)
		findings.Add(more...)
		if findings.Failed() {
			return out, nil, findings, nil
		}
		hosts = out.Platform.Hosts
	case f.environment != "":
		if out.Profile, hosts, err = rungOf(f.environment); err != nil {
			return out, nil, findings, err
		}
	default:
		if out.Profile = model.Enforced; c.profile != "" {
			if out.Profile, err = model.ParseProfile(c.profile); err != nil {
				return out, nil, findings, fmt.Errorf("reading --profile: %w", err)
			}
		}
	}
	tests, more := model.ParseAccessTests(docs.Tests, hosts)
	findings.Add(more...)
	return out, tests, findings, nil
}

// rungOf returns the rung and the hosts of an Environment that is read without a model.
func rungOf(file string) (model.Profile, map[string][]model.Host, error) {
	e, err := readEnvironment(file)
	if err != nil {
		return model.Open, nil, err
	}
	if len(e.Spec.Overrides) > 0 {
		return model.Open, nil, fmt.Errorf("%q holds some on a lower rung, by their names in the model: give --model as well", file)
	}
	profile, err := model.ParseProfile(e.Spec.SecurityProfile)
	if err != nil {
		return model.Open, nil, fmt.Errorf("reading %q: spec.securityProfile: %w", file, err)
	}
	hosts, err := model.EnvironmentHosts(e.Spec)
	if err != nil {
		return model.Open, nil, fmt.Errorf("reading %q: %w", file, err)
	}
	return profile, hosts, nil
}
