package profileparity

import (
	"github.com/ringfence-dev/ringfence/internal/ansible"
	"github.com/ringfence-dev/ringfence/pkg/finding"
	"github.com/ringfence-dev/ringfence/pkg/parity"
	"github.com/ringfence-dev/ringfence/pkg/resource"
)

// readable is when the module came so far as to compare.
const readable = "when the input and the rendered files could be read"

func always(name string, t ansible.Type, description string) ansible.Return {
	return ansible.Return{Name: name, Type: t, Returned: "always", Description: []string{description}}
}

func where(condition, name string, t ansible.Type, description string) ansible.Return {
	return ansible.Return{Name: name, Type: t, Returned: condition, Description: []string{description}}
}

func count(name, description string) ansible.Return { return always(name, ansible.Int, description) }

var objectReturn = ansible.Return{
	Name: "object", Type: ansible.Dict, Returned: "where it is about one", Description: []string{"The object; where something is missing, the one that would be there."},
	Contains: []ansible.Return{
		always("api_version", ansible.String, "The API version."), always("kind", ansible.String, "The kind."),
		always("namespace", ansible.String, "The namespace; empty for what has none."), always("name", ansible.String, "The name."),
	},
}

var placeReturns = []ansible.Return{
	objectReturn,
	where("where it is about one", "field", ansible.String, "The path of the field, or the parameter."),
	where("where it is known", "file", ansible.String, "The file."),
	where("where it is known", "line", ansible.Int, "The line on which the object begins in the file."),
}

var returns = []ansible.Return{
	{
		Name: "profile", Type: ansible.Dict, Returned: readable, Description: []string{"The security profile on both sides."},
		Contains: []ansible.Return{
			always("inventory", ansible.String, "The profile by the inventory, or by O(environment) where the inventory says none."),
			always("rendered", ansible.String, "The profile by what is rendered. V(mixed) where none makes all of it, V(unknown) where nothing tells one from another; "+
				"several names with V(or) between them where nothing tells these apart and the inventory's is none of them."),
			{
				Name: "evidence", Type: ansible.List, Elements: ansible.Dict, Returned: "always", Description: []string{"What tells, in the model's order."},
				Contains: append([]ansible.Return{
					always("entry", ansible.String, "The entry of the model, such as V(workload web)."),
					always("aspect", ansible.String, "V(enrollment) or V(enforcement)."),
					always("holds", ansible.Bool, "Whether the entry is enrolled, or enforced."),
					always("reason", ansible.String, "What is there, in words."),
				}, placeReturns...),
			},
		},
	},
	{
		Name: "disagreements", Type: ansible.List, Elements: ansible.Dict, Returned: readable,
		Description: []string{"What disagrees, and what can't be compared; the same stands in C(msg), a line each."},
		Contains: append([]ansible.Return{
			{Name: "rule", Type: ansible.String, Returned: "always", Description: []string{"The rule's ID."}, Sample: string(finding.ParityHost)},
			always("severity", ansible.String, "V(error) or V(warning); a warning fails the task with O(strict)."),
			always("message", ansible.String, "What is wrong."),
			always("remedy", ansible.String, "What to do."),
			where("where there is one", "rendered", ansible.Raw, "What is rendered, or what O(environment) says."),
			where("where there is one", "inventory", ansible.Raw, "What it would be by the inventory."),
		}, placeReturns...),
	},
	{
		Name: "checked", Type: ansible.Dict, Returned: readable, Description: []string{"How many of each were there to be compared."},
		Contains: []ansible.Return{
			count("workloads", "Workloads of the model."), count("gateways", "Gateways of the model."),
			count("routes", "Gateways and VirtualServices that hold their hosts."), count("host_policies", "Policies of gateways that are enforced."),
			count("consumers", "Environment variables that hold a derived value."), count("principals", "Principals in policies."),
			count("images", "Images of Istio."), count("charts", "Charts of Istio."),
		},
	},
	ansible.FindingsReturn,
}

func profileValue(p parity.Profile) map[string]any {
	evidence := []any{}
	for _, e := range p.Evidence {
		value := placeValue(e.Object, e.Field, e.File, e.Line)
		value["entry"], value["aspect"], value["holds"], value["reason"] = e.Entry, string(e.Aspect), e.Holds, e.Reason
		evidence = append(evidence, value)
	}
	return map[string]any{"inventory": p.Inventory.String(), "rendered": p.Rendered, "evidence": evidence}
}

func disagreementValues(findings finding.List) []any {
	out := []any{}
	for _, f := range findings {
		value := placeValue(f.Object, f.Field, f.File, f.Line)
		value["rule"], value["severity"], value["message"], value["remedy"] = string(f.Rule), f.Severity.String(), f.Message, f.Remedy
		if f.Current != nil {
			value["rendered"] = f.Current
		}
		if f.Proposed != nil {
			value["inventory"] = f.Proposed
		}
		out = append(out, value)
	}
	return out
}

func placeValue(object resource.Ref, field, file string, line int) map[string]any {
	out := map[string]any{}
	if !object.IsZero() {
		out["object"] = map[string]any{"api_version": object.APIVersion, "kind": object.Kind, "namespace": object.Namespace, "name": object.Name}
	}
	if field != "" {
		out["field"] = field
	}
	if file != "" {
		out["file"] = file
	}
	if line > 0 {
		out["line"] = int64(line)
	}
	return out
}

func checkedValue(c parity.Checked) map[string]any {
	return map[string]any{
		"workloads": c.Workloads, "gateways": c.Gateways, "routes": c.Routes, "host_policies": c.HostPolicies,
		"consumers": c.Consumers, "principals": c.Principals, "images": c.Images, "charts": c.Charts,
	}
}
