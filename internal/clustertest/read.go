package clustertest

import (
	"encoding/base64"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

func (s *Server) get(r *request) (*unstructured.Unstructured, error) {
	o := s.store.get(r.key())
	if o == nil {
		return nil, apierrors.NewNotFound(r.resource(), r.name)
	}
	o.SetGroupVersionKind(r.gvk)
	return o, nil
}

func (s *Server) list(r *request) (map[string]any, error) {
	query := r.http.URL.Query()
	matches, err := selectorOf(query.Get("labelSelector"), query.Get("fieldSelector"))
	if err != nil {
		return nil, err
	}
	var found []*unstructured.Unstructured
	for _, o := range s.store.list(r.kind, r.namespace) {
		if matches(o) {
			found = append(found, o)
		}
	}
	metadata := map[string]any{"resourceVersion": strconv.FormatUint(s.store.version, 10)}
	found, err = page(found, query.Get("limit"), query.Get("continue"), metadata)
	if err != nil {
		return nil, err
	}
	items := make([]any, 0, len(found))
	for _, o := range found {
		o.SetGroupVersionKind(r.gvk)
		if !r.crd { // a real one leaves these out of lists of its own kinds
			delete(o.Object, "apiVersion")
			delete(o.Object, "kind")
		}
		items = append(items, o.Object)
	}
	return map[string]any{
		"apiVersion": r.gvk.GroupVersion().String(), "kind": r.gvk.Kind + "List", "metadata": metadata, "items": items,
	}, nil
}

func selectorOf(labelSelector, fieldSelector string) (func(*unstructured.Unstructured) bool, error) {
	byLabel, err := labels.Parse(labelSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	byField, err := fields.ParseSelector(fieldSelector)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	for _, requirement := range byField.Requirements() {
		if requirement.Field != "metadata.name" && requirement.Field != "metadata.namespace" {
			return nil, apierrors.NewBadRequest("field label not supported: " + requirement.Field)
		}
	}
	return func(o *unstructured.Unstructured) bool {
		return byLabel.Matches(labels.Set(o.GetLabels())) &&
			byField.Matches(fields.Set{"metadata.name": o.GetName(), "metadata.namespace": o.GetNamespace()})
	}, nil
}

// page cuts a list as limit and continue say. The token is the last object before.
func page(list []*unstructured.Unstructured, limit, token string, metadata map[string]any) ([]*unstructured.Unstructured, error) {
	if token != "" {
		text, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil {
			return nil, apierrors.NewBadRequest("continue key is not valid: " + err.Error())
		}
		for len(list) > 0 && place(list[0]) <= string(text) {
			list = list[1:]
		}
	}
	if limit == "" {
		return list, nil
	}
	n, err := strconv.Atoi(limit)
	if err != nil || n < 0 {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("limit: %q is no number", limit))
	}
	if n == 0 || len(list) <= n {
		return list, nil
	}
	metadata["continue"] = base64.RawURLEncoding.EncodeToString([]byte(place(list[n-1])))
	metadata["remainingItemCount"] = len(list) - n
	return list[:n], nil
}

// place sorts as compare does: no name has a character as small.
func place(o metav1.Object) string { return o.GetNamespace() + "\x00" + o.GetName() }
