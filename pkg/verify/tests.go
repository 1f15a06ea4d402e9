package verify

import (
	"fmt"
	"strings"

	"github.com/ringfence-dev/ringfence/api/v1alpha1"
	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/accesstest"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/policy"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// Settings are what an Environment says of the mesh, for the judge.
func Settings(istio model.Istio) access.Settings {
	out := access.Settings{TrustDomain: istio.TrustDomain.Name(), RootNamespace: istio.RootNamespace, Revision: istio.Revision, Version: istio.Version}
	for _, alias := range istio.TrustDomainAliases {
		out.TrustDomainAliases = append(out.TrustDomainAliases, alias.Name())
	}
	return out
}

// Tests holds the objects against the AccessTests of a run. They are partial where
// what a case names may be in the build of an owner whose objects aren't here.
func Tests(in policy.Input, tests []model.AccessTest, partial bool) finding.List {
	if len(tests) == 0 {
		return nil
	}
	suite := accesstest.Suite{Mesh: access.New(in.Resources, Settings(in.Istio)), Platform: in.Platform, Partial: partial}
	return TestFindings(suite.Run(tests))
}

// TestFindings says what became of cases: each that failed or can't be asked, and
// for each test how many passed.
func TestFindings(results []accesstest.Result) finding.List {
	var out finding.List
	counts := map[string]map[accesstest.Status]int{}
	var order []string
	for _, r := range results {
		if counts[r.Test] == nil {
			counts[r.Test] = map[accesstest.Status]int{}
			order = append(order, r.Test)
		}
		counts[r.Test][r.Status]++
		if rule, found := testRules[r.Status]; found {
			at := r.Case.Origin
			f := finding.New(rule, at.Object, at.Field, "case %q: %s", r.Case.Name, testMessage(r)).In(at.File, at.Line)
			out.Add(f)
		}
	}
	for _, name := range order {
		c := counts[name]
		text := fmt.Sprintf("%d cases passed", c[accesstest.Passed])
		if n := c[accesstest.Failed] + c[accesstest.Wrong]; n > 0 {
			text += fmt.Sprintf(", %d failed", n)
		}
		if n := c[accesstest.Skipped]; n > 0 {
			text += fmt.Sprintf(", %d aren't asked here", n)
		}
		out.Add(finding.New(finding.AccessTestAsked, resource.Ref{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindAccessTest, Name: name}, "", "%s", text))
	}
	return out
}

var testRules = map[accesstest.Status]finding.ID{
	accesstest.Failed: finding.AccessTestFailed,
	accesstest.Wrong:  finding.AccessTestMissing,
}

// testMessage says who asked whom for what, what became of it, and why it mustn't.
func testMessage(r accesstest.Result) string {
	if r.Status == accesstest.Wrong {
		return r.Text
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s", r.Case.From, r.Request.To)
	if r.Request.Port != 0 {
		fmt.Fprintf(&b, ", port %d", r.Request.Port)
	}
	if r.Host != "" {
		fmt.Fprintf(&b, ", host %q", r.Host)
	}
	fmt.Fprintf(&b, " (%s): %s", r.Profile, r.Text)
	if r.Case.Reason != "" {
		fmt.Fprintf(&b, "; %s", strings.TrimSuffix(r.Case.Reason, "."))
	}
	return b.String()
}
