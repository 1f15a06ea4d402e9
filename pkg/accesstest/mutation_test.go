package accesstest_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/access"
	"github.com/ringfence-dev/ringfence/pkg/access/truth"
	"github.com/ringfence-dev/ringfence/pkg/accesstest"
	"github.com/ringfence-dev/ringfence/pkg/model"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// TestDeniedCasesBite takes away what decides that a case of the example is denied,
// object by object: then it is allowed, so that the denial hung on these and on
// nothing else, such as a slip in a name.
func TestDeniedCasesBite(t *testing.T) {
	e := readExample(t, "staging")
	for _, r := range e.run(t, nil) {
		if r.Case.Expect[model.Enforced] != model.Denied {
			continue
		}
		t.Run(r.Case.Name, func(t *testing.T) {
			var gone []resource.Ref
			v := r.Verdict
			for v.Allowed == truth.No && len(gone) < 10 {
				deciding := e.deciding(t, r, v, gone)
				require.NotEmpty(t, deciding, "nothing decides after %v: %v", gone, v.Steps)
				gone = append(gone, deciding...)
				v = e.judge(t, r, gone)
			}
			assert.Equal(t, truth.Yes, v.Allowed, "without %v: %v", gone, v.Steps)
			for _, ref := range gone {
				assert.Equal(t, "security.istio.io", ref.Group(), "it hangs on %s, which is no policy", ref)
			}
		})
	}
}

// TestAllowedCasesBite takes the caller, the port and the host out of the policies
// that a case of the example is allowed by, one at a time: then it is denied.
func TestAllowedCasesBite(t *testing.T) {
	e := readExample(t, "staging")
	bitten := map[string]int{}
	for _, r := range e.run(t, nil) {
		if r.Case.Expect[model.Enforced] != model.Allowed {
			continue
		}
		t.Run(r.Case.Name, func(t *testing.T) {
			n := 0
			for _, what := range []string{"principals", "values", "ports", "hosts"} {
				changed := e.without(t, r, what)
				if changed == nil {
					continue
				}
				n++
				bitten[what]++
				got := e.run(t, changed)
				at := slices.IndexFunc(got, func(o accesstest.Result) bool { return o.Case.Name == r.Case.Name && o.Host == r.Host })
				assert.Equal(t, accesstest.Failed, got[at].Status, "without its %s it is still allowed", what)
				assert.Contains(t, got[at].Text, "it must be Allowed and is Denied")
			}
			assert.Positive(t, n, "nothing that admits it could be taken away")
		})
	}
	assert.Len(t, bitten, 4, "each kind of mutation has a case: %v", bitten)
}

// deciding returns what denies: the object that a verdict names, else the ALLOW
// policies none of whose rules match.
func (e *example) deciding(t *testing.T, r accesstest.Result, v access.Verdict, gone []resource.Ref) []resource.Ref {
	t.Helper()
	last := v.Steps[len(v.Steps)-1]
	if !last.Object.IsZero() {
		return []resource.Ref{last.Object}
	}
	var out []resource.Ref
	for _, o := range e.set(t, nil, gone).Kind("security.istio.io", "AuthorizationPolicy") {
		match, _ := resource.Field(o.Content(), "spec", "selector", "matchLabels")
		labels := map[string]string{}
		if match, ok := match.(map[string]any); ok {
			for key, value := range match {
				labels[key], _ = value.(string)
			}
		}
		if o.Ref().Namespace == r.Request.To.Ref.Namespace && (len(labels) == 0 || resource.Selects(labels, r.Request.To.Labels())) {
			out = append(out, o.Ref())
		}
	}
	return out
}

// without returns the objects with the caller, port or host of a request taken out
// of the rule that admits it; nil where the rule says nothing of it. "values" are
// those of a condition, by which Kubeflow admits a namespace.
func (e *example) without(t *testing.T, r accesstest.Result, what string) []map[string]any {
	t.Helper()
	principal := ""
	if w := r.Request.From.Workload; w != nil {
		principal = w.Principal()
	}
	lost := func(value string) bool { return false }
	switch what {
	case "principals":
		lost = func(value string) bool { return value == principal }
	case "values":
		lost = func(value string) bool { return strings.Contains(principal, "/ns/"+value+"/") }
	case "ports":
		lost = func(value string) bool { return value == strconv.Itoa(int(r.Request.Port)) }
	case "hosts":
		asked, _, _ := strings.Cut(r.Host, ":")
		lost = func(value string) bool { host, _, _ := strings.Cut(value, ":"); return host == asked }
	}
	at := slices.IndexFunc(r.Verdict.Steps, func(s access.Step) bool { return s.Stage == access.Authorize })
	require.GreaterOrEqual(t, at, 0)
	step := r.Verdict.Steps[at]
	objects := e.objects(t)
	for _, o := range objects {
		if (&source{o}).Ref().Key() != step.Object.Key() {
			continue
		}
		spec, _ := o["spec"].(map[string]any)
		rules, _ := spec["rules"].([]any)
		var n int
		_, err := fmt.Sscanf(step.Field, "spec.rules[%d]", &n)
		require.NoError(t, err)
		if !pruned(rules[n], what, lost) {
			return nil
		}
		if emptied(rules[n], what) { // an empty list would be no condition at all
			rules = slices.Delete(rules, n, n+1)
		}
		spec["rules"] = rules
		if len(rules) == 0 {
			delete(spec, "rules") // an ALLOW policy without rules admits nobody
		}
		return objects
	}
	require.Fail(t, "no object decides", "%v", step)
	return nil
}

// pruned takes values out of the lists of a field, wherever in a rule.
func pruned(rule any, field string, lost func(string) bool) bool {
	out := false
	walk(rule, func(content map[string]any) {
		list, _ := content[field].([]any)
		left := slices.DeleteFunc(slices.Clone(list), func(v any) bool {
			text, _ := v.(string)
			return lost(text)
		})
		if len(left) != len(list) {
			content[field], out = left, true
		}
	})
	return out
}

func emptied(rule any, field string) bool {
	out := false
	walk(rule, func(content map[string]any) {
		if list, ok := content[field].([]any); ok && len(list) == 0 {
			out = true
		}
	})
	return out
}

func walk(value any, visit func(map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		visit(value)
		for _, child := range value {
			walk(child, visit)
		}
	case []any:
		for _, child := range value {
			walk(child, visit)
		}
	}
}
