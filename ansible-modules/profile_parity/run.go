package profileparity

import (
	"context"
	"fmt"
	"strings"

	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/internal/rendered"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/parity"
)

func run(_ context.Context, call *ansible.Call) (ansible.Result, error) {
	platform, overridden, findings := input(call)
	result, err := call.Report(findings)
	if err != nil {
		return result, err
	}
	set, err := rendered.DefaultLimits.Read(call.Strings(paramRendered)...)
	if err != nil {
		return result, fmt.Errorf("%s: %w", paramRendered, err)
	}
	report := parity.Check(platform, set, parity.Options{
		Owners: call.Strings(paramOwners), ChartVersion: call.String(paramChartVersion),
	})
	report.Findings = append(overridden, report.Findings...).Sorted()
	if call.Bool(paramStrict) {
		report.Findings = report.Findings.Strict()
	}
	result.Values["profile"] = profileValue(report.Profile)
	result.Values["disagreements"] = disagreementValues(report.Findings)
	result.Values["checked"] = checkedValue(report.Checked)
	return conclude(call, report, result)
}

// input reads the platform as the inventory says it. Where the Environment says
// something else, that is apart: to list it is what the module is for.
func input(call *ansible.Call) (platform *model.Platform, overridden, findings finding.List) {
	docs, findings := call.Documents()
	if findings.Failed() {
		return nil, nil, findings
	}
	docs.Inventory.IstioVersion = call.String(paramVersion)
	platform, problems := model.ParseUnion(docs)
	for _, f := range problems {
		if f.Rule == finding.InputOverridden {
			f.Severity = finding.Error
			overridden.Add(f)
			continue
		}
		findings.Add(f)
	}
	if call.Bool(paramStrict) {
		findings = findings.Strict()
	}
	return platform, overridden, findings
}

// conclude says what came of it, and fails where anything disagrees.
func conclude(call *ansible.Call, report parity.Report, result ansible.Result) (ansible.Result, error) {
	var lines []string
	for _, f := range report.Findings {
		switch f.Severity {
		case finding.Error:
			lines = append(lines, f.String())
		case finding.Warning:
			call.Warn("%s", f)
		default:
		}
	}
	if len(lines) > 0 {
		return result, fmt.Errorf("the inventory (security_profile %s) and what is rendered (%s) disagree in %s:\n%s",
			report.Profile.Inventory, report.Profile.Rendered, places(len(lines)), strings.Join(lines, "\n"))
	}
	c := report.Checked
	result.Message = fmt.Sprintf("the inventory and what is rendered agree: %s, %d workloads, %d gateways, %d routes, %d consumers, %d images and %d charts of Istio",
		report.Profile.Inventory, c.Workloads, c.Gateways, c.Routes, c.Consumers, c.Images, c.Charts)
	return result, nil
}

func places(n int) string {
	if n == 1 {
		return "one place"
	}
	return fmt.Sprintf("%d places", n)
}
