package authz

import (
	"fmt"

	securityv1beta1 "istio.io/api/security/v1beta1"

	"github.com/ringfence-dev/ringfence/pkg/access/truth"
)

// condition is one field of a rule: one of values holds, where there are any, and
// none of notValues does.
type condition struct {
	path              string
	values, notValues []matcher
}

func (c condition) holds(r *Request) truth.Value {
	is := func(m matcher) truth.Value { return m(r) }
	out := truth.Yes
	if len(c.values) > 0 {
		out = truth.Any(c.values, is)
	}
	if len(c.notValues) > 0 {
		out = min(out, truth.Not(truth.Any(c.notValues, is)))
	}
	return out
}

// rule is a policy's rule as translated for one kind of port.
type rule struct {
	path string
	// One of the sources and one of the operations must hold, each with all its conditions.
	sources, operations [][]condition
}

func (r rule) holds(request *Request) truth.Value {
	all := func(list []condition) truth.Value {
		return truth.All(list, func(c condition) truth.Value { return c.holds(request) })
	}
	return min(truth.Any(r.sources, all), truth.Any(r.operations, all))
}

// translation is how Istio turns rules of one action into a filter for one kind of port.
type translation struct {
	trust Trust
	// own is the namespace of the policy.
	own string
	// http says that the proxy reads HTTP on the port.
	http bool
	// allow says that the action is ALLOW. There, a rule with a field that the filter
	// can't have is left out whole; for every other action the field is, so that the
	// rule means more.
	allow bool
}

// skippedError says why a rule is left out.
type skippedError struct{ path, reason string }

func (e *skippedError) Error() string { return e.path + ": " + e.reason }

// written is a field with its values as a policy has them.
type written struct {
	path, name        string
	field             field
	values, notValues []string
}

func (t translation) rule(path string, in *securityv1beta1.Rule) (rule, error) {
	out := rule{path: path}
	var sources, operations []condition
	for i, when := range in.GetWhen() {
		at := fmt.Sprintf("%s.when[%d]", path, i)
		f, operation, ok := conditionField(when.GetKey())
		if !ok {
			return rule{}, &skippedError{at, fmt.Sprintf("there is no key %q", when.GetKey())}
		}
		list, err := t.conditions(written{at, when.GetKey(), f, when.GetValues(), when.GetNotValues()})
		if err != nil {
			return rule{}, err
		}
		if operation {
			operations = append(operations, list...)
		} else {
			sources = append(sources, list...)
		}
	}
	for i, from := range in.GetFrom() {
		list, err := t.conditions(sourceFields(fmt.Sprintf("%s.from[%d].source", path, i), from.GetSource())...)
		if err != nil {
			return rule{}, err
		}
		out.sources = append(out.sources, append(list, sources...))
	}
	for i, to := range in.GetTo() {
		list, err := t.conditions(operationFields(fmt.Sprintf("%s.to[%d].operation", path, i), to.GetOperation())...)
		if err != nil {
			return rule{}, err
		}
		out.operations = append(out.operations, append(list, operations...))
	}
	if len(out.sources) == 0 {
		out.sources = [][]condition{sources}
	}
	if len(out.operations) == 0 {
		out.operations = [][]condition{operations}
	}
	return out, nil
}

func sourceFields(at string, s *securityv1beta1.Source) []written {
	return []written{
		{at + ".principals", "", sourcePrincipal, s.GetPrincipals(), s.GetNotPrincipals()},
		{at + ".requestPrincipals", "", requestPrincipal, s.GetRequestPrincipals(), s.GetNotRequestPrincipals()},
		{at + ".serviceAccounts", "", sourceAccount, s.GetServiceAccounts(), s.GetNotServiceAccounts()},
		{at + ".trustDomains", "", sourceDomain, s.GetTrustDomains(), s.GetNotTrustDomains()},
		{at + ".namespaces", "", sourceNamespace, s.GetNamespaces(), s.GetNotNamespaces()},
		{at + ".ipBlocks", "", sourceIP, s.GetIpBlocks(), s.GetNotIpBlocks()},
		{at + ".remoteIpBlocks", "", remoteIP, s.GetRemoteIpBlocks(), s.GetNotRemoteIpBlocks()},
	}
}

func operationFields(at string, o *securityv1beta1.Operation) []written {
	return []written{
		{at + ".hosts", "", requestHost, o.GetHosts(), o.GetNotHosts()},
		{at + ".methods", "", requestMethod, o.GetMethods(), o.GetNotMethods()},
		{at + ".paths", "", requestPath, o.GetPaths(), o.GetNotPaths()},
		{at + ".ports", "", destinationPort, o.GetPorts(), o.GetNotPorts()},
	}
}

// conditions translates the fields that have values.
func (t translation) conditions(fields ...written) ([]condition, error) {
	var out []condition
	for _, w := range fields {
		if len(w.values)+len(w.notValues) == 0 {
			continue
		}
		c := condition{path: w.path}
		var err error
		if c.values, err = t.matchers(w, w.values); err != nil {
			return nil, err
		}
		if c.notValues, err = t.matchers(w, w.notValues); err != nil {
			return nil, err
		}
		if len(c.values)+len(c.notValues) > 0 {
			out = append(out, c)
		}
	}
	return out, nil
}

func (t translation) matchers(w written, values []string) ([]matcher, error) {
	var out []matcher
	for _, value := range values {
		expanded := []string{value}
		if w.field.expand != nil {
			expanded = w.field.expand(t.trust, value)
		}
		for _, text := range expanded {
			m, err := t.matcher(w, text)
			switch {
			case err != nil && t.allow:
				return nil, &skippedError{w.path, err.Error()}
			case err == nil:
				out = append(out, m)
			}
		}
	}
	return out, nil
}

func (t translation) matcher(w written, value string) (matcher, error) {
	if w.field.http && !t.http {
		return nil, errNoHTTP
	}
	return w.field.compile(w.name, value, t.own)
}
