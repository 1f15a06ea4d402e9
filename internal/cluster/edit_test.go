package cluster

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ringfence-dev/ringfence/pkg/resource"
)

func TestSet(t *testing.T) {
	cases := map[string]struct {
		content string
		path    resource.Path
		value   any
		want    string
		err     string
	}{
		"changes-a-field":                 {`{"a":{"b":1}}`, resource.Path{"a", "b"}, "x", `{"a":{"b":"x"}}`, ""},
		"makes-what-leads-to-it":          {`{}`, resource.Path{"a", "b", "c"}, "x", `{"a":{"b":{"c":"x"}}}`, ""},
		"makes-a-list":                    {`{}`, resource.Path{"env", resource.Append}, "x", `{"env":["x"]}`, ""},
		"appends":                         {`{"env":["a"]}`, resource.Path{"env", resource.Append}, "x", `{"env":["a","x"]}`, ""},
		"changes-an-entry":                {`{"env":[{"v":1},{"v":2}]}`, resource.Path{"env", "1", "v"}, "x", `{"env":[{"v":1},{"v":"x"}]}`, ""},
		"removes-a-field":                 {`{"a":{"b":1,"c":2}}`, resource.Path{"a", "b"}, nil, `{"a":{"c":2}}`, ""},
		"removes-what-it-leaves-empty":    {`{"a":{"b":{"c":1}},"d":1}`, resource.Path{"a", "b", "c"}, nil, `{"d":1}`, ""},
		"removes-an-entry":                {`{"a":[1,2,3]}`, resource.Path{"a", "1"}, nil, `{"a":[1,3]}`, ""},
		"removes-nothing-where-none-is":   {`{"a":1}`, resource.Path{"b", "c"}, nil, `{"a":1}`, ""},
		"keeps-an-empty-mapping-of-other": {`{"a":{"b":1},"e":{}}`, resource.Path{"a", "b"}, nil, `{"e":{}}`, ""},
		"fills-a-null":                    {`{"a":null}`, resource.Path{"a", "b"}, "x", `{"a":{"b":"x"}}`, ""},
		"refuses-a-scalar-parent":         {`{"a":1}`, resource.Path{"a", "b"}, "x", "", "b: its parent is no mapping"},
		"refuses-an-entry-beyond-the-end": {`{"a":[1]}`, resource.Path{"a", "3"}, "x", "", "[3]: there is no such entry in a list of 1"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var content map[string]any
			require.NoError(t, json.Unmarshal([]byte(c.content), &content))
			got, err := set(content, c.path, c.value)
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			text, err := json.Marshal(got)
			require.NoError(t, err)
			assert.JSONEq(t, c.want, string(text))
		})
	}
}
