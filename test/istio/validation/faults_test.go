package validation_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
)

// TestFaults shows the judges what is wrong, and each names those that have to say so.
func TestFaults(t *testing.T) {
	j := newJudges(t)
	policy := func(spec string) string {
		return "apiVersion: security.istio.io/v1\nkind: AuthorizationPolicy\nmetadata: {name: a, namespace: b}\nspec: " + spec
	}
	for name, c := range map[string]struct {
		text string
		want []string // what a complaint has to hold, one for each
	}{
		"right":                     {policy(`{rules: [{from: [{source: {principals: ["*"]}}]}]}`), nil},
		"misspelt-rules":            {policy(`{ruels: [{}]}`), []string{`API server: `, `unknown fields [spec.ruels]`, `istiod: `, `unknown field "ruels"`}},
		"misspelt-further-down":     {policy(`{rules: [{from: [{source: {principal: [a]}}]}]}`), []string{`unknown fields [spec.rules[0].from[0].source.principal]`, `unknown field "principal"`}},
		"misspelt-beside-the-spec":  {strings.Replace(policy(`{}`), "spec", "sepc", 1), []string{`unknown fields [sepc]`, `metadata: json: unknown field "sepc"`}},
		"misspelt-in-the-metadata":  {strings.Replace(policy(`{}`), "{name", "{label: {}, name", 1), []string{`metadata: json: unknown field "label"`}},
		"action-that-isn't-one":     {policy(`{action: PERMIT}`), []string{`API server: `, `Unsupported value: "PERMIT"`, `istiod: `}},
		"number-for-a-text":         {policy(`{rules: [{to: [{operation: {ports: [8080]}}]}]}`), []string{`API server: `, `must be of type string`, `istiod: `}},
		"range-that-isn't-one":      {policy(`{rules: [{from: [{source: {ipBlocks: [10.0.0.0/40]}}]}]}`), []string{`istiod: `, `bad CIDR range`}},
		"port-that-isn't-one":       {policy(`{rules: [{to: [{operation: {ports: ["http"]}}]}]}`), []string{`istiod: `, `bad port`}},
		"condition-unknown":         {policy(`{rules: [{when: [{key: request.header, values: [a]}]}]}`), []string{`istiod: `, `unknown attribute`}},
		"selector-and-target":       {policy(`{selector: {matchLabels: {a: b}}, targetRefs: [{group: "", kind: Service, name: c}]}`), []string{`API server: `, `only one of targetRefs or selector can be set`}},
		"label-that-isn't-one":      {strings.Replace(policy(`{}`), "{name", `{labels: {a: "b c"}, name`, 1), []string{`metadata: metadata.labels: Invalid value`}},
		"name-that-isn't-one":       {strings.Replace(policy(`{}`), "name: a", "name: A_b", 1), []string{`metadata: metadata.name: Invalid value`}},
		"version-that-isn't-one":    {strings.Replace(policy(`{}`), "/v1", "/v2", 1), []string{`API server: `, `no validator found`, `istiod: `, `no kind of Istio's`}},
		"kind-that-isn't-one":       {strings.Replace(policy(`{}`), "nPolicy", "nPolicies", 1), []string{`API server: `, `no validator found`, `istiod: `, `no kind of Istio's`}},
		"ports-without-a-selector":  {"apiVersion: security.istio.io/v1\nkind: PeerAuthentication\nmetadata: {name: a}\nspec: {portLevelMtls: {80: {mode: STRICT}}}", []string{`API server: `, `portLevelMtls requires selector`, `istiod: `}},
		"gateway-without-a-host":    {"apiVersion: networking.istio.io/v1\nkind: Gateway\nmetadata: {name: a}\nspec: {servers: [{port: {number: 80, name: http, protocol: HTTP}}]}", []string{`API server: `, `hosts: Required value`, `istiod: `}},
		"route-that-is-never-taken": {"apiVersion: networking.istio.io/v1\nkind: VirtualService\nmetadata: {name: a}\nspec: {hosts: [a], http: [{route: [{destination: {host: a}}]}, {route: [{destination: {host: b}}]}]}", []string{`istiod: warning: `}},
		"gateway-api-misspelt":      {"apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: a}\nspec: {parentRef: [{name: a}]}", []string{`unknown fields [spec.parentRef]`, `unknown field "parentRef"`}},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := decode(name, []byte(c.text))
			require.NoError(t, err)
			got := strings.Join(j.judge(o), "\n")
			assert.Equal(t, c.want == nil, got == "", got)
			for _, want := range c.want {
				assert.Contains(t, got, want)
			}
		})
	}
	t.Run("key-twice", func(t *testing.T) {
		_, err := decode("", []byte(policy("{action: ALLOW, action: DENY}")))
		assert.ErrorContains(t, err, `key "action" already set`)
	})
}

// TestMisspelt gives every field of every object that the project composes a misspelt twin, one at a
// time. The API server and istiod have to see each.
func TestMisspelt(t *testing.T) {
	j := newJudges(t)
	misspelt := 0
	for _, o := range compositions(t) {
		for _, at := range fields(o.Object["spec"], "spec") {
			wrong := object{where: o.where}
			wrong.Object = runtime.DeepCopyJSON(o.Object)
			addTwin(wrong.Object, at)
			misspelt++
			assert.ErrorContains(t, j.server(wrong), "unknown field", "%s %v", o, at)
			assert.ErrorContains(t, webhook(wrong), "unknown field", "%s %v", o, at)
		}
	}
	t.Logf("%d fields", misspelt)
	assert.Greater(t, misspelt, 500)
}

// fields returns the paths to the fields of a value, without the keys that a user may choose.
func fields(value any, path ...any) [][]any {
	var out [][]any
	switch value := value.(type) {
	case map[string]any:
		if name := path[len(path)-1]; name == "matchLabels" || name == "selector" && len(path) == 2 && value["matchLabels"] == nil {
			return nil
		}
		for key, v := range value {
			here := append(path[:len(path):len(path)], key)
			out = append(append(out, here), fields(v, here...)...)
		}
	case []any:
		for i, v := range value {
			out = append(out, fields(v, append(path[:len(path):len(path)], i)...)...)
		}
	}
	return out
}

// addTwin adds a field whose name has a letter more than the one that a path leads to.
func addTwin(content any, path []any) {
	for _, step := range path[:len(path)-1] {
		switch c := content.(type) {
		case map[string]any:
			content = c[step.(string)]
		case []any:
			content = c[step.(int)]
		}
	}
	parent, name := content.(map[string]any), fmt.Sprint(path[len(path)-1])
	parent[name+"x"] = parent[name]
}
