package validation_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// templates says where the template of a workload's pods lies in it.
var templates = map[string][]string{
	"Deployment":  {"spec", "template"},
	"StatefulSet": {"spec", "template"},
	"DaemonSet":   {"spec", "template"},
	"ReplicaSet":  {"spec", "template"},
	"Job":         {"spec", "template"},
	"CronJob":     {"spec", "jobTemplate", "spec", "template"},
}

// live returns files as a cluster holds them, which is what the analyzers know: with the defaults of
// Services, and with a pod for each workload, which has a proxy if istiod injects it.
func live(tb testing.TB, i istiod, files []file) []file {
	tb.Helper()
	namespaces := map[string]map[string]string{}
	each(tb, files, func(o object) {
		if o.GetKind() == "Namespace" {
			namespaces[o.GetName()] = o.GetLabels()
		}
	})
	var out []file
	for _, f := range files {
		var text bytes.Buffer
		each(tb, []file{f}, func(o object) {
			if o.GetKind() == "Service" {
				withDefaults(tb, o)
				write(tb, &text, o.Object)
			} else {
				text.Write(o.text)
			}
			if pod := podOf(tb, o); pod != nil {
				write(tb, &text, i.inject(tb, pod, namespaces[pod.Namespace]))
			}
			text.WriteString("\n---\n")
		})
		out = append(out, file{f.name, text.Bytes()})
	}
	return out
}

func each(tb testing.TB, files []file, do func(object)) {
	tb.Helper()
	for _, f := range files {
		for _, document := range documents(tb, f.text) {
			o, err := decode(f.name, document)
			require.NoError(tb, err)
			do(o)
		}
	}
}

func write(tb testing.TB, to *bytes.Buffer, content any) {
	tb.Helper()
	text, err := yaml.Marshal(content)
	require.NoError(tb, err)
	to.WriteString("\n---\n")
	to.Write(text)
}

// withDefaults sets what an API server sets in a Service's ports.
func withDefaults(tb testing.TB, service object) {
	tb.Helper()
	ports, _, err := unstructured.NestedSlice(service.Object, "spec", "ports")
	require.NoError(tb, err)
	for _, port := range ports {
		if port := port.(map[string]any); port["protocol"] == nil {
			port["protocol"] = "TCP"
		}
	}
	require.NoError(tb, unstructured.SetNestedSlice(service.Object, ports, "spec", "ports"))
}

// podOf returns a pod as a workload's controller makes it, or nil if the object is no workload.
func podOf(tb testing.TB, o object) *corev1.Pod {
	tb.Helper()
	var template map[string]any
	if path, ok := templates[o.GetKind()]; ok {
		var err error
		template, _, err = unstructured.NestedMap(o.Object, path...)
		require.NoError(tb, err)
	} else if o.GetKind() == "InferenceService" {
		template = predictor(tb, o)
	} else {
		return nil
	}
	pod := &corev1.Pod{}
	require.NoError(tb, runtime.DefaultUnstructuredConverter.FromUnstructured(template, pod))
	pod.APIVersion, pod.Kind = "v1", "Pod"
	pod.Name, pod.Namespace = o.GetName()+"-0", o.GetNamespace()
	return pod
}

// predictor returns the template that KServe makes of an InferenceService: it hands the object's own
// labels and annotations and the predictor's down, and adds two labels.
// https://github.com/kserve/kserve/blob/master/pkg/controller/v1beta1/inferenceservice/components/predictor.go
func predictor(tb testing.TB, o object) map[string]any {
	tb.Helper()
	metadata := map[string]any{}
	for field, own := range map[string]map[string]string{"labels": o.GetLabels(), "annotations": o.GetAnnotations()} {
		merged := map[string]any{}
		of, _, err := unstructured.NestedStringMap(o.Object, "spec", "predictor", field)
		require.NoError(tb, err)
		for _, from := range []map[string]string{own, of} {
			for key, value := range from {
				merged[key] = value
			}
		}
		metadata[field] = merged
	}
	labels := metadata["labels"].(map[string]any)
	labels["serving.kserve.io/inferenceservice"], labels["component"] = o.GetName(), "predictor"
	containers := []any{map[string]any{"name": "kserve-container", "image": "example.org/model"}}
	return map[string]any{"metadata": metadata, "spec": map[string]any{"containers": containers}}
}
