package validation_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"istio.io/istio/pkg/config"
	"istio.io/istio/pkg/config/crd"
	"istio.io/istio/pkg/config/schema/collections"
	"istio.io/istio/pkg/config/schema/resource"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// judges hold what is expensive to make.
type judges struct{ definitions *crd.Validator }

// newJudges reads the definitions that Istio installs, and those of the Gateway API.
func newJudges(tb testing.TB) judges {
	tb.Helper()
	gatewayAPI, err := filepath.Glob(filepath.Join(moduleDir(tb, "sigs.k8s.io/gateway-api"), "config/crd/standard/gateway.networking.k8s.io_*.yaml"))
	require.NoError(tb, err)
	require.NotEmpty(tb, gatewayAPI)
	files := append(gatewayAPI, filepath.Join(moduleDir(tb, "istio.io/api"), "kubernetes/customresourcedefinitions.gen.yaml"))
	definitions, err := crd.NewValidatorFromFilesWithOptions(files, crd.WithoutCRDValidation())
	require.NoError(tb, err)
	return judges{definitions}
}

// judge returns what is wrong with an object, a line for each judge that says so.
func (j judges) judge(o object) []string {
	var out []string
	for _, judge := range []struct {
		name string
		ask  func(object) error
	}{{"API server", j.server}, {"metadata", metadata}, {"istiod", webhook}} {
		if err := judge.ask(o); err != nil {
			out = append(out, fmt.Sprintf("%s: %s: %s", o, judge.name, strings.Join(strings.Fields(err.Error()), " ")))
		}
	}
	return out
}

// server asks as an API server does that is told to be strict: the types, patterns and rules of the
// schema, and no field that the schema lacks.
func (j judges) server(o object) error {
	return j.definitions.ValidateCustomResource(o.DeepCopy())
}

// metadata asks of the part that no definition spells out.
func metadata(o object) error {
	var typed struct {
		metav1.TypeMeta   `json:",inline"`
		metav1.ObjectMeta `json:"metadata"`
		Spec              json.RawMessage `json:"spec"`
		Status            json.RawMessage `json:"status"`
	}
	if err := strict(o.Object, &typed); err != nil {
		return err
	}
	if typed.Namespace == "" { // what kustomize or kubectl sets it to
		typed.Namespace = metav1.NamespaceDefault
	}
	return apivalidation.ValidateObjectMeta(&typed.ObjectMeta, true, apivalidation.NameIsDNSSubdomain, field.NewPath("metadata")).ToAggregate()
}

// webhook asks as istiod's admission webhook does, but of a spec that was decoded strictly. What the
// webhook only warns of is an error here.
func webhook(o object) error {
	gvk := o.GroupVersionKind()
	schema, ok := collections.All.FindByGroupVersionAliasesKind(resource.FromKubernetesGVK(&gvk))
	if !ok {
		return fmt.Errorf("%s is no kind of Istio's", gvk)
	}
	spec, err := schema.NewInstance()
	if err != nil {
		return err
	}
	js, err := json.Marshal(o.Object["spec"])
	if err != nil {
		return err
	}
	if err := config.ApplyJSONStrict(spec, string(js)); err != nil {
		return err
	}
	namespace := o.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	warning, err := schema.ValidateConfig(config.Config{
		Meta: config.Meta{
			GroupVersionKind: schema.GroupVersionKind(), Name: o.GetName(), Namespace: namespace,
			Labels: o.GetLabels(), Annotations: o.GetAnnotations(),
		},
		Spec: spec,
	})
	if err == nil && warning != nil {
		return fmt.Errorf("warning: %w", warning)
	}
	return err
}

func strict(from, to any) error {
	js, err := json.Marshal(from)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(js))
	decoder.DisallowUnknownFields()
	return decoder.Decode(to)
}
