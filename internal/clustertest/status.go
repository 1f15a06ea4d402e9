package clustertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// errModified is what an API server says of a stale resourceVersion.
var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

func writeJSON(w http.ResponseWriter, status int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("clustertest: serialising an answer: %v", err)) // it is made of JSON
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may be gone
}

func writeError(w http.ResponseWriter, err *apierrors.StatusError) {
	status := err.Status()
	status.APIVersion, status.Kind = "v1", "Status"
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", fmt.Sprint(status.Details.RetryAfterSeconds))
	}
	writeJSON(w, int(status.Code), status)
}

// statusError returns an error as one of the API.
func statusError(err error) *apierrors.StatusError {
	if out, ok := errors.AsType[*apierrors.StatusError](err); ok {
		return out
	}
	return apierrors.NewInternalError(err)
}

// denied is the answer to a write that a webhook refuses.
func denied(err error) *apierrors.StatusError {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden,
		Message: fmt.Sprintf("admission webhook \"clustertest\" denied the request: %v", err),
	}}
}
