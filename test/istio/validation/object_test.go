package validation_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// object is one document: where it stands, and its text.
type object struct {
	where string
	text  []byte
	unstructured.Unstructured
}

func (o object) String() string {
	return fmt.Sprintf("%s: %s %s/%s", o.where, o.GetKind(), o.GetNamespace(), o.GetName())
}

// istio reports whether a group is one of Istio's, or of the Gateway API that Istio implements.
func istio(group string) bool {
	return strings.HasSuffix(group, ".istio.io") || group == "gateway.networking.k8s.io"
}

// decode reads a document; a key that stands in it twice is an error.
func decode(where string, text []byte) (object, error) {
	o := object{where: where, text: text}
	js, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return o, fmt.Errorf("%s: %w", where, err)
	}
	if err := o.UnmarshalJSON(js); err != nil {
		return o, fmt.Errorf("%s: %w", where, err)
	}
	return o, nil
}

// documents splits a stream of YAML into its documents, without those that are empty.
func documents(tb testing.TB, text []byte) [][]byte {
	tb.Helper()
	var out [][]byte
	for reader := kubeyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(tb, err)
		var content any
		if yaml.Unmarshal(document, &content) == nil && content == nil {
			continue
		}
		out = append(out, document)
	}
}

// istioObjects returns the objects of a stream of YAML that are Istio's.
func istioObjects(tb testing.TB, where string, text []byte) []object {
	tb.Helper()
	var out []object
	for _, document := range documents(tb, text) {
		var head struct {
			APIVersion string `json:"apiVersion"`
		}
		require.NoError(tb, yaml.Unmarshal(document, &head), where)
		version, err := schema.ParseGroupVersion(head.APIVersion)
		require.NoError(tb, err, where)
		if !istio(version.Group) {
			continue
		}
		o, err := decode(where, document)
		require.NoError(tb, err)
		out = append(out, o)
	}
	return out
}
