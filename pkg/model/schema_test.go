package model_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	"github.com/ringfence-dev/ringfence/api/v1alpha1/schema"
	"github.com/ringfence-dev/ringfence/pkg/finding"
)

// schemas are compiled once.
var schemas = sync.OnceValues(func() (map[string]*jsonschema.Schema, error) {
	out := map[string]*jsonschema.Schema{}
	for _, name := range schema.Names() {
		data, _ := schema.Of(name)
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		compiler := jsonschema.NewCompiler()
		if err := compiler.AddResource(name, document); err != nil {
			return nil, err
		}
		if out[name], err = compiler.Compile(name); err != nil {
			return nil, err
		}
	}
	return out, nil
})

// validate returns what the schema of a kind says of a YAML text, nil where it
// accepts it. known is false where the text is nothing that JSON could say.
func validate(t *testing.T, kind string, text []byte) (known bool, verdict error) {
	t.Helper()
	compiled, err := schemas()
	require.NoError(t, err)
	var value any
	err = yaml.Unmarshal(text, &value)
	data, unsayable := json.Marshal(value)
	if known = err == nil && unsayable == nil; !known {
		return known, nil
	}
	value, err = jsonschema.UnmarshalJSON(bytes.NewReader(data))
	require.NoError(t, err)
	return true, compiled[strings.ToLower(kind)].Validate(value)
}

// requireAgreement checks that what the schema of a kind refuses Parse refuses,
// and that the schema refuses what is wrong in structure.
func requireAgreement(t *testing.T, kind string, text []byte, findings finding.List) {
	t.Helper()
	known, verdict := validate(t, kind, text)
	if !known {
		return
	}
	refused, structural := false, false
	for _, f := range findings {
		if f.Object.Kind != kind && f.Rule != finding.InputUnreadable { // what has no kind is unreadable
			continue
		}
		refused = refused || f.Severity == finding.Error
		switch {
		case f.Rule == finding.InputUnknownField || strings.HasSuffix(f.Message, "it is required"):
			structural = true
		case f.Rule == finding.InputWrongType: // a schema knows no YAML
			structural = structural || !strings.Contains(f.Message, "some readers") && !strings.Contains(f.Message, "the key ") &&
				!strings.Contains(f.Message, "port number") && !strings.Contains(f.Message, " a date ") && !strings.Contains(f.Message, "of type !")
		}
	}
	if verdict != nil {
		assert.True(t, refused, "the schema refuses what Parse accepts: %v", verdict)
	}
	if structural {
		assert.Error(t, verdict, "the schema accepts what is wrong in structure: %v", said(findings))
	}
}

func TestSchemaAcceptsTheOverlays(t *testing.T) {
	files, err := filepath.Glob(platformDir + "/*/*.yaml")
	require.NoError(t, err)
	more, err := filepath.Glob(platformDir + "/environments/*/environment.yaml")
	require.NoError(t, err)
	checked := 0
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, kind := range []string{"AccessModel", "Environment", "Ringfence"} {
			if bytes.Contains(text, []byte("\nkind: "+kind+"\n")) {
				known, verdict := validate(t, kind, text)
				require.True(t, known)
				require.NoError(t, verdict, file)
				checked++
			}
		}
	}
	require.Greater(t, checked, 5)
}

func TestSchemaOfAFunctionConfig(t *testing.T) {
	valid := "apiVersion: ringfence.dev/v1alpha1\nkind: Ringfence\nmetadata: {name: ringfence}\nspec: {owner: shop, components: [security-baseline], model: {metadata: {name: a}, spec: {owners: []}}}\n"
	_, verdict := validate(t, "Ringfence", []byte(valid))
	require.NoError(t, verdict)
	for _, e := range []edit{{"owner: shop, ", ""}, {"owner: shop", "owner: 1"}, {"components", "component"}, {"owners: []", "owners: {}"}, {"{name: a}", "{}"}, {"kind: Ringfence", "kind: AccessModel"}, {"v1alpha1", "v1"}, {"name: ringfence", "name: A"}} {
		known, verdict := validate(t, "Ringfence", edited(t, valid, []edit{e}))
		require.True(t, known)
		require.Error(t, verdict, "%v", e)
	}
	require.Equal(t, []string{"accessmodel", "accesstest", "environment", "ringfence"}, schema.Names())
	_, known := schema.Of("configmap")
	require.False(t, known)
}
