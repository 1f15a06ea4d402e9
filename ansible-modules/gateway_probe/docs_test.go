package gatewayprobe

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/ringfence-dev/ringfence/internal/ansible"
)

// TestResultIsDocumented: every value of a result has its documentation, and the other way round.
func TestResultIsDocumented(t *testing.T) {
	gateway := at(t, "edge", listen(t), object{"hosts": []string{"shop.example.org"}})
	out := call(t, object{"gateways": []any{gateway, object{"name": "gone", "deployed": false}}, "expect_rejection": false})
	var compare func(path string, documented []ansible.Return, values ...object)
	compare = func(path string, documented []ansible.Return, values ...object) {
		for _, r := range documented {
			found := false
			for _, value := range values {
				v, ok := value[r.Name]
				found = found || ok
				var entries []object
				if list, isList := v.([]any); isList && r.Elements == ansible.Dict {
					for _, e := range list {
						entries = append(entries, as[object](t, e))
					}
				}
				if len(entries) > 0 {
					compare(path+r.Name+".", r.Contains, entries...)
				}
			}
			assert.True(t, found, "%s%s is documented and never returned", path, r.Name)
		}
		for _, value := range values {
			for name := range value {
				assert.True(t, slices.ContainsFunc(documented, func(r ansible.Return) bool { return r.Name == name }) ||
					path == "" && slices.Contains(ansible.Reserved, name), "%s%s is returned and not documented", path, name)
			}
		}
	}
	compare("", Module.Returns, out)
}

// TestExamples: the examples are tasks whose arguments the module takes.
func TestExamples(t *testing.T) {
	var tasks []object
	require.NoError(t, yaml.Unmarshal([]byte(Module.Examples), &tasks))
	known := func(options []ansible.Option, args object) {
		for name := range args {
			assert.True(t, slices.ContainsFunc(options, func(o ansible.Option) bool { return o.Name == name }), name)
		}
	}
	probes := 0
	for _, task := range tasks {
		args, ok := task["ringfence.mesh.gateway_probe"].(object)
		if !ok {
			continue
		}
		probes++
		known(Module.Options, args)
		for _, gateway := range as[[]any](t, args["gateways"]) {
			known(gatewaysOption.Options, as[object](t, gateway))
		}
	}
	assert.Positive(t, probes)
}
