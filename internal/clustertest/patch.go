package clustertest

import (
	"fmt"
	"net/http"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"
)

// patch changes an object by a merge patch, a JSON patch or a server-side apply,
// which alone may create it.
func (s *Server) patch(r *request) (o *unstructured.Unstructured, created bool, err error) {
	before := s.store.get(r.key())
	if before != nil {
		before.SetGroupVersionKind(r.gvk)
	}
	media := types.PatchType(r.media())
	if media == types.ApplyPatchType {
		return s.apply(r, before)
	}
	if before == nil {
		return nil, false, apierrors.NewNotFound(r.resource(), r.name)
	}
	text, err := json.Marshal(before.Object)
	if err != nil {
		return nil, false, fmt.Errorf("serialising the object: %w", err)
	}
	switch media {
	case types.MergePatchType:
		if text, err = jsonpatch.MergePatch(text, r.body); err != nil {
			return nil, false, apierrors.NewBadRequest("error decoding patch: " + err.Error())
		}
	case types.JSONPatchType:
		var patch jsonpatch.Patch
		if patch, err = jsonpatch.DecodePatch(r.body); err == nil {
			text, err = patch.Apply(text)
		}
	default:
		return nil, false, unsupportedMedia("application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml")
	}
	if err != nil {
		return nil, false, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
	}
	after, err := r.decode(text)
	if err != nil {
		return nil, false, err
	}
	o, err = s.replace(r, before, after, func(o *unstructured.Unstructured) (*unstructured.Unstructured, error) { return managed(r, before, o) })
	return o, false, err
}

func (s *Server) apply(r *request, before *unstructured.Unstructured) (o *unstructured.Unstructured, created bool, err error) {
	text, err := yaml.YAMLToJSON(r.body)
	if err != nil {
		return nil, false, apierrors.NewBadRequest("error decoding YAML: " + err.Error())
	}
	configuration, err := r.decode(text)
	if err != nil {
		return nil, false, err
	}
	live := before
	if live == nil {
		live = &unstructured.Unstructured{Object: map[string]any{}}
		live.SetGroupVersionKind(r.gvk)
		live.SetName(r.name)
		live.SetNamespace(r.namespace)
	}
	after, err := applied(r, live.DeepCopy(), configuration, r.options.force)
	if err != nil {
		return nil, false, err
	}
	track := func(o *unstructured.Unstructured) (*unstructured.Unstructured, error) { return o, nil }
	if before == nil {
		o, err = s.insert(r, after, track)
		return o, true, err
	}
	o, err = s.replace(r, before, after, track)
	return o, false, err
}

// decode reads JSON as apimachinery does: whole numbers are int64.
func decode(text []byte, out any) error {
	if err := json.Unmarshal(text, out); err != nil {
		return apierrors.NewBadRequest("the object provided is unrecognized: " + err.Error())
	}
	return nil
}
