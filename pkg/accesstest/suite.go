package accesstest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/authz"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/model"
)

// Suite is what cases are held against.
type Suite struct {
	Mesh *access.Mesh
	// Platform says which rung each destination is on, and who has no object here
	// because somebody else deploys it; nil where nothing but the objects is known.
	Platform *model.Platform
	// Profile is the rung of everything where there is no Platform.
	Profile model.Profile
	// Partial says that the objects aren't those of all owners: a case about somebody
	// who isn't among them may be another build's to ask.
	Partial bool
}

// Status is what became of a case.
type Status string

// The statuses.
const (
	// Passed says that the judge gives the answer that the case expects.
	Passed Status = "passed"
	// Failed says that it gives another one, or doesn't know.
	Failed Status = "failed"
	// Wrong says that the case can't be asked, for it names what isn't there.
	Wrong Status = "wrong"
	// Skipped says that the case isn't asked here, for a reason that is no fault.
	Skipped Status = "skipped"
)

// Result is what became of one case; of one with several hosts, of each of them.
type Result struct {
	Test string
	Case model.AccessCase
	// Profile is the rung whose answer was expected, Host the one that was asked for.
	Profile model.Profile
	Host    string
	Status  Status
	// Request and Verdict are those of a case that was asked.
	Request access.Request
	Verdict access.Verdict
	// Text says why it failed, is wrong or was skipped.
	Text string
}

// Run asks every case. The results have the order of the cases.
func (s Suite) Run(tests []model.AccessTest) []Result {
	var out []Result
	for _, t := range tests {
		for _, c := range t.Cases {
			out = append(out, s.run(t.Name, c)...)
		}
	}
	return out
}

func (s Suite) run(test string, c model.AccessCase) []Result {
	r := Result{Test: test, Case: c}
	end := func(status Status, text string) []Result {
		r.Status, r.Text = status, text
		return []Result{r}
	}
	to, status, text := s.workload(c.To, nil)
	r.Profile = s.rung(c.To, to)
	if c.Expect[r.Profile] == model.Unasked {
		return end(Skipped, fmt.Sprintf("it expects nothing where the destination is %s", r.Profile))
	}
	if status != Passed {
		return end(status, text)
	}
	from, status, text := s.source(c.From)
	if status != Passed {
		return end(status, text)
	}
	port, wrong := s.port(to, c.Port)
	switch {
	case wrong != "":
		return end(Wrong, wrong)
	case c.Request.HostRef != "" && len(c.Request.Hosts) == 0:
		return end(Wrong, fmt.Sprintf("no Environment's dns has the name %q of hostRef", c.Request.HostRef))
	case !c.LeadsTo.IsZero() && !to.Gateway:
		return end(Wrong, fmt.Sprintf("leadsTo is about what a gateway does, and %s is none", to))
	}
	r.Request = access.Request{From: from, To: to, Port: port}
	if c.Request.SNI != "" {
		r.Request.SNI = authz.Is(c.Request.SNI)
	}
	hosts := c.Request.Hosts
	if len(hosts) == 0 {
		hosts = []string{""}
	}
	var out []Result
	for _, host := range hosts {
		one := r
		one.Host, one.Request.HTTP = host, httpOf(c.Request, host)
		out = append(out, s.ask(one))
	}
	return out
}

func httpOf(r model.AccessRequest, host string) *authz.HTTP {
	if !r.HTTP() {
		return nil
	}
	text := func(s string) authz.Text {
		if s == "" {
			return authz.Text{}
		}
		return authz.Is(s)
	}
	out := &authz.HTTP{Host: text(host), Method: text(r.Method), Path: text(r.Path)}
	if r.Headers != nil {
		out.Headers = map[string]authz.Text{}
		for name, value := range r.Headers {
			out.Headers[name] = authz.Is(value)
		}
	}
	if r.NoToken {
		out.Token = authz.NoToken()
	}
	return out
}

var answers = map[truth.Value]model.Answer{truth.Yes: model.Allowed, truth.No: model.Denied, truth.Unknown: model.Unknown}

// ask judges a request that is whole.
func (s Suite) ask(r Result) Result {
	r.Verdict = s.Mesh.Through(r.Request)
	want, got := r.Case.Expect[r.Profile], answers[r.Verdict.Allowed]
	if want != got {
		r.Status, r.Text = Failed, fmt.Sprintf("it must be %s and is %s: %s", want, got, Because(r.Verdict))
		return r
	}
	if !r.Case.LeadsTo.IsZero() && got != model.Denied {
		for _, hop := range r.Verdict.Hops {
			if ref := hop.Request.To.Ref; !names(r.Case.LeadsTo, ref.Kind, ref.Namespace, ref.Name) {
				r.Status, r.Text = Failed, fmt.Sprintf("it must lead to %s and leads to %s", r.Case.LeadsTo, hop.Request.To)
				return r
			}
		}
		if len(r.Verdict.Hops) == 0 {
			r.Status, r.Text = Failed, fmt.Sprintf("it must lead to %s, and where it leads isn't known: %s", r.Case.LeadsTo, Because(r.Verdict))
			return r
		}
	}
	r.Status = Passed
	return r
}

func names(n model.ObjectName, kind, namespace, name string) bool {
	return n.Namespace == namespace && n.Name == name && (n.Kind == "" || strings.EqualFold(n.Kind, kind))
}

// Because says what decided a verdict, in a sentence: the step that says the same
// as the whole, of a hop where only that says it.
func Because(v access.Verdict) string {
	for _, steps := range [][]access.Step{v.Steps, hopSteps(v)} {
		for _, step := range slices.Backward(steps) {
			if step.Allowed == v.Allowed {
				return step.String()
			}
		}
	}
	return "what may decide says different things"
}

func hopSteps(v access.Verdict) []access.Step {
	var out []access.Step
	for _, hop := range v.Hops {
		if hop.Verdict.Allowed == v.Allowed {
			out = append(out, hop.Verdict.Steps...)
		}
	}
	return out
}
