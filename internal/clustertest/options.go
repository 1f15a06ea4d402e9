package clustertest

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// options are how a write is to be done.
type options struct {
	dryRun bool
	// force takes fields over in a server-side apply.
	force         bool
	preconditions metav1.Preconditions
	propagation   metav1.DeletionPropagation
}

// readOptions reads and checks the options of a write.
func (r *request) readOptions() error {
	query := r.http.URL.Query()
	dryRun, manager, fields := query["dryRun"], query.Get("fieldManager"), query.Get("fieldValidation")
	var (
		name string
		list field.ErrorList
	)
	switch r.http.Method {
	case http.MethodPost:
		name, list = "CreateOptions", metav1validation.ValidateCreateOptions(&metav1.CreateOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: fields})
	case http.MethodPut:
		name, list = "UpdateOptions", metav1validation.ValidateUpdateOptions(&metav1.UpdateOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: fields})
	case http.MethodPatch:
		patch := metav1.PatchOptions{DryRun: dryRun, FieldManager: manager, FieldValidation: fields}
		if force := query.Get("force") == "true"; query.Has("force") {
			patch.Force, r.options.force = &force, force
		}
		name, list = "PatchOptions", metav1validation.ValidatePatchOptions(&patch, types.PatchType(r.media()))
	case http.MethodDelete:
		deletion := metav1.DeleteOptions{}
		if len(r.body) > 0 {
			if err := decode(r.body, &deletion); err != nil {
				return err
			}
		}
		deletion.DryRun = append(deletion.DryRun, dryRun...)
		if policy := metav1.DeletionPropagation(query.Get("propagationPolicy")); policy != "" {
			deletion.PropagationPolicy = &policy
		}
		if deletion.Preconditions != nil {
			r.options.preconditions = *deletion.Preconditions
		}
		if deletion.PropagationPolicy != nil {
			r.options.propagation = *deletion.PropagationPolicy
		}
		dryRun = deletion.DryRun
		name, list = "DeleteOptions", metav1validation.ValidateDeleteOptions(&deletion)
	}
	r.options.dryRun = len(dryRun) > 0
	if len(list) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: name}, "", list)
	}
	return nil
}
