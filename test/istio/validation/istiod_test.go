package validation_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"istio.io/istio/pkg/config/mesh"
	"istio.io/istio/pkg/kube/inject"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// istiod is what an installation of Istio brings into a cluster, from the manifest that Istio's own
// tests hold its charts against.
type istiod struct {
	// objects are those that the analyzers look at.
	objects   file
	webhooks  []admissionv1.MutatingWebhook
	templates inject.Config
	values    inject.ValuesConfig
}

func newIstiod(tb testing.TB) istiod {
	tb.Helper()
	const rendered = "operator/cmd/mesh/testdata/manifest-generate/output/pilot_default.golden.yaml"
	i := istiod{objects: file{name: "istiod", text: []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: istio-system}\n")}}
	for _, document := range documents(tb, read(tb, filepath.Join(moduleDir(tb, "istio.io/istio"), rendered))) {
		o, err := decode(rendered, document)
		require.NoError(tb, err)
		switch o.GetKind() + " " + o.GetName() {
		case "MutatingWebhookConfiguration istio-sidecar-injector":
			var webhooks admissionv1.MutatingWebhookConfiguration
			require.NoError(tb, yaml.Unmarshal(document, &webhooks))
			i.webhooks = webhooks.Webhooks
		case "ConfigMap istio-sidecar-injector":
			var settings corev1.ConfigMap
			require.NoError(tb, yaml.Unmarshal(document, &settings))
			i.templates, err = inject.UnmarshalConfig([]byte(settings.Data["config"]))
			require.NoError(tb, err)
			i.values, err = inject.NewValuesConfig(settings.Data["values"])
			require.NoError(tb, err)
		case "Service istiod":
		default:
			continue
		}
		i.objects.text = bytes.Join([][]byte{i.objects.text, document}, []byte("\n---\n"))
	}
	require.Len(tb, i.webhooks, 4)
	require.NotEmpty(tb, i.templates.Templates)
	return i
}

// inject returns a pod as it leaves the webhooks, which look at its labels and its namespace's.
func (i istiod) inject(tb testing.TB, pod *corev1.Pod, namespace labels.Set) *corev1.Pod {
	tb.Helper()
	matches := func(selector *metav1.LabelSelector, set labels.Set) bool {
		s, err := metav1.LabelSelectorAsSelector(selector)
		require.NoError(tb, err)
		return s.Matches(set)
	}
	for _, webhook := range i.webhooks {
		if !matches(webhook.NamespaceSelector, namespace) || !matches(webhook.ObjectSelector, pod.Labels) {
			continue
		}
		warn := func(text string) { tb.Error(text) }
		out, err := inject.IntoObject(nil, i.templates.Templates, i.values, "default", mesh.DefaultMeshConfig(), pod, warn)
		require.NoError(tb, err)
		return out.(*corev1.Pod)
	}
	return pod
}
